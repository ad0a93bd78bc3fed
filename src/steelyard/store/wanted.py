"""How many ratings a campaign asks for, by system."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from steelyard.domain.work import SCORED_KINDS
from steelyard.store import tables


@dataclass(frozen=True, slots=True)
class WantedRatings:
    """Places for items that count for a system, and the segments they are of, averaged over systems.

    `document_length`: segments of a document, on average.
    """

    n_systems: int
    ratings_per_system: float
    segments_per_system: float
    document_length: float


def wanted_ratings(connection: Connection) -> WantedRatings | None:
    """What every place filled would give each system; None without systems.

    A text that several systems share counts for each of them.
    """
    items, placed, openings = tables.items, tables.hit_items, tables.openings
    credits_ = tables.item_credits
    kinds = [str(kind) for kind in SCORED_KINDS]
    places = (
        select(placed.c.item_id, func.count().label("n"))
        .join(openings, openings.c.hit_id == placed.c.hit_id)
        .group_by(placed.c.item_id)
        .subquery()
    )
    totals: dict[str, tuple[int, int]] = {}
    for system_id, found in (
        (items.c.system_id, items.join(places, places.c.item_id == items.c.item_id)),
        (
            credits_.c.system_id,
            items.join(places, places.c.item_id == items.c.item_id).join(
                credits_, credits_.c.item_id == items.c.item_id
            ),
        ),
    ):
        query = (
            select(system_id, func.sum(places.c.n), func.count(items.c.segment_id.distinct()))
            .select_from(found)
            .where(items.c.kind.in_(kinds))
            .group_by(system_id)
        )
        for name, n_ratings, n_segments in connection.execute(query):
            before = totals.get(name, (0, 0))
            totals[name] = (before[0] + int(n_ratings), before[1] + int(n_segments))
    if not totals:
        return None
    n = len(totals)
    texts = tables.segments
    length = connection.execute(select(func.count() * 1.0 / func.count(texts.c.document_id.distinct())))
    return WantedRatings(
        n,
        sum(ratings for ratings, _ in totals.values()) / n,
        sum(segments for _, segments in totals.values()) / n,
        float(length.scalar_one()),
    )
