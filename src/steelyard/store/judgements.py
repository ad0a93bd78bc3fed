"""Judgements: appended one by one, read all at once. What an answer says is the protocol's business."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, FromClause, Select, bindparam, func, select

from steelyard.domain.chain import chain_hash, first_hash
from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Answer, Behaviour, Judgement
from steelyard.store import tables
from steelyard.store.assignments import latest_judged
from steelyard.store.campaigns import TextBeside, credited_systems, texts_beside
from steelyard.store.prefilled import Marked, prefilled_spans
from steelyard.store.tallies import first_judgements, is_correction, n_corrections
from steelyard.store.worked_time import timed

# Judgements read at a time: few enough to name all their items in one query.
BATCH = 10_000
# Built once: every click of every worker runs them.
_JUDGEMENT = select(tables.judgements).where(tables.judgements.c.judgement_id == bindparam("wanted"))
_CHAIN_END = select(
    tables.assignments.c.hit_id,
    tables.assignments.c.worker_id,
    tables.assignments.c.accepted_at,
    latest_judged(tables.judgements.c.chain_hash).label("chain_hash"),
).where(tables.assignments.c.assignment_id == bindparam("assignment_id"))
_COLUMNS = (
    *("judgement_id", "assignment_id", "item_id", "position", "answer", "shown_ms", "submitted_at"),
    *("shown_order", "revision", "item_hash", "chain_hash", "behaviour"),
)
# DO NOTHING, because a failed insert would end the whole transaction on PostgreSQL.
_INSERT = f"INSERT INTO judgements ({', '.join(_COLUMNS)}) {{values}} ON CONFLICT DO NOTHING"

# Many rows travel to PostgreSQL as one JSON text: see `prepared`.
INSERT = {
    "sqlite": _INSERT.format(values=f"VALUES ({', '.join('?' for _ in _COLUMNS)})"),
    "postgresql": _INSERT.format(
        values="SELECT value ->> 0, value ->> 1, value ->> 2, (value ->> 3)::int, value ->> 4, "
        "(value ->> 5)::bigint, (value ->> 6)::timestamptz, value ->> 7, (value ->> 8)::int, value ->> 9, "
        "value ->> 10, value ->> 11 FROM json_array_elements(%s::json)"
    ),
}


@dataclass(frozen=True, slots=True)
class JudgementColumns:
    """Some current judgements, column by column: the raw material of the frames.

    System, segment and text are those of the item's first translation; the others are in `beside`.
    """

    judgement_id: Sequence[str]
    worker_id: Sequence[str]
    assignment_id: Sequence[str]
    hit_id: Sequence[str]
    item_id: Sequence[str]
    item_kind: Sequence[str]
    document_id: Sequence[str]
    segment_id: Sequence[str]
    system_id: Sequence[str]
    position: Sequence[int]
    answer: Sequence[Answer]
    shown_ms: Sequence[int]
    worked_ms: Sequence[int]
    submitted_at: Sequence[datetime]
    known: Sequence[float | None]
    known_sd: Sequence[float | None]
    text: Sequence[str]
    source: Sequence[str]
    shown_order: Sequence[tuple[int, ...] | None]
    revision: Sequence[int]
    behaviour: Sequence[Behaviour | None]
    credited: Sequence[tuple[str, ...] | None]
    beside: Mapping[str, tuple[TextBeside, ...]]
    """By item, the further translations that it shows; items that show one are not there."""
    prefilled: Mapping[str, Marked]
    """By item, the errors that were marked in it beforehand; items without any are not there."""


def find(connection: Connection, judgement_id: str) -> Judgement | None:
    """The judgement the browser called `judgement_id`, if it has arrived."""
    if not tables.could_be_key(judgement_id):
        return None
    row = connection.execute(_JUDGEMENT, {"wanted": judgement_id}).one_or_none()
    if row is None:
        return None
    return Judgement(
        judgement_id=row.judgement_id,
        assignment_id=row.assignment_id,
        item_id=row.item_id,
        position=row.position,
        answer=json.loads(row.answer),
        shown_ms=row.shown_ms,
        submitted_at=row.submitted_at,
        shown_order=_order(row.shown_order),
        revision=row.revision,
        item_hash=row.item_hash or "",
        behaviour=_behaviour(row.behaviour),
    )


def append(connection: Connection, judgement: Judgement) -> None:
    """Store a judgement; Conflict if its place in the assignment is judged already.

    A judgement that has arrived before, under the same id and for the same place, stays as it is: a
    browser may send again if it had no reply, even if both arrive at once.
    """
    if append_all(connection, [(judgement, _last_hash(connection, judgement.assignment_id))]):
        return
    before = find(connection, judgement.judgement_id)
    if before is None:
        raise Conflict(
            f"item {judgement.position} of this HIT is judged already; reload the page to see the next one"
        )
    if (before.assignment_id, before.position) != (judgement.assignment_id, judgement.position):
        raise Conflict(
            f"the judgement {judgement.judgement_id} belongs to another item; send each under a new id"
        )


def append_all(connection: Connection, judgements: Sequence[tuple[Judgement, str]]) -> int:
    """Store judgements, each given with the hash before it; returns how many were new."""
    dialect = connection.dialect.name
    rows = [_row(judgement, previous) for judgement, previous in judgements]
    stored = connection.exec_driver_sql(
        INSERT[dialect],
        rows if dialect == "sqlite" else (json.dumps(rows),),
        execution_options={"preserve_rowcount": True},
    )
    return int(stored.rowcount)


def _row(judgement: Judgement, previous: str) -> tuple[Any, ...]:
    answer = json.dumps(dict(judgement.answer), allow_nan=False)
    behaviour = None if judgement.behaviour is None else json.dumps(asdict(judgement.behaviour))
    return (
        judgement.judgement_id,
        judgement.assignment_id,
        judgement.item_id,
        judgement.position,
        answer,
        judgement.shown_ms,
        judgement.submitted_at.astimezone(UTC).isoformat(timespec="microseconds"),
        None if judgement.shown_order is None else json.dumps(judgement.shown_order),
        judgement.revision,
        judgement.item_hash,
        chain_hash(previous, judgement, answer, behaviour),
        behaviour,
    )


def _last_hash(connection: Connection, assignment_id: str) -> str:
    """What the next judgement of an assignment is chained to."""
    row = connection.execute(_CHAIN_END, {"assignment_id": assignment_id}).one_or_none()
    if row is None:
        return ""
    return row.chain_hash or first_hash(assignment_id, row.hit_id, row.worker_id, row.accepted_at)


def stored_judgements(
    connection: Connection,
    *,
    n_translations: int = 1,
    prefills: bool = False,
    worker_id: str | None = None,
) -> Iterator[JudgementColumns]:
    """All current judgements with what is known of their items, in order of arrival, batch by batch.

    Only where items show several translations are those beside the first looked for, and errors marked
    beforehand only where there may be some (`prefills`). Those of one worker come without corrections first,
    then the corrections: each of the two is found by its own index.
    """
    credited = credited_systems(connection)
    queries = [_with_items(connection, tables.current_judgements)]
    if worker_id is not None:
        own, later = tables.assignments.c.worker_id == worker_id, tables.current_judgements
        queries = [
            _with_items(connection, first_judgements(connection)).where(own),
            _with_items(connection, later).where(own, is_correction(later)),
        ]
    for query in queries:
        for columns in _columns(connection, query, credited):
            ids = sorted(set(columns[4]))
            beside = texts_beside(connection, ids) if n_translations > 1 else {}
            marked = prefilled_spans(connection, ids) if prefills else {}
            yield JudgementColumns(*[*columns, beside, marked])


def _with_items(connection: Connection, stored: FromClause) -> Select[Any]:
    """Judgements with what is known of their items, in order of arrival."""
    items, segments, assignments = tables.items, tables.segments, tables.assignments
    source, worked_ms = timed(connection, stored)
    return (
        select(
            stored.c.judgement_id,
            assignments.c.worker_id,
            stored.c.assignment_id,
            assignments.c.hit_id,
            stored.c.item_id,
            items.c.kind,
            segments.c.document_id,
            items.c.segment_id,
            items.c.system_id,
            stored.c.position,
            stored.c.answer,
            stored.c.shown_ms,
            worked_ms,
            stored.c.submitted_at,
            items.c.known,
            items.c.known_sd,
            items.c.text,
            segments.c.source,
            stored.c.shown_order,
            stored.c.revision,
            stored.c.behaviour,
        )
        .select_from(source)
        .join(items, items.c.item_id == stored.c.item_id)
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .order_by(stored.c.submitted_at, stored.c.judgement_id)
    )


def _columns(connection: Connection, query: Select[Any], credited: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The columns of `JudgementColumns` that belong to judgements, batch by batch."""
    with connection.execute(query, execution_options={"yield_per": BATCH}) as found:
        for rows in found.partitions():
            columns: list[Any] = list(zip(*rows, strict=True))
            columns[10] = tuple(map(json.loads, columns[10]))
            columns[18] = tuple(map(_order, columns[18]))
            columns[20] = tuple(map(_behaviour, columns[20]))
            columns.append(tuple(map(credited.get, columns[4])))
            yield columns


def _order(text: str | None) -> tuple[int, ...] | None:
    return None if text is None else tuple(json.loads(text))


def _behaviour(text: str | None) -> Behaviour | None:
    return None if text is None else Behaviour(**json.loads(text))


def n_current(connection: Connection) -> int:
    """How many judgements count: each correction takes the place of another."""
    stored = connection.execute(select(func.count()).select_from(tables.judgements)).scalar_one()
    return int(stored) - n_corrections(connection)


def assignment_times(connection: Connection) -> list[tuple[str, str, datetime, datetime | None, str]]:
    """Worker, HIT, time of acceptance and submission (None: not yet) and status of every assignment."""
    stored = tables.assignments.c
    query = select(
        stored.worker_id, stored.hit_id, stored.accepted_at, stored.submitted_at, stored.status
    ).order_by(stored.accepted_at, stored.assignment_id)
    return [tuple(row) for row in connection.execute(query)]
