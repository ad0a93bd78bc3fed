"""Submit an answer: check it, append the judgement, say what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.chain import item_hash
from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.domain.judgement import Answer, Judgement
from steelyard.domain.running import Conditions
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.assign import BLOCKED, WorkView, as_shown, require_open, shown_order, view
from steelyard.flows.open import OpenCampaign
from steelyard.protocols import protocols
from steelyard.store import claims, judgements, leases, work

if TYPE_CHECKING:
    from sqlalchemy import Connection

PLACE_TAKEN = (
    "This HIT went to somebody else after a long time without an answer. What you judged before is kept; "
    "ask for the next HIT to go on."
)


@dataclass(frozen=True, slots=True)
class Submission:
    """What the browser sends for one item. It makes `judgement_id` itself, so a retry is harmless."""

    judgement_id: str
    assignment_id: str
    item_id: str
    answer: Answer
    shown_ms: int
    revision: int | None = None
    """The revision of the campaign's words that the worker saw; None: the current one."""


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
        return _store(campaign, worker_id, submission, now=now)
    except Conflict:
        with campaign.store.read() as connection:
            repeated = _repeated(connection, campaign.settings, worker_id, submission)
        if repeated is None:
            raise
        return repeated


class _LeaseEnded(Exception):  # noqa: N818 (it is no error: the answer is only late)
    """The assignment has expired: its place must be taken again first."""


def _store(campaign: OpenCampaign, worker_id: str, submission: Submission, *, now: datetime) -> Submitted:
    try:
        with campaign.store.write() as connection:
            return _submit(connection, campaign.settings, worker_id, submission, now=now)
    except _LeaseEnded:
        # From the beginning, since the worker must be held before the assignment.
        with campaign.store.write() as connection:
            _take_again(connection, worker_id, submission.assignment_id, now=now)
            return _submit(connection, campaign.settings, worker_id, submission, now=now)


def _submit(
    connection: Connection,
    settings: CampaignSettings,
    worker_id: str,
    submission: Submission,
    *,
    now: datetime,
) -> Submitted:
    # First the assignment, which is held from here on: a copy of this request then waits for us.
    assignment, conditions = _own_assignment(connection, worker_id, submission.assignment_id)
    repeated = _repeated(connection, settings, worker_id, submission)
    if repeated is not None:
        return repeated
    require_open(conditions)
    if assignment.status is AssignmentStatus.EXPIRED:
        raise _LeaseEnded
    if assignment.status is not AssignmentStatus.ACCEPTED:
        raise Conflict("This HIT is closed already; reload the page to go on.", assignment.status.value)
    revision = conditions.revision if submission.revision is None else submission.revision
    if not 1 <= revision <= conditions.revision:
        raise AnswerError(
            f"There are revisions 1 to {conditions.revision}, so there is no {revision}.", "revision"
        )
    position = assignment.n_done + 1
    protocol = protocols()[settings.protocol]
    expected = work.placed_item(connection, assignment, position, n_translations=protocol.n_translations)
    if submission.item_id != expected.item_id:
        raise Conflict("This is not the item to be judged now; reload the page to see the current one.")
    judgement = judgement_of(
        submission, expected, settings=settings, position=position, revision=revision, now=now
    )
    judgements.append(connection, judgement)
    if position == assignment.n_items:
        work.submit_assignment(connection, assignment.assignment_id, now=now)
    return Submitted(view(connection, settings, assignment, position + 1, conditions=conditions), is_new=True)


def judgement_of(
    submission: Submission,
    expected: work.PlacedTexts,
    *,
    settings: CampaignSettings,
    position: int,
    revision: int,
    now: datetime,
) -> Judgement:
    """The judgement that a submission makes about the expected item; AnswerError if its answer is wrong."""
    protocol = protocols()[settings.protocol]
    order = shown_order(protocol, submission.assignment_id, expected.item_id)
    shown = as_shown(expected, order, attribute=settings.attribute)
    return Judgement(
        judgement_id=submission.judgement_id,
        assignment_id=submission.assignment_id,
        item_id=expected.item_id,
        position=position,
        answer=protocol.check(shown, submission.answer),
        shown_ms=submission.shown_ms,
        submitted_at=now,
        shown_order=order,
        revision=revision,
        item_hash=item_hash(expected.item_id, expected.translations, expected.segments, order),
    )


def _take_again(connection: Connection, worker_id: str, assignment_id: str, *, now: datetime) -> None:
    """Take the place of an expired assignment again for a late answer; Conflict if that cannot be.

    What matters is whether the place is free, not how late the answer is.
    """
    other = work.open_assignment(connection, worker_id)
    assignment, conditions = _own_assignment(connection, worker_id, assignment_id)
    if assignment.status is not AssignmentStatus.EXPIRED:
        return
    if claims.gets_no_work(connection, worker_id):
        raise Conflict(BLOCKED, code="blocked")
    may = other is None and claims.may_resume(connection, assignment, most=conditions.rules.hits_per_worker)
    if not may or not leases.retake_place(connection, assignment_id):
        raise Conflict(PLACE_TAKEN, code="place_taken")
    leases.renew_lease(connection, assignment_id, now=now)
    leases.log_lease(connection, "retake", assignment, by="worker", now=now)


def _repeated(
    connection: Connection, settings: CampaignSettings, worker_id: str, submission: Submission
) -> Submitted | None:
    """The reply already given to this judgement_id, or None if it is new."""
    stored = judgements.find(connection, submission.judgement_id)
    if stored is None:
        return None
    same = stored.assignment_id == submission.assignment_id and stored.item_id == submission.item_id
    found = work.assignment_and_conditions(connection, stored.assignment_id)
    if not same or found is None or found[0].worker_id != worker_id:
        raise Conflict("This judgement_id belongs to another judgement; make a new one for each item.")
    protocol = protocols()[settings.protocol]
    placed = work.placed_item(connection, found[0], stored.position, n_translations=protocol.n_translations)
    shown = as_shown(placed, stored.shown_order, attribute=settings.attribute)
    if protocol.check(shown, submission.answer) != stored.answer:
        raise Conflict(
            "Another answer is stored under this judgement_id; make a new one for each item.", "other_answer"
        )
    assignment, conditions = found
    next_view = view(connection, settings, assignment, stored.position + 1, conditions=conditions)
    return Submitted(next_view, is_new=False)


def _own_assignment(
    connection: Connection, worker_id: str, assignment_id: str
) -> tuple[Assignment, Conditions]:
    found = work.assignment_and_conditions(connection, assignment_id)
    if found is None or found[0].worker_id != worker_id:
        raise NotFound("There is no such assignment under this link; reload the page.")
    return found
