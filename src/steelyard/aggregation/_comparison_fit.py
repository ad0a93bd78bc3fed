"""Shared by the methods that compare: scores of systems, and a Fit, from comparisons of two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._comparisons import ComparedSystems, Comparisons
from steelyard.aggregation._segment_draws import (
    DrawnScores,
    SegmentDraws,
    draw_segments,
    fit_scores,
    lacking_attributes,
    mean_values,
)
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# Counts of pairs of systems held at once: an array of 8 MB.
_COUNTS_AT_ONCE = 1_000_000

Scorer = Callable[[Comparisons, SegmentDraws, int], FloatArray]
"""(comparisons, draws, number of systems) -> scores of the data and of every draw, (1 + draws, S)."""


def fit_comparisons(
    compared: ComparedSystems, settings: MethodSettings, rng: np.random.Generator, *, score: Scorer
) -> Fit:
    """A Fit from the scores that a method makes of the comparisons.

    Documents are resampled for intervals and p-values, the same for all attributes. A segment's score
    is the system's share of wins in its decided comparisons there. Where ratings are of several
    attributes, each is scored alone, and the scores over all are the means of theirs.
    """
    n_systems = len(compared.systems)
    draws = draw_segments(compared.documents.number, draws=settings.draws, rng=rng)
    values, graphs = {}, {}
    for name, comparisons in compared.by_attribute.items():
        graphs[name] = systems_met(comparisons, n_systems)
        values[name] = score(comparisons, draws, n_systems)
        values[name][:, ~graphs[name].any(axis=0)] = np.nan

    def fit_of(rows: pl.DataFrame, names: Sequence[str]) -> Fit:
        scores = DrawnScores(
            compared.systems,
            values=mean_values([values[name] for name in names]),
            comparable=linked_systems(np.logical_or.reduce([graphs[name] for name in names])),
            segments=win_shares(compared, [compared.by_attribute[name] for name in names]),
        )
        return fit_scores(rows, scores, settings, workers=compared.workers)

    together = fit_of(compared.rows, list(values))
    warnings = (
        *compared.warnings,
        *never_compared(compared.systems, together),
        *lacking_attributes(compared.systems, values),
    )
    alone: tuple[tuple[str, Fit], ...] = ()
    if compared.rows["attribute"].n_unique() > 1:
        of_attribute = pl.col("attribute")
        alone = tuple((name, fit_of(compared.rows.filter(of_attribute == name), [name])) for name in values)
    return replace(together, warnings=warnings, notes=compared.notes, attributes=alone)


def score_counts(
    comparisons: Comparisons,
    draws: SegmentDraws,
    n_systems: int,
    *,
    score: Callable[[FloatArray, FloatArray], FloatArray],
) -> FloatArray:
    """Scores by a function of wins and ties (draws, S, S), for the data and every draw (1 + draws, S)."""
    first, second, outcome = comparisons.first, comparisons.second, comparisons.outcome
    better, worse = np.where(outcome < 0, (second, first), (first, second))
    group, decided = draws.group[comparisons.segment], outcome != 0

    def per_group(rows: IntArray, columns: IntArray, among: BoolArray) -> csr_array:
        places = ((rows * n_systems + columns)[among], group[among])
        shape = (n_systems**2, draws.times.shape[1])
        return csr_array((comparisons.count[among].astype(np.float64), places), shape=shape)

    wins = per_group(better, worse, decided)
    ties = per_group(first, second, ~decided) + per_group(second, first, ~decided)
    size = max(1, _COUNTS_AT_ONCE // n_systems**2)
    chunks = [draws.times[start : start + size] for start in range(0, len(draws.times), size)]

    def counted(table: csr_array, times: FloatArray) -> FloatArray:
        counts: FloatArray = (table @ times.T).T.reshape(len(times), n_systems, n_systems)
        return counts

    return np.concatenate([score(counted(wins, times), counted(ties, times)) for times in chunks])


def systems_met(comparisons: Comparisons, n_systems: int) -> BoolArray:
    """Which systems were compared with which (S, S)."""
    met = np.zeros((n_systems, n_systems), dtype=np.bool_)
    met[comparisons.first, comparisons.second] = True
    return met | met.T


def linked_systems(met: BoolArray) -> BoolArray:
    """Which systems can be compared at least through others (S, S)."""
    linked: BoolArray = met | np.eye(len(met), dtype=np.bool_)
    # Each squaring doubles the number of opponents that a link may pass through.
    for _ in range(int(np.ceil(np.log2(len(met))))):
        linked = linked @ linked
    return linked


def win_shares(compared: ComparedSystems, parts: Sequence[Comparisons]) -> pl.DataFrame:
    """Each cell's share of wins among decided comparisons, or 1/2, and the deviation of a single one."""
    sides = []
    for number, part in enumerate(parts):
        for system, sign in ((part.first, 1), (part.second, -1)):
            side = {"part": number, "system": system, "segment": part.segment}
            won, lost = part.outcome == sign, part.outcome == -sign
            sides.append(pl.DataFrame({**side, "wins": part.count * won, "losses": part.count * lost}))
    cell = ("system", "segment")
    total = pl.col("wins") + pl.col("losses")
    share = pl.when(total > 0).then(pl.col("wins") / total).otherwise(0.5)
    by_part = pl.concat(sides).group_by(*cell, "part").agg(pl.col("wins", "losses").sum())
    deviation = (pl.col("wins") * pl.col("losses") / (total * (total - 1))).sqrt()
    cells = (
        by_part.with_columns(score=share)
        .sort(*cell, "part")
        .group_by(cell, maintain_order=True)
        .agg(pl.col("score").mean(), pl.col("wins", "losses").sum())
        .with_columns(sd=pl.when(total > 1).then(deviation))
    )
    return cells.select(
        pl.Series("system_id", compared.systems).gather(cells["system"]),
        pl.Series("segment_id", compared.segments).gather(cells["segment"]),
        "score",
        "sd",
    )


def never_compared(systems: list[str], fit: Fit) -> tuple[str, ...]:
    """A warning about systems that have no score because they were compared with no other."""
    left_out = sorted(set(systems) - set(fit.systems["system_id"]))
    if not left_out:
        return ()
    return (f"These systems were compared with no other, so they have no score: {', '.join(left_out)}.",)
