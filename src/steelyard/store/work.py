"""Work in progress: workers, and who has which HIT. Counts are queried, never stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, exists, func, insert, or_, select, update

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.work import (
    Assignment,
    AssignmentStatus,
    ItemKind,
    SegmentTexts,
    ShownText,
    Worker,
    own_kind,
)
from steelyard.store import tables
from steelyard.store.campaigns import texts_beside
from steelyard.store.progress import Progress, WorkerProgress, progress
from steelyard.store.turns import hold_rows, take_turns

__all__ = [
    "PlacedTexts",
    "Progress",
    "WorkerProgress",
    "add_worker",
    "assignment",
    "claim_opening",
    "has_claimable",
    "n_submitted",
    "next_size",
    "open_assignment",
    "placed_item",
    "progress",
    "submit_assignment",
]


def _assignments() -> Select[Any]:
    """Assignments with how many items they have and how many of them are judged."""
    stored, placed, judged = tables.assignments, tables.hit_items, tables.judgements
    n_items = select(func.count()).where(placed.c.hit_id == stored.c.hit_id).scalar_subquery()
    n_done = (
        select(func.count())
        .where(judged.c.assignment_id == stored.c.assignment_id, judged.c.replaces.is_(None))
        .scalar_subquery()
    )
    return select(stored, n_items.label("n_items"), n_done.label("n_done"))


# Every click of every worker runs these: building them each time would cost more than running them.
_ASSIGNMENT = _assignments().where(tables.assignments.c.assignment_id == bindparam("assignment_id"))
_OPEN_ASSIGNMENT = _assignments().where(
    tables.assignments.c.worker_id == bindparam("worker_id"),
    tables.assignments.c.status == AssignmentStatus.ACCEPTED.value,
)
_PLACED_ITEM = (
    select(
        tables.items.c.item_id,
        tables.items.c.kind,
        tables.items.c.system_id,
        tables.items.c.segment_id,
        tables.items.c.text,
        tables.segments.c.reference,
        tables.segments.c.source,
    )
    .select_from(tables.hit_items)
    .join(tables.items, tables.items.c.item_id == tables.hit_items.c.item_id)
    .join(tables.segments, tables.segments.c.segment_id == tables.items.c.segment_id)
    .where(
        tables.hit_items.c.hit_id == bindparam("hit_id"),
        tables.hit_items.c.position == bindparam("position"),
    )
)


@dataclass(frozen=True, slots=True)
class PlacedTexts:
    """The item at one position of a HIT: its translations as stored, and the segment of each."""

    item_id: str
    translations: tuple[ShownText, ...]
    segments: tuple[SegmentTexts, ...]


def add_worker(connection: Connection, *, now: datetime, is_simulated: bool = False) -> Worker:
    """A new worker, numbered W0001, W0002 and so on. Workers are never removed, so counting suffices."""
    take_turns(connection, "worker")
    number = connection.execute(select(func.count()).select_from(tables.workers)).scalar_one() + 1
    worker = Worker(worker_id=f"W{number:04d}", created_at=now)
    row = {
        "worker_id": worker.worker_id,
        "created_at": now,
        "link_version": 1,
        "is_revoked": False,
        "is_blocked": False,
        "is_simulated": is_simulated,
    }
    connection.execute(insert(tables.workers), [row])
    return worker


def open_assignment(connection: Connection, worker_id: str) -> Assignment | None:
    """The worker's open assignment, if any.

    In a write transaction the worker is locked until it ends: two pages of one worker take turns.
    """
    hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)
    return _assignment_of(connection.execute(_OPEN_ASSIGNMENT, {"worker_id": worker_id}).one_or_none())


def assignment(connection: Connection, assignment_id: str) -> Assignment | None:
    """The assignment, with how many of its items are judged.

    In a write transaction it is locked until that ends, so that decisions based on it stay valid.
    """
    if not tables.could_be_key(assignment_id):
        return None
    hold_rows(connection, tables.assignments, tables.assignments.c.assignment_id == assignment_id)
    return _assignment_of(connection.execute(_ASSIGNMENT, {"assignment_id": assignment_id}).one_or_none())


def claim_opening(
    connection: Connection, worker_id: str, *, assignment_id: str, now: datetime
) -> Assignment | None:
    """A new assignment on the next free opening this worker may take; None if there is none.

    HITs that fewer workers have taken go first within a round, so that a campaign stopped early
    has been judged evenly. A worker never sees an item in two HITs, and stays within one round.
    Items of known quality are too few for that and may come again.
    A worker with an open assignment keeps it.
    """
    busy_with = open_assignment(connection, worker_id)
    if busy_with is not None:
        return busy_with
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


def has_claimable(connection: Connection, worker_id: str) -> bool:
    """Whether a free opening is left that this worker may take."""
    query = _claimable(worker_id).limit(1)
    return connection.execute(query).first() is not None


def next_size(connection: Connection, worker_id: str) -> int | None:
    """How many items the next HIT of this worker has; None if no HIT is left for them."""
    opening = connection.execute(_by_turn(_claimable(worker_id)).limit(1)).first()
    if opening is None:
        return None
    placed = tables.hit_items.c
    query = select(func.count()).where(placed.hit_id == opening.hit_id)
    return int(connection.execute(query).scalar_one())


def n_submitted(connection: Connection, worker_id: str) -> int:
    """How many HITs the worker has finished, whatever was decided about them later."""
    stored = tables.assignments
    query = select(func.count()).where(stored.c.worker_id == worker_id, stored.c.submitted_at.is_not(None))
    return int(connection.execute(query).scalar_one())


def placed_item(
    connection: Connection, assignment: Assignment, position: int, *, n_translations: int = 1
) -> PlacedTexts:
    """The item at `position` of the assignment's HIT; NotFound outside 1..n_items.

    Only where items show several translations are those beside the first looked for.
    """
    row = connection.execute(_PLACED_ITEM, {"hit_id": assignment.hit_id, "position": position}).one_or_none()
    if row is None:
        raise NotFound(f"this HIT has items 1 to {assignment.n_items}, so there is no item {position}")
    segment = SegmentTexts(row.source, row.reference)
    beside = texts_beside(connection, [row.item_id]).get(row.item_id, ()) if n_translations > 1 else ()
    kind = own_kind(ItemKind(row.kind), [text.shown.kind for text in beside])
    return PlacedTexts(
        row.item_id,
        (ShownText(row.system_id, row.segment_id, row.text, kind), *(text.shown for text in beside)),
        (segment, *(text.segment for text in beside)),
    )


def submit_assignment(connection: Connection, assignment_id: str, *, now: datetime) -> None:
    """Mark an accepted assignment as submitted; Conflict if it is at any other point."""
    stored = tables.assignments
    submitted = connection.execute(
        update(stored)
        .where(stored.c.assignment_id == assignment_id, stored.c.status == AssignmentStatus.ACCEPTED.value)
        .values(status=AssignmentStatus.SUBMITTED.value, submitted_at=now)
    )
    if submitted.rowcount == 1:
        return
    found = assignment(connection, assignment_id)
    if found is None:
        raise NotFound(f"there is no assignment {assignment_id}")
    raise Conflict(f"the assignment {assignment_id} is {found.status.value} already; ask for the next HIT")


def _assignment_of(row: Row[Any] | None) -> Assignment | None:
    if row is None:
        return None
    return Assignment(
        assignment_id=row.assignment_id,
        hit_id=row.hit_id,
        worker_id=row.worker_id,
        status=AssignmentStatus(row.status),
        accepted_at=row.accepted_at,
        submitted_at=row.submitted_at,
        n_items=row.n_items,
        n_done=row.n_done,
    )


def _next_opening(connection: Connection, worker_id: str) -> Row[int, str] | None:
    query = _by_turn(_claimable(worker_id)).limit(1).with_for_update(of=tables.openings, skip_locked=True)
    return connection.execute(query).one_or_none()


def _by_turn(openings: Select[int, str]) -> Select[int, str]:
    """Openings in the order in which they are given out."""
    hits, stored = tables.hits, tables.assignments
    n_taken = select(func.count()).where(stored.c.hit_id == hits.c.hit_id).scalar_subquery()
    return openings.order_by(hits.c.round, n_taken, hits.c.number, tables.openings.c.opening_id)


def _claimable(worker_id: str) -> Select[int, str]:
    """Free openings on other HITs than the worker's earlier ones, in their round, that share no item."""
    hits, openings, stored = tables.hits, tables.openings, tables.assignments
    seen, sharing = tables.shared_places.alias("seen"), tables.shared_places.alias("sharing")
    own_hits = select(stored.c.hit_id).where(stored.c.worker_id == worker_id)
    sharing_hits = (
        select(sharing.c.hit_id)
        .select_from(stored)
        .join(seen, seen.c.hit_id == stored.c.hit_id)
        .join(sharing, sharing.c.item_id == seen.c.item_id)
        .where(stored.c.worker_id == worker_id)
    )
    earlier = hits.alias("earlier")
    earlier_rounds = (
        select(earlier.c.round)
        .join(stored, stored.c.hit_id == earlier.c.hit_id)
        .where(stored.c.worker_id == worker_id)
    )
    return (
        select(openings.c.opening_id, openings.c.hit_id)
        .join(hits, hits.c.hit_id == openings.c.hit_id)
        .where(
            openings.c.assignment_id.is_(None),
            hits.c.hit_id.not_in(own_hits),
            hits.c.hit_id.not_in(sharing_hits),
            or_(~exists().where(stored.c.worker_id == worker_id), hits.c.round.in_(earlier_rounds)),
        )
    )
