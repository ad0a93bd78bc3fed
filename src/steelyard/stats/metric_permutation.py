"""Whether one metric agrees with people better than another does, by exchanging the two metrics' scores.

If two metrics are equally good, exchanging their scores of a translation makes no difference.
Both are standardised first, as their units differ. Each function here exchanges what it names (the unit):

- `pearson_permutation_matrix`: single scores, of translations or of systems, as [Deutsch2021] advise;
- `statistic_permutation_matrix`: the same for any statistic, much slower;
- `segment_permutation_matrix`: all scores of a segment, or of a document, at once, for means over segments.

A matrix of p-values holds, in row i and column j, that metric i agrees better than metric j, one-sided:
(1 + draws in which the difference is at least the observed one) / (1 + draws) [Phipson2010]. With at most
twelve units every exchange is tried once, and p is the exact share. NaN on the diagonal, and where a
statistic is undefined for a metric. For correlated units, such as translations of one segment by
several systems, exchanges of single scores make p too small: `stats.jackknife` has tests for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.correlation import pearson_rows
from steelyard.stats.permutation import permutation_matrix
from steelyard.stats.products import small_products
from steelyard.stats.rounding import ROUNDING
from steelyard.stats.standardise import standardise_rows

# Units up to which all exchanges are tried: 4,096.
_FEW_UNITS = 12


# A mixture of two metrics varies within a group if its squares exceed those of its mean by this share;
# less is rounding.
_VARIES = 1e-13

# Numbers held at once: exchanges 3 MB, sums 32 MB.
_EXCHANGES_AT_ONCE = 400_000
_SUMS_AT_ONCE = 4_000_000
# Numbers that a processor keeps at hand while it works on them.
_CACHED = 1 << 12

# A statistic of people's scores (1, m) with each row of scores (k, m): (k,).
Statistic = Callable[[FloatArray, FloatArray], FloatArray]


def pearson_permutation_matrix(
    people: FloatArray, metrics: FloatArray, *, draws: int = 1000, rng: np.random.Generator
) -> FloatArray:
    """p-values (M, M) that the row's metric has the higher Pearson correlation with people.

    `people` (m,) and `metrics` (M, m) hold the same translations, or systems; NaN where absent. With groups,
    (G, m) and (M, G, m), the statistic is the mean of the groups' correlations, over those that have
    one: the rows of both are the systems for "by system", the segments for "by item". Single scores are
    exchanged, after each metric is standardised over all its scores. Each pair of metrics is compared where
    people and both have scores.

    All pairs see the same exchanges: the sums from which correlations are made are then differences of
    sums of each metric alone, which one matrix product gives for all draws.

    >>> people = np.arange(8.0)
    >>> metrics = np.stack([people, np.array([3.0, 1.0, 0.0, 2.0, 5.0, 4.0, 7.0, 6.0])])
    >>> pearson_permutation_matrix(people, metrics, rng=np.random.default_rng(7)).round(3)
    array([[  nan, 0.008],
           [1.   ,   nan]])
    """
    if people.ndim == 1:
        people, metrics = people[None, :], metrics[:, None, :]
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    seed = int(rng.integers(2**63))
    for known, pairs in _patterns(people, metrics):
        mixtures = _Mixtures(people, metrics, known, pairs)
        tally = _Tally(mixtures.observed())
        for exchange in _exchanges(known, draws, mixtures.draws_at_once, np.random.default_rng(seed)):
            tally.add(mixtures.differences(exchange))
        tally.fill(p_values, pairs, is_exact=int(known.sum()) <= _FEW_UNITS)
    return p_values


def statistic_permutation_matrix(
    people: FloatArray,
    metrics: FloatArray,
    statistic: Statistic,
    *,
    draws: int = 1000,
    rng: np.random.Generator,
) -> FloatArray:
    """p-values (M, M) that the row's metric has the higher statistic, whatever it is.

    As `pearson_permutation_matrix` for `people` (m,) and `metrics` (M, m), for statistics without a short
    cut, such as `spearman_rows`, `kendall_rows`, `pairwise_accuracy_rows`. The statistic is computed again
    in every draw for every pair. With twelve systems that is quick; with thousands of translations
    one pair of metrics takes seconds. Where it is undefined for a mixture of two metrics, it counts as 0.

    >>> from steelyard.stats.pairwise_accuracy import pairwise_accuracy_rows
    >>> people, rng = np.arange(4.0), np.random.default_rng(7)
    >>> metrics = np.stack([people, np.array([1.0, 0.0, 3.0, 2.0])])
    >>> statistic_permutation_matrix(people, metrics, pairwise_accuracy_rows, rng=rng)
    array([[   nan, 0.0625],
           [1.    ,    nan]])
    """
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    seed = int(rng.integers(2**63))
    for known, pairs in _patterns(people[None, :], metrics[:, None, :]):
        chosen = known[0]
        judged, scores = people[None, chosen], standardise_rows(metrics[:, chosen])
        is_exact = len(scores[0]) <= _FEW_UNITS
        units = np.ones((1, len(scores[0])), dtype=np.bool_)
        at_once = max(1, _SUMS_AT_ONCE // max(units.size, 1))
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
            one, other = scores[first], scores[second]
            tally = _Tally(statistic(judged, one[None, :]) - statistic(judged, other[None, :]))
            for exchange in _exchanges(units, draws, at_once, np.random.default_rng(seed)):
                swapped = exchange[:, 0] > 0
                mixed = np.nan_to_num(statistic(judged, np.where(swapped, other, one)))
                # Of all exchanges, the last exchanges what the first does not, and so on.
                rest = mixed[::-1] if is_exact else statistic(judged, np.where(swapped, one, other))
                tally.add((mixed - np.nan_to_num(rest))[:, None])
            tally.fill(p_values, _Pairs(np.array([first]), np.array([second])), is_exact=is_exact)
    return p_values


def segment_permutation_matrix(
    values: FloatArray, unit: IntArray | None = None, *, draws: int = 1000, rng: np.random.Generator
) -> FloatArray:
    """p-values (M, M) that the row's metric has the higher mean of some statistic over segments.

    `values` (M, n) is the statistic of each metric in each segment, such as `segment_accuracies` or the
    correlations of `pearson_rows`, NaN where undefined; two metrics are compared on the segments for
    which both have one. All scores of a segment are exchanged together, which exchanges the two values.
    Translations of one segment are judged alike hard or easy by a metric, so segments, not
    translations or pairs of them, are what is independent; and thresholds need not be found again.
    If whole documents are alike, `unit` (n,) gives the document of each segment: segments of one document
    are exchanged together.

    >>> values = np.array([[0.9, 0.8, 0.7, 0.9], [0.5, 0.7, 0.6, np.nan]])
    >>> segment_permutation_matrix(values, rng=np.random.default_rng(7))
    array([[  nan, 0.125],
           [1.   ,   nan]])
    """
    if unit is not None and len(np.unique(unit)) < len(unit):
        return _by_unit(values, unit, draws, int(rng.integers(2**63)))
    p_values = permutation_matrix(values, draws=draws, rng=rng)
    if draws >= 1 << _FEW_UNITS:
        # With this many, all exchanges of few units have been tried.
        return p_values
    known = (~np.isnan(values)).astype(np.int64)
    few = np.argwhere(np.triu(known @ known.T <= _FEW_UNITS, 1))
    for pair in few:
        p_values[np.ix_(pair, pair)] = permutation_matrix(values[pair], draws=1 << _FEW_UNITS, rng=rng)
    return p_values


def _by_unit(values: FloatArray, unit: IntArray, draws: int, seed: int) -> FloatArray:
    """The same with all segments of a unit exchanged together: what changes its sign is their sum."""
    p_values = np.full((len(values), len(values)), np.nan)
    for pair in np.stack(np.triu_indices(len(values), 1), axis=1):
        difference = values[pair[0]] - values[pair[1]]
        known = ~np.isnan(difference)
        sums = np.bincount(unit[known], weights=difference[known])[np.unique(unit[known])]
        p_values[np.ix_(pair, pair)] = segment_permutation_matrix(
            np.stack([sums, np.zeros(len(sums))]), draws=draws, rng=np.random.default_rng(seed)
        )
    return p_values


class _Pairs(NamedTuple):
    """Two metrics each, the first before the second."""

    first: IntArray
    second: IntArray


def _patterns(people: FloatArray, metrics: FloatArray) -> Iterator[tuple[BoolArray, _Pairs]]:
    """The pairs of metrics by the scores that people and both have: where these are (G, m), and the pairs."""
    known = ~np.isnan(metrics) & ~np.isnan(people)
    # The first metric with the same scores stands for each.
    places: dict[bytes, int] = {}
    kind = np.array([places.setdefault(row.tobytes(), place) for place, row in enumerate(known)])
    first, second = np.triu_indices(len(metrics), 1)
    joint = np.sort(np.stack([kind[first], kind[second]]), axis=0)
    for one, other in np.unique(joint, axis=1).T.tolist():
        chosen = (joint[0] == one) & (joint[1] == other)
        yield known[one] & known[other], _Pairs(first[chosen], second[chosen])


def _exchanges(known: BoolArray, draws: int, at_once: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """1 where two scores are exchanged, else 0, some draws at a time: (draws, G, m).

    Every possible one if there are few scores to exchange.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    units = np.flatnonzero(known)
    is_exact = len(units) <= _FEW_UNITS
    n_draws = 1 << len(units) if is_exact else draws
    step = max(1, min(at_once, _EXCHANGES_AT_ONCE // max(known.size, 1)))
    for start in range(0, n_draws, step):
        numbers = np.arange(start, min(start + step, n_draws))
        if is_exact:
            exchange = np.zeros((len(numbers), known.size), dtype=np.uint8)
            exchange[:, units] = (numbers[:, None] >> np.arange(len(units))) & 1
        else:
            bits = np.frombuffer(rng.bytes(len(numbers) * -(-known.size // 8)), dtype=np.uint8)
            exchange = np.unpackbits(bits.reshape(len(numbers), -1), axis=1, count=known.size)
        yield exchange.astype(np.float64).reshape(-1, *known.shape)


class _Tally:
    """Counts the draws in which the difference of each pair is at least, and at most, the observed one."""

    def __init__(self, observed: FloatArray) -> None:
        self._observed = observed
        self._at_least, self._at_most = np.zeros((2, len(observed)), dtype=np.int64)
        self._draws = 0

    def add(self, differences: FloatArray) -> None:
        """Count some draws, (draws, pairs)."""
        self._draws += len(differences)
        self._at_least += np.count_nonzero(differences >= self._observed - ROUNDING, axis=0)
        self._at_most += np.count_nonzero(differences <= self._observed + ROUNDING, axis=0)

    def fill(self, p_values: FloatArray, pairs: _Pairs, *, is_exact: bool) -> None:
        """Put the pairs' p-values into the matrix, in both directions."""
        # Of all exchanges one is the data as they are; of draws none need be.
        more = 0 if is_exact else 1
        better = (more + self._at_least) / (more + self._draws)
        worse = (more + self._at_most) / (more + self._draws)
        undefined = np.isnan(self._observed)
        p_values[pairs.first, pairs.second] = np.where(undefined, np.nan, better)
        p_values[pairs.second, pairs.first] = np.where(undefined, np.nan, worse)


class _Mixtures:
    """Mean group correlations of two metrics some of whose scores are exchanged.

    With people's scores centred and scaled to length 1 in each group, a correlation needs three sums over
    the group: of products with people's scores, of the scores, and of their squares. After an exchange
    they are the metric's own, less its part in what is exchanged, plus the other metric's part in it.
    """

    def __init__(self, people: FloatArray, metrics: FloatArray, known: BoolArray, pairs: _Pairs) -> None:
        used, place = np.unique(np.stack(pairs), return_inverse=True)
        self._first, self._second = place.reshape(2, -1)
        scores = np.where(known, metrics[used], np.nan)
        self._is_defined = np.array(
            [not np.isnan(pearson_rows(people, score)).all() for score in scores], dtype=np.bool_
        )
        judged, self._varies = _directions(people, known)
        scores = standardise_rows(scores.reshape(len(used), -1)).reshape(scores.shape)
        # The same number off all scores of a group changes no correlation and keeps the sums small.
        size = np.maximum(np.count_nonzero(known, axis=1), 1)
        level = np.sum(scores, axis=(0, 2), where=known) / (size * len(used))
        scores = np.where(known, scores - level[:, None], 0.0).swapaxes(0, 1)
        self._inverse_size = 1 / size[:, None, None]
        terms = np.stack([judged[:, None, :] * scores, scores, scores**2], axis=1)
        self._totals = np.ascontiguousarray(terms.sum(axis=3, keepdims=True).swapaxes(0, 1))
        # An exchange moves differences of two metrics: those from the first metric make all.
        self._terms = (terms[:, :, 1:] - terms[:, :, :1]).reshape(len(people), -1, people.shape[1])

    @property
    def draws_at_once(self) -> int:
        """How many draws to ask for together."""
        return max(1, _SUMS_AT_ONCE // max(self._totals.size, 1))

    def observed(self) -> FloatArray:
        """The first metric's statistic less the second's; NaN if one has none. Shape (pairs,)."""
        n_groups, _, width = self._terms.shape
        observed = self.differences(np.zeros((1, n_groups, width)))[0]
        return np.where(self._is_defined[self._first] & self._is_defined[self._second], observed, np.nan)

    def differences(self, exchange: FloatArray) -> FloatArray:
        """The same after exchanges (draws, G, m). Shape (draws, pairs)."""
        n_draws, n_groups, _ = exchange.shape
        sums, counts = np.zeros((2, 2, len(self._first), n_draws))
        for groups in _slices(n_groups, n_draws):
            parts, totals = self._parts(groups, exchange), self._totals[:, groups]
            for pairs in _slices(len(self._first), n_draws * parts.shape[1]):
                first, second = self._first[pairs], self._second[pairs]
                moved = parts[:, :, second] - parts[:, :, first]
                for which, mixture in enumerate((totals[:, :, first] + moved, totals[:, :, second] - moved)):
                    correlation, has_one = self._correlations(mixture, groups)
                    sums[which, pairs] += correlation.sum(axis=0)
                    counts[which, pairs] += np.count_nonzero(has_one, axis=0)
        # Where no group has a correlation, the sum is 0 too.
        first_mean, second_mean = sums / np.maximum(counts, 1)
        difference: FloatArray = (first_mean - second_mean).T
        return difference

    def _parts(self, groups: slice, exchange: FloatArray) -> FloatArray:
        """Each metric's sums less the first metric's, over what is exchanged: (3, G, K, draws)."""
        sums = small_products(self._terms[groups], exchange[:, groups].transpose(1, 2, 0))
        parts = np.zeros((3, len(sums), self._totals.shape[2], len(exchange)))
        parts[:, :, 1:] = sums.reshape(len(sums), 3, -1, len(exchange)).swapaxes(0, 1)
        return parts

    def _correlations(self, sums: FloatArray, groups: slice) -> tuple[FloatArray, BoolArray]:
        """Correlations from sums (3, G, ...), 0 where there is none, and where there is one: (G, ...)."""
        products, scores, squares = sums
        scores *= scores
        scores *= self._inverse_size[groups]
        variation = np.subtract(squares, scores, out=scores)
        squares *= _VARIES
        has_one = variation > squares
        has_one &= self._varies[groups, None, None]
        if not has_one.all():
            variation[~has_one], products[~has_one] = 1.0, 0.0
        products /= np.sqrt(variation, out=variation)
        return products, has_one


def _slices(length: int, width: int) -> Iterator[slice]:
    """Slices of rows, each small enough for a processor's cache at this many numbers per row."""
    step = max(1, _CACHED // max(width, 1))
    return (slice(start, start + step) for start in range(0, length, step))


def _directions(people: FloatArray, known: BoolArray) -> tuple[FloatArray, BoolArray]:
    """People's scores in each group, centred and of length 1, and whether they vary; 0 where unknown."""
    highest = np.max(people, axis=1, where=known, initial=-np.inf)
    varies = highest > np.min(people, axis=1, where=known, initial=np.inf)
    size = np.maximum(np.count_nonzero(known, axis=1), 1)
    mean = np.sum(people, axis=1, where=known) / size
    centred = np.where(known, people - mean[:, None], 0.0)
    length = np.sqrt(np.sum(centred**2, axis=1))
    return centred / np.where(varies, length, 1.0)[:, None], varies
