"""Assign work: give a worker the next item, blinded on the server."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import Conflict, TooMany
from steelyard.domain.running import CampaignState, Conditions
from steelyard.domain.work import (
    Assignment,
    AssignmentStatus,
    BlindedItem,
    EarlierItem,
)
from steelyard.flows.context import earlier_in_document, is_in_context, is_whole, later_in_document
from steelyard.flows.entry import require_entered
from steelyard.flows.open import OpenCampaign
from steelyard.flows.shown import blinded, order_of
from steelyard.protocols import roles_shown, stored_parts
from steelyard.store import claims, leases, running, work

if TYPE_CHECKING:
    from sqlalchemy import Connection


# Why no work is given and no answer taken.
CLOSED_DOORS = {
    CampaignState.DRAFT: "The campaign is a draft: it gives out work once the organiser opens it.",
    CampaignState.PAUSED: "The campaign is paused: it goes on once the organiser opens it again.",
    CampaignState.CLOSED: "The campaign is closed: it gives out no more work and takes no more answers.",
}
UNBEGUN = (
    "Too many sets that were taken from this address are not begun yet. Try again once one of them is. The "
    "organiser can allow more: it is the rule unbegun_hits."
)
# Seconds after which somebody else may have given their first answer [our choice].
UNBEGUN_WAIT = 15
BLOCKED = "The organiser gives no further work to this worker."


@dataclass(frozen=True, slots=True)
class NextItem:
    """The item a worker is to judge now. `position` counts from 1."""

    assignment_id: str
    position: int
    n_items: int
    n_done: int
    item: BlindedItem
    revision: int = 1
    """Which revision of the campaign's words is the current one."""
    context: tuple[EarlierItem, ...] | None = None
    """What came before in its document; None where documents are not shown in context, or `continues` is."""
    ahead: tuple[BlindedItem, ...] | None = None
    """What comes later in its document, where all of it is in view; given together with `context`."""
    continues: bool | None = None
    """Whether it goes on with the document of the item before it: for a page that knows what that was."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing to judge now. `more`: another HIT could be begun."""

    assignment_id: str | None
    n_items: int
    n_done: int
    n_hits_done: int
    more: bool
    revision: int = 1


WorkView = NextItem | Finished


def next_item(campaign: OpenCampaign, worker_id: str, *, now: datetime, may_take: bool = True) -> WorkView:
    """The worker's current item; begins or takes up a HIT if none is open and one is available.

    Conflict while the campaign is not open or something comes before work, and for a blocked worker; TooMany
    for one who has no HIT and may not take one now.
    """
    with campaign.store.read() as connection:
        conditions = running.conditions(connection)
        require_open(conditions)
        require_entered(connection, campaign, worker_id, revision=conditions.revision)
        assignment = work.open_assignment(connection, worker_id)
        if assignment is not None and not _may_be_idle(assignment, conditions, now):
            return view(
                connection, campaign.settings, assignment, assignment.n_done + 1, conditions=conditions
            )
    with campaign.store.write() as connection:
        conditions = running.conditions(connection)
        require_open(conditions)
        assignment = _take_work(connection, worker_id, conditions, now=now, may_take=may_take)
        if assignment is not None:
            return view(
                connection, campaign.settings, assignment, assignment.n_done + 1, conditions=conditions
            )
        n_hits_done = work.n_submitted(connection, worker_id)
        return Finished(None, 0, 0, n_hits_done, more=False, revision=conditions.revision)


def unbegun(campaign: OpenCampaign, assignment_ids: Sequence[str], *, now: datetime) -> list[str]:
    """Those of these assignments that are open and in which nothing is judged."""
    with campaign.store.read() as connection:
        before = leases.idle_before(connection, running.conditions(connection), now=now)
        return leases.unbegun_assignments(connection, assignment_ids, before=before)


def require_open(conditions: Conditions) -> None:
    """Conflict, with the state as its code, unless the campaign is open."""
    if conditions.state is not CampaignState.OPEN:
        raise Conflict(CLOSED_DOORS[conditions.state], code=conditions.state.value)


def _may_be_idle(assignment: Assignment, conditions: Conditions, now: datetime) -> bool:
    """Whether the lease could have run out, so that a closer look is due."""
    return assignment.accepted_at + conditions.lease < now


def _take_work(
    connection: Connection, worker_id: str, conditions: Conditions, *, now: datetime, may_take: bool
) -> Assignment | None:
    """The open assignment; or one's own expired one, a fresh HIT, one's own returned one, in this order."""
    assignment = work.open_assignment(connection, worker_id)
    if assignment is not None:
        before = leases.idle_before(connection, conditions, now=now)
        leases.renew_if_idle(connection, assignment.assignment_id, before=before, now=now)
        return assignment
    if claims.gets_no_work(connection, worker_id):
        raise Conflict(BLOCKED, code="blocked")
    if not may_take:
        raise TooMany(UNBEGUN, wait=UNBEGUN_WAIT)
    leases.end_idle_leases(connection, conditions, by="server", now=now)
    most = conditions.rules.hits_per_worker
    resume = partial(claims.resume_earlier, connection, worker_id, now=now, most=most)
    resumed = resume(AssignmentStatus.EXPIRED)
    if resumed is None:
        new_id = str(uuid.uuid4())
        claimed = claims.claim_opening(connection, worker_id, assignment_id=new_id, now=now, most=most)
        resumed = None if claimed is not None else resume(AssignmentStatus.RETURNED)
        if resumed is None:
            return claimed
    leases.log_lease(connection, "retake", resumed, by="worker", now=now)
    return resumed


def view(
    connection: Connection,
    settings: CampaignSettings,
    assignment: Assignment,
    position: int,
    *,
    conditions: Conditions,
) -> WorkView:
    """What the worker sees at `position` of an assignment; past its end, that it is finished.

    Only the texts that the protocol shows leave the server, under an opaque id.
    """
    n_items = assignment.n_items
    if position > n_items:
        most = conditions.rules.hits_per_worker
        return Finished(
            assignment_id=assignment.assignment_id,
            n_items=n_items,
            n_done=n_items,
            n_hits_done=work.n_submitted(connection, assignment.worker_id),
            more=claims.has_offer(connection, assignment.worker_id, most=most),
            revision=conditions.revision,
        )
    placed = work.placed_item(connection, assignment, position, **stored_parts(settings))
    context = ahead = None
    if is_in_context(settings):
        context = earlier_in_document(connection, settings, assignment, position, placed)
    if is_whole(settings):
        ahead = later_in_document(connection, settings, assignment, position, placed)
    return NextItem(
        assignment.assignment_id,
        position,
        n_items,
        position - 1,
        blinded(placed, order_of(settings, assignment.assignment_id, placed), roles_shown(settings)),
        revision=conditions.revision,
        context=context,
        ahead=ahead,
    )
