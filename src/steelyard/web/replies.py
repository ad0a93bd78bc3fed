"""Replies made of what an analyst answered."""

from __future__ import annotations

from fastapi.responses import FileResponse, Response
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

from steelyard.web.analyst import Answer


def json_reply(answer: Answer, more: BaseModel | None = None) -> Response:
    """JSON that is written already; `more` has further keys of the object."""
    content = answer.content
    if more is not None:
        content = content.removesuffix(b"}") + b"," + more.model_dump_json().encode().removeprefix(b"{")
    return Response(content, media_type="application/json")


def csv_reply(answer: Answer, name: str) -> Response:
    """A table to save under this name."""
    if answer.path is not None:
        return SpooledFile(answer, name, "text/csv")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(answer.content, media_type="text/csv", headers=headers)


class WholeFile(FileResponse):
    """A file that is sent whole: each request makes a copy of another moment, and pieces would not fit."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers["Accept-Ranges"] = "none"
        others = [(name, value) for name, value in scope["headers"] if name != b"range"]
        await super().__call__({**scope, "headers": others}, receive, send)


class SpooledFile(WholeFile):
    """A temporary file: sent as slowly as the receiver likes, and then removed, received or not."""

    def __init__(self, answer: Answer, name: str, media_type: str) -> None:
        assert answer.path is not None
        super().__init__(answer.path, media_type=media_type)
        self.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._answer.discard()
