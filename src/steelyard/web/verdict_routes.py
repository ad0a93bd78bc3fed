"""A manager's verdicts on workers: exclude, reinstate, block, unblock; a copy or erasure at their wish."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import Field

from steelyard.flows import erase as erasing
from steelyard.flows import exclude as verdicts
from steelyard.flows.exclude import BlockedWorker, Decision, ExcludedWork, ReinstatedWork
from steelyard.flows.worker_export import everything_about
from steelyard.web.auth import CallerOf, DeskOf, require
from steelyard.web.schemas import NoNul, OpaqueId, StrictBody

router = APIRouter(prefix="/api/v1/workers", tags=["manage"])
Reason = Annotated[str, Field(max_length=1000), NoNul]


class ExcludeBody(StrictBody):
    """Why, which HIT (none: all), and whether the places go to others."""

    reason: Reason
    hit_id: OpaqueId | None = None
    replace: bool = True


class ReinstateBody(StrictBody):
    """Why, and which HIT (none: the worker as a whole)."""

    reason: Reason = ""
    hit_id: OpaqueId | None = None


class BlockBody(StrictBody):
    """Why."""

    reason: Reason = ""


@router.post("/{worker_id}/exclude", dependencies=[require("manager")])
def exclude(desk: DeskOf, caller: CallerOf, worker_id: OpaqueId, body: ExcludeBody) -> ExcludedWork:
    """Leave a worker's judgements, or those of one HIT, out of analyses."""
    decision = Decision(worker_id, caller.by, body.reason, body.hit_id)
    return verdicts.exclude(desk.campaign, decision, now=datetime.now(UTC), replace=body.replace)


@router.post("/{worker_id}/reinstate", dependencies=[require("manager")])
def reinstate(desk: DeskOf, caller: CallerOf, worker_id: OpaqueId, body: ReinstateBody) -> ReinstatedWork:
    """Let a worker's judgements, or those of one HIT, count again."""
    decision = Decision(worker_id, caller.by, body.reason, body.hit_id)
    return verdicts.reinstate(desk.campaign, decision, now=datetime.now(UTC))


@router.post("/{worker_id}/block", dependencies=[require("manager")])
def block(desk: DeskOf, caller: CallerOf, worker_id: OpaqueId, body: BlockBody) -> BlockedWorker:
    """Give a worker no further work."""
    decision = Decision(worker_id, caller.by, body.reason)
    return verdicts.block(desk.campaign, decision, now=datetime.now(UTC))


@router.post("/{worker_id}/unblock", dependencies=[require("manager")])
def unblock(desk: DeskOf, caller: CallerOf, worker_id: OpaqueId, body: BlockBody) -> BlockedWorker:
    """Let a blocked worker take HITs again."""
    decision = Decision(worker_id, caller.by, body.reason)
    return verdicts.unblock(desk.campaign, decision, now=datetime.now(UTC))


@router.post("/{worker_id}/erase", dependencies=[require("manager")])
def erase(desk: DeskOf, caller: CallerOf, worker_id: OpaqueId, body: BlockBody) -> erasing.ErasedPerson:
    """Erase a worker's name, address, ids on a platform, answers, training and remarks, for good."""
    now = datetime.now(UTC)
    return erasing.erase(desk.campaign, worker_id, by=caller.by, now=now, reason=body.reason)


@router.get("/{worker_id}/record", response_class=JSONResponse, dependencies=[require("manager")])
def record(desk: DeskOf, worker_id: OpaqueId) -> JSONResponse:
    """Everything that is stored about a worker, as a file for the person who asks for it."""
    found = everything_about(desk.campaign, worker_id, now=datetime.now(UTC))
    name = f"{desk.campaign.settings.name}.{worker_id}.json"
    return JSONResponse(found, headers={"Content-Disposition": f'attachment; filename="{name}"'})
