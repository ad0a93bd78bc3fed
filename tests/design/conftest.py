"""Random campaigns with words that differ enough to borrow phrases from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

import numpy as np
import pytest

from steelyard.design.builder import Design, build
from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.text import Segment, System
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem

VOCABULARY = [f"word{k}" for k in range(3000)]


@dataclass(frozen=True)
class Shape:
    """The outline of a campaign; its texts follow from `seed`."""

    n_systems: int = 4
    n_segments: int = 90
    hit_size: int = 100
    ratings_per_item: int = 1
    attribute: str = "adequacy"
    words: tuple[int, int] = (3, 25)
    seed: int = 1
    texts: dict[tuple[int, int], str] = field(default_factory=dict)
    """Texts that replace the random ones, by system and segment."""


@dataclass(frozen=True)
class Built:
    """A campaign with its design, and easy ways to look things up."""

    campaign: Campaign
    design: Design

    @cached_property
    def item(self) -> dict[str, Item]:
        return {item.item_id: item for item in self.design.items}

    def of_kind(self, hit: Hit, *kinds: ItemKind) -> list[tuple[PlacedItem, Item]]:
        found = [(placed, self.item[placed.item_id]) for placed in hit.placed]
        return [(placed, item) for placed, item in found if item.kind in kinds]

    def pairs(self, hit: Hit) -> list[tuple[PlacedItem, PlacedItem]]:
        """(base, control) for every control of the HIT."""
        placed = {each.item_id: each for each in hit.placed}
        controls = [(each, self.item[each.item_id].base_item_id) for each in hit.placed]
        return [(placed[base_id], control) for control, base_id in controls if base_id is not None]

    def spread_after_each_hit(self, kind: ItemKind) -> Iterator[int]:
        """Most minus least often shown system, for items of one kind, after each HIT."""
        counts = Counter({system.system_id: 0 for system in self.campaign.systems})
        for hit in self.design.hits:
            counts.update(item.system_id for _, item in self.of_kind(hit, kind))
            yield max(counts.values()) - min(counts.values())


def _campaign(shape: Shape) -> Campaign:
    rng = np.random.default_rng(shape.seed)

    def text() -> str:
        n_words = int(rng.integers(shape.words[0], shape.words[1] + 1))
        return " ".join(VOCABULARY[k] for k in rng.integers(len(VOCABULARY), size=n_words))

    systems = tuple(System(f"system-{k}") for k in range(shape.n_systems))
    segments = tuple(Segment(f"seg{k}", f"doc{k // 5}", text(), text()) for k in range(shape.n_segments))
    translations = {
        system.system_id: [shape.texts.get((i, j), text()) for j in range(shape.n_segments)]
        for i, system in enumerate(systems)
    }
    settings = CampaignSettings(
        name="toy",
        title="Toy",
        protocol="da",
        attribute=shape.attribute,
        source_language="de",
        target_language="en",
        design=DesignSettings(shape.hit_size, shape.ratings_per_item),
    )
    return Campaign(settings, systems, segments, translations)


@pytest.fixture(scope="session")
def campaign_of() -> Callable[[Shape], Campaign]:
    return _campaign


@pytest.fixture(scope="session")
def shape_of() -> type[Shape]:
    return Shape


@pytest.fixture(scope="session")
def built() -> Callable[[Shape], Built]:
    def make(shape: Shape) -> Built:
        campaign, ids = _campaign(shape), count()
        design = build(campaign, rng=np.random.default_rng(shape.seed), new_id=lambda: f"id{next(ids)}")
        return Built(campaign, design)

    return make
