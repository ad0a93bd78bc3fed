"""The good judgements of a source: what its quality control keeps, and how much that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError, NotEnoughData
from steelyard.domain.judgement import FrameName
from steelyard.domain.plugin import Check, Method
from steelyard.domain.result import AnalysisSettings, Counts
from steelyard.domain.wording import Note, counted
from steelyard.domain.work import ItemKind
from steelyard.flows.excluded import Excluded, excluded_of, simulated_of, simulated_sentences
from steelyard.flows.quality import Quality, control_quality, of_attributes
from steelyard.flows.source import Source
from steelyard.frames import scored, with_categories
from steelyard.preferences import is_of_preferences, scored_preferences
from steelyard.qc import checks


@dataclass(frozen=True)
class Kept:
    """The judgements of the attributes wanted, and what quality control made of them.

    `systems`: those that have any judgement that could count for them. `excluded`: what people excluded,
    whether or not that is applied.
    """

    frame: pl.DataFrame
    quality: Quality
    systems: frozenset[str]
    excluded: Excluded
    n_simulated: int = 0

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
            excluded_judgements=self.excluded.n_judgements,
            simulated_workers=self.n_simulated,
        )


def frame_read(source: Source, plugin: Method | Check) -> FrameName:
    """The frame of a source that a method or check reads: the first that there is.

    ChoiceError, which names others that could, where the source has none of its frames.
    """
    _require_any(source)
    reads = _frames_of(plugin)
    for name in reads:
        if name in source.gives:
            return name
    others: Mapping[str, Method | Check] = checks() if isinstance(plugin, Check) else methods()
    able = [name for name, other in others.items() if set(source.gives).intersection(_frames_of(other))]
    raise ChoiceError(
        f"{plugin.name} reads {' or '.join(reads)}, and these judgements are {' and '.join(source.gives)}. "
        f"Use one of: {', '.join(able)}."
    )


def _require_any(source: Source) -> None:
    if not source.gives:
        raise NotEnoughData("There are no judgements yet, so there is nothing to analyse.")


def _frames_of(plugin: Method | Check) -> tuple[FrameName, ...]:
    return (plugin.reads,) if isinstance(plugin, Check) else plugin.reads


def require_frame(source: Source, name: FrameName) -> None:
    """NotEnoughData where a source has judgements, but none of these."""
    if source.gives and name not in source.gives:
        given = " and ".join(source.gives)
        raise NotEnoughData(f"There are no {name}, which are needed here: these judgements are {given}.")


def keep_good(source: Source, settings: AnalysisSettings, *, reads: FrameName = "ratings") -> Kept:
    """The judgements of a source that the settings ask for, checked; NotEnoughData if there are none yet."""
    _require_any(source)
    require_frame(source, reads)
    wanted = (settings.attribute,) if settings.attribute is not None else None
    by_check: FrameName = reads
    if settings.check in checks():
        by_check = frame_read(source, checks()[settings.check])
    everything, hit_times = _prepared(source, reads)
    frame = of_attributes(everything, wanted)
    checked = everything if by_check == reads else source.of(by_check)
    checked = of_attributes(checked, settings.check_attributes or wanted)
    # Before the check: without any judgement that counts there is nothing to check for.
    systems = _systems(frame)
    excluded = excluded_of(frame, source.exclusions)
    n_simulated = simulated_of(frame, source.simulated)
    quality = control_quality(
        frame,
        settings,
        checked=checked,
        hit_times=hit_times,
        excluded=excluded,
        is_campaign=source.protocol is not None,
    )
    if settings.regular_only:
        quality = _regular_only(frame, quality)
    said = simulated_sentences(n_simulated, frame["worker_id"].n_unique())
    quality = replace(quality, warnings=(*said, *quality.warnings))
    return Kept(frame, quality, systems, excluded, n_simulated)


def _regular_only(frame: pl.DataFrame, quality: Quality) -> Quality:
    """The rows kept without controls, repeats and whatever fills up HITs; NotEnoughData if none is left."""
    is_regular = (pl.col("item_kind").cast(pl.String) == str(ItemKind.REGULAR)) & ~pl.col(
        "is_filler"
    ).fill_null(False)
    keeps = quality.keeps & frame.select(is_regular).to_series()
    if not keeps.any():
        raise NotEnoughData("The recipe counts regular items only, and no judgement of any is left to score.")
    n_left_out = int((quality.keeps & ~keeps).sum())
    note = Note(
        f"The recipe leaves out {counted(n_left_out, 'judgement')}: of controls, repeats and documents that "
        "only fill up HITs."
    )
    warnings = (*quality.warnings, *((note,) if n_left_out else ()))
    return replace(quality, keeps=keeps, kept=frame.filter(keeps), warnings=warnings)


def _prepared(source: Source, reads: FrameName) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The frame and the HIT times; ratings, of which there may be millions, with categories for names."""
    if reads == "ratings":
        return with_categories(source.frame, source.hit_times)
    return source.of(reads), source.hit_times


def _systems(frame: pl.DataFrame) -> frozenset[str]:
    if is_of_preferences(frame):
        sides = ["system_a", "system_b", "credited_a", "credited_b"]
        compared = scored_preferences(frame.select("item_kind", *sides).unique())
        return frozenset(compared["system_a"]) | frozenset(compared["system_b"])
    return frozenset(scored(frame.select("item_kind", "system_id", "credited").unique())["system_id"])
