"""What an audit of a campaign shows: every item at its place, with everything a worker must not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, func, select

from steelyard.domain.work import ItemKind, own_kind
from steelyard.store import tables
from steelyard.store.campaigns import TextBeside, credited_systems, texts_beside


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One item at its place in one HIT, with everything a worker must not know.

    An item that shows several translations has a row for each; `place` counts them from 1.
    """

    hit: str
    position: int
    group: int
    kind: ItemKind
    system: str
    segment: str
    document: str
    base_position: int | None
    text: str
    round: int
    item_id: str
    source: str
    reference: str
    known: float | None
    known_sd: float | None
    credited: tuple[str, ...]
    place: int = 1


def audit_rows(connection: Connection) -> list[AuditRow]:
    """Every item of every HIT, in order of HIT and position."""
    hits, placed, items, segments = tables.hits, tables.hit_items, tables.items, tables.segments
    base = placed.alias("base")
    base_position = (
        select(func.min(base.c.position))
        .where(base.c.item_id == items.c.base_item_id, base.c.hit_id == placed.c.hit_id)
        .scalar_subquery()
    )
    query = (
        select(
            hits.c.hit_id.label("hit"),
            placed.c.position,
            placed.c.group_number.label("group"),
            items.c.kind,
            items.c.system_id.label("system"),
            items.c.segment_id.label("segment"),
            segments.c.document_id.label("document"),
            base_position.label("base_position"),
            *(items.c.text, hits.c.round, items.c.item_id, segments.c.source, segments.c.reference),
            *(items.c.known, items.c.known_sd),
        )
        .select_from(placed)
        .join(hits, hits.c.hit_id == placed.c.hit_id)
        .join(items, items.c.item_id == placed.c.item_id)
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .order_by(hits.c.number, placed.c.position)
    )
    credited, beside = credited_systems(connection), texts_beside(connection)
    found = [
        AuditRow(**{**row._mapping, "kind": ItemKind(row.kind)}, credited=credited.get(row.item_id, ()))
        for row in connection.execute(query)
    ]
    return [each for row in found for each in _audited_texts(row, beside[row.item_id])] if beside else found


def _audited_texts(first: AuditRow, beside: Sequence[TextBeside]) -> Iterator[AuditRow]:
    """A row for each translation of an item that shows several, each with its own kind."""
    yield replace(first, kind=own_kind(first.kind, first.system, [text.shown for text in beside]))
    for place, (shown, segment, document_id) in enumerate(beside, start=2):
        yield replace(
            first,
            kind=shown.kind,
            system=shown.system_id,
            segment=shown.segment_id,
            document=document_id,
            text=shown.text,
            source=segment.source,
            reference=segment.reference,
            known=None,
            known_sd=None,
            credited=shown.credited,
            place=place,
        )
