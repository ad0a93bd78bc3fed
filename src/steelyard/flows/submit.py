"""Submit an answer: check it, append the judgement, say what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.chain import item_hash
from steelyard.domain.entry import CampaignEntry
from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.domain.judgement import Answer, Behaviour, Judgement
from steelyard.domain.running import Conditions
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.assign import BLOCKED, Finished, WorkView, require_open, view
from steelyard.flows.entry import agrees_to_behaviour, entry_at
from steelyard.flows.open import OpenCampaign
from steelyard.flows.shown import as_shown, order_of
from steelyard.protocols import protocols, stored_parts
from steelyard.store import claims, entries, judgements, leases, work

if TYPE_CHECKING:
    from sqlalchemy import Connection

PLACE_TAKEN = (
    "This set went to somebody else after a long time without an answer. What you judged before is kept; "
    "ask for the next set to go on."
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
    behaviour: Behaviour | None = None
    """How the worker handled the page. It is stored only if they agree to that."""


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
            repeated = _repeated(connection, campaign, worker_id, submission)
        if repeated is None:
            raise
        return repeated


class _LeaseEnded(Exception):  # noqa: N818 (it is no error: the answer is only late)
    """The assignment has expired: its place must be taken again first."""


def _store(campaign: OpenCampaign, worker_id: str, submission: Submission, *, now: datetime) -> Submitted:
    try:
        with campaign.store.write() as connection:
            return _submit(connection, campaign, worker_id, submission, now=now)
    except _LeaseEnded:
        # From the beginning, since the worker must be held before the assignment.
        with campaign.store.write() as connection:
            _take_again(connection, worker_id, submission.assignment_id, now=now)
            return _submit(connection, campaign, worker_id, submission, now=now)


def _submit(
    connection: Connection, campaign: OpenCampaign, worker_id: str, submission: Submission, *, now: datetime
) -> Submitted:
    # First the assignment, which is held from here on: a copy of this request then waits for us.
    settings = campaign.settings
    assignment, conditions = _own_assignment(connection, worker_id, submission.assignment_id)
    repeated = _repeated(connection, campaign, worker_id, submission)
    if repeated is not None:
        return repeated
    require_open(conditions)
    if assignment.status is AssignmentStatus.EXPIRED:
        raise _LeaseEnded
    if assignment.status is not AssignmentStatus.ACCEPTED:
        raise Conflict("This set is closed already; reload the page to go on.", assignment.status.value)
    revision = conditions.revision if submission.revision is None else submission.revision
    if not 1 <= revision <= conditions.revision:
        raise AnswerError(
            f"There are revisions 1 to {conditions.revision}, so there is no {revision}.", "revision"
        )
    position = assignment.n_done + 1
    expected = work.placed_item(connection, assignment, position, **stored_parts(settings))
    if submission.item_id != expected.item_id:
        raise Conflict("This is not the item to be judged now; reload the page to see the current one.")
    said = _word_on_consent(connection, campaign, worker_id, conditions)
    agreed = as_agreed(submission, entry_at(connection, campaign, revision), said)
    judgement = judgement_of(
        agreed, expected, settings=settings, position=position, revision=revision, now=now
    )
    judgements.append(connection, judgement)
    if position == assignment.n_items:
        work.submit_assignment(connection, assignment.assignment_id, now=now)
    return Submitted(_next(connection, campaign, assignment, position + 1, conditions), is_new=True)


def _next(
    connection: Connection,
    campaign: OpenCampaign,
    assignment: Assignment,
    position: int,
    conditions: Conditions,
) -> WorkView:
    """What comes after an answer: no further text for one who has taken back their consent meanwhile."""
    said = _word_on_consent(connection, campaign, assignment.worker_id, conditions)
    if said is not None and not said["agrees"] and position <= assignment.n_items:
        n_hits_done = work.n_submitted(connection, assignment.worker_id)
        return Finished(None, 0, 0, n_hits_done, more=False, revision=conditions.revision)
    return view(connection, campaign.settings, assignment, position, conditions=conditions)


def _word_on_consent(
    connection: Connection, campaign: OpenCampaign, worker_id: str, conditions: Conditions
) -> Mapping[str, Any] | None:
    """The worker's latest word on consent; None if there is none, or nobody is asked."""
    if entry_at(connection, campaign, conditions.revision) is None:
        return None
    return entries.latest_consent(connection, worker_id)


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
    order = order_of(settings, submission.assignment_id, expected)
    shown = as_shown(expected, order, settings)
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
        item_hash=item_hash(
            expected.item_id, expected.translations, expected.segments, order, expected.prefilled
        ),
        behaviour=submission.behaviour,
    )


def as_agreed(
    submission: Submission, entry: CampaignEntry | None, said: Mapping[str, Any] | None
) -> Submission:
    """A submission as it may be stored: how the page was handled only if the worker agrees to that.

    `entry` is what the worker's page asked first, `said` their latest word on consent.
    """
    if submission.behaviour is None or agrees_to_behaviour(entry, said):
        return submission
    return replace(submission, behaviour=None)


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
    connection: Connection, campaign: OpenCampaign, worker_id: str, submission: Submission
) -> Submitted | None:
    """The reply already given to this judgement_id, or None if it is new."""
    settings = campaign.settings
    stored = judgements.find(connection, submission.judgement_id)
    if stored is None:
        return None
    same = stored.assignment_id == submission.assignment_id and stored.item_id == submission.item_id
    found = work.assignment_and_conditions(connection, stored.assignment_id)
    if not same or found is None or found[0].worker_id != worker_id:
        raise Conflict("This judgement_id belongs to another judgement; make a new one for each item.")
    protocol = protocols()[settings.protocol]
    placed = work.placed_item(connection, found[0], stored.position, **stored_parts(settings))
    shown = as_shown(placed, stored.shown_order, settings)
    if protocol.check(shown, submission.answer) != stored.answer:
        raise Conflict(
            "Another answer is stored under this judgement_id; make a new one for each item.", "other_answer"
        )
    assignment, conditions = found
    next_view = _next(connection, campaign, assignment, stored.position + 1, conditions)
    return Submitted(next_view, is_new=False)


def _own_assignment(
    connection: Connection, worker_id: str, assignment_id: str
) -> tuple[Assignment, Conditions]:
    found = work.assignment_and_conditions(connection, assignment_id)
    if found is None or found[0].worker_id != worker_id:
        raise NotFound("There is no such assignment under this link; reload the page.")
    return found
