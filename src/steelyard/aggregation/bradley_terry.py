"""Scores as log strengths in the model of Bradley and Terry, with ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.aggregation._comparison_fit import linked_systems, never_compared, systems_met, win_shares
from steelyard.aggregation._comparisons import Compared, Comparisons, compare_systems
from steelyard.aggregation._segment_draws import Scored, fit_scored, lacking_attributes, mean_values
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.arrays import BoolArray, FloatArray
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


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Log strengths from preferences, or from ratings of two translations by one worker [Bradley1952].

    The difference between two scores is the log odds that a worker prefers the first system where one of
    the two is preferred; ties after Davidson [Davidson1970]. Scores have mean 0. A weak prior keeps those of
    systems that always win or lose finite, and a warning names them. Intervals and p-values allow for
    workers and segments that go their own ways; nothing is drawn, so the seed does not matter. A
    segment's score is the system's share of wins in its decided comparisons there.
    """
    compared = compare_systems(frame, settings, method=METHOD.name, by_worker=True)
    parts = {name: _part(found, len(compared.systems)) for name, found in compared.by_attribute.items()}
    together = _fit_of(compared, compared.rows, parts, settings)
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
    return replace(together, warnings=warnings, attributes=alone)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one attribute says. `log_strength` (S,) is NaN for a system that met nobody there."""

    comparisons: Comparisons
    outcomes: PairedOutcomes
    found: Strengths
    influence: StrengthInfluence
    met: BoolArray
    log_strength: FloatArray


def _part(comparisons: Comparisons, n_systems: int) -> _Part:
    outcomes = PairedOutcomes(
        first=comparisons.first,
        second=comparisons.second,
        outcome=comparisons.outcome,
        count=comparisons.count.astype(np.float64),
        worker=comparisons.worker,
        segment=comparisons.segment,
    )
    found = fit_strengths(outcomes, n_systems=n_systems)
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


def _fit_of(compared: Compared, rows: pl.DataFrame, parts: dict[str, _Part], settings: MethodSettings) -> Fit:
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


def _open_distances(compared: Compared, parts: dict[str, _Part]) -> tuple[str, ...]:
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
    own_test=True,
    draws_nothing=True,
)
