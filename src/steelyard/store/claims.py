"""Who may take which HIT, and in what order HITs are given out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    case,
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
from steelyard.store.assignments import assignment, assignment_of, counted_assignments, open_assignment
from steelyard.store.leases import renew_lease, retake_place


@dataclass(frozen=True, slots=True)
class Offer:
    """What a worker would be given next. `earlier`: it is their own, once expired or returned."""

    hit_id: str
    n_items: int
    n_done: int = 0
    earlier: AssignmentStatus | None = None


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
    if _has_enough(connection, worker_id, most):
        return None
    opening = _next_opening(connection, worker_id)
    if opening is None:
        return None
    row = {
        "assignment_id": assignment_id,
        "hit_id": opening.hit_id,
        "worker_id": worker_id,
        "status": AssignmentStatus.ACCEPTED.value,
        "accepted_at": now,
    }
    connection.execute(insert(tables.assignments), [row])
    openings = tables.openings
    still_free = (openings.c.opening_id == opening.opening_id, openings.c.assignment_id.is_(None))
    taken = connection.execute(update(openings).where(*still_free).values(assignment_id=assignment_id))
    if taken.rowcount != 1:
        raise Conflict("another worker took this HIT at the same moment; ask again for the next one")
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
    query = _resumable(worker_id, status, most=most)
    for found in connection.execute(query).all():
        if retake_place(connection, found.assignment_id):
            renew_lease(connection, found.assignment_id, now=now)
            return assignment(connection, found.assignment_id)
    return None


def may_resume(connection: Connection, found: Assignment, *, most: int | None = None) -> bool:
    """Whether the worker may go on with this released assignment now."""
    query = _resumable(found.worker_id, found.status, most=most)
    wanted = tables.assignments.c.assignment_id == found.assignment_id
    return connection.execute(query.where(wanted)).first() is not None


def next_offer(connection: Connection, worker_id: str, *, most: int | None = None) -> Offer | None:
    """What a worker without an open assignment would get now; None if nothing is left for them."""
    return (
        _earlier_offer(connection, worker_id, AssignmentStatus.EXPIRED, most)
        or _fresh_offer(connection, worker_id, most)
        or _earlier_offer(connection, worker_id, AssignmentStatus.RETURNED, most)
    )


def has_offer(connection: Connection, worker_id: str, *, most: int | None = None) -> bool:
    """Whether anything is left for the worker; cheaper than `next_offer`."""
    if (
        not _has_enough(connection, worker_id, most)
        and connection.execute(_claimable(worker_id).limit(1)).first()
    ):
        return True
    return any(
        _earlier_offer(connection, worker_id, status, most)
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


def n_counting(connection: Connection, worker_id: str) -> int:
    """How many HITs the worker has taken: open, submitted, or released with something judged."""
    query = select(func.count()).select_from(tables.assignments).where(_counts(tables.assignments, worker_id))
    return int(connection.execute(query).scalar_one())


def _has_enough(connection: Connection, worker_id: str, most: int | None) -> bool:
    return most is not None and n_counting(connection, worker_id) >= most


def _counts(stored: Any, worker_id: str) -> ColumnElement[bool]:
    """Whether an assignment is the worker's and counts: it holds a place, or something was judged in it."""
    judged = exists().where(tables.judgements.c.assignment_id == stored.c.assignment_id)
    return and_(stored.c.worker_id == worker_id, or_(stored.c.released_at.is_(None), judged))


def _earlier_offer(
    connection: Connection, worker_id: str, status: AssignmentStatus, most: int | None
) -> Offer | None:
    found = assignment_of(connection.execute(_resumable(worker_id, status, most=most).limit(1)).first())
    if found is None:
        return None
    return Offer(found.hit_id, found.n_items, found.n_done, found.status)


def _fresh_offer(connection: Connection, worker_id: str, most: int | None) -> Offer | None:
    if _has_enough(connection, worker_id, most):
        return None
    opening = connection.execute(_by_turn(_claimable(worker_id)).limit(1)).first()
    if opening is None:
        return None
    placed = tables.hit_items.c
    query = select(func.count()).where(placed.hit_id == opening.hit_id)
    return Offer(opening.hit_id, int(connection.execute(query).scalar_one()))


