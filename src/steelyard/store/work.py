"""Work in progress: workers, and who has which HIT. Counts are queried, never stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, insert, select

from steelyard.domain.errors import NotFound
from steelyard.domain.judgement import Answer
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
from steelyard.store.campaigns import TextBeside, texts_beside
from steelyard.store.claims import claim_opening
from steelyard.store.prefilled import Marked, prefilled_spans
from steelyard.store.progress import Progress, WorkerProgress, progress
from steelyard.store.turns import take_turns

__all__ = [
    "JudgedPlace",
    "PlacedTexts",
    "Progress",
    "WorkerProgress",
    "add_worker",
    "assignment",
    "assignment_and_conditions",
    "claim_opening",
    "has_worker",
    "hit_size",
    "is_blocked",
    "judged_before",
    "n_judged",
    "n_submitted",
    "open_assignment",
    "placed_after",
    "placed_first",
    "placed_item",
    "progress",
    "submit_assignment",
]


_ITEM = (
    tables.items.c.item_id,
    tables.items.c.kind,
    tables.items.c.system_id,
    tables.items.c.segment_id,
    tables.items.c.text,
    tables.segments.c.reference,
    tables.segments.c.source,
    tables.segments.c.document_id,
    tables.segments.c.number,
)
# Every click of every worker runs this: building it each time would cost more than running it.
_PLACED = (
    select(*_ITEM)
    .select_from(tables.hit_items)
    .join(tables.items, tables.items.c.item_id == tables.hit_items.c.item_id)
    .join(tables.segments, tables.segments.c.segment_id == tables.items.c.segment_id)
    .where(tables.hit_items.c.hit_id == bindparam("hit_id"))
)
_PLACED_ITEM = _PLACED.where(tables.hit_items.c.position == bindparam("position"))
_PLACED_AFTER = _PLACED.where(tables.hit_items.c.position > bindparam("after")).order_by(
    tables.hit_items.c.position
)
# That positions begin at 1 is said for SQLite: see `assignments.latest_judged`.
_JUDGED_BEFORE = (
    select(*_ITEM, tables.judgements.c.answer, tables.judgements.c.shown_order)
    .select_from(tables.judgements)
    .join(tables.items, tables.items.c.item_id == tables.judgements.c.item_id)
    .join(tables.segments, tables.segments.c.segment_id == tables.items.c.segment_id)
    .where(
        tables.judgements.c.assignment_id == bindparam("assignment_id"),
        tables.judgements.c.position >= 1,
        tables.judgements.c.position < bindparam("before"),
        tables.judgements.c.replaces.is_(None),
    )
    .order_by(tables.judgements.c.position.desc())
)


@dataclass(frozen=True, slots=True)
class PlacedTexts:
    """The item at one position of a HIT: its translations as stored, and the segment of each.

    `document_id` and `number`: of the first segment, which document it belongs to and its place among all.
    `prefilled`: by place, the errors that are marked beforehand.
    """

    item_id: str
    translations: tuple[ShownText, ...]
    segments: tuple[SegmentTexts, ...]
    document_id: str = ""
    number: int = 0
    prefilled: Marked = field(default_factory=dict)


class JudgedPlace(NamedTuple):
    """An item that was judged, the order its worker saw it in, and the answer they gave."""

    placed: PlacedTexts
    shown_order: tuple[int, ...] | None
    answer: Answer


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
    connection: Connection,
    assignment: Assignment,
    position: int,
    *,
    n_translations: int = 1,
    prefills: bool = False,
) -> PlacedTexts:
    """The item at `position` of the assignment's HIT; NotFound outside 1..n_items.

    Only where items show several translations are those beside the first looked for, and errors only where
    the protocol `prefills` some.
    """
    row = connection.execute(_PLACED_ITEM, {"hit_id": assignment.hit_id, "position": position}).one_or_none()
    if row is None:
        raise NotFound(f"this HIT has items 1 to {assignment.n_items}, so there is no item {position}")
    [placed] = _all_placed(connection, [row], n_translations=n_translations, prefills=prefills)
    return placed


def judged_before(
    connection: Connection, assignment_id: str, position: int, document_id: str, *, n_translations: int = 1
) -> list[JudgedPlace]:
    """What an assignment judged right before a position of this document, latest first.

    The answers are those that the worker gave, whatever replaced them later.
    """
    wanted = {"assignment_id": assignment_id, "before": position}
    rows = _of_document(connection.execute(_JUDGED_BEFORE, wanted), document_id)
    return [
        JudgedPlace(placed, None if order is None else tuple(json.loads(order)), json.loads(answer))
        for placed, order, answer in zip(
            _all_placed(connection, rows, n_translations=n_translations),
            (row.shown_order for row in rows),
            (row.answer for row in rows),
            strict=True,
        )
    ]


def placed_after(
    connection: Connection,
    assignment: Assignment,
    position: int,
    document_id: str,
    *,
    n_translations: int = 1,
    prefills: bool = False,
) -> list[PlacedTexts]:
    """The items right after a position of the assignment's HIT that are of this document, in order."""
    found = connection.execute(_PLACED_AFTER, {"hit_id": assignment.hit_id, "after": position})
    rows = _of_document(found, document_id)
    return _all_placed(connection, rows, n_translations=n_translations, prefills=prefills)


