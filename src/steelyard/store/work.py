"""Work in progress: workers, and who has which HIT. Counts are queried, never stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, insert, select

from steelyard.domain.errors import NotFound
from steelyard.domain.work import (
    Assignment,
    ItemKind,
    SegmentTexts,
    ShownText,
    Worker,
    own_kind,
)
from steelyard.store import tables
from steelyard.store.assignments import (
    assignment,
    assignment_and_conditions,
    n_judged,
    n_submitted,
    open_assignment,
    submit_assignment,
)
from steelyard.store.campaigns import texts_beside
from steelyard.store.claims import claim_opening
from steelyard.store.progress import Progress, WorkerProgress, progress
from steelyard.store.turns import take_turns

__all__ = [
    "PlacedTexts",
    "Progress",
    "WorkerProgress",
    "add_worker",
    "assignment",
    "assignment_and_conditions",
    "claim_opening",
    "has_worker",
    "is_blocked",
    "n_judged",
    "n_submitted",
    "open_assignment",
    "placed_item",
    "progress",
    "submit_assignment",
]


# Every click of every worker runs this: building it each time would cost more than running it.
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


def has_worker(connection: Connection, worker_id: str) -> bool:
    """Whether there is such a worker."""
    stored = tables.workers.c
    if not tables.could_be_key(worker_id):
        return False
    return (
        connection.execute(select(stored.worker_id).where(stored.worker_id == worker_id)).first() is not None
    )


def is_blocked(connection: Connection, worker_id: str) -> bool:
    """Whether the worker gets no further work."""
    stored = tables.workers.c
    query = select(stored.is_blocked).where(stored.worker_id == worker_id)
    return bool(connection.execute(query).scalar_one_or_none())


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
