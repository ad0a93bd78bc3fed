"""Which of many systems score higher than which others on the segments both have."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rank_sum import marked_rank_sums

# Differences that agree to ten decimals are equal: scores that should be the same may differ in their
# last bits, and so may differences of them.
_DECIMALS = 10
_STEPS_PER_UNIT = 10.0**_DECIMALS
# Up to this many differences the normal approximation is not needed.
FEW = 25

# Differences held at once: a few hundred kB, which stay in the processor's cache.
_CELLS_AT_ONCE = 30_000


def signed_rank_matrix(scores: FloatArray) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column.

    Wilcoxon's signed-rank test [Wilcoxon1945] on the differences of segment scores, for every ordered pair
    at once, differences of 0 dropped: exact up to 25 differences, with or without ties, and beyond by the
    normal approximation with correction for ties and without one for continuity. `scores` is (S, n),
    NaN where a system has no score for a segment; each pair is compared on the segments both have.
    Differences are rounded to ten decimals before they are ranked, so that rounding noise breaks no tie.

    NaN on the diagonal and without a common segment; 1 if all differences are 0. It assumes that
    differences are symmetric about their middle if the systems are equally good.

    >>> signed_rank_matrix(np.array([[3.0, 5.0, 4.0], [2.0, 3.0, np.nan]])).round(3)
    array([[ nan, 0.25],
           [1.  ,  nan]])
    """
    n_systems, n_segments = scores.shape
    p_values = np.full((n_systems, n_systems), np.nan)
    rows, columns = np.triu_indices(n_systems, 1)
    step = max(1, _CELLS_AT_ONCE // max(n_segments, 1))
    for start in range(0, len(rows), step):
        row, column = rows[start : start + step], columns[start : start + step]
        difference = scores[row] - scores[column]
        statistic = _statistics(difference)
        no_difference = np.where(np.isnan(difference).all(axis=1), np.nan, 1.0)
        for better, worse, own in ((row, column, statistic), (column, row, -statistic)):
            p_values[better, worse] = np.where(np.isnan(own), no_difference, ndtr(-own))
        for pair in np.flatnonzero(_n_different(difference) <= FEW).tolist():
            own = difference[pair][~np.isnan(difference[pair])].round(_DECIMALS)
            if own.any():
                p_values[row[pair], column[pair]], p_values[column[pair], row[pair]] = _exact(own)
    return p_values


def _exact(difference: FloatArray) -> tuple[float, float]:
    """Shares of all choices of signs whose positive ranks sum to at least, and to at most, the observed."""
    kept = difference[difference != 0]
    _, place, count = np.unique(np.abs(kept), return_inverse=True, return_counts=True)
    # Ranks that ties share are whole or half numbers; doubled they count places in a list.
    ranks = (2 * np.cumsum(count) - count + 1)[place]
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    positive = int(ranks[kept > 0].sum())
    share = ways / ways.sum()
    return float(share[positive:].sum()), float(share[: positive + 1].sum())


def _n_different(difference: FloatArray) -> IntArray:
    """On how many segments the two systems of each row differ."""
    number: IntArray = np.count_nonzero(np.nan_to_num(difference).round(_DECIMALS), axis=1)
    return number


def _statistics(difference: FloatArray) -> FloatArray:
    """For each row of differences the standardised rank sum of the positive ones; NaN if all are 0 or NaN."""
    steps = np.rint(difference * _STEPS_PER_UNIT)
    np.copyto(steps, 0.0, where=np.isnan(steps))
    # Floats above 0 are in order of their bits; shifted by one they leave room for the mark.
    key = np.abs(steps).view(np.uint64) << np.uint64(1)
    key |= steps > 0
    positive, _, n, ties = marked_rank_sums(key)
    with np.errstate(invalid="ignore"):
        deviation = np.sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24)
        statistic: FloatArray = (positive - n * (n + 1) / 4) / deviation
    return statistic
