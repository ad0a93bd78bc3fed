"""A campaign made by the real flow from the bundled texts, on each database; and campaigns of words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from steelyard.domain.campaign import Campaign
from steelyard.flows.create import create
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.store.database import Store

VOCABULARY = [f"word{k}" for k in range(2000)]
DESIGN = {"hit_size": "20", "groups": "4", "quota": "{ degraded = 5, repeat = 1, reference = 1 }"}


@dataclass(frozen=True)
class WordTexts:
    """A campaign file with a table of texts. A text follows from its system and segment alone."""

    folder: Path
    systems: Sequence[str] = ("alpha", "beta", "gamma")
    segments: range = range(1, 31)
    protocol: str = "da"
    attribute: str = "adequacy"
    design: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    copied: bool = False
    """Whether every fifth text of a system is that of the system named first."""

    def write(self, name: str = "campaign.toml") -> Path:
        path = self.folder / name
        table = path.with_suffix(".tsv")
        design = {**DESIGN, **self.design}
        path.write_text(
            f"""[campaign]
name = "toy"
title = "Toy"
protocol = "{self.protocol}"
attribute = "{self.attribute}"
source_language = "de"
target_language = "en"
[texts]
file = "{table.name}"
[design]
"""
            + "".join(f"{key} = {value}\n" for key, value in design.items())
            + "".join(
                f'[[systems]]\nname = "{system}"\nweight = {self.weights.get(system, 1.0)}\n'
                for system in self.systems
            ),
            "utf-8",
        )
        rows = ["\t".join(("segment", "document", "source", "reference", *self.systems))]
        for number in self.segments:
            own = [
                self.text("source", number),
                self.text("reference", number),
                *(self.translation(system, number) for system in self.systems),
            ]
            rows.append("\t".join((f"s{number}", f"d{number // 5}", *own)))
        table.write_text("\n".join(rows) + "\n", "utf-8")
        return path

    def translation(self, system: str, number: int) -> str:
        owner = self.systems[0] if self.copied and number % 5 == 0 else system
        return self.text(owner, number)

    @staticmethod
    def text(who: str, number: int) -> str:
        rng = np.random.default_rng([number, *who.encode()])
        return " ".join(VOCABULARY[k] for k in rng.integers(len(VOCABULARY), size=int(rng.integers(6, 14))))


@pytest.fixture
def texts(tmp_path: Path) -> WordTexts:
    """Three systems and thirty segments, in HITs of twenty items."""
    return WordTexts(tmp_path)


@pytest.fixture
def campaign(campaign_file: Path, address: str, noon: datetime) -> Iterator[OpenCampaign]:
    create(campaign_file, address, now=noon)
    with open_campaign(address) as opened:
        yield opened


@pytest.fixture
def toy(toy_store: Store, toy_campaign: Campaign) -> OpenCampaign:
    """The toy campaign, opened; quicker to make than a real one."""
    return OpenCampaign(toy_store, toy_campaign.settings)
