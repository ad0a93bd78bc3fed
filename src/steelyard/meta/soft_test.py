"""Whether one metric's soft pairwise accuracy is surely above another's."""

from __future__ import annotations

import numpy as np

from steelyard.meta.common_cells import on_common_cells
from steelyard.meta.settings import SOFT_DRAWS
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING
from steelyard.stats.soft_pairwise import permutation_p_values
from steelyard.stats.standardise import standardise_rows

# Systems up to which every exchange is tried: 4,096.
_FEW_SYSTEMS = 12


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
