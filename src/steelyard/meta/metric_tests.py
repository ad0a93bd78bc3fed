"""Tests between metrics: p-values of all pairs, for each kind of statistic.

What a test takes to be independent (its unit) are systems for statistics over systems, and otherwise whole
segments or documents, `unit` (n,) being the number of each segment's. Published tests that take single
translations to be independent are here for comparison. Everywhere `p_values[i, j]` is one-sided, that metric
i agrees better with people than metric j; two metrics are compared where people and both have scores.
People's scores are (S,) or (S, n), metrics' one axis more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from steelyard.meta.settings import SOFT_DRAWS
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.correlation import pearson_rows, spearman_rows
from steelyard.stats.jackknife import (
    Jackknifed,
    jackknife_matrix,
    pearson_jackknifed,
    spearman_jackknifed,
    statistic_jackknifed,
)
from steelyard.stats.kendall import kendall_b, kendall_rows
from steelyard.stats.metric_permutation import (
    pearson_permutation_matrix,
    segment_permutation_matrix,
    statistic_permutation_matrix,
)
from steelyard.stats.pairwise_accuracy import pairwise_accuracy_rows
from steelyard.stats.rounding import ROUNDING
from steelyard.stats.soft_pairwise import permutation_p_values
from steelyard.stats.standardise import standardise_rows
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
# (people, some metrics, which these are) -> their p-values (k, k) that the row's is better than the column's.
PairsTest = Callable[[FloatArray, FloatArray, IntArray], FloatArray]
# Systems up to which every exchange is tried: 4,096.
_FEW_SYSTEMS = 12


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


def jackknifed(people: FloatArray, metrics: FloatArray, statistic: str, unit: IntArray) -> FloatArray:
    """p-values for a statistic over all translations, by leaving out one unit after another.

    Kendall's correlation has no short cut: a metric takes seconds.
    """
    units = np.broadcast_to(unit, people.shape)

    def test(judged: FloatArray, scored: FloatArray, _: IntArray) -> FloatArray:
        known = ~np.isnan(judged)
        cluster = np.unique(units[known], return_inverse=True)[1]
        return jackknife_matrix(_JACKKNIFED[statistic](judged[known], scored[:, known], cluster))

    return on_common_cells(people, metrics, test)


def _kendall_jackknifed(people: FloatArray, metrics: FloatArray, cluster: IntArray) -> Jackknifed:
    return statistic_jackknifed(people, metrics, cluster, kendall_b)


_JACKKNIFED: dict[str, Callable[[FloatArray, FloatArray, IntArray], Jackknifed]] = {
    "pearson": pearson_jackknifed,
    "spearman": spearman_jackknifed,
    "kendall_b": _kendall_jackknifed,
}


def over_groups(
    people: FloatArray,
    metrics: FloatArray,
    of_groups: OfGroups,
    unit: IntArray,
    *,
    draws: int,
    rng: np.random.Generator,
) -> FloatArray:
    """p-values for a mean over groups, segments or systems; all scores of a unit are exchanged together.

    `unit` (groups,) numbers the unit of each group: its document, or itself.
    """
    seed = int(rng.integers(2**63))

    def exchanged(judged: FloatArray, scored: FloatArray, members: IntArray) -> FloatArray:
        values = np.stack(
            [
                of_groups(judged, scores, number)
                for scores, number in zip(scored, members.tolist(), strict=True)
            ]
        )
        return segment_permutation_matrix(values, unit, draws=draws, rng=np.random.default_rng(seed))

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


def on_common_cells(people: FloatArray, metrics: FloatArray, test: PairsTest) -> FloatArray:
    """p-values (M, M) of every ordered pair of metrics, where two are compared on what both score.

    `people` has any shape, `metrics` one axis before it; NaN is no score. Metrics that score the same
    cells are tested together: `test` is called once if all do, and once for each two sets of cells that
    metrics have otherwise. In what it is given, cells outside the common ones are NaN everywhere.
    """
    scored = ~np.isnan(metrics) & ~np.isnan(people)
    _, sort = np.unique(np.packbits(scored.reshape(len(metrics), -1), axis=1), axis=0, return_inverse=True)
    sort = sort.ravel()  # NumPy 2.0.0 alone gives it a second axis.
    n_sorts = int(sort.max()) + 1 if len(sort) else 0
    cells: list[BoolArray] = [scored[int(np.argmax(sort == number))] for number in range(n_sorts)]
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    for one in range(n_sorts):
        for other in range(one, n_sorts):
            members = np.flatnonzero((sort == one) | (sort == other))
            if len(members) < 2:
                continue
            common = cells[one] & cells[other]
            found = test(
                np.where(common, people, np.nan), np.where(common, metrics[members], np.nan), members
            )
            wanted = (sort[members, None] == one) & (sort[None, members] == other)
            wanted |= wanted.T
            row, column = np.nonzero(wanted)
            p_values[members[row], members[column]] = found[row, column]
    return p_values


def soft_test(
    people: FloatArray,
    metrics: FloatArray,
    *,
    draws: int,
    soft_seed: int,
    rng: np.random.Generator,
) -> FloatArray:
    """p-values (M, M) that the row's metric has the higher soft pairwise accuracy. (S, n), (M, S, n).

    Whole systems are exchanged: all of a system's scores by one metric for those by the other, both
    standardised. A pair of systems may then be compared by scores of two metrics; how sure these are of
    it is found once for every mixture, so that an exchange only picks among known p-values.
    """
    n_systems = len(people)
    exchanges = _exchanges(n_systems, draws, rng)

    def test(judged: FloatArray, scored: FloatArray, _: IntArray) -> FloatArray:
        standardised = standardise_rows(scored.reshape(len(scored), -1)).reshape(scored.shape)
        by_people = _confidence(judged, soft_seed)
        found = np.full((len(scored), len(scored)), np.nan)
        for first in range(len(scored)):
            for second in range(first + 1, len(scored)):
                mixed = np.concatenate([standardised[first], standardised[second]])
                confidence = _confidence(mixed, soft_seed)
                found[first, second], found[second, first] = _shares(by_people, confidence, exchanges)
        return found

    return on_common_cells(people, metrics, test)


def _confidence(scores: FloatArray, soft_seed: int) -> FloatArray:
    return permutation_p_values(scores, draws=SOFT_DRAWS, rng=np.random.default_rng(soft_seed))


def _exchanges(n_systems: int, draws: int, rng: np.random.Generator) -> IntArray:
    """1 where a system's scores are exchanged, else 0, after a first row without any. Shape (draws, S)."""
    if n_systems <= _FEW_SYSTEMS:
        every: IntArray = (np.arange(1 << n_systems)[:, None] >> np.arange(n_systems)) & 1
        return every
    drawn = rng.integers(2, size=(draws, n_systems))
    return np.concatenate([np.zeros((1, n_systems), dtype=np.int64), drawn])


def _shares(people: FloatArray, confidence: FloatArray, exchanges: IntArray) -> tuple[float, float]:
    """The shares of exchanges, none among them, whose difference is at least and at most the observed one."""
    n_systems = len(people)
    left, right = np.triu_indices(n_systems, 1)
    distances = []
    for taken in (exchanges, 1 - exchanges):
        place = taken * n_systems + np.arange(n_systems)
        distance = np.abs(confidence[place[:, left], place[:, right]] - people[left, right])
        back = np.abs(confidence[place[:, right], place[:, left]] - people[right, left])
        known = ~np.isnan(distance)
        total = np.where(known, distance + back, 0.0).sum(axis=1)
        distances.append(total / np.maximum(2 * np.count_nonzero(known, axis=1), 1))
    gain = distances[1] - distances[0]
    if not np.count_nonzero(~np.isnan(people)):
        return float("nan"), float("nan")
    return float(np.mean(gain >= gain[0] - ROUNDING)), float(np.mean(gain <= gain[0] + ROUNDING))
