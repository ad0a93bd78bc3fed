"""Tests between systems on segment scores as recent WMT organisers made them, for every pair of systems.

`scores` is always (S, n), NaN where a system has no score for a segment. These tests take segments as
independent, which segments of one document or of one worker are not; they are for reproducing rankings.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rank_distributions import signed_rank_p_value
from steelyard.stats.ties import ranks_of

# Up to this many differences, none 0 and none tied, the exact distribution is used, as SciPy does.
EXACT_DIFFERENCES = 50
# Scores that should be the same may differ in their last bits.
_DECIMALS = 10


def paired_t_matrix(scores: FloatArray) -> FloatArray:
    """One-sided p-values of paired t-tests that the row's system is better than the column's. Shape (S, S).

    On the segments both have. Where all differences are the same, p is 0 or 1 by their sign, and NaN if
    they are 0; NaN also of fewer than two common segments, and on the diagonal.

    >>> paired_t_matrix(np.array([[3.0, 5.0, 9.0], [2.0, 3.0, 6.0]])).round(4)
    array([[   nan, 0.0371],
           [0.9629,    nan]])
    """
    p_values = np.full((len(scores), len(scores)), np.nan)
    for row, column in combinations(range(len(scores)), 2):
        t, df = _paired_t(scores[row], scores[column])
        p_values[row, column], p_values[column, row] = stdtr(df, -t), stdtr(df, t)
    return p_values


def either_t_matrix(scores: FloatArray) -> FloatArray:
    """The smaller of the two-sided p-values of two t-tests, the same in both directions. Shape (S, S).

    The paired test is on the segments both have, the unpaired one (equal variances) on all segments of
    each. Calling a difference significant if either is, as in WMT26, is calling it so if this is below the
    threshold: more often than the threshold says where systems are equal.

    >>> either_t_matrix(np.array([[3.0, 5.0, 9.0], [2.0, 3.0, 6.0]])).round(4)
    array([[   nan, 0.0742],
           [0.0742,    nan]])
    """

    def smaller(first: FloatArray, second: FloatArray) -> float:
        tests = (_paired_t(first, second), _unpaired_t(first, second))
        found = [2 * float(stdtr(df, -abs(t))) for t, df in tests if not np.isnan(t)]
        return min(found, default=np.nan)

    return _symmetric(scores, smaller)


def domain_signed_rank_matrix(scores: FloatArray, domain: IntArray) -> FloatArray:
    """Two-sided signed-rank tests in each domain, combined; the same in both directions. Shape (S, S).

    Wilcoxon's test [Wilcoxon1945] on the segments of a domain that both systems have, zeros dropped, and
    Stouffer's sum of Φ⁻¹(1 - p) over the k domains, divided by √k, as in WMT24 [Kocmi2024]. The p-values
    combined are two-sided: differences of opposite sign in two domains add up instead of cancelling.
    `domain` is (n,). p is 1 in a domain without any difference; NaN without a common segment.

    >>> scores = np.array([[5.0, 6.0, 7.0, 9.0], [4.0, 4.0, 4.0, 5.0]])
    >>> float(domain_signed_rank_matrix(scores, np.zeros(4, dtype=np.int64))[0, 1])
    0.125
    """

    def combined(first: FloatArray, second: FloatArray) -> float:
        difference = first - second
        common = ~np.isnan(difference)
        found = np.array(
            [_signed_rank_p(difference[common & (domain == each)]) for each in np.unique(domain[common])]
        )
        if not len(found):
            return np.nan
        if len(found) == 1:
            return float(found[0])
        return float(ndtr(ndtri(found).sum() / np.sqrt(len(found))))

    return _symmetric(scores, combined)


def _symmetric(scores: FloatArray, p_value: Callable[[FloatArray, FloatArray], float]) -> FloatArray:
    p_values = np.full((len(scores), len(scores)), np.nan)
    for row, column in combinations(range(len(scores)), 2):
        p_values[row, column] = p_values[column, row] = p_value(scores[row], scores[column])
    return p_values


def _paired_t(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    difference = (first - second).round(_DECIMALS)
    difference = difference[~np.isnan(difference)]
    n = len(difference)
    if n < 2:
        return np.nan, 1.0
    return _ratio(difference.mean(), difference.std(ddof=1) / np.sqrt(n)), n - 1.0


def _unpaired_t(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    df = len(first) + len(second) - 2.0
    if not len(first) or not len(second) or df < 1:
        return np.nan, 1.0
    squares = ((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()
    error = np.sqrt(squares / df * (1 / len(first) + 1 / len(second)))
    return _ratio(first.mean() - second.mean(), error), df


def _ratio(gap: float, error: float) -> float:
    """The statistic; without any spread it is infinite, and undefined where there is no gap either."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(gap) / np.float64(error))


def _signed_rank_p(difference: FloatArray) -> float:
    """The two-sided p-value as SciPy's default: exact for few differences without ties or zeros."""
    difference = difference.round(_DECIMALS)
    kept = difference[difference != 0]
    n = len(kept)
    if not n:
        return 1.0
    ranks = ranks_of(np.abs(kept))
    positive = float(ranks.rank[kept > 0].sum())
    total = n * (n + 1) / 2
    if len(difference) <= EXACT_DIFFERENCES and n == len(difference) and not ranks.has_ties:
        tail = signed_rank_p_value(round(max(positive, total - positive)), n)
        return min(2 * tail, 1.0)
    variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_sum / 48
    return float(2 * ndtr(-abs(positive - total / 2) / np.sqrt(variance)))
