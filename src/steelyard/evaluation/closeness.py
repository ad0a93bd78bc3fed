"""How close the scores of a method come to the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.result import Fit
from steelyard.evaluation.judged import Judged
from steelyard.evaluation.truth import ItemTruth
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.correlation import pearson

# Fewer points have no correlation to speak of.
LEAST_POINTS = 3
# If the beliefs are right, ninety in a hundred truths lie within this many deviations of them.
_DEVIATIONS = 1.645


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close one method came in one trial, by level; NaN where it is undefined.

    `r_within`: of segments of several systems, the correlation with every system's mean taken off.
    """

    r: Mapping[str, float]
    n_points: float
    scored: float
    coverage: float = np.nan
    r_within: float = np.nan


def segment_closeness(
    fit: Fit, judged: Judged, truth: ItemTruth, *, over: BoolArray, has_intervals: bool
) -> Closeness:
    """Correlation of segment scores with the truth, over the items marked by `over` (items,).

    A method that leaves an item without score, for instance because nobody who judged it passed, is
    taken to guess the mean of its other scores: otherwise it would be best to score the easy ones only.

    Where systems differ much, a method comes close by giving each translation its system's mean; `r_within`
    takes that away: it says how well translations of one system are ordered.
    """
    placed = fit.segments.join(judged.items, on=["system_id", "segment_id"])
    score, sd = (_at(placed[name], placed["item"], judged.n_items)[over] for name in ("score", "sd"))
    value, variance = truth.value[over], truth.variance[over]
    system = judged.item_system[over]
    has_coverage = has_intervals and truth.is_standardised
    return Closeness(
        r={"segments": _correlation(value, score)},
        n_points=float(over.sum()),
        scored=_scored(score),
        coverage=_coverage(value - score, variance + sd**2) if has_coverage else np.nan,
        r_within=_within(value, score, system) if len(np.unique(system)) > 1 else np.nan,
    )


def system_closeness(fit: Fit, truth: Fit) -> Closeness:
    """Correlation of system scores with the truth, over the systems that have one."""
    value, score = _beside(truth.systems, fit.systems)
    return Closeness(r={"systems": _correlation(value, score)}, n_points=len(value), scored=_scored(score))


def cell_closeness(fits: Mapping[str, Fit], truths: Mapping[str, Fit]) -> Closeness:
    """Correlation of scores by system and attribute with the truth: over all cells, and within attributes."""
    columns = []
    for name, truth in truths.items():
        systems = fits[name].systems if name in fits else truth.systems.clear()
        columns.append(_beside(truth.systems, systems))
    within = [_correlation(value, score) for value, score in columns]
    value, score = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    known = [r for r in within if np.isfinite(r)]
    return Closeness(
        r={
            "cells": _correlation(value, score),
            "cells_within": float(np.mean(known)) if len(known) == len(within) else np.nan,
        },
        n_points=len(value),
        scored=_scored(score),
    )


def _pearson(first: FloatArray, second: FloatArray) -> float:
    """Pearson's correlation; NaN where there are too few points to speak of one."""
    return pearson(first, second) if len(first) >= LEAST_POINTS else np.nan


def _correlation(truth: FloatArray, score: FloatArray) -> float:
    known = np.isfinite(score)
    if not known.any():
        return np.nan
    return _pearson(truth, np.where(known, score, score[known].mean()))


def _within(truth: FloatArray, score: FloatArray, system: IntArray) -> float:
    """The correlation of what lies above and below each system's mean; without score is on the mean."""
    known = np.isfinite(score)
    if not known.any():
        return np.nan
    left = truth - _group_means(truth, system)
    right = np.zeros(len(score))
    right[known] = score[known] - _group_means(score[known], system[known])
    # What is left of equal numbers is rounding.
    smallest = 1e-9 * float(np.ptp(score[known]))
    return _pearson(left, np.where(np.abs(right) <= smallest, 0.0, right))


def _group_means(value: FloatArray, group: IntArray) -> FloatArray:
    """For every value, the mean of its group."""
    n = np.bincount(group)
    means: FloatArray = (np.bincount(group, value) / np.maximum(n, 1))[group]
    return means


def _scored(score: FloatArray) -> float:
    return float(np.isfinite(score).mean()) if len(score) else np.nan


def _coverage(distance: FloatArray, variance: FloatArray) -> float:
    known = np.isfinite(distance) & np.isfinite(variance)
    if not known.any():
        return np.nan
    return float(np.mean(np.abs(distance[known]) <= _DEVIATIONS * np.sqrt(variance[known])))


def _at(column: pl.Series, place: pl.Series, n: int) -> FloatArray:
    values: FloatArray = np.full(n, np.nan)
    values[place.to_numpy()] = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    return values


def _beside(truth: pl.DataFrame, found: pl.DataFrame) -> tuple[FloatArray, FloatArray]:
    """The true scores in order of system, and those found beside them, NaN where there is none."""
    joined = truth.select("system_id", value="score").join(
        found.select("system_id", "score"), on="system_id", how="left"
    )
    ordered = joined.drop_nulls("value").sort("system_id")
    return ordered["value"].to_numpy(), ordered["score"].fill_null(np.nan).to_numpy()
