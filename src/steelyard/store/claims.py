"""Who may take which HIT, and in what order HITs are given out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from steelyard.domain.errors import Conflict
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.store import tables
from steelyard.store.actions import exclusions
from steelyard.store.assignments import (
    assignment,
    assignment_of,
    counted_assignments,
    n_judged_in,
    open_assignment,
)
from steelyard.store.leases import renew_lease, retake_place


@dataclass(frozen=True, slots=True)
class Offer:
    """What a worker would be given next. `earlier`: it is their own, once expired or returned."""

    hit_id: str
    n_items: int
    n_done: int = 0
    earlier: AssignmentStatus | None = None


def gets_no_work(connection: Connection, worker_id: str) -> bool:
    """Whether the worker gets no further HIT: blocked, or excluded, so that no judgement of theirs counts."""
    blocked = connection.execute(_IS_BLOCKED, {"worker_id": worker_id})
    return bool(blocked.scalar_one_or_none()) or any(
        each.hit_id is None for each in exclusions(connection, worker_id)
    )


def claim_opening(
    connection: Connection, worker_id: str, *, assignment_id: str, now: datetime, most: int | None = None
) -> Assignment | None:
    """A new assignment on the next free opening this worker may take; None if there is none.

    Places that nobody has had go before released ones, whose workers may come back. Among these, HITs
    that fewer workers have taken go first within a round, so that a campaign stopped early has been
    judged evenly. A worker never sees an item in two HITs, stays within one round of each part, and takes
    no more than `most` HITs. Items of known quality are too few for that and may come again.
    A worker with an open assignment keeps it.
    """
    busy_with = open_assignment(connection, worker_id)
    if busy_with is not None:
        return busy_with
    taken = _taken(connection, worker_id)
    if most is not None and len(taken) >= most:
        return None
    opening = connection.execute(_CLAIM, _allowed(worker_id, taken)).one_or_none()
    if opening is None:
        return None
    row = {
        "assignment_id": assignment_id,
        "hit_id": opening.hit_id,
        "worker_id": worker_id,
        "status": AssignmentStatus.ACCEPTED.value,
        "accepted_at": now,
    }
    connection.execute(_ASSIGN, row)
    taking = {"free_opening": opening.opening_id, "taken_by": assignment_id}
    if connection.execute(_TAKE_PLACE, taking).rowcount != 1:
        raise Conflict("another worker took this set at the same moment; ask again for the next one")
    return assignment(connection, assignment_id)


def resume_earlier(
    connection: Connection,
    worker_id: str,
    status: AssignmentStatus,
    *,
    now: datetime,
    most: int | None = None,
) -> Assignment | None:
    """The worker's latest `expired` or `returned` assignment whose place is still free, open again."""
    for found in _resumable(connection, worker_id, status, _taken(connection, worker_id), most=most):
        if retake_place(connection, found.assignment_id):
            renew_lease(connection, found.assignment_id, now=now)
            return assignment(connection, found.assignment_id)
    return None


def may_resume(connection: Connection, found: Assignment, *, most: int | None = None) -> bool:
    """Whether the worker may go on with this released assignment now."""
    taken = _taken(connection, found.worker_id)
    resumable = _resumable(connection, found.worker_id, found.status, taken, most=most)
    return found.assignment_id in [each.assignment_id for each in resumable]


def next_offer(connection: Connection, worker_id: str, *, most: int | None = None) -> Offer | None:
    """What a worker without an open assignment would get now; None if nothing is left for them."""
    taken = _taken(connection, worker_id)
    for found in _resumable(connection, worker_id, AssignmentStatus.EXPIRED, taken, most=most):
        return Offer(found.hit_id, found.n_items, found.n_done, found.status)
    fresh = _fresh_offer(connection, worker_id, taken, most=most)
    if fresh is not None:
        return fresh
    for found in _resumable(connection, worker_id, AssignmentStatus.RETURNED, taken, most=most):
        return Offer(found.hit_id, found.n_items, found.n_done, found.status)
    return None


def has_offer(connection: Connection, worker_id: str, *, most: int | None = None) -> bool:
    """Whether anything is left for the worker; cheaper than `next_offer`."""
    taken = _taken(connection, worker_id)
    may_begin = most is None or len(taken) < most
    if may_begin and connection.execute(_ANY_FREE, _allowed(worker_id, taken)).first():
        return True
    return any(
        _resumable(connection, worker_id, status, taken, most=most)
        for status in (AssignmentStatus.EXPIRED, AssignmentStatus.RETURNED)
    )


def latest_assignment(connection: Connection, worker_id: str) -> Assignment | None:
    """The assignment that the worker began or took up last."""
    stored = tables.assignments.c
    query = (
        counted_assignments()
        .where(stored.worker_id == worker_id)
        .order_by(func.coalesce(stored.resumed_at, stored.accepted_at).desc(), stored.assignment_id)
        .limit(1)
    )
    return assignment_of(connection.execute(query).one_or_none())


def n_hits_taken(connection: Connection, worker_id: str) -> int:
    """How many HITs the worker has taken: open, submitted, or released with something judged."""
    return len(_taken(connection, worker_id))


class _Taken(NamedTuple):
    """A HIT that a worker has taken."""

    hit_id: str
    part: int
    round: int


def _taken(connection: Connection, worker_id: str) -> list[_Taken]:
    """The HITs of a worker that count: those holding a place, and those in which something was judged."""
    return [_Taken(*row) for row in connection.execute(_TAKEN, {"worker_id": worker_id})]


