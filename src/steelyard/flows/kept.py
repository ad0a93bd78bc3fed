"""The good ratings of a source: what its quality control keeps, and how much that is."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import AnalysisSettings, Counts
from steelyard.flows.quality import Quality, control_quality, of_attributes
from steelyard.flows.source import Source
from steelyard.frames import scored, with_categories


@dataclass(frozen=True)
class Kept:
    """The ratings of the attributes wanted, with categories for names, and what quality control made of them.

    `systems`: those that have any rating that could count for them.
    """

    frame: pl.DataFrame
    quality: Quality
    systems: frozenset[str]

    @property
    def counts(self) -> Counts:
        """How much there was, and how much of it is kept."""
        kept = self.quality.kept
        return Counts(
            judgements=len(self.frame),
            workers=self.frame["worker_id"].n_unique(),
            hits=self.frame["hit_id"].n_unique(),
            systems=len(self.systems),
            kept_judgements=len(kept),
            kept_workers=kept["worker_id"].n_unique(),
        )


def keep_good(source: Source, settings: AnalysisSettings) -> Kept:
    """The ratings of a source that the settings ask for, checked; NotEnoughData if there are none yet."""
    if source.frame.is_empty():
        raise NotEnoughData("There are no judgements yet, so there is nothing to analyse.")
    wanted = (settings.attribute,) if settings.attribute is not None else None
    everything, hit_times = with_categories(source.frame, source.hit_times)
    frame = of_attributes(everything, wanted)
    checked = of_attributes(everything, settings.check_attributes or wanted)
    # Before the check: without any rating that counts there is nothing to check for.
    names = scored(frame.select("item_kind", "system_id", "credited").unique())["system_id"]
    quality = control_quality(frame, settings, checked=checked, hit_times=hit_times)
    return Kept(frame, quality, frozenset(names))
