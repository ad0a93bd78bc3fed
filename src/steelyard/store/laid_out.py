"""Items and HITs as a design lays them out, written in bulk: at creation, and for rounds added later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select

from steelyard.domain.judgement import Span
from steelyard.domain.work import Hit, Item, ItemKind
from steelyard.store import tables
from steelyard.store.bulk import BATCH, batches, load
from steelyard.store.prefilled import add_prefilled

_KIND_NAME = {kind: kind.value for kind in ItemKind}


@dataclass(frozen=True, slots=True)
class HitShape:
    """What HITs that are written together have in common: size, openings, and the part of the segments."""

    hit_size: int
    openings_per_hit: int
    part: int = 1


# Which places of an item have errors that are marked beforehand, and which errors.
Marks = Callable[[Item], Iterable[tuple[int, Sequence[Span]]]]


def add_items(
    connection: Connection,
    items: Iterable[Item],
    *,
    progress: Callable[[int], None] | None = None,
    marks: Marks | None = None,
) -> None:
    """Write items with their credits, the translations beside them and what is marked in them."""
    for some in batches(items, size=BATCH):
        load(connection, tables.items, _item_rows(some), progress=progress)
        credited = (
            (item.item_id, system_id) for item in some if item.credited for system_id in item.credited
        )
        load(connection, tables.item_credits, credited)
        load(connection, tables.item_translations, _beside_rows(some))
        if marks is not None:
            marked = ((item.item_id, *each) for item in some for each in marks(item))
            add_prefilled(connection, marked)


def add_hits(
    connection: Connection,
    hits: Iterable[Hit],
    *,
    shape: HitShape,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write HITs, all of rounds that are not stored yet, with their openings and what they share."""
    last_opening = select(func.coalesce(func.max(tables.openings.c.opening_id), 0))
    opening_ids = iter(range(connection.execute(last_opening).scalar_one() + 1, 2**31))
    last_hit = select(func.coalesce(func.max(tables.hits.c.number), 0))
    number_before = connection.execute(last_hit).scalar_one()
    for some in batches(hits, size=max(1, BATCH // max(1, shape.hit_size))):
        load(connection, tables.hits, ((hit.hit_id, hit.round, hit.number, shape.part) for hit in some))
        load(connection, tables.hit_items, _place_rows(some), progress=progress)
        offered = ((hit, place) for hit in some for place in range(shape.openings_per_hit))
        openings = (
            (next(opening_ids), hit.hit_id, None, turn_of(hit.round, place, hit.number))
            for hit, place in offered
        )
        load(connection, tables.openings, openings)
    _list_shared_places(connection, after=number_before)


def turn_of(round_number: int, place: int, number: int) -> int:
    """When a place is given out: by round; one place on every HIT before the second on any; by HIT.

    So a campaign that stops early has been judged evenly. A place that is released comes after all that
    nobody has had, whose workers will not come back: see `leases.release_place`.
    """
    return round_number * 10**12 + place * 10**8 + number


def refresh_statistics(connection: Connection) -> None:
    """Let the database plan its queries by the rows that are there now."""
    if connection.dialect.name == "sqlite":
        # A sample of each index is enough for the planner; reading all of them takes seconds.
        connection.exec_driver_sql("PRAGMA analysis_limit = 1000")
        connection.exec_driver_sql("ANALYZE")
    else:
        # Without fresh statistics PostgreSQL plans the first claims as if the tables were empty. Our tables
        # only: the database may hold other campaigns, and its catalogues take longer than a small one.
        connection.exec_driver_sql(f"ANALYZE {', '.join(tables.metadata.tables)}")


def _list_shared_places(connection: Connection, *, after: int) -> None:
    """Record where padding stands, and the items it repeats: no worker may see those twice.

    Only for HITs with numbers after this one: a worker never goes from one round of a part to another.
    """
    placed = tables.hit_items.c
    padding = select(placed.item_id).where(placed.is_padding)
    shared = select(placed.item_id, placed.hit_id).distinct()
    if after:
        new_hits = select(tables.hits.c.hit_id).where(tables.hits.c.number > after)
        padding, shared = (query.where(placed.hit_id.in_(new_hits)) for query in (padding, shared))
    shared = shared.where(placed.item_id.in_(padding))
    connection.execute(insert(tables.shared_places).from_select(["item_id", "hit_id"], shared))


def _item_rows(items: Iterable[Item]) -> list[tuple[Any, ...]]:
    # Millions of them: attributes by place, and kinds as plain strings, take half the time.
    return [(each[0], _KIND_NAME[each[1]], *each[2:6], *each[7:9]) for each in items]


def _beside_rows(items: Iterable[Item]) -> Iterator[tuple[Any, ...]]:
    for item in items:
        if item.beside:
            for place, (system_id, segment_id, text, kind, others) in enumerate(item.beside, start=2):
                credited = json.dumps(others) if others else None
                yield item.item_id, place, system_id, segment_id, _KIND_NAME[kind], text, credited


def _place_rows(hits: Iterable[Hit]) -> list[tuple[Any, ...]]:
    return [
        (hit.hit_id, position, item_id, group, is_padding)
        for hit in hits
        for item_id, position, group, is_padding in hit.placed
    ]
