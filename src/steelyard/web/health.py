"""For monitoring the server: is the process up, can it reach its database."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from steelyard.web.auth import DeskOf

router = APIRouter(include_in_schema=False, default_response_class=PlainTextResponse)


@router.get("/healthz")
async def healthz() -> str:
    """The process is up."""
    return "ok"


@router.get("/readyz")
def readyz(desk: DeskOf) -> str:
    """The database answers; 503 otherwise."""
    desk.campaign.ping()
    return "ok"
