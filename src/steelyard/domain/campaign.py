"""A campaign: everything an organiser decides before the first judgement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.domain.judgement import Span
from steelyard.domain.running import Rules
from steelyard.domain.text import CalibrationText, Segment, System, Translation
from steelyard.domain.work import ItemKind

# How the groups of a HIT are paired: half a HIT apart [Graham2014], or nearly so [Graham2013].
LayoutName = Literal["2014", "2013"]
# How items follow one another: shuffled within groups; shuffled throughout; document by document;
# or as an imported file had them.
ItemOrder = Literal["grouped", "free", "documents", "given"]
# Where the second and later ratings of an item come from: new HITs in every round, or the same HITs.
Partition = Literal["new", "fixed"]


@dataclass(frozen=True, slots=True)
class DesignSettings:
    """How texts become HITs. None: what is usual for the size, the attribute or the protocol."""

    hit_size: int = 100
    ratings_per_item: int = 1
    layout: LayoutName = "2014"
    order: ItemOrder = "grouped"
    groups: int | None = None
    quota: Mapping[ItemKind, int] | None = None
    """Items of each kind but `regular` and `gold` in a HIT; kinds left out have none."""
    gold_every: int | None = None
    """Interval of gold items in a HIT: 6 makes every sixth item gold."""
    partition: Partition = "new"
    degradation: str | None = None
    merge_duplicates: bool = True
    """Identical texts of several systems for one segment are judged once and credited to all."""
    n_translations: int = 1
    """How many translations of a segment an item shows: 2 for pairs. The protocol says so."""
    degraded_as: str | None = None
    """The attribute that degraded copies lower, if not the campaign's own. The protocol says so."""


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
    """How items are shown, recorded at creation: the protocol's choices and all its words."""
    rules: Rules = field(default_factory=Rules)

    @property
    def degraded_attribute(self) -> str:
        """The attribute that a degradation must be known to lower."""
        return self.design.degraded_as or self.attribute


@dataclass(frozen=True, slots=True)
class GivenItem:
    """One item of a HIT that was laid out elsewhere. `text` is None where the file has none."""

    kind: ItemKind
    system_id: str
    segment_id: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Campaign:
    """One evaluation: its settings and its texts.

    `translations` holds, by system_id, the system's text of each segment in the order of
    `segments`; None where it has none. `gold` holds an expert's ratings of some of them, by
    (system_id, segment_id). `given` are HITs that an imported file has laid out already.
    """

    settings: CampaignSettings
    systems: tuple[System, ...]
    segments: tuple[Segment, ...]
    translations: Mapping[str, Sequence[str | None]]
    gold: Mapping[tuple[str, str], float] = field(default_factory=dict)
    calibration: tuple[CalibrationText, ...] = ()
    given: tuple[tuple[GivenItem, ...], ...] = ()
    prefilled: Mapping[tuple[str, str], tuple[Span, ...]] = field(default_factory=dict)
    """Errors that are marked in translations before any worker comes, by system and segment."""

    def each_translation(self) -> Iterator[Translation]:
        """The translations there are, system by system."""
        for system in self.systems:
            for segment, text in zip(self.segments, self.translations[system.system_id], strict=True):
                if text is not None:
                    yield Translation(system.system_id, segment.segment_id, text)
