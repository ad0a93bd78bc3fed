"""What a manager calls about HITs: who has them, and releasing what was abandoned."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from steelyard.flows.release import HitPlaces, Place, hit_places, release
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.schemas import NoNul, OpaqueId

HITS = TypeAdapter(list[HitPlaces])

router = APIRouter(prefix="/api/v1", tags=["manage"])


class ReleaseBody(BaseModel):
    """Why an assignment is released."""

    model_config = ConfigDict(extra="forbid")
    reason: Annotated[str, Field(max_length=1000), NoNul] = ""


@router.get("/hits", responses={200: {"model": list[HitPlaces]}}, dependencies=[require("viewer")])
def all_hits(desk: DeskOf) -> Response:
    """Every HIT with its places: free, open, idle, submitted or excluded, and what was released."""
    # Written at once: there may be tens of thousands of places.
    content = HITS.dump_json(hit_places(desk.campaign, now=datetime.now(UTC)))
    return Response(content, media_type="application/json")


@router.post("/assignments/{assignment_id}/release", dependencies=[require("manager")])
def release_assignment(
    desk: DeskOf, caller: CallerOf, assignment_id: OpaqueId, body: ReleaseBody | None = None
) -> Place:
    """Give the place of an open assignment back to the pool. What was judged stays."""
    reason = body.reason if body else ""
    [released] = release(desk.campaign, [assignment_id], by=caller.by, now=datetime.now(UTC), reason=reason)
    return released.place
