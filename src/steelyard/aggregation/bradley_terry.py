"""Scores as log strengths in the model of Bradley and Terry, with ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.aggregation._comparison_fit import linked_systems, never_compared, systems_met, win_shares
from steelyard.aggregation._comparisons import ComparedSystems, Comparisons, compare_systems
from steelyard.aggregation._segment_draws import Scored, fit_scored, lacking_attributes, mean_values
from steelyard.domain.options import option
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, InferenceUnits, MethodSettings
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.bradley_terry import (
    PairedOutcomes,
    Strengths,
    fit_strengths,
    separated_groups,
    unlinked_groups,
)
from steelyard.stats.strength_errors import (
    StrengthInfluence,
    combined_errors,
    strength_influence,
    strength_intervals,
    strength_p_values,
)
from steelyard.stats.tied_outcomes import TieModel


@dataclass(frozen=True, slots=True)
class BradleyTerrySettings(MethodSettings):
    """How ties come about, and whether workers differ in how clearly they tell systems apart."""

    ties: TieModel = option(
        "davidson",
        help="How ties come about: with both strengths (davidson), or where the lead is small (rao-kupper).",
        signature="ties",
    )
    worker_slopes: bool = option(
        False,
        help="Learn how clearly each worker tells systems apart, and count careless workers less.",
        signature="slopes:worker",
    )


def fit(frame: pl.DataFrame, settings: BradleyTerrySettings, rng: np.random.Generator) -> Fit:
    """Log strengths from preferences, or from ratings of two translations by one worker [Bradley1952].

    The difference between two scores is the log odds that a worker prefers the first system where one of
    the two is preferred; ties after Davidson [Davidson1970] or after Rao and Kupper [Rao1967]. Scores have
    mean 0. A weak prior keeps those of systems that always win or lose finite, and a warning names them.
    Intervals and p-values allow for workers and documents that go their own ways, or for segments where no
    documents are named; nothing is drawn, so the seed does not matter. A segment's score is the system's
    share of wins in its decided comparisons.

    With `worker_slopes` differences between systems count times each worker's slope, near 0 for a worker
    who answers at random. Where comparisons are between ratings of several workers there are no slopes.
    """
    compared = compare_systems(frame, settings, method=METHOD.name, by_worker=True)
    document = compared.documents.number
    parts = {
        name: _part(found, len(compared.systems), settings, document=document)
        for name, found in compared.by_attribute.items()
    }
    together = replace(_fit_of(compared, compared.rows, parts, settings), units=_units(compared, parts))
    alone: tuple[tuple[str, Fit], ...] = ()
    if compared.rows["attribute"].n_unique() > 1:
        alone = tuple(
            (
                name,
                _fit_of(compared, compared.rows.filter(pl.col("attribute") == name), {name: part}, settings),
            )
            for name, part in parts.items()
        )
    values = {name: part.log_strength[None] for name, part in parts.items()}
    warnings = (
        *compared.warnings,
        *never_compared(compared.systems, together),
        *lacking_attributes(compared.systems, values),
        *_open_distances(compared, parts),
    )
    workers = _with_slopes(compared, parts)
    return replace(together, warnings=warnings, notes=compared.notes, attributes=alone, workers=workers)


def _units(compared: ComparedSystems, parts: dict[str, _Part]) -> InferenceUnits | None:
    """What errors count as independent; None where comparisons are not of single workers."""
    worker = np.unique(np.concatenate([part.outcomes.worker for part in parts.values()]))
    drawn = np.unique(np.concatenate([part.outcomes.document for part in parts.values()]))
    if not worker.any():
        return None
    return InferenceUnits(len(worker), len(drawn), compared.documents.known)


def _with_slopes(compared: ComparedSystems, parts: dict[str, _Part]) -> pl.DataFrame:
    """The workers with their slopes, relative to the average worker's, where these were learnt.

    Of several attributes a worker's slope is the mean.
    """
    if not any(part.found.slopes_learnt for part in parts.values()):
        return compared.workers
    n_workers = len(compared.worker_ids)
    total, number = np.zeros(n_workers), np.zeros(n_workers)
    for part in parts.values():
        judged = np.unique(part.comparisons.worker)
        total[judged] += part.found.slope[judged]
        number[judged] += 1
    slope = np.divide(total, number, out=np.full(n_workers, np.nan), where=number > 0)
    relative = pl.Series("slope", slope / np.nanmean(slope)).fill_nan(None)
    found = pl.DataFrame({"worker_id": compared.worker_ids, "slope": relative})
    joined = compared.workers.drop("slope").join(found, on="worker_id", how="left", maintain_order="left")
    return joined.select(compared.workers.columns)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one attribute says. `log_strength` (S,) is NaN for a system that met nobody there."""

    comparisons: Comparisons
    outcomes: PairedOutcomes
    found: Strengths
    influence: StrengthInfluence
    met: BoolArray
    log_strength: FloatArray


