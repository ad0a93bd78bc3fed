"""What pairwise tests say about a ranking: wins, rank ranges and clusters.

Everywhere systems are ordered best first, and `p_values[i, j]` is the one-sided p-value that
system i is better than system j. NaN is never significant.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray


def significant(p_values: FloatArray, *, threshold: float, included: bool = False) -> BoolArray:
    """Which differences count: p below the threshold, or also at it if `included`. Shape (S, S)."""
    known = np.where(np.isnan(p_values), np.inf, p_values)
    return known <= threshold if included else known < threshold


def wins(p_values: FloatArray, *, threshold: float, included: bool = False) -> IntArray:
    """How many systems each one is significantly better than, higher-ranked ones too. Shape (S,)."""
    better = significant(p_values, threshold=threshold, included=included)
    number: IntArray = np.count_nonzero(better, axis=1)
    return number


def rank_ranges(
    p_values: FloatArray, *, threshold: float, included: bool = False
) -> tuple[IntArray, IntArray]:
    """Best and worst rank each system may hold: 1 + those better to S - those worse. Shapes (S,)."""
    better = significant(p_values, threshold=threshold, included=included)
    return 1 + np.count_nonzero(better, axis=0), len(better) - np.count_nonzero(better, axis=1)


def clusters(
    p_values: FloatArray,
    *,
    rule: Literal["strict", "wmt21", "neighbours"],
    threshold: float,
    included: bool = False,
) -> IntArray:
    """Number of the cluster each system belongs to, from 1. Shape (S,).

    `strict` ends a cluster after place k iff every system up to k is significantly better than
    every system below. `wmt21` ends it iff the system at place k has exactly S - k wins, over
    whichever systems, as the tables of that year were made [Akhbardeh2021]: a weaker rule, which can
    separate systems that do not differ. `neighbours` ends it iff the system at place k is significantly
    better than the next, whatever the others are.

    >>> clusters(np.array([[np.nan, .01, .01], [.9, np.nan, .2], [.9, .8, np.nan]]),
    ...          rule="strict", threshold=0.05)
    array([1, 2, 2])
    """
    better = significant(p_values, threshold=threshold, included=included)
    n_systems = len(better)
    if rule == "wmt21":
        ends = np.count_nonzero(better, axis=1) == n_systems - np.arange(1, n_systems + 1)
    elif rule == "neighbours":
        ends = np.append(np.diagonal(better, 1), True)[:n_systems]
    else:
        ends = np.array([bool(better[:place, place:].all()) for place in range(1, n_systems + 1)], dtype=bool)
    number: IntArray = 1 + np.cumsum(ends) - ends
    return number
