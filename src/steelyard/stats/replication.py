"""Means of N ratings per item, drawn again and again, and how well two collections of them correlate.

Ratings come sorted by item. One shuffle within items gives the means of the first 1, 2, 3, ... ratings
of every item at once, so that a draw costs the same however many numbers N are looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING

# Random parts of sorting keys stay below 1, so that adding an item's number cannot round up to the next item.
_BELOW_ONE = 0.999999


class SortedRatings(NamedTuple):
    """Ratings sorted by item, and where each stands among those of its item.

    `values` (scales, n): the ratings, on one scale or several. `item` (n,): numbers from 0 on, some of which
    may be left out. `first` (n,): the row at which the item begins; `place` (n,): rows since then.
    `size` (items,): ratings of each item. `mean` (scales, items): their mean, NaN without any.
    """

    values: FloatArray
    item: IntArray
    first: IntArray
    place: IntArray
    size: IntArray
    mean: FloatArray


class ItemPairs(NamedTuple):
    """Rows of two collections that have the same item and the same place in it. All arrays: (pairs,)."""

    row: IntArray
    other_row: IntArray
    place: IntArray


def sorted_ratings(values: FloatArray, item: IntArray, *, n_items: int) -> SortedRatings:
    """The ratings with their places; `values` (scales, n) and `item` (n,) are sorted by item already."""
    rows = np.arange(len(item))
    first = np.maximum.accumulate(np.where(np.diff(item, prepend=-1) != 0, rows, 0))
    size = np.bincount(item, minlength=n_items)
    mean = np.full((len(values), n_items), np.nan)
    for scale, value in enumerate(values):
        np.divide(np.bincount(item, value, n_items), size, out=mean[scale], where=size > 0)
    return SortedRatings(values, item, first, rows - first, size, mean)


def prefix_means(ratings: SortedRatings, rng: np.random.Generator) -> FloatArray:
    """Means of 1, 2, 3, ... of each item's ratings, drawn without replacement. Shape (scales, n).

    The row of place k - 1 holds the mean of k ratings; the draw of k contains that of k - 1.
    """
    # An item's ratings stay together, in random order among themselves.
    order = np.argsort(ratings.item + _BELOW_ONE * rng.random(len(ratings.item)))
    means = np.empty_like(ratings.values)
    for scale, value in enumerate(ratings.values):
        shuffled = value[order]
        total = np.cumsum(shuffled)
        before = (total - shuffled)[ratings.first]
        means[scale] = (total - before) / (ratings.place + 1)
    return means


def same_places(ratings: SortedRatings, other: SortedRatings) -> ItemPairs:
    """Where both collections have a mean of as many ratings of the same item."""
    first_of_item = np.zeros(len(other.size), dtype=np.int64)
    first_of_item[other.item] = other.first
    row = np.flatnonzero(ratings.place < other.size[ratings.item])
    place = ratings.place[row]
    return ItemPairs(row, first_of_item[ratings.item[row]] + place, place)


def correlations_by_place(
    value: FloatArray, other: FloatArray, place: IntArray, *, n_places: int, least: int
) -> FloatArray:
    """Pearson's correlation of the points of each place. Shape (n_places,).

    NaN where there are fewer than `least` points, or one side does not vary. Points of higher places are left
    out. Arrays: (n,).

    >>> value, other = np.array([1.0, 2.0, 3.0, 5.0]), np.array([2.0, 4.0, 7.0, 1.0])
    >>> correlations_by_place(value, other, np.array([0, 0, 0, 1]), n_places=2, least=2).round(4)
    array([0.9934,    nan])
    """
    if len(place) and int(place.max()) >= n_places:
        near = place < n_places
        value, other, place = value[near], other[near], place[near]
    n = np.bincount(place, minlength=n_places)

    def about_mean(numbers: FloatArray) -> FloatArray:
        mean = np.bincount(place, numbers, n_places) / np.maximum(n, 1)
        deviations: FloatArray = numbers - mean[place]
        return deviations

    x, y = about_mean(value), about_mean(other)
    xx, yy, xy = (np.bincount(place, product, n_places) for product in (x * x, y * y, x * y))
    is_defined = (n >= least) & (xx > ROUNDING * n * _mean_square(value))
    is_defined &= yy > ROUNDING * n * _mean_square(other)
    found: FloatArray = np.full(n_places, np.nan)
    np.divide(xy, np.sqrt(xx * yy), out=found, where=is_defined)
    return found


def _mean_square(value: FloatArray) -> float:
    return float(np.mean(value * value)) if len(value) else 0.0
