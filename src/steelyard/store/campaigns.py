"""The campaign as it was created: settings, texts, items and HITs. Written once, read often."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import count, groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.running import CampaignState, Rules
from steelyard.domain.text import CALIBRATION_SYSTEM, Segment, System, Translation
from steelyard.domain.work import Hit, Item, ItemKind, SegmentTexts, ShownText
from steelyard.store import tables
from steelyard.store.bulk import filling, load
from steelyard.store.laid_out import HitShape, Marks, add_hits, add_items, refresh_statistics
from steelyard.store.running import add_revision, latest_revision, rules_text
from steelyard.store.turns import take_turns


class TextBeside(NamedTuple):
    """A further translation of an item that shows several, and its segment."""

    shown: ShownText
    segment: SegmentTexts
    document_id: str


@dataclass(frozen=True, slots=True)
class ItemFacts:
    """What a simulated worker needs to know about an item to judge it."""

    item_id: str
    kind: ItemKind
    system_id: str
    segment_id: str
    text: str
    segment: SegmentTexts
    document_id: str
    base_item_id: str | None
    beside: tuple[TextBeside, ...] = ()

    @property
    def reference(self) -> str:
        return self.segment.reference


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
    marks: Marks | None = None,
) -> None:
    """Write a campaign into an empty database, straight from the iterables; Conflict if there is one.

    Each HIT gets `openings_per_hit` places. `progress` is called after each batch with the number of items
    written, first as items, then in their places in HITs. `marks`: what is marked beforehand in each.
    """
    take_turns(connection, "campaign")
    present = connection.execute(select(tables.campaigns.c.name)).scalar()
    if present is not None:
        raise Conflict(f"the database already holds the campaign {present}; choose another one")
    connection.execute(insert(tables.campaigns), [_settings_row(campaign.settings, now, created_with)])
    add_revision(connection, campaign.settings.title, campaign.settings.presentation, now=now)
    shape = HitShape(campaign.settings.design.hit_size, openings_per_hit)
    with filling(connection):
        load(connection, tables.systems, _system_rows(campaign))
        load(connection, tables.segments, _segment_rows(campaign))
        add_items(connection, items, progress=progress, marks=marks)
        add_hits(connection, hits, shape=shape, progress=progress)
    refresh_statistics(connection)


def settings(connection: Connection) -> CampaignSettings:
    """The campaign's settings, with the title and words of its latest revision.

    SourceError if the database holds no campaign.
    """
    row = connection.execute(select(tables.campaigns)).one_or_none()
    if row is None:
        problem = "it holds no campaign. Make one with: {create=DB}"
        raise SourceError("the database", [problem])
    latest = latest_revision(connection)
    return CampaignSettings(
        name=row.name,
        title=latest.title,
        protocol=row.protocol,
        attribute=row.attribute,
        source_language=row.source_language,
        target_language=row.target_language,
        check=row.check_name,
        seed=row.seed,
        design=_design(row.hit_size, row.ratings_per_item, json.loads(row.design)),
        presentation=latest.presentation,
        rules=Rules(**json.loads(row.rules)),
    )


def systems(connection: Connection) -> list[System]:
    """The systems in the campaign file's order."""
    stored = tables.systems.c
    query = (
        select(stored.system_id, stored.is_human, stored.weight)
        .where(stored.system_id != CALIBRATION_SYSTEM)
        .order_by(stored.number)
    )
    return [System(*row) for row in connection.execute(query)]


def segments(connection: Connection) -> list[Segment]:
    """The segments in the campaign file's order, without those of calibration texts."""
    stored = tables.segments.c
    # A calibration text is filed under a segment and a document, both named after it.
    is_own = stored.segment_id.startswith(f"{CALIBRATION_SYSTEM}:") & (
        stored.segment_id == stored.document_id
    )
    query = (
        select(stored.segment_id, stored.document_id, stored.source, stored.reference)
        .where(~is_own)
        .order_by(stored.number)
    )
    return [Segment(*row) for row in connection.execute(query)]


def translations(connection: Connection) -> list[Translation]:
    """The translations that are judged, unordered; one that several systems share, once for each."""
    items, credited = tables.items.c, tables.item_credits.c
    is_translation = items.kind.in_([ItemKind.REGULAR.value, ItemKind.GOLD.value])
    own = select(items.system_id, items.segment_id, items.text).where(is_translation)
    shared = (
        select(credited.system_id, items.segment_id, items.text)
        .join(tables.items, items.item_id == credited.item_id)
        .where(is_translation)
    )
    found = [Translation(*row) for row in connection.execute(own.union_all(shared))]
    beside = [text.shown for texts in texts_beside(connection).values() for text in texts]
    if not beside:
        return found
    # A translation may stand in many items, beside others each time.
    found += [
        Translation(system_id, text.segment_id, text.text)
        for text in beside
        if text.kind in (ItemKind.REGULAR, ItemKind.GOLD)
        for system_id in (text.system_id, *text.credited)
    ]
    return list(dict.fromkeys(found))