def _part(
    comparisons: Comparisons, n_systems: int, settings: BradleyTerrySettings, *, document: IntArray
) -> _Part:
    outcomes = PairedOutcomes(
        first=comparisons.first,
        second=comparisons.second,
        outcome=comparisons.outcome,
        count=comparisons.count.astype(np.float64),
        worker=comparisons.worker,
        document=document[comparisons.segment],
    )
    # All have worker 0 where comparisons are between ratings of several workers.
    learn_slopes = settings.worker_slopes and bool(comparisons.worker.any())
    found = fit_strengths(outcomes, n_systems=n_systems, ties=settings.ties, learn_slopes=learn_slopes)
    met = systems_met(comparisons, n_systems)
    log_strength = np.where(met.any(axis=0), found.log_strength, np.nan)
    return _Part(
        comparisons,
        outcomes,
        found,
        strength_influence(outcomes, found),
        met,
        log_strength - np.nanmean(log_strength),
    )


def _fit_of(
    compared: ComparedSystems, rows: pl.DataFrame, parts: dict[str, _Part], settings: MethodSettings
) -> Fit:
    """A Fit from the mean of the parts' log strengths."""
    stacked = np.stack([part.log_strength for part in parts.values()])
    known = ~np.isnan(stacked)
    score = mean_values([part.log_strength[None] for part in parts.values()])[0]
    scored = np.flatnonzero(~np.isnan(score))
    linked = linked_systems(np.logical_or.reduce([part.met for part in parts.values()]))
    errors = combined_errors(
        [part.influence for part in parts.values()], shares=known / np.maximum(known.sum(axis=0), 1)
    )
    among = np.ix_(scored, scored)
    n_systems = len(score)
    lower, upper = np.full((2, n_systems), np.nan)
    p_values = np.full((n_systems, n_systems), np.nan)
    if settings.draws:
        lower[scored], upper[scored] = strength_intervals(
            score[scored], errors.among(scored), level=settings.level, linked=linked[among]
        )
    p_values[among] = strength_p_values(score[scored], errors.among(scored))
    p_values[~linked] = np.nan
    segments = win_shares(compared, [part.comparisons for part in parts.values()])
    found = Scored(compared.systems, score, lower, upper, p_values, segments)
    return fit_scored(rows, found, workers=compared.workers)


def _open_distances(compared: ComparedSystems, parts: dict[str, _Part]) -> tuple[str, ...]:
    """Warnings about distances between systems that the comparisons leave open."""
    found: list[str] = []
    n = len(compared.systems)

    def listed(group: Sequence[int]) -> str:
        return ", ".join(compared.systems[place] for place in group)

    for name, part in parts.items():
        where = f" for {name}" if len(parts) > 1 else ""
        met = set(np.flatnonzero(part.met.any(axis=0)).tolist())
        groups = [group for group in unlinked_groups(part.outcomes, n_systems=n) if met.issuperset(group)]
        if len(groups) > 1:
            found.append(
                f"These groups of systems were never compared with each other{where}, so that scores compare "
                f"within a group only: {'; '.join(listed(group) for group in groups)}."
            )
        apart = [group for group in separated_groups(part.outcomes, n_systems=n) if met.issuperset(group)]
        if len(apart) > len(groups):
            found.append(
                f"Some systems won, or lost, every comparison with others{where}, so that how far they are "
                "apart rests on the prior of the method. Groups between which wins went one way only: "
                f"{'; '.join(listed(group) for group in apart)}."
            )
    return tuple(found)


METHOD = Method(
    name="bradley-terry",
    title="Bradley-Terry strengths",
    cite=("Bradley1952", "Davidson1970"),
    reads=("preferences", "ratings"),
    scale_free=True,
    least_systems=2,
    fit=fit,
    settings=BradleyTerrySettings,
    own_test="errors",
    draws_nothing=True,
    usual_for="preferences",
)
