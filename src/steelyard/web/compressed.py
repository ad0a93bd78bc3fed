"""Pages and data are sent compressed where the browser accepts that."""

from __future__ import annotations

import gzip
import re

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Below this, headers and packets weigh more than what would be saved [our choice].
SMALLEST = 1024
# From here on compressing takes milliseconds, in which nobody else would be answered [our choice].
SMALLEST_IN_THREAD = 64 * 1024
LEVEL = 6
# Downloads are not among them: they are sent piece by piece, and a table of a million rows would keep the
# processor from those who judge.
KINDS = ("text/html", "application/json")
_ACCEPTED = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


def accepts_gzip(scope: Scope) -> bool:
    """Whether the caller of a request can read gzip."""
    return _ACCEPTED.search(Headers(scope=scope).get("accept-encoding", "")) is not None


class Compressed:
    """ASGI wrapper that compresses replies which are sent in one piece and are worth it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                begun, start = start, None
                message = await _squeezed(begun, message, is_accepted=accepts_gzip(scope))
                await send(begun)
            await send(message)

        await self.app(scope, receive, send_compressed)


async def _squeezed(start: Message, message: Message, *, is_accepted: bool) -> Message:
    """The body of a reply, compressed if that is worth it; its headers are changed to say so."""
    headers = MutableHeaders(scope=start)
    body = message.get("body", b"")
    kind = headers.get("content-type", "").partition(";")[0]
    if message.get("more_body") or kind not in KINDS or len(body) < SMALLEST or "content-encoding" in headers:
        return message
    headers.add_vary_header("Accept-Encoding")
    if not is_accepted:
        return message
    if len(body) < SMALLEST_IN_THREAD:
        body = gzip.compress(body, LEVEL, mtime=0)
    else:
        body = await run_in_threadpool(gzip.compress, body, LEVEL, mtime=0)
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(body))
    return {**message, "body": body}
