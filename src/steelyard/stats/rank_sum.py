"""Which of many systems' scores are stochastically greater than which others'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from steelyard.stats.arrays import FloatArray, IntArray

# Rows of the table of counts held at once: it stays in the processor's cache.
_ROWS_AT_ONCE = 600
# Scores of pairs held at once where each pair has its own segments.
_COMMON_AT_ONCE = 30_000
# Neighbouring values that share a row of that table where most values are distinct. Larger blocks
# make the table smaller and leave more pairs within blocks to be compared one by one.
_BLOCK = 12


def rank_sum_matrix(groups: Sequence[FloatArray]) -> FloatArray:
    """One-sided p-values that the group of the row is greater than the group of the column.

    Wilcoxon's rank-sum test [Mann1947] by the normal approximation with correction for ties and
    for continuity, unpaired, for every ordered pair at once. The diagonal is NaN, and so is every
    test with an empty group. If all values of both groups are equal, p is 1. It assumes
    independent values: give it one value per segment, not one per judgement, and none that is NaN.

    >>> rank_sum_matrix([np.array([3.0, 4.0, 5.0]), np.array([1.0, 2.0, 2.0])]).round(3)
    array([[  nan, 0.038],
           [0.987,   nan]])
    """
    sizes = np.array([len(group) for group in groups], dtype=np.float64)
    wins, ties = _wins_and_ties(groups)
    p_values = _upper_tail(wins, ties, sizes[:, None], sizes[None, :])
    np.fill_diagonal(p_values, np.nan)
    return p_values


def rank_sum_common_matrix(scores: FloatArray) -> FloatArray:
    """The same, each pair of systems on the segments both have: `scores` (S, n), NaN where there is none.

    Still unpaired: the two scores of a segment are compared with all others alike. NaN on the diagonal
    and without a common segment.

    >>> rank_sum_common_matrix(np.array([[3.0, 4.0, 5.0, 0.0], [1.0, 2.0, 2.0, np.nan]])).round(3)
    array([[  nan, 0.038],
           [0.987,   nan]])
    """
    known = ~np.isnan(scores)
    if known.all():
        return rank_sum_matrix(list(scores))
    p_values = np.full((len(scores), len(scores)), np.nan)
    # Whole numbers from 1 in order of the scores; 0 is dropped by `marked_rank_sums`.
    code = np.zeros(scores.shape, dtype=np.uint32)
    code[known] = 1 + np.unique(scores[known], return_inverse=True)[1]
    rows, columns = np.triu_indices(len(scores), 1)
    step = max(1, _COMMON_AT_ONCE // scores.shape[1])
    for start in range(0, len(rows), step):
        row, column = rows[start : start + step], columns[start : start + step]
        both = known[row] & known[column]
        sums = marked_rank_sums(np.concatenate([(2 * code[row] + 1) * both, 2 * code[column] * both], axis=1))
        n = sums.n_marked
        wins = sums.marked - n * (n + 1) / 2
        p_values[row, column] = _upper_tail(wins, sums.ties, n, n)
        p_values[column, row] = _upper_tail(n * n - wins, sums.ties, n, n)
    return p_values


def _upper_tail(wins: FloatArray, ties: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """P-values for U of groups of these sizes and the sum of t^3 - t; NaN if one is empty."""
    product, total = first * second, first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        # Rounding must not make the variance of nothing but ties negative.
        deviation = np.sqrt(product / 12 * np.maximum(total + 1 - ties / (total * (total - 1)), 0))
        p_values: FloatArray = np.minimum(ndtr(-(wins - product / 2 - 0.5) / deviation), 1.0)
    p_values[product == 0] = np.nan
    return p_values


class MarkedRankSums(NamedTuple):
    """Of each row: sum of the ranks of the marked ones, how many they are and all are, sum of t^3 - t."""

    marked: FloatArray
    n_marked: FloatArray
    n: FloatArray
    ties: FloatArray


def marked_rank_sums(key: NDArray[np.unsignedinteger[Any]]) -> MarkedRankSums:
    """Sums of ranks within each row of whole numbers 2 * size + (1 if marked); size 0 is dropped.

    Sorting brings them in order of size, and of equals the marked ones last. If p of t equals are marked,
    their places are too high by (t - p) / 2 each compared with their mean rank.
    """
    key = np.sort(key, axis=1)
    mark = (key & 1).astype(np.float64)
    key >>= 1
    width = key.shape[1]
    n, n_marked = np.count_nonzero(key, axis=1).astype(np.float64), mark.sum(axis=1)
    # Not as a matrix product: for so little work the threads of one would only wait for each other.
    places = np.einsum("ij,j->i", mark, np.arange(1.0, width + 1)) - (width - n) * n_marked
    surplus, ties = np.zeros(len(key)), np.zeros(len(key))
    begins = np.ones(key.shape, dtype=np.bool_)
    np.not_equal(key[:, 1:], key[:, :-1], out=begins[:, 1:])
    # What is dropped is not tied: each begins its own run.
    begins |= key == 0
    tied = ~begins.all(axis=1)
    start = np.flatnonzero(begins[tied])
    if len(start):
        length = np.diff(start, append=np.count_nonzero(tied) * width)
        marked = np.add.reduceat(mark[tied].ravel(), start)
        surplus[tied] = np.bincount(start // width, marked * (length - marked) / 2)
        ties[tied] = np.bincount(start // width, length * (length * length - 1))
    return MarkedRankSums(places - surplus, n_marked, n, ties)


def _wins_and_ties(
    groups: Sequence[FloatArray], *, rows_at_once: int = _ROWS_AT_ONCE
) -> tuple[FloatArray, FloatArray]:
    """For all pairs of groups: Mann-Whitney's U of the row, and the sum of t^3 - t over tied values.

    A table of how many values each group has in each of some blocks of neighbouring values gives U as a
    matrix product: count times (count in lower blocks plus half that in the same one). If most values
    repeat, a block is one value. If not, it is the next few in order of value, then of group, and the
    pairs within a block are compared one by one.
    """
    n_groups = len(groups)
    group, code = _in_order(groups)
    often = np.bincount(code)
    repeated = often > 1
    chosen = repeated[code]
    tied_code = (np.cumsum(repeated) - 1)[code[chosen]]
    equal, ties = _equal_pairs_and_ties(group[chosen], tied_code, n_groups, rows_at_once)
    if len(often) * _BLOCK <= len(code):
        return _wins_over_lower(group, code, n_groups, rows_at_once), ties
    if len(often) < len(code):
        # Equal values by group; sorting whole numbers again beats a stable sort of the values.
        group = np.sort(code * n_groups + group) - code * n_groups
    wins = _wins_over_lower(group, np.arange(len(code)) // _BLOCK, n_groups, rows_at_once)
    within = _later_in_block(group, n_groups)
    wins += (within - within.T) / 2
    # Of equal values the one of the later group stands behind and has won; each should have half.
    later = np.tri(n_groups, k=-1)
    return wins - (later - later.T) * equal / 2, ties


def _equal_pairs_and_ties(
    group: IntArray, code: IntArray, n_groups: int, rows_at_once: int
) -> tuple[FloatArray, FloatArray]:
    """For all pairs of groups: pairs of equal values, and the sum of t^3 - t: (a + b)^3 expands."""
    equal, ties = np.zeros((n_groups, n_groups)), np.zeros((n_groups, n_groups))
    for counts in _count_tables(group, code, n_groups, rows_at_once):
        squares = counts * counts
        cross = squares.T @ counts
        own = np.sum(squares * counts - counts, axis=0)
        ties += own[:, None] + own[None, :] + 3 * (cross + cross.T)
        equal += counts.T @ counts
    return equal, ties


def _wins_over_lower(group: IntArray, block: IntArray, n_groups: int, rows_at_once: int) -> FloatArray:
    """How often a value of the row's group is in a higher block than the column's; half if in the same."""
    wins, below = np.zeros((n_groups, n_groups)), np.zeros(n_groups)
    for counts in _count_tables(group, block, n_groups, rows_at_once):
        up_to = np.cumsum(counts, axis=0)
        wins += counts.T @ up_to - counts.T @ counts / 2 + np.outer(up_to[-1], below)
        below += up_to[-1]
    return wins


def _later_in_block(group: IntArray, n_groups: int) -> FloatArray:
    """How often a value of the row's group stands behind one of the column's in the same block."""
    # The last block is filled up with an extra group, which is dropped at the end.
    width = n_groups + 1
    filled = np.pad(group, (0, -len(group) % _BLOCK), constant_values=n_groups)
    places = np.ascontiguousarray(filled.reshape(-1, _BLOCK).T)
    later = np.zeros(width * width, dtype=np.int64)
    for place in range(1, _BLOCK):
        later += np.bincount((places[place] * width + places[:place]).ravel(), minlength=width * width)
    return later.reshape(width, width)[:-1, :-1].astype(np.float64)


def _in_order(groups: Sequence[FloatArray]) -> tuple[IntArray, IntArray]:
    """All values from low to high: each one's group, and its place among the distinct values."""
    values = np.concatenate([np.empty(0), *groups])
    order = np.argsort(values)
    values = values[order]
    if len(values) and np.isnan(values[-1]):
        raise ValueError("a value is NaN: leave absent values out of the groups")
    group = np.repeat(np.arange(len(groups)), [len(group) for group in groups])[order]
    code = np.zeros(len(values), dtype=np.int64)
    np.cumsum(values[1:] != values[:-1], out=code[1:])
    return group, code


def _count_tables(group: IntArray, block: IntArray, n_groups: int, rows_at_once: int) -> Iterator[FloatArray]:
    """How many values of each block each group has, (blocks, groups), some blocks at a time."""
    n_blocks = int(block[-1]) + 1 if len(block) else 0
    for start in range(0, n_blocks, rows_at_once):
        size = min(rows_at_once, n_blocks - start)
        first, last = np.searchsorted(block, [start, start + size])
        cell = (block[first:last] - start) * n_groups + group[first:last]
        counts = np.bincount(cell, minlength=size * n_groups)
        yield counts.reshape(size, n_groups).astype(np.float64)
