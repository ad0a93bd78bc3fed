"""A manager's verdicts on workers: exclude, reinstate, block, unblock."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from steelyard.flows import exclude as verdicts
from steelyard.flows.exclude import Decision
from steelyard.web.auth import DeskOf, require_manager
from steelyard.web.schemas import NoNul, OpaqueId

router = APIRouter(prefix="/api/v1/workers", tags=["manage"], dependencies=[require_manager])
Reason = Annotated[str, Field(max_length=1000), NoNul]


class ExcludeBody(BaseModel):
    """Why, which HIT (none: all), and whether the places go to others."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason
    hit_id: OpaqueId | None = None
    replace: bool = True


class ReinstateBody(BaseModel):
    """Why, and which HIT (none: the worker as a whole)."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason = ""
    hit_id: OpaqueId | None = None


class BlockBody(BaseModel):
    """Why."""

    model_config = ConfigDict(extra="forbid")

    reason: Reason = ""


class ExcludedView(BaseModel):
    """What was excluded. `offered`: the HITs on which a place went back to the pool."""

    worker_id: str
    hit_id: str | None
    reason: str
    offered: list[str]


class ReinstatedView(BaseModel):
    """What counts again. `surplus`: HITs that somebody else took instead, judged once more than wanted."""

    worker_id: str
    hit_id: str | None
    taken_back: list[str]
    surplus: list[str]


class BlockedView(BaseModel):
    """Whether the worker gets further work. `released`: the HITs that were under way."""

    worker_id: str
    is_blocked: bool
    released: list[str]


@router.post("/{worker_id}/exclude")
def exclude(desk: DeskOf, worker_id: OpaqueId, body: ExcludeBody) -> ExcludedView:
    """Leave a worker's judgements, or those of one HIT, out of analyses."""
    decision = Decision(worker_id, "manager", body.reason, body.hit_id)
    done = verdicts.exclude(desk.campaign, decision, now=datetime.now(UTC), replace=body.replace)
    return ExcludedView.model_validate(asdict(done))


@router.post("/{worker_id}/reinstate")
def reinstate(desk: DeskOf, worker_id: OpaqueId, body: ReinstateBody) -> ReinstatedView:
    """Let a worker's judgements, or those of one HIT, count again."""
    decision = Decision(worker_id, "manager", body.reason, body.hit_id)
    done = verdicts.reinstate(desk.campaign, decision, now=datetime.now(UTC))
    return ReinstatedView.model_validate(asdict(done))


@router.post("/{worker_id}/block")
def block(desk: DeskOf, worker_id: OpaqueId, body: BlockBody) -> BlockedView:
    """Give a worker no further work."""
    decision = Decision(worker_id, "manager", body.reason)
    return BlockedView.model_validate(asdict(verdicts.block(desk.campaign, decision, now=datetime.now(UTC))))


@router.post("/{worker_id}/unblock")
def unblock(desk: DeskOf, worker_id: OpaqueId, body: BlockBody) -> BlockedView:
    """Let a blocked worker take HITs again."""
    decision = Decision(worker_id, "manager", body.reason)
    return BlockedView.model_validate(
        asdict(verdicts.unblock(desk.campaign, decision, now=datetime.now(UTC)))
    )
