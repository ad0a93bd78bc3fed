"""Wrapped around every request: a limit on its size, headers that protect the reader of a page."""

from __future__ import annotations

import json

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from steelyard.domain.plugin import PostBack
from steelyard.web.schemas import error_body

# An answer is a few hundred bytes; nothing we accept comes near this.
LARGEST_BODY = 64 * 1024
# Except texts that a manager adds: that route reads the body itself, once it knows who is asking.
EXTEND_PATH = "/api/v1/extend"
LARGEST_TEXTS = 20 * 2**20
# The default holds for scripts, styles, media and connections: naming each would add bytes to every reply.
_OWN_ONLY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'"
PAGE_POLICY = f"{_OWN_ONLY}; form-action 'self'; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    # Tokens are part of addresses: they must not travel on.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


def framed_policy(posting: PostBack) -> str:
    """The policy of a page that a crowd platform holds in a frame, and that posts back to it.

    The platform may answer what is posted by leading on to its own pages, and browsers hold that to the same
    list as the form.
    """
    frames = " ".join(posting.frame_origins)
    places = " ".join(dict.fromkeys((*posting.submit_origins, *posting.frame_origins)))
    return f"{_OWN_ONLY}; form-action {places}; frame-ancestors {frames}"


class Guards:
    """ASGI wrapper that refuses oversized bodies and adds security headers where a route set none."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["method"] == "POST" and scope["path"].endswith(EXTEND_PATH):
            await self.app(scope, receive, send_guarded)
            return
        asked = scope
        if scope["method"] == "HEAD" and not scope["path"].removeprefix(scope["root_path"]).startswith(
            "/api/"
        ):
            # Monitors and mail programs look at addresses this way; the server leaves the body out.
            scope = {**scope, "method": "GET"}
        try:
            body = await _whole_body(receive)
        except ClientDisconnect:
            return
        if body is None:
            await _refuse(send_guarded)
        else:
            await self.app(scope, _replay(body, receive), send_guarded)
            # Those outside want to know it too.
            asked["route"] = scope.get("route")


async def _whole_body(receive: Receive) -> bytes | None:
    """The request's body, or None as soon as it is too large; ClientDisconnect if it breaks off."""
    chunks, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > LARGEST_BODY:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Send) -> None:
    message = f"The request is larger than {LARGEST_BODY // 1024} KiB."
    content = json.dumps(error_body("too_large", message)).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": content})
