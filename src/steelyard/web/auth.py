"""Who is calling: a bearer token is looked up for every request, reading included."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from steelyard.domain.errors import NotFound
from steelyard.domain.work import LinkRole
from steelyard.flows.links import holder
from steelyard.web.state import Desk, desk_of

TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")


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
        raise HTTPException(401, str(error), headers={"WWW-Authenticate": "Bearer"}) from None


def worker_of(desk: DeskOf, token: Token) -> str:
    """The worker who owns the token; 401 if nobody does."""
    worker_id = _holder(desk, token, "worker")
    assert worker_id is not None, "a worker's link always names its worker"
    return worker_id


def _manager(desk: DeskOf, token: Token) -> None:
    _holder(desk, token, "manager")


def _visitor(desk: DeskOf, token: Token) -> None:
    _holder(desk, token, "open")


WorkerId = Annotated[str, Depends(worker_of)]
require_manager = Depends(_manager)
require_visitor = Depends(_visitor)
