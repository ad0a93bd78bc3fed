"""How often chance alone would separate systems as far as their scores on common segments do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING

# Flips held at once: 13 MB; and differences, or sums of them: 32 MB.
_FLIPS_AT_ONCE = 1_600_000
_CELLS_AT_ONCE = 4_000_000
# With very many segments or systems not fewer draws than this, or each would take long to set out.
_FEWEST_AT_ONCE = 16

# Multiplications up to which the usual library, OpenBLAS, makes a matrix product without threads, and
# the fewest rows for which products so small are worth it.
_UNTHREADED = 1 << 18
_SMALLEST_PRODUCT = 4


def permutation_matrix(scores: FloatArray, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column.

    Paired permutation test of the mean difference of segment scores, for every ordered pair at once:
    if two systems were equally good, their scores for a segment could be exchanged, which flips the sign
    of the difference. p = (1 + draws of flips whose mean is at least the observed) / (1 + draws): the
    scores as they are count as one draw more, so p is never 0 [Phipson2010]. All pairs see the same
    flips. Means that differ by less than 1e-12 of the mean absolute difference are equal.

    `scores` is (S, n), NaN where a system has no score for a segment; each pair is compared on the
    segments both have. A pair with so few segments that differ that there are no more than `draws`
    ways to flip them gets the exact share of all of these. NaN on the diagonal and without a common
    segment; 1 if all differences are 0. It assumes that segments are independent of one another.

    >>> permutation_matrix(np.array([[3.0, 5.0, 4.0], [2.0, 3.0, np.nan]]), draws=99,
    ...                    rng=np.random.default_rng(7))
    array([[ nan, 0.25],
           [1.  ,  nan]])
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    p_values = np.full((len(scores), len(scores)), np.nan)
    pairs, n_different = _compared_pairs(scores)
    few = n_different < draws.bit_length()
    for row, column in zip(pairs.row[few].tolist(), pairs.column[few].tolist(), strict=True):
        p_values[row, column], p_values[column, row] = _exact(scores[row] - scores[column])
    drawn = pairs.only(~few)
    if len(drawn.row):
        better, worse = _count_draws(scores, drawn, draws, rng)
        p_values[drawn.row, drawn.column] = (1 + better) / (1 + draws)
        p_values[drawn.column, drawn.row] = (1 + worse) / (1 + draws)
    return p_values


class _Pairs(NamedTuple):
    """Pairs of systems, whether both have the same segments, and what sums of theirs count as 0.

    Flipping takes twice the sum of the differences flipped off the sum of all, so a permuted mean is at
    least the observed one iff the sum flipped is not above 0, or by no more than the tolerance.
    """

    row: IntArray
    column: IntArray
    alike: BoolArray
    tolerance: FloatArray

    def only(self, chosen: BoolArray | IntArray) -> _Pairs:
        """The chosen ones of the pairs."""
        return _Pairs(self.row[chosen], self.column[chosen], self.alike[chosen], self.tolerance[chosen])


def _compared_pairs(scores: FloatArray) -> tuple[_Pairs, IntArray]:
    """The pairs that have a common segment, and on how many segments the two differ."""
    rows, columns = np.triu_indices(len(scores), 1)
    absent = np.isnan(scores)
    common, alike = np.zeros((2, len(rows)), dtype=np.bool_)
    tolerance = np.zeros(len(rows))
    n_different = np.zeros(len(rows), dtype=np.int64)
    for part in _parts(len(rows), scores.shape[1]):
        difference = scores[rows[part]] - scores[columns[part]]
        unknown = np.isnan(difference)
        common[part] = ~unknown.all(axis=1)
        alike[part] = (absent[rows[part]] == absent[columns[part]]).all(axis=1)
        size = np.abs(difference, out=difference)
        np.copyto(size, 0.0, where=unknown)
        tolerance[part] = ROUNDING / 2 * size.sum(axis=1)
        n_different[part] = np.count_nonzero(size, axis=1)
    return _Pairs(rows, columns, alike, tolerance).only(common), n_different[common]


def _exact(difference: FloatArray) -> tuple[float, float]:
    """Share of all flips that make the mean no smaller, and that make it no larger."""
    # A share of the observed mean itself would vanish with it.
    tolerance = ROUNDING / 2 * float(np.nansum(np.abs(difference)))
    flipped = np.zeros(1)
    for value in difference[~np.isnan(difference) & (difference != 0)].tolist():
        flipped = np.concatenate([flipped, flipped + value])
    return float(np.mean(flipped <= tolerance)), float(np.mean(flipped >= -tolerance))


def _count_draws(
    scores: FloatArray, pairs: _Pairs, draws: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """In how many draws of flips the mean difference of each pair is no smaller, and no larger."""
    no_smaller, no_larger = np.zeros((2, len(pairs.row)), dtype=np.int64)
    # From one seed all pairs see the same flips, though not all can be worked on at once.
    seed = int(rng.integers(2**63))
    sums: _SumsBySystem | _SumsByPair
    if pairs.alike.any():
        sums = _SumsBySystem(scores, pairs.only(pairs.alike))
        counts = _tally(sums, draws, np.random.default_rng(seed))
        no_smaller[pairs.alike], no_larger[pairs.alike] = counts
    others = np.flatnonzero(~pairs.alike)
    for part in _parts(len(others), scores.shape[1]):
        sums = _SumsByPair(scores, pairs.only(others[part]))
        counts = _tally(sums, draws, np.random.default_rng(seed))
        no_smaller[others[part]], no_larger[others[part]] = counts
    return no_smaller, no_larger


def _tally(
    sums: _SumsBySystem | _SumsByPair, draws: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """In how many draws the sum flipped away is not above 0, and not below, for each pair."""
    tolerance = sums.pairs.tolerance[:, None]
    no_smaller, no_larger = np.zeros((2, len(tolerance)), dtype=np.int64)
    n_segments = sums.n_segments
    wanted = min(_FLIPS_AT_ONCE // n_segments, _CELLS_AT_ONCE // len(tolerance))
    step = min(draws, max(wanted, _FEWEST_AT_ONCE))
    buffer = np.empty((step, n_segments))
    for start in range(0, draws, step):
        flips = buffer[: draws - start]
        _draw_flips(flips, rng)
        flipped = sums.under(flips)
        no_smaller += np.count_nonzero(flipped <= tolerance, axis=1)
        no_larger += np.count_nonzero(flipped >= -tolerance, axis=1)
    return no_smaller, no_larger


def _draw_flips(flips: FloatArray, rng: np.random.Generator) -> None:
    """Fill (draws, segments) with 1 where a segment's difference is flipped, 0 where it is not."""
    n_draws, n_segments = flips.shape
    words = rng.integers(2**64, size=(n_draws, -(-n_segments // 64)), dtype=np.uint64)
    flips[:] = np.unpackbits(words.view(np.uint8), axis=1, count=n_segments)


class _SumsByPair:
    """Sums of the differences that are flipped, for pairs of systems with any segments."""

    def __init__(self, scores: FloatArray, pairs: _Pairs) -> None:
        self.pairs = pairs
        self.n_segments = scores.shape[1]
        self._differences = _differences(scores, pairs)

    def under(self, flips: FloatArray) -> FloatArray:
        """Sums under flips (draws, segments), row minus column. Shape (pairs, draws)."""
        return _sums_over_segments(self._differences, flips)


class _SumsBySystem:
    """The same for pairs of systems that both have the same segments, much faster.

    The sum of their differences is the difference of their sums, so S sums give all pairs. That may err
    in bits in which the sum of differences does not: where a sum is too close to 0 to be sure, it
    is taken again from the differences.
    """

    def __init__(self, scores: FloatArray, pairs: _Pairs) -> None:
        self.pairs = pairs
        self.n_segments = scores.shape[1]
        self._scores = np.where(np.isnan(scores), 0.0, scores)
        error = _rounding_error(self._scores)
        self._error = error[pairs.row] + error[pairs.column]

    def under(self, flips: FloatArray) -> FloatArray:
        """Sums under flips (draws, segments), row minus column. Shape (pairs, draws)."""
        of_systems = _sums_over_segments(self._scores, flips)
        sums, of_column = of_systems[self.pairs.row], of_systems[self.pairs.column]
        sums -= of_column
        if self._error.any():
            smallest = np.abs(sums, out=of_column).min(axis=1)
            unsure = np.flatnonzero(smallest <= self.pairs.tolerance + self._error)
            for part in _parts(len(unsure), self.n_segments):
                again = _differences(self._scores, self.pairs.only(unsure[part]))
                sums[unsure[part]] = _sums_over_segments(again, flips)
        return sums


def _differences(scores: FloatArray, pairs: _Pairs) -> FloatArray:
    """Scores of the row's system less those of the column's; 0 where one has none. Shape (pairs, n)."""
    differences: FloatArray = scores[pairs.row] - scores[pairs.column]
    np.copyto(differences, 0.0, where=np.isnan(differences))
    return differences


def _sums_over_segments(values: FloatArray, flips: FloatArray) -> FloatArray:
    """Values (k, segments) times flips (draws, segments), summed: (k, draws).

    In one product the linear algebra library would work with threads, and on a busy machine they wait
    for one another longer than they work. A few draws at a time are small enough to go without.
    """
    n_draws, n_segments = flips.shape
    at_a_time = _UNTHREADED // values.size
    if at_a_time < _SMALLEST_PRODUCT:
        return values @ flips.T
    sums = np.empty((n_draws, len(values)))
    whole = n_draws // at_a_time * at_a_time
    small = flips[:whole].reshape(-1, at_a_time, n_segments)
    np.matmul(small, values.T, out=sums[:whole].reshape(-1, at_a_time, len(values)))
    np.matmul(flips[whole:], values.T, out=sums[whole:])
    return np.ascontiguousarray(sums.T)


def _rounding_error(scores: FloatArray) -> FloatArray:
    """By how much the sum of any of a system's scores can be wrong. Shape (S,)."""
    absolute = np.abs(scores).sum(axis=1)
    # Multiples of a power of two, such as whole numbers, add up without error up to 53 bits.
    steps = np.ldexp(scores, 52 - np.frexp(np.max(absolute))[1])
    if np.array_equal(steps, np.rint(steps)):
        return np.zeros(len(scores))
    bound: FloatArray = np.finfo(np.float64).eps * scores.shape[1] * absolute
    return bound


def _parts(n_pairs: int, width: int) -> Iterator[slice]:
    """The pairs in parts, so that an array of this many columns stays within bounds."""
    step = max(1, _CELLS_AT_ONCE // max(width, 1))
    return (slice(start, start + step) for start in range(0, n_pairs, step))
