"""How far two ratings of one item lie apart: of the same worker, and of two different ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.agreement.pairs import first_ratings, item_codes, repeat_pairs, starts_group
from steelyard.domain.work import ItemKind
from steelyard.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Differences:
    """Number, mean and deviation (n - 1) of absolute differences; None where there are too few."""

    n: int
    mean: float | None
    sd: float | None


def repeat_differences(frame: pl.DataFrame) -> Differences:
    """How far each worker's two ratings of a repeated item lie apart, pooled over all pairs [Graham2013]."""
    pairs = repeat_pairs(frame)
    difference = (pairs["first_rating"] - pairs["second_rating"]).abs().to_numpy()
    n = len(difference)
    return Differences(
        n,
        float(difference.mean()) if n else None,
        float(difference.std(ddof=1)) if n > 1 else None,
    )


def distinct_differences(frame: pl.DataFrame) -> Differences:
    """How far two different workers' first ratings of an item lie apart, over every pair [Graham2013].

    The items are those that somebody was given twice, so that the answer compares with
    `repeat_differences`. No pair is visited: n ratings take O(n log n).
    """
    code = item_codes(frame)
    repeats = code[(frame["item_kind"] == str(ItemKind.REPEAT)).to_numpy()]
    of_bases = frame.filter(pl.Series(np.isin(code, repeats)))
    firsts = first_ratings(of_bases)
    return pooled_differences(of_bases["rating"].to_numpy()[firsts.row], firsts.item)


def pooled_differences(value: FloatArray, group: IntArray) -> Differences:
    """Absolute differences between every two values of the same group, pooled. Both arrays: (n,).

    In ascending order the k-th of m values, from 0, is subtracted from m - 1 - k others and has k others
    subtracted from it, which gives the sum of differences; their squares sum to m times the squares
    about the group's mean.

    >>> pooled_differences(np.array([1., 7., 1., 9.]), np.array([0, 0, 0, 1]))  # 6, 0 and 6
    Differences(n=3, mean=4.0, sd=3.4641016151377544)
    """
    order = np.lexsort((value, group))
    value, is_start = value[order], starts_group(group[order])
    start = np.flatnonzero(is_start)
    size = np.diff(np.append(start, len(value)))
    n = int(np.sum(size * (size - 1)) // 2)
    if not n:
        return Differences(0, None, None)
    sizes = np.repeat(size, size)
    rank = np.arange(len(value)) - np.repeat(start, size)
    # From the group's smallest value on, so that far-off values lose no precision.
    above = value - np.repeat(value[start], size)
    about_mean = above - np.repeat(np.add.reduceat(above, start) / size, size)
    total = float(np.sum((2 * rank - sizes + 1) * above))
    squares = float(np.sum(sizes * about_mean**2))
    variance = max(squares - total**2 / n, 0.0) / (n - 1) if n > 1 else None
    return Differences(n, total / n, None if variance is None else math.sqrt(variance))