def _next_opening(connection: Connection, worker_id: str) -> Row[int, str] | None:
    query = _by_turn(_claimable(worker_id)).limit(1).with_for_update(of=tables.openings, skip_locked=True)
    return connection.execute(query).one_or_none()


def _by_turn(openings: Select[int, str]) -> Select[int, str]:
    """Openings in the order in which they are given out."""
    hits, stored, other = tables.hits, tables.assignments, tables.openings.alias("other")
    of_hit = stored.c.hit_id == hits.c.hit_id
    n_taken = select(func.count()).where(of_hit).scalar_subquery()
    n_released = select(func.count()).where(of_hit, stored.c.released_at.is_not(None)).scalar_subquery()
    n_free = (
        select(func.count())
        .where(other.c.hit_id == hits.c.hit_id, other.c.assignment_id.is_(None))
        .scalar_subquery()
    )
    # Of the free places of a HIT as many have been released as it has assignments without a place.
    only_released = case((n_free > n_released, 0), else_=1)
    return openings.order_by(
        only_released, hits.c.round, n_taken, hits.c.number, tables.openings.c.opening_id
    )


def _claimable(worker_id: str) -> Select[int, str]:
    """Free openings on HITs new to the worker, that share no item with theirs, in the round of theirs."""
    hits, openings, stored = tables.hits, tables.openings, tables.assignments
    own_hits = select(stored.c.hit_id).where(stored.c.worker_id == worker_id)
    return (
        select(openings.c.opening_id, openings.c.hit_id)
        .join(hits, hits.c.hit_id == openings.c.hit_id)
        .where(
            openings.c.assignment_id.is_(None),
            hits.c.hit_id.not_in(own_hits),
            hits.c.hit_id.not_in(_sharing_hits(worker_id)),
            ~_in_another_round(worker_id),
        )
    )


def _resumable(worker_id: str, status: AssignmentStatus, *, most: int | None) -> Select[Any]:
    """The worker's released assignments that could be gone on with, the latest first.

    What was claimed since decides: they share no item with it and are of the same round.
    """
    stored, hits, openings = tables.assignments, tables.hits, tables.openings
    others = stored.alias("others")
    free = exists().where(openings.c.hit_id == stored.c.hit_id, openings.c.assignment_id.is_(None))
    query = (
        counted_assignments()
        .join(hits, hits.c.hit_id == stored.c.hit_id)
        .where(
            stored.c.worker_id == worker_id,
            stored.c.status == status.value,
            free,
            stored.c.hit_id.not_in(_sharing_hits(worker_id, unlike=stored.c.hit_id)),
            ~_in_another_round(worker_id),
        )
        .order_by(stored.c.released_at.desc(), stored.c.assignment_id)
    )
    if most is None:
        return query
    n_others = (
        select(func.count())
        .select_from(others)
        .where(_counts(others, worker_id), others.c.assignment_id != stored.c.assignment_id)
        .correlate(stored)
        .scalar_subquery()
    )
    return query.where(n_others < most)


def _sharing_hits(worker_id: str, *, unlike: ColumnElement[str] | None = None) -> Select[str]:
    """HITs that share an item with one that the worker has taken; not counting the HIT `unlike`."""
    taken = tables.assignments.alias("taken")
    seen, sharing = tables.shared_places.alias("seen"), tables.shared_places.alias("sharing")
    query = (
        select(sharing.c.hit_id)
        .select_from(taken)
        .join(seen, seen.c.hit_id == taken.c.hit_id)
        .join(sharing, sharing.c.item_id == seen.c.item_id)
        .where(_counts(taken, worker_id))
    )
    return query if unlike is None else query.where(taken.c.hit_id != unlike).correlate(tables.assignments)


def _in_another_round(worker_id: str) -> ColumnElement[bool]:
    """Whether the worker has taken a HIT of the same part in another round; such HITs show the same items."""
    hits, taken, earlier = tables.hits, tables.assignments.alias("taken"), tables.hits.alias("earlier")
    return (
        exists()
        .where(
            taken.c.hit_id == earlier.c.hit_id,
            earlier.c.part == hits.c.part,
            earlier.c.round != hits.c.round,
            _counts(taken, worker_id),
        )
        .correlate(hits)
    )
