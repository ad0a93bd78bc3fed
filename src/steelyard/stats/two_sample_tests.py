"""Tests of one group of values against another, unpaired."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr

from steelyard.stats.arrays import FloatArray
from steelyard.stats.rank_distributions import mann_whitney_p_value
from steelyard.stats.ties import are_equal, ranks_of

# Up to this many values in both groups together the exact distribution is used where there are no ties.
EXACT_MANN_WHITNEY = 20


@dataclass(frozen=True, slots=True)
class TwoSampleTest:
    """Outcome of a one-sided test that the first group lies above the second; NaN is "not defined"."""

    statistic: float
    p_value: float
    df: float
    n_first: int
    n_second: int


def welch(first: FloatArray, second: FloatArray) -> TwoSampleTest:
    """One-sided t-test that the mean of `first` is above that of `second`, variances unequal [Welch1947].

    It assumes two means that are close to normal: skewed values in groups of ten make it cautious.

    Two constant groups leave t undefined. If the first is not above the second, p is 1; if it is,
    p is 2^-min(n): the sign test on as many pairs as the groups could form, as a p of 0 would
    claim more than so few values can show. Fewer than two values in a group: NaN.

    >>> round(welch(np.array([4.0, 5.0, 9.0]), np.array([1.0, 2.0, 3.0])).p_value, 4)
    0.0532
    """
    n_first, n_second = len(first), len(second)
    if min(n_first, n_second) < 2:
        return TwoSampleTest(math.nan, math.nan, math.nan, n_first, n_second)
    mean_first, of_first = _mean_and_squared_error(first)
    mean_second, of_second = _mean_and_squared_error(second)
    gap = mean_first - mean_second
    squared_error = of_first + of_second
    if squared_error == 0:
        is_above = gap > 0 and not are_equal(np.concatenate([first, second]))
        p_value = 0.5 ** min(n_first, n_second) if is_above else 1.0
        return TwoSampleTest(math.nan, p_value, math.nan, n_first, n_second)
    # Shares first: the square of a tiny squared error would underflow.
    share = of_first / squared_error
    df = 1 / (share**2 / (n_first - 1) + (1 - share) ** 2 / (n_second - 1))
    statistic = gap / math.sqrt(squared_error)
    return TwoSampleTest(statistic, float(stdtr(df, -statistic)), df, n_first, n_second)


def _mean_and_squared_error(values: FloatArray) -> tuple[float, float]:
    """The mean and its squared standard error, exactly 0 where values differ by rounding noise only."""
    n = len(values)
    mean = float(values.sum()) / n
    if are_equal(values):
        return mean, 0.0
    centred = values - mean
    return mean, float(centred @ centred) / (n - 1) / n


def mann_whitney(first: FloatArray, second: FloatArray) -> TwoSampleTest:
    """One-sided rank-sum test that `first` is stochastically above `second` [Mann1947].

    The statistic U counts the pairs of values, one of each group, with the larger first; ties are
    halves. Exact up to 20 values without ties, else the normal approximation with correction for
    ties and for continuity. It assumes independent values.

    If all values of both groups are equal, p is 1. An empty group: NaN. `df` is always NaN.
    For all pairs of many large groups see `rank_sum_matrix`.

    >>> mann_whitney(np.array([4.0, 5.0]), np.array([1.0, 2.0, 3.0])).p_value
    0.1
    """
    n_first, n_second = len(first), len(second)
    if not (n_first and n_second):
        return TwoSampleTest(math.nan, math.nan, math.nan, n_first, n_second)
    total = n_first + n_second
    ranks = ranks_of(np.concatenate([first, second]))
    statistic = float(ranks.rank[:n_first].sum()) - n_first * (n_first + 1) / 2
    variance = n_first * n_second / 12 * (total + 1 - ranks.tie_sum / (total * (total - 1)))
    if total <= EXACT_MANN_WHITNEY and not ranks.has_ties:
        p_value = mann_whitney_p_value(round(statistic), n_first, n_second)
    elif are_equal(ranks.rank):
        p_value = 1.0
    else:
        p_value = float(ndtr(-(statistic - n_first * n_second / 2 - 0.5) / math.sqrt(variance)))
    return TwoSampleTest(statistic, p_value, math.nan, n_first, n_second)
