"""What a plan is about: the texts, systems and HITs of a campaign file, or of the caller's numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from steelyard.design.layout import layout_of
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.errors import ChoiceError
from steelyard.domain.plugin import Protocol
from steelyard.domain.running import Rules
from steelyard.domain.wording import counted
from steelyard.domain.work import SCORED_KINDS, Item, ItemKind, texts_of
from steelyard.flows.plan_choices import DEFAULT_PROTOCOL, default_attribute
from steelyard.flows.watching import Progress, unseen
from steelyard.protocols import protocols

if TYPE_CHECKING:
    from steelyard.design.assembly import Design
    from steelyard.domain.campaign import Campaign


@dataclass(frozen=True, slots=True)
class Scope:
    """What is judged and in which HITs, from a campaign file or from the caller's numbers."""

    title: str
    systems: int
    segments: int | None
    items: int | None
    hit_size: float
    usable_share: float
    item_share: float
    seconds: float
    attribute: str
    protocol: str
    document_length: float | None = None
    together: float | None = None
    unevenness: float | None = None
    assignments_per_hit: int = 1
    hits: int | None = None
    rules: Rules = field(default_factory=Rules)


def scope_of_numbers(given: dict[str, Any]) -> Scope:
    protocol = protocols()[given.get("protocol", DEFAULT_PROTOCOL)]
    attribute = given.get("attribute") or default_attribute(protocol)
    try:
        layout = layout_of(DesignSettings(hit_size=given.get("hit_size", DesignSettings().hit_size)))
    except ValueError as error:
        raise ChoiceError(f"{{hit_size}}: {error}") from None
    # An item that shows several translations brings a rating of each.
    regular = protocol.n_translations * layout.n_regular / layout.hit_size
    n_usable = layout.n_regular + layout.quota.get(ItemKind.REPEAT, 0)
    systems, segments = given["systems"], given.get("segments")
    texts = "" if segments is None else f", {segments:,} segments"
    return Scope(
        title=f"{counted(systems, 'system')}{texts}, {attribute} ({protocol.name})",
        systems=systems,
        segments=segments,
        items=None if segments is None else systems * segments,
        hit_size=layout.hit_size,
        usable_share=given.get("usable_share", protocol.n_translations * n_usable / layout.hit_size),
        item_share=given.get("usable_share", regular),
        seconds=protocol.seconds_per_item[attribute],
        attribute=attribute,
        protocol=protocol.name,
    )


def scope_of_campaign(path: str | PathLike[str], progress: Progress | None) -> Scope:
    """The campaign as `create` would make it: its HITs are designed, counted and forgotten."""
    # Campaign files need the packages of the extra `server`; plans from numbers do without.
    from steelyard.flows.create import design

    designed = design(Path(path), progress=progress or unseen)
    protocol = protocols()[designed.campaign.settings.protocol]
    return _counted_scope(designed.campaign, designed.design, protocol)


def _no_plan(campaign: Campaign, design: Design, protocol: Protocol) -> ChoiceError:
    """Why there is no plan without ratings, and what can be said instead."""
    settings = campaign.settings
    assignments = settings.design.ratings_per_item if settings.design.partition == "fixed" else 1
    hours = design.n_places * assignments * protocol.seconds_per_item[settings.attribute] / 3600
    return ChoiceError(
        f"{protocol.name} gives {' and '.join(protocol.gives)}, but plans are about the precision of "
        f"ratings. {{campaign}} has {counted(len(design.hits) * assignments, 'HIT')} with "
        f"{counted(design.n_places * assignments, 'item')}, about {hours:.1f} hours of work in all."
    )


def _counted_scope(campaign: Campaign, design: Design, protocol: Protocol) -> Scope:
    """What the HITs of a design hold.

    A text that several systems share is one item whose ratings each of them gets. Systems may differ
    in their number of ratings; the one with fewest decides what can be shown.
    """
    settings = campaign.settings
    if "ratings" not in protocol.gives:
        raise _no_plan(campaign, design, protocol)
    kinds = {item.item_id: item.kind for item in design.items}
    rated = {item.item_id: _systems_rated(item) for item in design.items}
    once = {item_id: rated[item_id] for item_id, kind in kinds.items() if kind is ItemKind.REGULAR}
    ratings: Counter[str] = Counter()
    n_places = n_regular = 0
    for hit in design.hits:
        n_places += len(hit.placed)
        for placed in hit.placed:
            ratings.update(rated[placed.item_id])
            n_regular += len(once.get(placed.item_id, ()))
    # A translation may be in several items, beside others in each.
    translations = {(name, item.segment_id) for item in design.items for name in once.get(item.item_id, ())}
    judged = Counter(system_id for system_id, _ in translations)
    assignments = settings.design.ratings_per_item if settings.design.partition == "fixed" else 1
    lengths = list(Counter(each.document_id for each in campaign.segments).values())
    return Scope(
        title=(
            f"Campaign {settings.name}: {counted(len(ratings), 'system')}, "
            f"{len(campaign.segments):,} segments, {settings.attribute} ({protocol.name})"
        ),
        systems=len(ratings),
        segments=min(judged.values()),
        items=judged.total(),
        hit_size=n_places / len(design.hits),
        usable_share=len(ratings) * min(ratings.values()) / n_places,
        item_share=n_regular / n_places,
        seconds=protocol.seconds_per_item[settings.attribute],
        attribute=settings.attribute,
        protocol=protocol.name,
        document_length=fmean(lengths),
        unevenness=pstdev(lengths) / fmean(lengths),
        together=_together(campaign, design),
        assignments_per_hit=assignments,
        hits=len(design.hits) * assignments,
        rules=settings.rules,
    )


def _systems_rated(item: Item) -> tuple[str, ...]:
    """The systems that get a rating from an item; several where it shows several translations."""
    return tuple(
        system_id
        for shown in texts_of(item)
        if shown.kind in SCORED_KINDS
        for system_id in (shown.system_id, *shown.credited)
    )


def _together(campaign: Campaign, design: Design) -> float:
    """How many segments of a document of one system a HIT holds, on average over those it holds any of."""
    documents = {each.segment_id: each.document_id for each in campaign.segments}
    regular = {
        item.item_id: [(documents[item.segment_id], shown.system_id) for shown in texts_of(item)]
        for item in design.items
        if item.kind is ItemKind.REGULAR
    }
    held = [
        Counter(each for placed in hit.placed for each in regular.get(placed.item_id, ()))
        for hit in design.hits
    ]
    return sum(each.total() for each in held) / max(1, sum(map(len, held)))
