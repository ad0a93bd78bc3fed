"""A campaign: everything an organiser decides before the first judgement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.domain.text import Segment, System, Translation


@dataclass(frozen=True, slots=True)
class DesignSettings:
    """How texts become HITs."""

    hit_size: int = 100
    ratings_per_item: int = 1


@dataclass(frozen=True, slots=True)
class CampaignSettings:
    """What is judged, how, in which languages. No texts: cheap to pass around."""

    name: str
    title: str
    protocol: str
    attribute: str
    source_language: str
    target_language: str
    check: str = "paired-t"
    seed: int = 7
    design: DesignSettings = DesignSettings()
    presentation: Mapping[str, Any] = field(default_factory=dict)
    """How items are shown, fixed at creation: the protocol's choices and all its words."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """One evaluation: its settings and its texts. Every system translates every segment."""

    settings: CampaignSettings
    systems: tuple[System, ...]
    segments: tuple[Segment, ...]
    translations: tuple[Translation, ...]
