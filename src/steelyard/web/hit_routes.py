"""What a manager calls about HITs: who has them, and releasing what was abandoned."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from steelyard.flows.release import HitPlaces, Place, release
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.replies import json_reply
from steelyard.web.schemas import NoNul, OpaqueId, StrictBody

router = APIRouter(prefix="/api/v1", tags=["manage"])


class ReleaseBody(StrictBody):
    """Why an assignment is released."""

    reason: Annotated[str, Field(max_length=1000), NoNul] = ""


@router.get("/hits", response_model=list[HitPlaces], dependencies=[require("viewer")])
async def all_hits(desk: DeskOf) -> Response:
    """Every HIT with its places: free, open, idle, submitted or excluded, and what was released."""
    return json_reply(await desk.ask("hits"))


@router.post("/assignments/{assignment_id}/release", dependencies=[require("manager")])
def release_assignment(
    desk: DeskOf, caller: CallerOf, assignment_id: OpaqueId, body: ReleaseBody | None = None
) -> Place:
    """Give the place of an open assignment back to the pool. What was judged stays."""
    reason = body.reason if body else ""
    [released] = release(desk.campaign, [assignment_id], by=caller.by, now=datetime.now(UTC), reason=reason)
    return released.place
