"""Scripts, style sheets and pictures of the pages: put together and compressed once, and then remembered."""

from __future__ import annotations

import gzip
import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import HTTPException
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from steelyard.protocols import protocols
from steelyard.web.compressed import accepts_gzip
from steelyard.web.joined import Unjoinable, joined_script, joined_style

STATIC = Path(__file__).parent / "static"
# What pages load. All other modules are served as they are: a page must not get one of them twice.
ENTRIES = frozenset(
    f"/static/{name}.js" for name in ("shell", "plain_segment", "posting", "join", "manager", "series")
)
# Names without dots: nothing leads out of the folders.
_ADDRESS = re.compile(
    r"/static/(?P<file>[a-z0-9_/]{1,60}\.(?:js|css|svg))|/protocols/(?P<protocol>[^/]+)/(?P<widget>widget\.(?:js|css))"
)
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
# Browsers ask each time whether theirs is still the newest: an upgrade must not meet old scripts.
CACHING = "no-cache"
# A script or style sheet that somebody opens by itself loads nothing; as a part of a page it obeys the page.
POLICY = "default-src 'none'"


@dataclass(frozen=True, slots=True)
class ServedFile:
    """What an address gives, ready to be sent. `made_of`: the files in it, as they were then."""

    content: bytes
    compressed: bytes
    media_type: str
    etag: str
    made_of: dict[Path, tuple[int, int]]

    def reply(self, scope: Scope) -> Response:
        """The reply to a request: the file, or that the caller has it already."""
        headers = {"ETag": self.etag, "Cache-Control": CACHING, "Vary": "Accept-Encoding"}
        if self.media_type != KINDS[".svg"]:
            headers["Content-Security-Policy"] = POLICY
        known = Headers(scope=scope).get("if-none-match", "")
        if self.etag in (tag.strip() for tag in known.split(",")):
            return Response(status_code=304, headers=headers)
        if accepts_gzip(scope):
            headers["Content-Encoding"] = "gzip"
            return Response(self.compressed, media_type=self.media_type, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


class StaticFiles:
    """ASGI app for the files below /static."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        address = scope["path"].removeprefix(scope.get("root_path", ""))
        found = await run_in_threadpool(served_file, f"/static/{address.removeprefix('/')}")
        await found.reply(scope)(scope, receive, send)


def served_file(address: str) -> ServedFile:
    """What an address such as /static/shell.js or /protocols/da/widget.css gives; 404 if nothing."""
    known = _remembered().get(address)
    if known is None or any(_stamp(path) != stamp for path, stamp in known.made_of.items()):
        known = _remembered()[address] = _made(address)
    return known


@cache
def _remembered() -> dict[str, ServedFile]:
    """What was asked for before, of the few addresses there are."""
    return {}


def _made(address: str) -> ServedFile:
    path = _path(address)
    if path is None:
        raise HTTPException(404, "There is no such file.")
    content, addresses = path.read_bytes(), [address]
    # Browsers know what to do with those that we cannot join.
    with suppress(Unjoinable):
        if path.suffix == ".css":
            text, addresses = joined_style(address, asset_text)
            content = text.encode()
        elif address in ENTRIES or path.name == "widget.js":
            text, addresses = joined_script(address, asset_text)
            content = text.encode()
    paths = [found for found in map(_path, addresses) if found is not None]
    return ServedFile(
        content,
        gzip.compress(content, mtime=0),
        KINDS[path.suffix],
        # The same for either form, as weak ones may be.
        f'W/"{hashlib.sha256(content).hexdigest()[:20]}"',
        {found: _stamp(found) for found in paths},
    )


def _path(address: str) -> Path | None:
    """The file at an address; None if there is none that anybody may have."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return None
    if found["file"]:
        path = STATIC / found["file"]
    elif found["protocol"] in protocols():
        path = protocols()[found["protocol"]].folder / found["widget"]
    else:
        return None
    return path if path.is_file() else None


def asset_text(address: str) -> str | None:
    """The text of a script or style sheet as it is written; None where there is none."""
    path = _path(address)
    return None if path is None else path.read_text("utf-8")


def _stamp(path: Path) -> tuple[int, int]:
    """When a file was changed and how long it is; zeros if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)
