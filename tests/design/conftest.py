"""Random campaigns with words that differ enough to borrow phrases from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

import numpy as np
import pytest

from steelyard.design.assembly import Design
from steelyard.design.builder import build
from steelyard.design.layout import Layout, layout_of
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.text import CalibrationText, Segment, System
from steelyard.domain.work import CONTROL_KINDS, Hit, Item, ItemKind, PlacedItem

VOCABULARY = [f"word{k}" for k in range(3000)]


@dataclass(frozen=True)
class Shape:
    """The outline of a campaign; its texts follow from `seed`."""

    n_systems: int = 4
    n_segments: int = 90
    design: DesignSettings = field(default_factory=DesignSettings)
    attribute: str = "adequacy"
    words: tuple[int, int] = (3, 25)
    seed: int = 1
    texts: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Texts that replace the random ones, by system and segment."""
    coverage: float = 1.0
    """The share of segments that a system has translated."""
    copied: float = 0.0
    """The share of translations that are those of the system before."""
    weights: tuple[float, ...] = ()
    gold: float = 0.0
    """The share of translations that an expert has rated."""
    n_calibration: int = 0
    references: float = 1.0
    """The share of segments that have one."""


@dataclass(frozen=True)
class Built:
    """A campaign with its design, and easy ways to look things up."""

    campaign: Campaign
    design: Design

    @property
    def layout(self) -> Layout:
        return layout_of(self.campaign.settings.design)

    @cached_property
    def item(self) -> dict[str, Item]:
        return {item.item_id: item for item in self.design.items}

    @cached_property
    def hits(self) -> list[Hit]:
        return list(self.design.hits)

    def of_kind(self, hit: Hit, *kinds: ItemKind) -> list[tuple[PlacedItem, Item]]:
        found = [(placed, self.item[placed.item_id]) for placed in hit.placed]
        return [(placed, item) for placed, item in found if item.kind in kinds]

    def pairs(self, hit: Hit) -> list[tuple[PlacedItem, PlacedItem]]:
        """(base, control) for every control of the HIT."""
        placed = {each.item_id: each for each in hit.placed}
        return [(placed[item.base_item_id], each) for each, item in self.of_kind(hit, *CONTROL_KINDS)]

    def spread_after_each_hit(self, kind: ItemKind) -> Iterator[int]:
        """Most minus least often shown system, for items of one kind, after each HIT."""
        counts = Counter({system.system_id: 0 for system in self.campaign.systems})
        for hit in self.hits:
            counts.update(item.system_id for _, item in self.of_kind(hit, kind))
            yield max(counts.values()) - min(counts.values())


def _campaign(shape: Shape) -> Campaign:
    rng = np.random.default_rng(shape.seed)

    def text() -> str:
        n_words = int(rng.integers(shape.words[0], shape.words[1] + 1))
        return " ".join(VOCABULARY[k] for k in rng.integers(len(VOCABULARY), size=n_words))

    weights = shape.weights or (1.0,) * shape.n_systems
    systems = tuple(System(f"system-{k}", weight=weight) for k, weight in enumerate(weights))
    segments = tuple(
        Segment(f"seg{k}", f"doc{k // 5}", text(), text() if rng.random() < shape.references else "")
        for k in range(shape.n_segments)
    )
    columns: list[list[str | None]] = []
    for i in range(shape.n_systems):
        column: list[str | None] = [shape.texts.get((i, j), text()) for j in range(shape.n_segments)]
        for j in range(shape.n_segments):
            if columns and rng.random() < shape.copied:
                column[j] = columns[-1][j]
            if rng.random() >= shape.coverage:
                column[j] = None
        columns.append(column)
    gold = {
        (system.system_id, segment.segment_id): float(rng.integers(101))
        for system, column in zip(systems, columns, strict=True)
        for segment, given in zip(segments, column, strict=True)
        if given is not None and rng.random() < shape.gold
    }
    settings = CampaignSettings(
        name="toy",
        title="Toy",
        protocol="da",
        attribute=shape.attribute,
        source_language="de",
        target_language="en",
        design=shape.design,
    )
    calibration = tuple(
        CalibrationText(f"c{k}", text(), text(), text(), float(k), 1.0 + k)
        for k in range(shape.n_calibration)
    )
    translations = {system.system_id: column for system, column in zip(systems, columns, strict=True)}
    return Campaign(settings, systems, segments, translations, gold, calibration)


def _counted_ids() -> Callable[[int], Sequence[str]]:
    numbers = count()
    return lambda n: [f"id{next(numbers) * 7919 % 10**6:06}" for _ in range(n)]


@pytest.fixture(scope="session")
def campaign_of() -> Callable[[Shape], Campaign]:
    return _campaign


@pytest.fixture(scope="session")
def shape_of() -> type[Shape]:
    return Shape


@pytest.fixture(scope="session")
def new_ids() -> Callable[[int], Sequence[str]]:
    """Ids in an order that is neither theirs nor that of the items."""
    return _counted_ids()


@pytest.fixture(scope="session")
def built() -> Callable[[Shape], Built]:
    def make(shape: Shape) -> Built:
        campaign = _campaign(shape)
        design = build(campaign, rng=np.random.default_rng(shape.seed), new_ids=_counted_ids())
        return Built(campaign, design)

    return make
