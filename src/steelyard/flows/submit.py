"""Submit an answer: check it, append the judgement, say what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.judgement import Answer, Judgement
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.assign import WorkView, as_shown, shown_order, view
from steelyard.flows.open import OpenCampaign
from steelyard.protocols import protocols
from steelyard.store import judgements, work

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Submission:
    """What the browser sends for one item. It makes `judgement_id` itself, so a retry is harmless."""

    judgement_id: str
    assignment_id: str
    item_id: str
    answer: Answer
    shown_ms: int


@dataclass(frozen=True, slots=True)
class Submitted:
    """The reply to a submission that is stored for good. `is_new` is False for a repeated one."""

    next: WorkView
    is_new: bool


def submit(campaign: OpenCampaign, worker_id: str, submission: Submission, *, now: datetime) -> Submitted:
    """Store one answer, once, and return the next item.

    Returns only after the transaction is durable. The same `judgement_id` again gives the same
    reply and stores nothing, also when both requests are under way at the same moment.
    """
    try:
        with campaign.store.write() as connection:
            return _submit(connection, campaign.settings, worker_id, submission, now=now)
    except Conflict:
        with campaign.store.read() as connection:
            repeated = _repeated(connection, campaign.settings, worker_id, submission)
        if repeated is None:
            raise
        return repeated


def _submit(
    connection: Connection,
    settings: CampaignSettings,
    worker_id: str,
    submission: Submission,
    *,
    now: datetime,
) -> Submitted:
    # First the assignment, which is held from here on: a copy of this request then waits for us.
    assignment = _own_assignment(connection, worker_id, submission.assignment_id)
    repeated = _repeated(connection, settings, worker_id, submission)
    if repeated is not None:
        return repeated
    if assignment.status is not AssignmentStatus.ACCEPTED:
        raise Conflict("This HIT is closed already; reload the page to go on.")
    position = assignment.n_done + 1
    protocol = protocols()[settings.protocol]
    expected = work.placed_item(connection, assignment, position, n_translations=protocol.n_translations)
    if submission.item_id != expected.item_id:
        raise Conflict("This is not the item to be judged now; reload the page to see the current one.")
    order = shown_order(protocol, assignment.assignment_id, expected.item_id)
    answer = protocol.check(as_shown(expected, order, attribute=settings.attribute), submission.answer)
    judgement = Judgement(
        judgement_id=submission.judgement_id,
        assignment_id=assignment.assignment_id,
        item_id=submission.item_id,
        position=position,
        answer=answer,
        shown_ms=submission.shown_ms,
        submitted_at=now,
        shown_order=order,
    )
    judgements.append(connection, judgement)
    if position == assignment.n_items:
        work.submit_assignment(connection, assignment.assignment_id, now=now)
    return Submitted(view(connection, settings, assignment, position + 1), is_new=True)


def _repeated(
    connection: Connection, settings: CampaignSettings, worker_id: str, submission: Submission
) -> Submitted | None:
    """The reply already given to this judgement_id, or None if it is new."""
    stored = judgements.find(connection, submission.judgement_id)
    if stored is None:
        return None
    same = stored.assignment_id == submission.assignment_id and stored.item_id == submission.item_id
    assignment = work.assignment(connection, stored.assignment_id)
    if not same or assignment is None or assignment.worker_id != worker_id:
        raise Conflict("This judgement_id belongs to another judgement; make a new one for each item.")
    return Submitted(view(connection, settings, assignment, stored.position + 1), is_new=False)


def _own_assignment(connection: Connection, worker_id: str, assignment_id: str) -> Assignment:
    assignment = work.assignment(connection, assignment_id)
    if assignment is None or assignment.worker_id != worker_id:
        raise NotFound("There is no such assignment under this link; reload the page.")
    return assignment
