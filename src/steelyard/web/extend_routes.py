"""What a manager adds to a campaign: ratings, segments, systems."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import Field
from starlette.requests import ClientDisconnect

from steelyard.flows.extend import Extended, design_extension, write_extension
from steelyard.flows.managers import Caller
from steelyard.flows.sent_files import sent_campaign
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.guards import EXTEND_PATH, LARGEST_TEXTS
from steelyard.web.schemas import StrictBody, parse
from steelyard.web.state import Desk

router = APIRouter(tags=["manage"])


class ExtendBody(StrictBody):
    """More ratings of each item, or a campaign file (TOML text) with the texts of the files it names."""

    ratings: Annotated[int, Field(ge=1, le=100)] | None = None
    campaign_file: str | None = None
    files: Annotated[dict[str, str], Field(max_length=1000)] = Field(default_factory=dict)
    dry_run: bool = False


@router.post(
    EXTEND_PATH,
    dependencies=[require("manager")],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": ExtendBody.model_json_schema()}},
        }
    },
)
async def extend(desk: DeskOf, caller: CallerOf, request: Request) -> Extended:
    """Add ratings, segments or systems while workers are judging; `dry_run` only says what it would cost."""
    # Texts may be long. They are read here and not by the framework, so that the token is checked first.
    return await run_in_threadpool(_extend, desk, caller, parse(ExtendBody, await _content(request)))


async def _content(request: Request) -> bytes:
    content = bytearray()
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > LARGEST_TEXTS:
                raise HTTPException(
                    413, f"The texts are larger than {LARGEST_TEXTS // 2**20} MiB. Use the command line."
                )
    except ClientDisconnect:
        raise HTTPException(400, "The request broke off; nothing was added.") from None
    return bytes(content)


def _extend(desk: Desk, caller: Caller, body: ExtendBody) -> Extended:
    sent = nullcontext() if body.campaign_file is None else sent_campaign(body.campaign_file, body.files)
    with sent as texts:
        designed = design_extension(desk.campaign, ratings=body.ratings, texts=texts, confined=True)
        if body.dry_run:
            return designed.extended
        return write_extension(desk.campaign, designed, by=caller.by, now=datetime.now(UTC))
