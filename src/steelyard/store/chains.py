"""The chains of hashes as they are stored: their ends, and everything that they must fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    Text,
    column,
    func,
    select,
    text,
    type_coerce,
)

from steelyard.domain.chain import root_hash
from steelyard.domain.work import ItemKind, SegmentTexts, ShownText, own_kind
from steelyard.store import tables
from steelyard.store.assignments import latest_judged, n_judged_in
from steelyard.store.campaigns import texts_beside
from steelyard.store.prefilled import Marked, prefilled_spans
from steelyard.store.tallies import is_correction

# Judgements read at a time.
BATCH = 10_000
# The migration that brought the hashes.
CHAINED_SINCE = 5
_REPLACED = tables.judgements.alias("replaced")


class StoredItem(NamedTuple):
    """An item as it is stored now: what it is, its translations, the segment of each, marks by place."""

    kind: ItemKind
    translations: tuple[ShownText, ...]
    segments: tuple[SegmentTexts, ...]
    prefilled: Marked


class ChainedJudgement(NamedTuple):
    """A stored judgement and what its hashes are made of. Anything may be wrong with what is in it.

    `item` is None if it is not stored, or nothing that an item can be. `hit_id` is None if the assignment
    is not stored. `placed_item_id` is the item that the HIT has at this position.
    """

    row: Row[Any]
    item: StoredItem | None

    @property
    def name(self) -> str:
        return str(self.row.judgement_id)


def stored_root(connection: Connection) -> str | None:
    """The root over all chains; None if no judgement has a hash."""
    stored, judged = tables.assignments, tables.judgements
    ends = select(stored.c.assignment_id, latest_judged(judged.c.chain_hash).label("chain_hash")).order_by(
        stored.c.assignment_id
    )
    corrections = select(judged.c.judgement_id, judged.c.chain_hash).where(is_correction(judged))
    queries = (ends, corrections.order_by(judged.c.judgement_id))
    rows = chain.from_iterable(_streamed(connection, query) for query in queries)
    found = (tuple(row) for row in rows)
    return root_hash((name, end) for name, end in found if end is not None)


def chained_since(connection: Connection) -> datetime:
    """Since when every judgement has hashes."""
    stored = tables.schema_versions
    query = select(stored.c.applied_at).where(stored.c.version == CHAINED_SINCE)
    since: datetime = connection.execute(query).scalar_one()
    return since


def n_stored(connection: Connection) -> int:
    """All judgements, those that were corrected too."""
    return int(connection.execute(select(func.count()).select_from(tables.judgements)).scalar_one())


def links_in_order(
    connection: Connection, *, n_translations: int, prefills: bool = False
) -> Iterator[ChainedJudgement]:
    """First judgements, assignment by assignment and in the order of their positions."""
    judged = _firsts(connection)
    query = _links(judged).order_by(judged.c.assignment_id, judged.c.position)
    return _with_items(connection, query, n_translations=n_translations, prefills=prefills)


def corrections(
    connection: Connection, *, n_translations: int, prefills: bool = False
) -> Iterator[ChainedJudgement]:
    """Judgements that replace others, each with what it replaces as `replaced_...`."""
    judged = tables.judgements
    query = (
        _links(judged)
        .add_columns(*(_REPLACED.c[name].label(f"replaced_{name}") for name in ("assignment_id", "position")))
        .add_columns(_REPLACED.c.chain_hash.label("replaced_chain_hash"))
        .outerjoin(_REPLACED, _REPLACED.c.judgement_id == judged.c.replaces)
        .where(is_correction(judged))
        .order_by(judged.c.judgement_id)
    )
    return _with_items(connection, query, n_translations=n_translations, prefills=prefills)


def unfinished(connection: Connection) -> Iterator[tuple[str, int, int]]:
    """Submitted assignments of which the end is missing, with their numbers of items and of judgements."""
    stored, placed = tables.assignments, tables.hit_items
    n_items = select(func.count()).where(placed.c.hit_id == stored.c.hit_id).scalar_subquery()
    query = (
        select(stored.c.assignment_id, n_items.label("n_items"), n_judged_in().label("n_judged"))
        .where(stored.c.submitted_at.is_not(None))
        .order_by(stored.c.assignment_id)
    )
    for row in _streamed(connection, query):
        if row.n_judged < row.n_items:
            yield row.assignment_id, row.n_items, row.n_judged


def moment_of(stored: Any) -> datetime:
    """A moment as either database gives it; ValueError or TypeError if it is none."""
    moment = stored if isinstance(stored, datetime) else datetime.fromisoformat(stored)
    return moment.astimezone(UTC)


def _firsts(connection: Connection) -> FromClause:
    """Judgements that replace none. SQLite needs to be given the index that has them in order."""
    names = ", ".join(column.name for column in tables.judgements.columns)
    index = "INDEXED BY judgements_one_per_position" if connection.dialect.name == "sqlite" else ""
    query = f"SELECT {names} FROM judgements {index} WHERE replaces IS NULL"  # noqa: S608 (our own names)
    typed = (column(each.name, each.type) for each in tables.judgements.columns)
    return text(query).columns(*typed).subquery("firsts")


def _links(judged: FromClause) -> Select[Any]:
    stored, items = tables.assignments, tables.items
    segments, placed = tables.segments, tables.hit_items
    return (
        select(
            *(each for each in judged.columns if each.name != "submitted_at"),
            _as_stored(judged.c.submitted_at),
            stored.c.hit_id,
            stored.c.worker_id,
            _as_stored(stored.c.accepted_at),
            placed.c.item_id.label("placed_item_id"),
            items.c.kind,
            items.c.system_id,
            items.c.segment_id,
            items.c.text,
            segments.c.source,
            segments.c.reference,
        )
        .select_from(judged)
        .outerjoin(stored, stored.c.assignment_id == judged.c.assignment_id)
        .outerjoin(items, items.c.item_id == judged.c.item_id)
        .outerjoin(segments, segments.c.segment_id == items.c.segment_id)
        .outerjoin(placed, (placed.c.hit_id == stored.c.hit_id) & (placed.c.position == judged.c.position))
    )


def _as_stored(moment: ColumnElement[Any]) -> ColumnElement[Any]:
    """A moment, unread: what somebody wrote there might be none."""
    return type_coerce(moment, Text).label(moment.name)


def _with_items(
    connection: Connection, query: Select[Any], *, n_translations: int, prefills: bool
) -> Iterator[ChainedJudgement]:
    with connection.execute(query, execution_options={"yield_per": BATCH}) as found:
        for rows in found.partitions():
            ids = sorted({row.item_id for row in rows})
            beside = _readable(texts_beside, connection, ids if n_translations > 1 else [])
            marked = _readable(prefilled_spans, connection, ids if prefills else [])
            for row in rows:
                item = _item(row, beside.get(row.item_id, ()), marked.get(row.item_id, {}))
                yield ChainedJudgement(row, item)


def _readable(
    read: Callable[[Connection, Sequence[str]], Mapping[str, Any]],
    connection: Connection,
    item_ids: Sequence[str],
) -> dict[str, Any]:
    """What belongs to items, by item; None for one where it is not what it can be."""
    try:
        return dict(read(connection, item_ids)) if item_ids else {}
    except (ValueError, TypeError):
        if len(item_ids) == 1:
            return {item_ids[0]: None}
        middle = len(item_ids) // 2
        return _readable(read, connection, item_ids[:middle]) | _readable(read, connection, item_ids[middle:])


def _item(row: Row[Any], beside: Sequence[Any] | None, marked: Marked | None) -> StoredItem | None:
    if row.text is None or row.source is None or beside is None or marked is None:
        return None
    try:
        kind = ItemKind(row.kind)
    except ValueError:
        return None
    own = own_kind(kind, row.system_id, [each.shown for each in beside])
    return StoredItem(
        kind,
        (ShownText(row.system_id, row.segment_id, row.text, own), *(each.shown for each in beside)),
        (SegmentTexts(row.source, row.reference), *(each.segment for each in beside)),
        marked,
    )


def _streamed(connection: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    with connection.execute(query, execution_options={"yield_per": BATCH}) as found:
        for rows in found.partitions():
            yield from rows
