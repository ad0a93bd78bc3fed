"""Which of many systems' scores are stochastically greater than which others'."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from steelyard.stats.arrays import FloatArray

# Cells of the table of counts held at once: 32 MB.
_CELLS_AT_ONCE = 4_000_000


def rank_sum_matrix(groups: Sequence[FloatArray]) -> FloatArray:
    """One-sided p-values that the group of the row is greater than the group of the column.

    Wilcoxon's rank-sum test [Mann1947] by the normal approximation with correction for ties and
    for continuity, unpaired, for every ordered pair at once. The diagonal is NaN, and so is every
    test with an empty group. If all values of both groups are equal, p is 1. It assumes
    independent values: give it one value per segment, not one per judgement.

    >>> rank_sum_matrix([np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0, 2.0])]).round(3)
    array([[  nan, 0.038],
           [0.987,   nan]])
    """
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    wins, ties = _wins_and_ties(groups)
    product = sizes[:, None] * sizes[None, :]
    total = sizes[:, None] + sizes[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(product / 12 * (total + 1 - ties / (total * (total - 1))))
        p_values: FloatArray = np.minimum(ndtr(-(wins - product / 2 - 0.5) / deviation), 1.0)
    p_values[product == 0] = np.nan
    np.fill_diagonal(p_values, np.nan)
    return p_values


def _wins_and_ties(
    groups: Sequence[FloatArray], *, cells_at_once: int = _CELLS_AT_ONCE
) -> tuple[FloatArray, FloatArray]:
    """For all pairs of groups: Mann-Whitney's U of the row, and the sum of t^3 - t over tied values.

    Counting each distinct value once per group turns both into products of count matrices:
    U is count times (smaller values plus half the equal ones), and (a + b)^3 expands.
    """
    n_groups = len(groups)
    wins = np.zeros((n_groups, n_groups))
    cross = np.zeros((n_groups, n_groups))
    cubes = np.zeros(n_groups)
    below = np.zeros(n_groups)
    distinct = np.unique(np.concatenate(groups)) if n_groups else np.empty(0)
    codes = [np.searchsorted(distinct, np.sort(group)) for group in groups]
    step = max(1, cells_at_once // max(n_groups, 1))
    for start in range(0, len(distinct), step):
        width = min(step, len(distinct) - start)
        counts = np.empty((n_groups, width))
        for row, code in zip(counts, codes, strict=True):
            first, last = np.searchsorted(code, [start, start + width])
            row[:] = np.bincount(code[first:last] - start, minlength=width)
        up_to = below[:, None] + np.cumsum(counts, axis=1)
        wins += counts @ (up_to - counts / 2).T
        cross += counts**2 @ counts.T
        cubes += np.sum(counts**3, axis=1)
        below = up_to[:, -1]
    sizes = below[:, None] + below[None, :]
    ties: FloatArray = cubes[:, None] + cubes[None, :] + 3 * (cross + cross.T) - sizes
    return wins, ties
