"""The files that sources show: pictures, sound and films, in whole or in parts."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, Response

from steelyard.domain.media import MEDIA_TYPES, ending_of, is_media_name

# A name stands for its content, so browsers may keep what they have got.
CACHING = "public, max-age=31536000, immutable"
# Whoever opens a file by itself gets nothing but that file.
FILE_POLICY = "default-src 'none'; media-src 'self'; img-src 'self'; frame-ancestors 'none'; sandbox"

router = APIRouter(include_in_schema=False)


@router.get("/media/{name}")
def media_file(request: Request, name: str) -> Response:
    """A file that a source shows; the browser may ask for a part of it, to jump to a place in a film."""
    folder: Path | None = request.app.state.media
    if folder is None or not is_media_name(name) or not (folder / name).is_file():
        raise HTTPException(404, "There is no such file.")
    etag = f'"{name}"'
    headers = {"ETag": etag, "Cache-Control": CACHING, "Content-Security-Policy": FILE_POLICY}
    known = request.headers.get("if-none-match", "")
    if etag in (tag.strip() for tag in known.split(",")):
        return Response(status_code=304, headers=headers)
    return FileResponse(folder / name, media_type=MEDIA_TYPES[ending_of(name)], headers=headers)
