"""What workers do on Mechanical Turk: look, preview, accept, return, submit. No HTTP here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from steelyard.emulators.control import ControlError
from steelyard.emulators.mturk_market import SHOWN_STATES, TurkAssignment, TurkHit, TurkMarket, TurkState
from steelyard.emulators.mturk_qualifications import GUARDS, meets
from steelyard.emulators.mturk_question import PREVIEW, RESERVED_FIELDS, frame_address

_ACCEPT, _, _DISCOVER = GUARDS


def sign_up(market: TurkMarket, n: int) -> list[str]:
    """People who have just signed up."""
    made = [market.new_id("A", 14) for _ in range(n)]
    market.workers.update(dict.fromkeys(made))
    return made


def offered_hits(market: TurkMarket, worker_id: str) -> list[TurkHit]:
    """What a worker finds in the list, oldest first: HITs to accept, whether they are qualified or not."""
    _known(market, worker_id)
    now = market.now()
    return [
        hit
        for hit in market.hits.values()
        if hit.status(now) == "Assignable"
        and not _had(hit, worker_id)
        and meets(market, worker_id, hit.hit_type.requirements, _DISCOVER)
    ]


def accept_hit(market: TurkMarket, worker_id: str, listing: str) -> TurkAssignment:
    """Give a worker a place in a HIT, or in the first of a type that has one; 409 if there is none."""
    _known(market, worker_id)
    hits = listed_hits(market, listing)
    if worker_id in market.blocks:
        raise ControlError(409, f"The requester has blocked {worker_id}.")
    now = market.now()
    open_hits = [hit for hit in hits if hit.status(now) == "Assignable"]
    hit = next((hit for hit in open_hits if not _had(hit, worker_id)), None)
    if hit is None:
        if any(_had(each, worker_id) for each in open_hits):
            raise ControlError(409, f"{worker_id} has taken this already.")
        raise ControlError(409, "There are no more of these HITs.")
    if not meets(market, worker_id, hit.hit_type.requirements, _ACCEPT):
        raise ControlError(409, f"{worker_id} does not meet the qualification requirements.")
    # An assignment that was returned or abandoned keeps its id, and somebody else gets it.
    made = TurkAssignment(
        assignment_id=hit.free_ids.popleft() if hit.free_ids else market.new_id("3", 30),
        hit_id=hit.hit_id,
        worker_id=worker_id,
        accepted_at=now,
        deadline=now + timedelta(seconds=hit.hit_type.duration),
    )
    hit.assignments.append(made)
    market.current[made.assignment_id] = made
    market.clock.at(made.deadline, partial(market.abandon, made))
    return made


def _had(hit: TurkHit, worker_id: str) -> bool:
    """Whether a worker works on a HIT or has submitted it; who returned it may take it again."""
    return any(
        each.worker_id == worker_id and each.state in (TurkState.ACCEPTED, *SHOWN_STATES)
        for each in hit.assignments
    )


def listed_hits(market: TurkMarket, listing: str) -> list[TurkHit]:
    """The HITs of an id, which is a HIT's or a HIT type's."""
    if listing in market.hits:
        return [market.hits[listing]]
    found = [hit for hit in market.hits.values() if hit.hit_type.hit_type_id == listing]
    if not found:
        raise ControlError(404, f"There is no HIT and no HIT type {listing}.")
    return found


def _known(market: TurkMarket, worker_id: str) -> None:
    if worker_id not in market.workers:
        raise ControlError(404, f"There is no worker {worker_id}.")


def worker_session(market: TurkMarket, assignment_id: str) -> TurkAssignment:
    """The assignment of this id; 404 if there is none."""
    if assignment_id not in market.current:
        raise ControlError(404, f"There is no assignment {assignment_id}.")
    return market.current[assignment_id]


def return_hit(market: TurkMarket, assignment_id: str) -> TurkAssignment:
    """Return a HIT."""
    assignment = running_session(market, assignment_id)
    market.free(assignment, TurkState.RETURNED)
    return assignment


def submit_fields(
    market: TurkMarket, assignment_id: str, fields: Sequence[tuple[str, str]], worker_id: str | None = None
) -> TurkAssignment:
    """Submit what a page's form posted. 400 if there is nothing in it, 409 if it is not awaited."""
    if assignment_id == PREVIEW:
        raise ControlError(409, "The HIT must be accepted before it is submitted.")
    assignment = running_session(market, assignment_id)
    if worker_id not in (None, "", assignment.worker_id):
        raise ControlError(409, "The HIT is no longer assigned to this worker.")
    kept = tuple((name, value) for name, value in fields if name not in RESERVED_FIELDS)
    if not kept:
        raise ControlError(400, "The form has no field besides assignmentId.")
    now = market.now()
    delay = market.hits[assignment.hit_id].hit_type.approval_delay
    assignment.state, assignment.fields = TurkState.SUBMITTED, kept
    assignment.submitted_at, assignment.approves_at = now, now + timedelta(seconds=delay)
    market.clock.at(assignment.approves_at, partial(market.approve_unless_decided, assignment))
    market.clock.settle()
    return assignment


def running_session(market: TurkMarket, assignment_id: str) -> TurkAssignment:
    """The assignment of this id; 409 once it is at an end."""
    assignment = worker_session(market, assignment_id)
    if assignment.state != TurkState.ACCEPTED:
        raise ControlError(409, f"The assignment is {assignment.state.lower()} already.")
    return assignment


def task_address(market: TurkMarket, assignment: TurkAssignment, submit_to: str) -> str:
    """What the frame of a worker's page shows."""
    return frame_address(
        market.hits[assignment.hit_id].address,
        assignmentId=assignment.assignment_id,
        hitId=assignment.hit_id,
        turkSubmitTo=submit_to,
        workerId=assignment.worker_id,
    )


def preview_address(market: TurkMarket, listing: str) -> str:
    """What the frame shows before a HIT is accepted."""
    hit = listed_hits(market, listing)[0]
    return frame_address(hit.address, assignmentId=PREVIEW, hitId=hit.hit_id)
