"""What is stored, for going on from it: where numbers stand, texts by part, items; and what is added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, literal, or_, select

from steelyard.domain.campaign import Campaign, CampaignSettings
from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Span
from steelyard.domain.text import CALIBRATION_SYSTEM, CalibrationText, Segment, System
from steelyard.domain.work import Item, ItemKind
from steelyard.store import campaigns, tables
from steelyard.store.actions import logged_actions
from steelyard.store.bulk import load
from steelyard.store.laid_out import turn_of
from steelyard.store.prefilled import prefilled_spans
from steelyard.store.turns import take_turns


@dataclass(frozen=True, slots=True)
class Extent:
    """How far the numbers of a campaign go: the last HIT, round, part, opening, system and segment."""

    hit: int
    round: int
    part: int
    opening: int
    system: int
    segment: int


@dataclass(frozen=True, slots=True, eq=False)
class StoredTexts:
    """Everything that items are made from, as far as it is stored.

    `translations` holds only what some HIT shows, by system and segment. `parts` has the segments of each
    part in their order.
    """

    settings: CampaignSettings
    extent: Extent
    systems: tuple[System, ...]
    parts: Mapping[int, tuple[Segment, ...]]
    translations: Mapping[str, Mapping[str, str]]
    gold: Mapping[tuple[str, str], float]
    calibration: tuple[CalibrationText, ...]
    prefilled: Mapping[tuple[str, str], tuple[Span, ...]] = field(default_factory=dict)


def stored_texts(connection: Connection) -> StoredTexts:
    """The texts of the campaign, part by part."""
    stored = tables.segments.c
    parts_stored = connection.execute(select(stored.segment_id, stored.part))
    part_of = {row.segment_id: row.part for row in parts_stored}
    parts: dict[int, list[Segment]] = {}
    for segment in campaigns.segments(connection):
        parts.setdefault(part_of[segment.segment_id], []).append(segment)
    systems = campaigns.systems(connection)
    translations: dict[str, dict[str, str]] = {system.system_id: {} for system in systems}
    for each in campaigns.translations(connection):
        translations[each.system_id][each.segment_id] = each.text
    return StoredTexts(
        settings=campaigns.settings(connection),
        extent=extent(connection),
        systems=tuple(systems),
        parts={part: tuple(parts[part]) for part in sorted(parts)},
        translations=translations,
        gold=_gold(connection),
        calibration=_calibration(connection),
        prefilled=_prefilled(connection),
    )


def extent(connection: Connection) -> Extent:
    """How far the numbers go."""
    numbers: Sequence[ColumnElement[int]] = (
        tables.hits.c.number,
        tables.hits.c.round,
        tables.segments.c.part,
        tables.openings.c.opening_id,
        tables.systems.c.number,
        tables.segments.c.number,
    )
    return Extent(
        *(connection.execute(select(func.coalesce(func.max(number), 0))).scalar_one() for number in numbers)
    )


def _gold(connection: Connection) -> dict[tuple[str, str], float]:
    items = tables.items.c
    query = select(items.system_id, items.segment_id, items.known).where(
        items.kind == ItemKind.GOLD.value, items.known.is_not(None)
    )
    return {(system_id, segment_id): known for system_id, segment_id, known in connection.execute(query)}


def _prefilled(connection: Connection) -> dict[tuple[str, str], tuple[Span, ...]]:
    """What is marked beforehand in translations, by system and segment."""
    marked = prefilled_spans(connection)
    if not marked:
        return {}
    items, beside, regular = tables.items.c, tables.item_translations.c, ItemKind.REGULAR.value
    firsts = select(items.item_id, literal(1), items.system_id, items.segment_id).where(items.kind == regular)
    others = select(beside.item_id, beside.place, beside.system_id, beside.segment_id)
    rows = connection.execute(firsts.union_all(others.where(beside.kind == regular)))
    return {
        (system_id, segment_id): tuple(span._replace(place=0) for span in marked[item_id][place])
        for item_id, place, system_id, segment_id in rows
        if place in marked.get(item_id, {})
    }


def _calibration(connection: Connection) -> tuple[CalibrationText, ...]:
    items, segments = tables.items, tables.segments
    query = (
        select(
            items.c.segment_id,
            items.c.text,
            segments.c.reference,
            segments.c.source,
            items.c.known,
            items.c.known_sd,
        )
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .where(items.c.kind == ItemKind.CALIBRATION.value)
        .order_by(segments.c.number)
    )
    prefix = f"{CALIBRATION_SYSTEM}:"
    return tuple(
        CalibrationText(name.removeprefix(prefix), *others) for name, *others in connection.execute(query)
    )


def stored_items(connection: Connection, parts: Iterable[int]) -> Iterator[Item]:
    """All items about segments of these parts, and those of calibration texts, in no order."""
    items, segments = tables.items, tables.segments
    query = (
        select(items)
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .where(or_(segments.c.part.in_(list(parts)), items.c.kind == ItemKind.CALIBRATION.value))
    )
    credited, beside = campaigns.credited_systems(connection), campaigns.texts_beside(connection)
    for item_id, kind, system_id, segment_id, text, base_item_id, known, known_sd in connection.execute(
        query
    ):
        yield Item(
            item_id,
            ItemKind(kind),
            system_id,
            segment_id,
            text,
            base_item_id,
            credited.get(item_id, ()),
            known,
            known_sd,
            tuple(each.shown for each in beside.get(item_id, ())),
        )


def hold_extent(connection: Connection, known: Extent) -> None:
    """Keep others from extending the campaign until this transaction ends; Conflict if somebody just has."""
    take_turns(connection, "campaign")
    if extent(connection) != known:
        raise Conflict(
            "the campaign was extended by somebody else at the same moment; nothing was added. Do it again."
        )


def add_texts(connection: Connection, added: Campaign, *, known: Extent, part: int) -> None:
    """Write further systems, and further segments as this part."""
    systems = (
        (system.system_id, system.is_human, number, system.weight)
        for number, system in enumerate(added.systems, start=known.system + 1)
    )
    load(connection, tables.systems, systems)
    segments = (
        (segment.segment_id, number, segment.document_id, segment.source, segment.reference, part)
        for number, segment in enumerate(added.segments, start=known.segment + 1)
    )
    load(connection, tables.segments, segments)


def add_openings(connection: Connection, round_number: int, *, per_hit: int) -> None:
    """More places on every HIT of a round."""
    hits, openings = tables.hits.c, tables.openings
    last = connection.execute(select(func.coalesce(func.max(openings.c.opening_id), 0))).scalar_one()
    n_places = select(func.count()).where(openings.c.hit_id == hits.hit_id).scalar_subquery()
    query = select(hits.hit_id, hits.number, n_places).where(hits.round == round_number).order_by(hits.number)
    # One place on every HIT before the second on any.
    added = [(row, place) for place in range(per_hit) for row in connection.execute(query).all()]
    rows = (
        (last + number, hit_id, None, turn_of(round_number, n_before + place, hit_number))
        for number, ((hit_id, hit_number, n_before), place) in enumerate(added, start=1)
    )
    load(connection, openings, rows)


def parts_begun(connection: Connection) -> set[int]:
    """The parts of which somebody has taken a HIT."""
    hits, taken = tables.hits.c, tables.assignments.c
    query = select(hits.part).join(tables.assignments, taken.hit_id == hits.hit_id).distinct()
    return set(connection.execute(query).scalars())


class StoredRound(NamedTuple):
    """A round of HITs: the part whose segments they show, its number, its HITs and places of items."""

    part: int
    round: int
    n_hits: int
    n_places: int


def stored_rounds(connection: Connection) -> list[StoredRound]:
    """All rounds in order."""
    hits, placed = tables.hits, tables.hit_items
    query = (
        select(hits.c.part, hits.c.round, func.count(hits.c.hit_id.distinct()), func.count())
        .join(placed, placed.c.hit_id == hits.c.hit_id)
        .group_by(hits.c.part, hits.c.round)
        .order_by(hits.c.part, hits.c.round)
    )
    return [StoredRound(*row) for row in connection.execute(query)]


def joined_systems(connection: Connection) -> tuple[str, ...]:
    """The systems that were added after the campaign was created, by name."""
    logged = logged_actions(connection, verbs=["extend"])
    return tuple(sorted(system_id for action in logged for system_id in action.detail.get("systems", ())))