def _allowed(worker_id: str, taken: Sequence[_Taken]) -> dict[str, Any]:
    """What `_claimable` asks for: the worker, and where their HITs are."""
    return {
        "worker_id": worker_id,
        "taken": [hit.hit_id for hit in taken],
        "parts": sorted({hit.part for hit in taken}),
        "rounds": sorted({_round_key(hit.part, hit.round) for hit in taken}),
    }


def _fresh_offer(
    connection: Connection, worker_id: str, taken: Sequence[_Taken], *, most: int | None
) -> Offer | None:
    if most is not None and len(taken) >= most:
        return None
    opening = connection.execute(_OFFER, _allowed(worker_id, taken)).first()
    if opening is None:
        return None
    placed = tables.hit_items.c
    query = select(func.count()).where(placed.hit_id == opening.hit_id)
    return Offer(opening.hit_id, int(connection.execute(query).scalar_one()))


def _resumable(
    connection: Connection,
    worker_id: str,
    status: AssignmentStatus,
    taken: Sequence[_Taken],
    *,
    most: int | None,
) -> list[Assignment]:
    """The worker's released assignments that could be gone on with, the latest first.

    What was taken since decides: they share no item with it and are of the same round. What a person
    excluded is not gone on with: others have been offered its place.
    """
    own = {"worker_id": worker_id, "status": status.value}
    # Hardly anybody has any.
    if connection.execute(_RELEASED, own).first() is None:
        return []
    is_full = most is not None and len(taken) >= most
    query = _RESUMABLE_BEGUN if is_full else _RESUMABLE
    found = connection.execute(query, _allowed(worker_id, taken) | own).all()
    if not found:
        return []
    excluded = {each.hit_id for each in exclusions(connection, worker_id)}
    resumable = [] if None in excluded else [row for row in found if row.hit_id not in excluded]
    return [each for each in map(assignment_of, resumable) if each is not None]


def _round_key(part: Any, round_number: Any) -> Any:
    """A part and a round as one number, or as one expression."""
    return part * 10**6 + round_number


def _sharing_hits() -> Select[str]:
    """HITs that share an item with one that is `taken`."""
    seen, sharing = tables.shared_places.alias("seen"), tables.shared_places.alias("sharing")
    return (
        select(sharing.c.hit_id)
        .join(seen, seen.c.item_id == sharing.c.item_id)
        .where(seen.c.hit_id.in_(bindparam("taken", expanding=True)))
    )


def _in_same_rounds() -> ColumnElement[bool]:
    """That a HIT is of the same round as those taken of its part: other rounds show the same items again."""
    hits = tables.hits.c
    return or_(
        hits.part.not_in(bindparam("parts", expanding=True)),
        _round_key(hits.part, hits.round).in_(bindparam("rounds", expanding=True)),
    )


def _claimable() -> Select[int, str]:
    """Free openings on HITs new to the worker, that share no item with theirs, in the round of theirs."""
    hits, openings, stored = tables.hits, tables.openings, tables.assignments
    own_hits = select(stored.c.hit_id).where(stored.c.worker_id == bindparam("worker_id"))
    return (
        select(openings.c.opening_id, openings.c.hit_id)
        .join(hits, hits.c.hit_id == openings.c.hit_id)
        .where(
            openings.c.assignment_id.is_(None),
            hits.c.hit_id.not_in(own_hits),
            hits.c.hit_id.not_in(_sharing_hits()),
            _in_same_rounds(),
        )
    )


def _released_by() -> Select[Any]:
    """A worker's assignments of one status, with how far they are, whose HIT has a place free."""
    stored, hits, openings = tables.assignments, tables.hits, tables.openings
    free = exists().where(openings.c.hit_id == stored.c.hit_id, openings.c.assignment_id.is_(None))
    return (
        counted_assignments()
        .join(hits, hits.c.hit_id == stored.c.hit_id)
        .where(
            stored.c.worker_id == bindparam("worker_id"),
            stored.c.status == bindparam("status"),
            free,
            # One that was begun has been weighed against the others when it was claimed.
            or_(n_judged_in() > 0, stored.c.hit_id.not_in(_sharing_hits())),
            _in_same_rounds(),
        )
        .order_by(stored.c.released_at.desc(), stored.c.assignment_id)
    )


# Everyone who comes for work runs these: building them each time would cost more than running them.
_IS_BLOCKED = select(tables.workers.c.is_blocked).where(tables.workers.c.worker_id == bindparam("worker_id"))
_TAKEN = (
    select(tables.hits.c.hit_id, tables.hits.c.part, tables.hits.c.round)
    .join(tables.assignments, tables.assignments.c.hit_id == tables.hits.c.hit_id)
    .where(
        tables.assignments.c.worker_id == bindparam("worker_id"),
        or_(tables.assignments.c.released_at.is_(None), n_judged_in() > 0),
    )
)
_ANY_FREE = _claimable().limit(1)
_OFFER = _claimable().order_by(tables.openings.c.turn).limit(1)
_CLAIM = _OFFER.with_for_update(of=tables.openings, skip_locked=True)
_ASSIGN = insert(tables.assignments)
_TAKE_PLACE = (
    update(tables.openings)
    .where(
        tables.openings.c.opening_id == bindparam("free_opening"),
        tables.openings.c.assignment_id.is_(None),
    )
    .values(assignment_id=bindparam("taken_by"))
)
_RELEASED = (
    select(tables.assignments.c.assignment_id)
    .where(
        tables.assignments.c.worker_id == bindparam("worker_id"),
        tables.assignments.c.status == bindparam("status"),
    )
    .limit(1)
)
_RESUMABLE = _released_by()
_RESUMABLE_BEGUN = _RESUMABLE.where(n_judged_in() > 0)
