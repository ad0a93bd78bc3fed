"""Tests on differences within pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rank_distributions import signed_rank_p_value
from steelyard.stats.rounding import EQUAL
from steelyard.stats.ties import are_equal, ranks_of

# Up to here the exact distribution of the signed-rank statistic is used where there are no ties.
EXACT_SIGNED_RANK = 25


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Outcomes of a t-test for each of many groups of differences, as arrays; NaN is "not defined"."""

    statistic: FloatArray
    p_value: FloatArray
    n: IntArray
    mean: FloatArray
    sd: FloatArray


@dataclass(frozen=True, slots=True)
class SignedRankTest:
    """Outcome of a signed-rank test; `n` counts the differences that are not 0."""

    statistic: float
    p_value: float
    n: int


def paired_t_by_group(difference: FloatArray, sizes: IntArray) -> PairedTests:
    """One-sided paired t-test that the mean difference is above 0, for each of many groups.

    t = mean / (sd / sqrt(n)) with n - 1 degrees of freedom, upper tail: the test of a worker's
    base ratings against those of the degraded copies [Graham2014]. It assumes that the mean of
    n differences is close to normal, which five bounded ratings already are, roughly.

    Equal differences leave t undefined. If all are 0 or all negative, p is 1; if all are positive
    it is that of the sign test, 2^-n. Fewer than two differences: everything but n is NaN, and
    the mean of one is that one.

    Groups lie one after another in `difference`, (n,); their `sizes`, (groups,), sum to n and may be 0.

    >>> paired_t_by_group(np.array([1.0, 2.0, 3.0, 5.0, 5.0]), np.array([3, 2])).p_value.round(4)
    array([0.0371, 0.25  ])
    """
    mean, sd = mean_and_sd_by_group(difference, sizes)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(sd > 0, mean / (sd / np.sqrt(sizes)), np.nan)
        p_value = stdtr(np.maximum(sizes - 1, 1).astype(np.float64), -statistic)
    by_sign = np.where(mean > 0, 0.5 ** sizes.astype(np.float64), 1.0)
    return PairedTests(
        statistic=statistic,
        p_value=np.where(sd == 0, by_sign, p_value),
        n=sizes,
        mean=mean,
        sd=sd,
    )


def mean_and_sd_by_group(values: FloatArray, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean and deviation (n - 1) of each group; groups lie one after another in `values`.

    The deviation is exactly 0 where values are equal except for rounding noise. NaN: the mean of an
    empty group, the deviation of one with fewer than two values.
    """
    mean, sd = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
    filled = np.flatnonzero(sizes)
    if not len(filled):
        return mean, sd
    n = sizes[filled]
    starts = np.cumsum(n) - n
    mean[filled] = np.add.reduceat(values, starts) / n
    # Two passes: the sum of squares less that of the mean would cancel.
    squares = np.add.reduceat((values - np.repeat(mean[filled], n)) ** 2, starts)
    highest, lowest = np.maximum.reduceat(values, starts), np.minimum.reduceat(values, starts)
    is_constant = highest - lowest <= EQUAL * np.maximum(np.abs(highest), np.abs(lowest))
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    sd[filled] = np.where(n < 2, np.nan, np.where(is_constant, 0.0, spread))
    return mean, sd


def two_sided_p_by_group(difference: FloatArray, sizes: IntArray) -> FloatArray:
    """P-value of the two-sided paired t-test that the mean difference is not 0, for each group.

    Used on first minus second ratings of repeated items: a worker whose p is low drifts. Equal
    differences: p is 1 if all are 0, else that of the two-sided sign test, 2^(1 - n). Fewer than two: NaN.
    Arrays as for `paired_t_by_group`.

    >>> two_sided_p_by_group(np.array([1.0, 2.0, 3.0]), np.array([3])).round(4)
    array([0.0742])
    """
    above, below = (paired_t_by_group(sign * difference, sizes).p_value for sign in (1.0, -1.0))
    p_values: FloatArray = np.minimum(2 * np.minimum(above, below), 1.0)
    return p_values


def equivalence_p_by_group(difference: FloatArray, sizes: IntArray, *, margin: float) -> FloatArray:
    """P-value of "the mean difference lies within the margin" by two one-sided t-tests, for each group.

    That a difference is not significant proves nothing: this test asks for evidence that it is
    small [Schuirmann1987]. One test is against a mean of -margin or below, the other against
    +margin or above; both must reject, so the larger p counts.

    Equal differences: 0 if their mean lies within the margin, else 1. Fewer than two: NaN. Arrays as for
    `paired_t_by_group`.

    >>> equivalence_p_by_group(np.array([1.0, 2.0, 3.0]), np.array([3]), margin=5.0).round(4)
    array([0.0175])
    """
    if margin <= 0:
        raise ValueError(f"the margin must be above 0, not {margin:g}")
    not_below, not_above = (paired_t_by_group(margin + sign * difference, sizes) for sign in (1.0, -1.0))
    p_values = np.maximum(not_below.p_value, not_above.p_value)
    # Equal differences leave no doubt.
    return np.where(not_below.sd == 0, np.where(p_values < 1, 0.0, 1.0), p_values)


def signed_rank(difference: FloatArray) -> SignedRankTest:
    """One-sided signed-rank test that differences lie above 0 [Wilcoxon1945].

    The statistic is the sum of the ranks of |difference| over the positive ones, zeros dropped.
    Exact up to 25 differences without ties, else the normal approximation with correction for
    ties and for continuity. It assumes that differences scatter evenly about their median.

    If all differences are equal the sign test decides, as in `paired_t_by_group`: 2^-n or 1. No difference
    at all: NaN.

    >>> signed_rank(np.array([3.0, 1.0, 2.0, 0.0]))
    SignedRankTest(statistic=6.0, p_value=0.125, n=3)
    """
    if not len(difference):
        return SignedRankTest(math.nan, math.nan, 0)
    size = np.abs(difference)
    not_zero = size > EQUAL * float(size.max())
    n = int(not_zero.sum())
    ranks = ranks_of(size[not_zero])
    statistic = float(ranks.rank[difference[not_zero] > 0].sum())
    if are_equal(difference):
        p_value = 0.5**n if difference[0] > 0 else 1.0
    elif n <= EXACT_SIGNED_RANK and not ranks.has_ties:
        p_value = signed_rank_p_value(round(statistic), n)
    else:
        variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.tie_sum / 48
        p_value = float(ndtr(-(statistic - n * (n + 1) / 4 - 0.5) / math.sqrt(variance)))
    return SignedRankTest(statistic, p_value, n)
