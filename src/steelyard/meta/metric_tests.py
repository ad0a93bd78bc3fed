"""Tests between metrics: p-values of all pairs, for each kind of statistic.

What a test takes to be independent, and exchanges between two metrics, is what its statistic is over:
systems, translations, or the groups that it averages over, which are then exchanged as wholes. Everywhere
`p_values[i, j]` is one-sided, that metric i agrees better with people than metric j; two metrics are
compared where people and both have scores. People's scores are (S,) or (S, n), metrics' one axis more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.meta.common_cells import on_common_cells
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.correlation import pearson_rows, spearman_rows
from steelyard.stats.kendall import kendall_b, kendall_rows
from steelyard.stats.metric_permutation import (
    pearson_permutation_matrix,
    segment_permutation_matrix,
    statistic_permutation_matrix,
)
from steelyard.stats.pairwise_accuracy import pairwise_accuracy_rows
from steelyard.stats.tie_calibration import segment_accuracies
from steelyard.stats.williams import williams

# A statistic of each row of two arrays (G, m): (G,).
OfRows = Callable[[FloatArray, FloatArray], FloatArray]
# (people, metric, the metric's number) -> the statistic in each group, NaN where undefined.
OfGroups = Callable[[FloatArray, FloatArray, int], FloatArray]
OF_ROWS: dict[str, OfRows] = {
    "pearson": pearson_rows,
    "spearman": spearman_rows,
    "kendall_b": kendall_rows,
    "pairwise_accuracy": pairwise_accuracy_rows,
}


def williams_matrix(people: FloatArray, metrics: FloatArray) -> FloatArray:
    """p-values by Williams' test of Pearson's correlations over systems or translations [Graham2014b]."""
    return on_common_cells(people, metrics, _williams)


def _williams(people: FloatArray, metrics: FloatArray, _: IntArray) -> FloatArray:
    known = ~np.isnan(people)
    cells = np.concatenate([people[known][None, :], metrics[:, known]])
    correlations = np.stack([pearson_rows(cells, row[None, :]) for row in cells])
    with_people, between = correlations[0, 1:], correlations[1:, 1:].copy()
    np.fill_diagonal(between, np.nan)
    n_cells = int(np.count_nonzero(known))
    return williams(with_people[:, None], with_people[None, :], between, n_cells).p_value


def over_systems(
    people: FloatArray, metrics: FloatArray, statistic: str, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """p-values for a statistic over systems; the scores of single systems are exchanged."""
    if statistic == "pearson":
        return pearson_permutation_matrix(people, metrics, draws=draws, rng=rng)
    return statistic_permutation_matrix(people, metrics, OF_ROWS[statistic], draws=draws, rng=rng)


def over_translations(
    people: FloatArray, metrics: FloatArray, statistic: str, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """p-values for a statistic over all translations; the scores of single translations are exchanged.

    For Spearman's correlation the ranks are what is exchanged: they are the scores in a common unit.
    Kendall's has no short cut, so a pair of metrics takes seconds.
    """
    flat, scores = people.ravel(), metrics.reshape(len(metrics), -1)
    if statistic == "kendall_b":
        return statistic_permutation_matrix(flat, scores, _kendall_of_rows, draws=draws, rng=rng)
    if statistic == "pearson":
        return pearson_permutation_matrix(flat, scores, draws=draws, rng=rng)
    seed = int(rng.integers(2**63))

    def on_ranks(judged: FloatArray, scored: FloatArray, _: IntArray) -> FloatArray:
        ranked = np.stack([ranks(row) for row in scored])
        return pearson_permutation_matrix(ranks(judged), ranked, draws=draws, rng=np.random.default_rng(seed))

    return on_common_cells(flat, scores, on_ranks)


def _kendall_of_rows(judged: FloatArray, scored: FloatArray) -> FloatArray:
    return np.array([kendall_b(judged[0], row) for row in scored])


def ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1, equal numbers sharing their mean; NaN stays. Shape (n,).

    As in `spearman_rows`, whose statistic is tested, only equal numbers are tied: by `ranks_of`, which ties
    what differs by little beside the largest number, one score far off would tie all others.

    >>> ranks(np.array([0.5, np.nan, 0.1, 0.5]))
    array([2.5, nan, 1. , 2.5])
    """
    known = ~np.isnan(values)
    _, place, count = np.unique(values[known], return_inverse=True, return_counts=True)
    found = np.full(len(values), np.nan)
    found[known] = (np.cumsum(count) - (count - 1) / 2)[place]
    return found


def over_groups(
    people: FloatArray, metrics: FloatArray, of_groups: OfGroups, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """p-values for a mean over segments or systems; all scores of one are exchanged together."""
    seed = int(rng.integers(2**63))

    def exchanged(judged: FloatArray, scored: FloatArray, members: IntArray) -> FloatArray:
        values = np.stack(
            [
                of_groups(judged, scores, number)
                for scores, number in zip(scored, members.tolist(), strict=True)
            ]
        )
        return segment_permutation_matrix(values, draws=draws, rng=np.random.default_rng(seed))

    return on_common_cells(people, metrics, exchanged)


def by_segment(statistic: str, thresholds: FloatArray) -> OfGroups:
    """A statistic within each segment over its systems; accuracy with each metric's threshold for ties."""
    if statistic.startswith(("acc23", "tau23")):
        # Tau is twice the accuracy less 1, so the two cannot differ in who is better, nor how surely.
        return lambda people, metric, number: segment_accuracies(people, metric, float(thresholds[number]))
    of_rows = OF_ROWS[statistic]
    return lambda people, metric, _: of_rows(people.T, metric.T)


def by_system(statistic: str) -> OfGroups:
    """A statistic within each system over its segments."""
    of_rows = OF_ROWS[statistic]
    return lambda people, metric, _: of_rows(people, metric)
