"""Exact distributions of rank statistics when nothing but chance orders the values, without ties."""

from __future__ import annotations

from functools import cache

import numpy as np

from steelyard.stats.arrays import FloatArray


def signed_rank_p_value(statistic: int, n: int) -> float:
    """Chance that the ranks with a positive sign sum to at least `statistic`.

    Each of the 2^n patterns of signs is equally likely [Wilcoxon1945].

    >>> signed_rank_p_value(9, 4)  # only {2, 3, 4} and {1, 2, 3, 4} of 16
    0.125
    """
    return _at_least(_signed_rank_tail(n), statistic)


def mann_whitney_p_value(statistic: int, n_first: int, n_second: int) -> float:
    """Chance that at least `statistic` of the pairs (first, second) have the larger value first.

    Each of the (n_first + n_second choose n_first) orders is equally likely [Mann1947].

    >>> mann_whitney_p_value(3, 1, 3)  # the single value is the largest of four
    0.25
    """
    return _at_least(_mann_whitney_tail(n_first, n_second), statistic)


def _at_least(tail: FloatArray, statistic: int) -> float:
    return float(tail[statistic]) if statistic < len(tail) else 0.0


@cache
def _signed_rank_tail(n: int) -> FloatArray:
    """P(W >= w) for w = 0, 1, ...: rank after rank, either left out or added to the sum."""
    count = np.ones(1)
    for rank in range(1, n + 1):
        left_out, added = np.pad(count, (0, rank)), np.pad(count, (rank, 0))
        count = left_out + added
    return _tail(count)


@cache
def _mann_whitney_tail(n_first: int, n_second: int) -> FloatArray:
    """P(U >= u) for u = 0, 1, ..."""
    return _tail(_mann_whitney_count(n_first, n_second))


@cache
def _mann_whitney_count(n_first: int, n_second: int) -> FloatArray:
    """Orders by U. The largest value is of the first group, and beats the whole second, or it is not."""
    if n_first == 0 or n_second == 0:
        return np.ones(1)
    first_largest = np.pad(_mann_whitney_count(n_first - 1, n_second), (n_second, 0))
    second_largest = np.pad(_mann_whitney_count(n_first, n_second - 1), (0, n_first))
    return first_largest + second_largest


def _tail(count: FloatArray) -> FloatArray:
    """Share of the count at each place and beyond; counts stay below 2^53, so sums are exact."""
    tail: FloatArray = np.cumsum(count[::-1])[::-1] / count.sum()
    # Callers share what is cached.
    tail.flags.writeable = False
    return tail