def hit_size(connection: Connection, hit_id: str | None) -> tuple[str, int]:
    """The id of a HIT, of the first where none is named, and how many items it has; NotFound if none does."""
    if hit_id is None:
        first = select(tables.hits.c.hit_id).order_by(tables.hits.c.number).limit(1)
        hit_id = connection.execute(first).scalar_one()
    placed = select(func.count()).select_from(tables.hit_items).where(tables.hit_items.c.hit_id == hit_id)
    n_items = connection.execute(placed).scalar_one() if tables.could_be_key(hit_id) else 0
    if not n_items:
        raise NotFound(f"There is no HIT {hit_id} here: `steelyard hits` lists them all.")
    return hit_id, n_items


def n_hits_laid_out(connection: Connection) -> int:
    """How many HITs the campaign was laid out in."""
    return int(connection.execute(select(func.count()).select_from(tables.hits)).scalar_one())


def placed_first(
    connection: Connection, hit_id: str, n_items: int, *, n_translations: int = 1, prefills: bool = False
) -> list[PlacedTexts]:
    """The first items of a HIT, in order."""
    rows = connection.execute(_PLACED_AFTER.limit(n_items), {"hit_id": hit_id, "after": 0}).all()
    return _all_placed(connection, rows, n_translations=n_translations, prefills=prefills)


def _of_document(found: Iterable[Any], document_id: str) -> list[Any]:
    """The rows up to the first one of another document."""
    return list(takewhile(lambda row: row.document_id == document_id, found))


def _all_placed(
    connection: Connection, rows: Sequence[Any], *, n_translations: int, prefills: bool = False
) -> list[PlacedTexts]:
    ids = [row.item_id for row in rows]
    beside = texts_beside(connection, ids) if n_translations > 1 and ids else {}
    marked = prefilled_spans(connection, ids) if prefills and ids else {}
    return [_placed_texts(row, beside.get(row.item_id, ()), marked.get(row.item_id)) for row in rows]


def _placed_texts(row: Any, beside: Sequence[TextBeside], marked: Marked | None) -> PlacedTexts:
    kind = own_kind(ItemKind(row.kind), row.system_id, [text.shown for text in beside])
    return PlacedTexts(
        row.item_id,
        (ShownText(row.system_id, row.segment_id, row.text, kind), *(text.shown for text in beside)),
        (SegmentTexts(row.source, row.reference), *(text.segment for text in beside)),
        row.document_id,
        row.number,
        marked or {},
    )
