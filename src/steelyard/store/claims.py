"""Who may take which HIT, and in what order HITs are given out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
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
    stored = tables.workers.c
    blocked = connection.execute(select(stored.is_blocked).where(stored.worker_id == worker_id))
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
    query = _by_turn(_claimable(worker_id, taken)).limit(1)
    opening = connection.execute(query.with_for_update(of=tables.openings, skip_locked=True)).one_or_none()
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
    updated = connection.execute(update(openings).where(*still_free).values(assignment_id=assignment_id))
    if updated.rowcount != 1:
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
    if may_begin and connection.execute(_claimable(worker_id, taken).limit(1)).first():
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
    stored, hits = tables.assignments, tables.hits
    query = (
        select(hits.c.hit_id, hits.c.part, hits.c.round)
        .join(stored, stored.c.hit_id == hits.c.hit_id)
        .where(stored.c.worker_id == worker_id, or_(stored.c.released_at.is_(None), n_judged_in() > 0))
    )
    return [_Taken(*row) for row in connection.execute(query)]


def _fresh_offer(
    connection: Connection, worker_id: str, taken: Sequence[_Taken], *, most: int | None
) -> Offer | None:
    if most is not None and len(taken) >= most:
        return None
    opening = connection.execute(_by_turn(_claimable(worker_id, taken)).limit(1)).first()
    if opening is None:
        return None
    placed = tables.hit_items.c
    query = select(func.count()).where(placed.hit_id == opening.hit_id)
    return Offer(opening.hit_id, int(connection.execute(query).scalar_one()))


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
    # Of the free places of a HIT as many have been released as it has assignments without a place. Few HITs
    # have any, so those are looked for first.
    with_released = select(stored.c.hit_id).where(stored.c.released_at.is_not(None))
    only_released = case((hits.c.hit_id.not_in(with_released), 0), (n_free > n_released, 0), else_=1)
    return openings.order_by(
        only_released, hits.c.round, n_taken, hits.c.number, tables.openings.c.opening_id
    )


def _claimable(worker_id: str, taken: Sequence[_Taken]) -> Select[int, str]:
    """Free openings on HITs new to the worker, that share no item with theirs, in the round of theirs."""
    hits, openings, stored = tables.hits, tables.openings, tables.assignments
    own_hits = select(stored.c.hit_id).where(stored.c.worker_id == worker_id)
    return (
        select(openings.c.opening_id, openings.c.hit_id)
        .join(hits, hits.c.hit_id == openings.c.hit_id)
        .where(
            openings.c.assignment_id.is_(None),
            hits.c.hit_id.not_in(own_hits),
            hits.c.hit_id.not_in(_sharing_hits(taken)),
            *_in_same_rounds(taken),
        )
    )


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
    stored, hits, openings = tables.assignments, tables.hits, tables.openings
    free = exists().where(openings.c.hit_id == stored.c.hit_id, openings.c.assignment_id.is_(None))
    has_begun = n_judged_in() > 0
    query = (
        counted_assignments()
        .join(hits, hits.c.hit_id == stored.c.hit_id)
        .where(
            stored.c.worker_id == worker_id,
            stored.c.status == status.value,
            free,
            # One that was begun has been weighed against the others when it was claimed.
            or_(has_begun, stored.c.hit_id.not_in(_sharing_hits(taken))),
            *_in_same_rounds(taken),
        )
        .order_by(stored.c.released_at.desc(), stored.c.assignment_id)
    )
    is_full = most is not None and len(taken) >= most
    found = connection.execute(query.where(has_begun) if is_full else query).all()
    if not found:
        return []
    excluded = {each.hit_id for each in exclusions(connection, worker_id)}
    resumable = [] if None in excluded else [row for row in found if row.hit_id not in excluded]
    return [each for each in map(assignment_of, resumable) if each is not None]


def _sharing_hits(taken: Sequence[_Taken]) -> Select[str]:
    """HITs that share an item with one of these."""
    seen, sharing = tables.shared_places.alias("seen"), tables.shared_places.alias("sharing")
    return (
        select(sharing.c.hit_id)
        .join(seen, seen.c.item_id == sharing.c.item_id)
        .where(seen.c.hit_id.in_([hit.hit_id for hit in taken]))
    )


def _in_same_rounds(taken: Sequence[_Taken]) -> list[ColumnElement[bool]]:
    """That a HIT is of the same round as those taken of its part: other rounds show the same items again."""
    hits = tables.hits.c
    rounds: dict[int, set[int]] = {}
    for hit in taken:
        rounds.setdefault(hit.part, set()).add(hit.round)
    return [or_(hits.part != part, hits.round.in_(sorted(of_part))) for part, of_part in rounds.items()]
