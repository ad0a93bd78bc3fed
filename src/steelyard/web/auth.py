"""Who is calling, looked up for every request, reading included: by a bearer token, or as a proxy says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request

from steelyard.domain.errors import NotFound
from steelyard.domain.managers import ManagerRole, allows
from steelyard.domain.work import LinkRole
from steelyard.flows.links import holder
from steelyard.flows.managers import Caller, caller_by_token
from steelyard.web.identity import STRANGER, is_signed_in, require_own_page, signed_in_caller
from steelyard.web.state import Desk, desk_of

TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")
# What each check of `require` asks for; a test compares it with what every route should ask for.
ROLES_NEEDED: dict[Callable[..., None], ManagerRole] = {}
TOO_LOW = {
    "manager": "Your link is for looking only. Ask an owner of the campaign to make you a manager.",
    "owner": "Only an owner of the campaign may do this. Ask one to do it, or to make you an owner.",
}


def bearer(request: Request) -> str:
    """The token of the request's Authorization header; 401 without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not TOKEN.fullmatch(token):
        raise HTTPException(
            401,
            "Send the token of your link as 'Authorization: Bearer TOKEN'.",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return token


Token = Annotated[str, Depends(bearer)]
DeskOf = Annotated[Desk, Depends(desk_of)]


def _holder(desk: Desk, token: str, role: LinkRole) -> str | None:
    try:
        return holder(desk.campaign, token, role)
    except NotFound as error:
        raise unknown_link(error) from None


def unknown_link(error: NotFound) -> HTTPException:
    """The refusal of a token that opens nothing."""
    return HTTPException(401, str(error), headers={"WWW-Authenticate": "Bearer"})


def worker_of(desk: DeskOf, token: Token) -> str:
    """The worker who owns the token; 401 if nobody does."""
    worker_id = _holder(desk, token, "worker")
    assert worker_id is not None, "a worker's link always names its worker"
    return worker_id


def caller_of(desk: DeskOf, request: Request) -> Caller:
    """The manager who is calling, and in which role; 401 if it is none.

    A token counts before what a proxy says: with the link of another role one has that role. What a proxy
    itself has asked for (Basic) is no token.
    """
    scheme = request.headers.get("authorization", "").partition(" ")[0]
    if is_signed_in(request) and scheme.lower() != "bearer":
        require_own_page(request)
        caller = signed_in_caller(desk.campaign, request)
        if caller is None:
            raise HTTPException(403, STRANGER)
        return caller
    try:
        return caller_by_token(desk.campaign, bearer(request))
    except NotFound as error:
        raise unknown_link(error) from None


def _visitor(desk: DeskOf, token: Token) -> None:
    _holder(desk, token, "open")


WorkerId = Annotated[str, Depends(worker_of)]
CallerOf = Annotated[Caller, Depends(caller_of)]
require_visitor = Depends(_visitor)


def require(role: ManagerRole) -> Any:
    """A dependency that refuses everyone below a role: the one place where a route says who may call it."""

    def check(caller: CallerOf) -> None:
        require_role(caller, role)

    ROLES_NEEDED[check] = role
    return Depends(check)


def require_role(caller: Caller, role: ManagerRole) -> None:
    """403 for a manager below this role."""
    if not allows(caller.role, role):
        raise HTTPException(403, TOO_LOW[role])
