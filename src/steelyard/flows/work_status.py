"""Where a worker stands: what they have open, what they could begin, or why they cannot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from steelyard.domain.running import CampaignState, Conditions
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.open import OpenCampaign
from steelyard.store import claims, leases, running, work

if TYPE_CHECKING:
    from sqlalchemy import Connection

WorkState = Literal["ready", "open", "done", "released", "paused", "closed", "draft", "blocked"]
SHUT: dict[CampaignState, WorkState] = {
    CampaignState.PAUSED: "paused",
    CampaignState.CLOSED: "closed",
    CampaignState.DRAFT: "draft",
}


@dataclass(frozen=True, slots=True)
class WorkStatus:
    """Where a worker stands; takes no HIT.

    `n_items` and `n_done` are of the HIT that is open, was released, or would come next.
    """

    state: WorkState
    n_items: int
    n_done: int
    n_hits_done: int
    n_judged: int
    """How many judgements the worker has given in all."""
    more: bool
    """Whether asking for work would give some."""
    is_capped: bool
    """Whether the worker has taken as many HITs as one worker may."""
    can_return: bool
    assignment_id: str | None
    """The open assignment."""
    revision: int


def work_status(campaign: OpenCampaign, worker_id: str, *, now: datetime) -> WorkStatus:
    """Whether the worker has a HIT open, could begin one, or is done.

    If nothing is left but what others have abandoned, that is released first.
    """
    with campaign.store.read() as connection:
        conditions = running.conditions(connection)
        found = _status(connection, worker_id, conditions)
        before = leases.idle_before(connection, conditions, now=now)
        is_waiting = found.state in ("done", "released") and not found.more and not found.is_capped
        if not is_waiting or not leases.idle_assignments(connection, before=before):
            return found
    with campaign.store.write() as connection:
        leases.end_idle_leases(connection, conditions, by="server", now=now)
        return _status(connection, worker_id, conditions)


def _status(connection: Connection, worker_id: str, conditions: Conditions) -> WorkStatus:
    most = conditions.rules.hits_per_worker
    held = work.open_assignment(connection, worker_id)
    state = SHUT.get(conditions.state)
    if state is None and held is None and claims.gets_no_work(connection, worker_id):
        state = "blocked"
    offer = claims.next_offer(connection, worker_id, most=most) if state is None and held is None else None
    # A set of one's own that can be gone on with is as good as open.
    is_open = held is not None or (offer is not None and offer.earlier is AssignmentStatus.EXPIRED)
    lost = None if is_open else _lost(connection, worker_id)
    shown = held or lost or offer
    return WorkStatus(
        state=state or _state(offer, is_open=is_open, is_lost=lost is not None),
        n_items=shown.n_items if shown else 0,
        n_done=shown.n_done if shown else 0,
        n_hits_done=work.n_submitted(connection, worker_id),
        n_judged=work.n_judged(connection, worker_id),
        more=state is None and (held is not None or offer is not None),
        is_capped=most is not None and claims.n_hits_taken(connection, worker_id) >= most,
        can_return=state is None and held is not None,
        assignment_id=held.assignment_id if held else None,
        revision=conditions.revision,
    )


def _state(offer: claims.Offer | None, *, is_open: bool, is_lost: bool) -> WorkState:
    if is_open:
        return "open"
    if is_lost:
        return "released"
    return "ready" if offer else "done"


def _lost(connection: Connection, worker_id: str) -> Assignment | None:
    """The assignment that the worker had last, if it expired."""
    latest = claims.latest_assignment(connection, worker_id)
    return latest if latest and latest.status is AssignmentStatus.EXPIRED else None
