"""Soft pairwise accuracy: how alike people's and a metric's confidence in each pair of systems is."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.products import small_products
from steelyard.stats.rounding import ROUNDING

# Draws made at once, and flips held: at most 13 MB.
_DRAWS_AT_ONCE = 128
_FLIPS_AT_ONCE = 1_600_000


def in_common(people: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both without the cells that one lacks, and without the segments that then have none. (S, n) each.

    A system's metric scores on segments that people have not judged say nothing about how far the two
    agree. Without these segments both also see the same flips of `permutation_p_values`.

    >>> people, metric = in_common(np.array([[1.0, np.nan, 3.0]]), np.array([[5.0, 6.0, 7.0]]))
    >>> metric
    array([[5., 7.]])
    """
    known = ~(np.isnan(people) | np.isnan(metric))
    used = known.any(axis=0)
    return (
        np.where(known[:, used], people[:, used], np.nan),
        np.where(known[:, used], metric[:, used], np.nan),
    )


def permutation_p_values(scores: FloatArray, *, draws: int = 1000, rng: np.random.Generator) -> FloatArray:
    """One-sided p-values (S, S) that the system of the row is better than that of the column.

    The share of draws in which the sum of the differences over segments, each flipped by chance, is at
    least the one observed; a draw as far counts as further. `scores` is (S, n), NaN where absent: each pair
    is compared on the segments both have. All pairs see the same flips. NaN on the diagonal and without a
    common segment. As published [Thompson2024], the observed sum is not counted as a draw (p can be 0),
    and the flips are the rounded numbers of `rng.random` in single precision: with
    `np.random.default_rng(4)` and the same segments they are those of published results. To test
    whether a system is better, use `permutation.permutation_matrix`, which counts it.

    >>> scores = np.array([[3.0, 5.0, 4.0, 6.0], [2.0, 3.0, np.nan, 1.0]])
    >>> p_values = permutation_p_values(scores, draws=4000, rng=np.random.default_rng(4))
    >>> p_values.round(2)  # one of eight flips of three differences goes as far
    array([[ nan, 0.12],
           [1.  ,  nan]])
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    n_systems, n_segments = scores.shape
    counts = np.zeros((n_systems, n_systems))
    step = max(1, min(_DRAWS_AT_ONCE, _FLIPS_AT_ONCE // max(n_segments, 1)))
    for start in range(0, draws, step):
        drawn = rng.random((min(step, draws - start), n_segments), dtype=np.float32)
        _count(scores, np.where(drawn > 0.5, 1.0, -1.0), counts)
    known = (~np.isnan(scores)).astype(np.float64)
    undefined = known @ known.T == 0
    np.fill_diagonal(undefined, True)
    return np.where(undefined, np.nan, counts / draws)


def _count(scores: FloatArray, flips: FloatArray, counts: FloatArray) -> None:
    """Add the draws whose sums are at least those observed, for every pair in both directions."""
    for row in range(len(scores) - 1):
        difference = scores[row] - scores[row + 1 :]
        np.copyto(difference, 0.0, where=np.isnan(difference))
        observed = difference.sum(axis=1, keepdims=True)
        tolerance = ROUNDING * np.abs(difference).sum(axis=1, keepdims=True)
        drawn = small_products(difference, flips.T)
        counts[row, row + 1 :] += np.count_nonzero(drawn >= observed - tolerance, axis=1)
        counts[row + 1 :, row] += np.count_nonzero(drawn <= observed + tolerance, axis=1)


def soft_pairwise_accuracy(p_people: FloatArray, p_metric: FloatArray) -> float:
    """1 less the mean distance of people's and a metric's p-values over pairs of systems.

    Unlike `pairwise_accuracy` it asks no metric to part systems that people cannot part, and gives no full
    credit for being sure where people are not [Thompson2024]. Both are (S, S) as
    `permutation_p_values` gives them; pairs that are NaN in one are left out; NaN if all are.

    Every pair counts in both directions. With distinct sums that is the same as counting one of them; where
    sums are equal, such as for two systems with the same scores throughout, the p-values of the two
    directions do not add up to 1, and one alone would depend on which system comes first.

    >>> people = np.array([[np.nan, 0.02], [0.98, np.nan]])
    >>> round(soft_pairwise_accuracy(people, np.array([[np.nan, 0.30], [0.70, np.nan]])), 4)
    0.72
    """
    distance = np.abs(p_people - p_metric)
    known = distance[~np.isnan(distance)]
    return float(1 - known.mean()) if len(known) else float("nan")
