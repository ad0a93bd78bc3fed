"""Who a manager is, as a proxy says that has signed them in: a header with their e-mail address."""

from __future__ import annotations

from fastapi import HTTPException, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.flows.managers import Caller, caller_by_email
from steelyard.flows.open import OpenCampaign
from steelyard.web.callers import is_from_proxy

# The dashboard sends it. A page of another site cannot, unless we agreed to that, and we never do.
OWN_PAGE_HEADER = "X-Steelyard"
_IDENTITY = "steelyard.identity"
STRANGER = "You are signed in, but you are not a manager here. Ask an owner to add your e-mail address."
OTHER_SITE = (
    f"Send the header {OWN_PAGE_HEADER}: it shows that no other site makes this request in your name. "
    "Or send the token of your link as 'Authorization: Bearer TOKEN'."
)


class Identified:
    """ASGI wrapper that believes a header of trusted proxies about who calls, and ignores anybody else's.

    It belongs inside of `BehindProxies`. A header that comes twice was not only written by the proxy.
    """

    def __init__(self, app: ASGIApp, header: str) -> None:
        self.app = app
        self.header = header.lower().encode("ascii")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and is_from_proxy(scope):
            given = [value for name, value in scope["headers"] if name == self.header]
            if len(given) == 1 and given[0].strip():
                scope = {**scope, _IDENTITY: given[0].decode("utf-8", "replace").strip()}
        await self.app(scope, receive, send)


def is_signed_in(request: Request) -> bool:
    """Whether a proxy says who is calling."""
    return _IDENTITY in request.scope


def signed_in_caller(campaign: OpenCampaign, request: Request) -> Caller | None:
    """The manager whom a proxy has signed in; None if it is none of this campaign."""
    email: str | None = request.scope.get(_IDENTITY)
    return None if email is None else caller_by_email(campaign, email)


def require_own_page(request: Request) -> None:
    """403 for a request that another site may have made: browsers sign those in as well."""
    site = request.headers.get("sec-fetch-site")
    if OWN_PAGE_HEADER not in request.headers or site not in (None, "same-origin"):
        raise HTTPException(403, OTHER_SITE)