def texts_beside(
    connection: Connection, item_ids: Sequence[str] | None = None
) -> dict[str, tuple[TextBeside, ...]]:
    """By item, the translations that it shows beside its first one, as stored; of these items, or of all."""
    stored, segments = tables.item_translations, tables.segments
    query = (
        select(stored, segments.c.document_id, segments.c.source, segments.c.reference)
        .join(segments, segments.c.segment_id == stored.c.segment_id)
        .order_by(stored.c.item_id, stored.c.place)
    )
    if item_ids is not None:
        query = query.where(stored.c.item_id.in_(item_ids))
    rows = connection.execute(query)
    return {
        item_id: tuple(
            TextBeside(
                ShownText(
                    row.system_id,
                    row.segment_id,
                    row.text,
                    ItemKind(row.kind),
                    tuple(json.loads(row.credited)) if row.credited else (),
                ),
                SegmentTexts(row.source, row.reference),
                row.document_id,
            )
            for row in group
        )
        for item_id, group in groupby(rows, key=lambda row: row.item_id)
    }


def degraded_originals(connection: Connection) -> dict[tuple[str, str], str]:
    """By system and segment, the translations of the segments of which some are damaged.

    Among them are those that the damaged copies were made from.
    """
    items, beside = tables.items.c, tables.item_translations.c
    regular = ItemKind.REGULAR.value
    damaged = select(items.segment_id).where(items.kind == ItemKind.DEGRADED.value)
    firsts = select(items.system_id, items.segment_id, items.text)
    others = select(beside.system_id, beside.segment_id, beside.text)
    query = firsts.where(items.kind == regular, items.segment_id.in_(damaged)).union(
        others.where(beside.kind == regular, beside.segment_id.in_(damaged))
    )
    return {(system_id, segment_id): text for system_id, segment_id, text in connection.execute(query)}


def credited_systems(connection: Connection) -> dict[str, tuple[str, ...]]:
    """By item, the further systems that share its ratings; items without any are not there."""
    stored = tables.item_credits.c
    found: dict[str, tuple[str, ...]] = {}
    query = select(stored.item_id, stored.system_id).order_by(stored.item_id, stored.system_id)
    for item_id, system_id in connection.execute(query):
        found[item_id] = (*found.get(item_id, ()), system_id)
    return found


def item_facts(connection: Connection) -> list[ItemFacts]:
    """Every item with its reference, in order of item_id."""
    items, segments = tables.items, tables.segments
    query = (
        select(
            items.c.item_id,
            items.c.kind,
            items.c.system_id,
            items.c.segment_id,
            items.c.text,
            items.c.base_item_id,
            segments.c.document_id,
            segments.c.source,
            segments.c.reference,
        )
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .order_by(items.c.item_id)
    )
    beside = texts_beside(connection)
    return [
        ItemFacts(
            *(row[0], ItemKind(row[1]), *row[2:5]),
            segment=SegmentTexts(*row[7:]),
            document_id=row[6],
            base_item_id=row[5],
            beside=beside.get(row[0], ()),
        )
        for row in connection.execute(query)
    ]


def _design(hit_size: int, ratings_per_item: int, others: dict[str, Any]) -> DesignSettings:
    quota = others.pop("quota", None)
    return DesignSettings(
        hit_size=hit_size,
        ratings_per_item=ratings_per_item,
        quota=None if quota is None else {ItemKind(kind): number for kind, number in quota.items()},
        **others,
    )


def _settings_row(settings: CampaignSettings, now: datetime, created_with: str) -> dict[str, Any]:
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
        "design": json.dumps(_other_choices(settings.design)),
        "state": CampaignState.OPEN.value,
        "rules": rules_text(settings.rules),
    }


def _other_choices(design: DesignSettings) -> dict[str, Any]:
    """The choices without a column, except those left at their default."""
    usual = asdict(DesignSettings())
    return {
        name: value
        for name, value in asdict(design).items()
        if value != usual[name] and name not in ("hit_size", "ratings_per_item")
    }


def _system_rows(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    for number, system in enumerate(campaign.systems, start=1):
        yield system.system_id, system.is_human, number, system.weight
    if campaign.calibration:
        yield CALIBRATION_SYSTEM, False, len(campaign.systems) + 1, 0.0


def _segment_rows(campaign: Campaign) -> Iterator[tuple[Any, ...]]:
    numbers = count(1)
    for segment in campaign.segments:
        yield segment.segment_id, next(numbers), segment.document_id, segment.source, segment.reference, 1
    for text in campaign.calibration:
        yield text.segment_id, next(numbers), text.segment_id, text.source, text.reference, 1
