"""Where the app lies: at the root of its host, below `/c/NAME` in a series, or below a proxy's path."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send


class AtUrl:
    """ASGI wrapper for an app behind a proxy, whose public address is another: https://example.org/eval.

    Links are made for that address. It does not matter whether the proxy passes the path on or cuts it off.
    """

    def __init__(self, app: ASGIApp, url: str) -> None:
        self.app = app
        self.path = path_of(url)
        parts = urlsplit(url)
        self.origin = (parts.scheme, parts.netloc.encode()) if parts.netloc else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            path = scope["path"]
            is_there = path == self.path or path.startswith(f"{self.path}/")
            scope = {**scope, "path": path if is_there else self.path + path, "root_path": self.path}
            if self.origin:
                scheme, host = self.origin
                others = [(name, value) for name, value in scope["headers"] if name != b"host"]
                scope |= {"scheme": scheme, "headers": [(b"host", host), *others]}
        await self.app(scope, receive, send)


def path_of(url: str) -> str:
    """The path of a public address, without a slash at its end: empty at the root of a host."""
    return urlsplit(url).path.rstrip("/")


def base_of(request: Request) -> str:
    """The way from the page that was asked for up to its app, such as `..`; right below any proxy's path."""
    inside = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    return "/".join([".."] * (inside.count("/") - 1)) or "."


def base_url_of(request: Request) -> str:
    """The app's address as the caller has it, without a slash at its end."""
    # Names of campaigns may hold characters that links may not.
    path = quote(request.scope.get("root_path", "").rstrip("/"), safe="/%")
    return f"{request.url.scheme}://{request.url.netloc}{path}"
