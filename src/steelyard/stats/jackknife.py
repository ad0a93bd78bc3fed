"""Whether one metric agrees with people better than another, from what each loses without single clusters.

Translations of one segment, or of one document, are hard or easy for a metric together: they are no
independent observations, and a test that takes them to be calls chance a difference. Here every statistic is
computed again without each cluster. How much its differences vary shows how far it would be off with other
clusters, whatever it is that translations of one cluster share [Bell2002].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.correlation import pearson_rows
from steelyard.stats.rounding import ROUNDING

# A statistic of people's scores and one metric's, both (n,).
OfScores = Callable[[FloatArray, FloatArray], float]


class Jackknifed(NamedTuple):
    """A statistic of M metrics: with all clusters (M,), and without each one of them (M, G)."""

    whole: FloatArray
    without: FloatArray


def jackknife_matrix(found: Jackknifed) -> FloatArray:
    """One-sided p-values (M, M) that the statistic of the row's metric is above that of the column's.

    The variance of a difference is (G - 1) / G times the sum of squares by which it moves without each of
    the G clusters; t has G - 1 degrees of freedom. NaN on the diagonal, with fewer than two clusters, where
    a statistic is undefined, and for metrics that cannot be told apart, such as one in another unit.
    """
    whole, without = found
    n_clusters = without.shape[1]
    p_values = np.full((len(whole), len(whole)), np.nan)
    if n_clusters < 2:
        return p_values
    moved = without - whole[:, None]
    for row in range(len(whole)):
        difference = whole[row] - whole
        squares = np.sum((moved[row] - moved) ** 2, axis=1)
        error = np.sqrt(squares * (n_clusters - 1) / n_clusters)
        same = (np.abs(difference) <= ROUNDING) & (error <= ROUNDING)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(same, np.nan, difference / error)
        p_values[row] = stdtr(n_clusters - 1, -t)
    return p_values


def pearson_jackknifed(people: FloatArray, metrics: FloatArray, cluster: IntArray) -> Jackknifed:
    """Pearson's correlations of metrics (M, n) with people (n,), without NaN; clusters count from 0.

    From sums over clusters, so that no correlation is computed from the scores more than once.

    >>> people, metrics = np.array([1.0, 2.0, 3.0, 5.0]), np.array([[1.0, 3.0, 2.0, 4.0]])
    >>> found = pearson_jackknifed(people, metrics, np.array([0, 0, 1, 1]))
    >>> found.whole.round(4), found.without.round(4)
    (array([0.8315]), array([[1., 1.]]))
    """
    n_clusters = int(cluster.max()) + 1 if len(cluster) else 0
    # Correlations have no unit, and centred numbers of size 1 lose nothing in sums of squares.
    judged, scored = _standard(people[None, :])[0], _standard(metrics)

    def left(values: FloatArray) -> FloatArray:
        """Sums without each cluster."""
        sums = np.stack([np.bincount(cluster, weights=row, minlength=n_clusters) for row in values])
        rest: FloatArray = sums.sum(axis=1, keepdims=True) - sums
        return rest

    n = len(cluster) - np.bincount(cluster, minlength=n_clusters)
    judged_sum, judged_squares = left(np.stack([judged, judged**2]))
    scored_sum, scored_squares, products = left(scored), left(scored**2), left(scored * judged)
    judged_varies = _variation(judged_sum, judged_squares, n)
    scored_varies = _variation(scored_sum, scored_squares, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = (products - judged_sum * scored_sum / n) / np.sqrt(judged_varies * scored_varies)
    return Jackknifed(pearson_rows(metrics, people[None, :]), np.clip(without, -1.0, 1.0))


def spearman_jackknifed(people: FloatArray, metrics: FloatArray, cluster: IntArray) -> Jackknifed:
    """Spearman's correlations in the same way; without a cluster the others are ranked anew."""
    # Numbers in order of size, from 0 and equal ones alike, are ranked without sorting them again.
    orders = [np.unique(scores, return_inverse=True)[1] for scores in (people, *metrics)]
    n_clusters = int(cluster.max()) + 1 if len(cluster) else 0

    def correlations(chosen: BoolArray) -> FloatArray:
        judged, *scored = (_ranks(order[chosen]) for order in orders)
        return pearson_rows(np.stack(scored), judged[None, :])

    without = [correlations(cluster != number) for number in range(n_clusters)]
    whole = correlations(np.ones(len(people), dtype=np.bool_))
    return Jackknifed(whole, np.array(without).reshape(n_clusters, len(metrics)).T)


def _ranks(order: IntArray) -> FloatArray:
    """Ranks from 1, equal numbers sharing their mean."""
    count = np.bincount(order)
    ranks: FloatArray = (np.cumsum(count) - (count - 1) / 2)[order]
    return ranks


def statistic_jackknifed(
    people: FloatArray, metrics: FloatArray, cluster: IntArray, statistic: OfScores
) -> Jackknifed:
    """The same for any statistic, computed again for each metric and cluster."""
    kept = [cluster != number for number in range(int(cluster.max()) + 1 if len(cluster) else 0)]
    whole = np.array([statistic(people, scores) for scores in metrics])
    without = [[statistic(people[rest], scores[rest]) for rest in kept] for scores in metrics]
    return Jackknifed(whole, np.array(without).reshape(len(metrics), len(kept)))


def _standard(rows: FloatArray) -> FloatArray:
    centred = rows - rows.mean(axis=1, keepdims=True)
    size = np.abs(centred).max(axis=1, keepdims=True, initial=0.0)
    standard: FloatArray = centred / np.where(size > 0, size, 1.0)
    return standard


def _variation(sums: FloatArray, squares: FloatArray, n: IntArray) -> FloatArray:
    """Sums of squares about the mean; NaN where nothing but rounding is left."""
    variation = squares - sums**2 / np.maximum(n, 1)
    return np.where(variation > ROUNDING * squares, variation, np.nan)
