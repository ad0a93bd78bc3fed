"""The campaign as it was created: settings, texts, items and HITs. Written once, read often."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, func, insert, select

from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.text import System
from steelyard.domain.work import Hit, Item, ItemKind
from steelyard.store import tables
from steelyard.store.turns import take_turns

# Rows per insert: large enough to be quick, small enough to show progress and to stay out of memory's way.
BATCH = 10_000

Row = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One item at its place in one HIT, with everything a worker must not know."""

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


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What a simulated worker needs to know about an item to have an opinion of it."""

    item_id: str
    kind: ItemKind
    system_id: str
    segment_id: str
    text: str
    reference: str
    base_item_id: str | None


def add_campaign(  # noqa: PLR0913 (one call writes it all)
    connection: Connection,
    campaign: Campaign,
    *,
    items: Iterable[Item],
    hits: Iterable[Hit],
    openings_per_hit: int,
    now: datetime,
    created_with: str,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write a campaign into an empty database, straight from the iterables; Conflict if there is one.

    Each HIT gets `openings_per_hit` places. `progress` hears, batch by batch, how many more items
    were written, first as items, then in their places in HITs.
    """
    take_turns(connection, "campaign")
    present = connection.execute(select(tables.campaigns.c.name)).scalar()
    if present is not None:
        raise Conflict(f"the database already holds the campaign {present}; choose another --db")
    _insert(connection, tables.campaigns, [_settings_row(campaign.settings, now, created_with)])
    _insert(connection, tables.systems, _system_rows(campaign))
    _insert(connection, tables.segments, _segment_rows(campaign))
    _insert(connection, tables.items, map(_item_row, items), progress=progress)
    opening_ids = iter(range(1, 2**31))
    for some in _batches(hits, size=max(1, BATCH // max(1, campaign.settings.design.hit_size))):
        _insert(connection, tables.hits, map(_hit_row, some))
        _insert(connection, tables.hit_items, chain.from_iterable(map(_place_rows, some)), progress=progress)
        places = (hit.hit_id for hit in some for _ in range(openings_per_hit))
        rows = ({"opening_id": next(opening_ids), "hit_id": hit_id} for hit_id in places)
        _insert(connection, tables.openings, rows)
    # Without fresh statistics PostgreSQL plans the first claims as if the tables were empty.
    connection.exec_driver_sql("ANALYZE")


def settings(connection: Connection) -> CampaignSettings:
    """The campaign's settings; SourceError if the database holds no campaign."""
    row = connection.execute(select(tables.campaigns)).one_or_none()
    if row is None:
        problem = "it holds no campaign. Make one with: steelyard create CAMPAIGN.toml --db DB"
        raise SourceError("the database", [problem])
    return CampaignSettings(
        name=row.name,
        title=row.title,
        protocol=row.protocol,
        attribute=row.attribute,
        source_language=row.source_language,
        target_language=row.target_language,
        check=row.check_name,
        seed=row.seed,
        design=DesignSettings(hit_size=row.hit_size, ratings_per_item=row.ratings_per_item),
        presentation=json.loads(row.presentation),
    )


def systems(connection: Connection) -> list[System]:
    """The systems in the campaign file's order."""
    query = select(tables.systems.c.system_id, tables.systems.c.is_human).order_by(tables.systems.c.number)
    return [System(*row) for row in connection.execute(query)]


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
            hits.c.hit_id,
            placed.c.position,
            placed.c.group_number,
            items.c.kind,
            items.c.system_id,
            items.c.segment_id,
            segments.c.document_id,
            base_position,
            items.c.text,
            hits.c.round,
        )
        .select_from(placed)
        .join(hits, hits.c.hit_id == placed.c.hit_id)
        .join(items, items.c.item_id == placed.c.item_id)
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .order_by(hits.c.number, placed.c.position)
    )
    return [
        AuditRow(hit, position, group, ItemKind(kind), *rest)
        for hit, position, group, kind, *rest in connection.execute(query)
    ]


def item_facts(connection: Connection) -> list[ItemFacts]:
    """Every item with its reference, by item_id."""
    items, segments = tables.items, tables.segments
    query = (
        select(
            items.c.item_id,
            items.c.kind,
            items.c.system_id,
            items.c.segment_id,
            items.c.text,
            segments.c.reference,
            items.c.base_item_id,
        )
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .order_by(items.c.item_id)
    )
    return [ItemFacts(row[0], ItemKind(row[1]), *row[2:]) for row in connection.execute(query)]


def _insert(
    connection: Connection,
    table: Table,
    rows: Iterable[Row],
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    for some in _batches(rows, size=BATCH):
        connection.execute(insert(table), some)
        if progress is not None:
            progress(len(some))


def _batches(values: Iterable[T], *, size: int) -> Iterator[list[T]]:
    remaining = iter(values)
    while some := list(islice(remaining, size)):
        yield some


def _settings_row(settings: CampaignSettings, now: datetime, created_with: str) -> Row:
    return {
        "name": settings.name,
        "title": settings.title,
        "protocol": settings.protocol,
        "attribute": settings.attribute,
        "source_language": settings.source_language,
        "target_language": settings.target_language,
        "check_name": settings.check,
        "seed": settings.seed,
        "hit_size": settings.design.hit_size,
        "ratings_per_item": settings.design.ratings_per_item,
        "presentation": json.dumps(dict(settings.presentation), ensure_ascii=False),
        "created_at": now,
        "created_with": created_with,
    }


def _system_rows(campaign: Campaign) -> Iterator[Row]:
    for number, system in enumerate(campaign.systems, start=1):
        yield {"system_id": system.system_id, "is_human": system.is_human, "number": number}


def _segment_rows(campaign: Campaign) -> Iterator[Row]:
    for number, segment in enumerate(campaign.segments, start=1):
        yield {
            "segment_id": segment.segment_id,
            "number": number,
            "document_id": segment.document_id,
            "source": segment.source,
            "reference": segment.reference,
        }


def _item_row(item: Item) -> Row:
    return {
        "item_id": item.item_id,
        "kind": item.kind.value,
        "system_id": item.system_id,
        "segment_id": item.segment_id,
        "text": item.text,
        "base_item_id": item.base_item_id,
    }


def _hit_row(hit: Hit) -> Row:
    return {"hit_id": hit.hit_id, "round": hit.round, "number": hit.number}


def _place_rows(hit: Hit) -> Iterator[Row]:
    for placed in hit.placed:
        yield {
            "hit_id": hit.hit_id,
            "position": placed.position,
            "item_id": placed.item_id,
            "group_number": placed.group,
            "is_padding": placed.is_padding,
        }
