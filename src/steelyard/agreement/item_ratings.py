"""Workers' ratings of items, and what can be said of all pairs that two workers' ratings of one item make.

Nothing goes through the pairs: how many of them agree follows from how many ratings an item has in each
category.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from steelyard.agreement.cuts import Cut
from steelyard.domain.exhibit import PairWeight
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.kappa import PairSums

# Of millions of ratings this many are taken at once: new large arrays cost more than what is done with them.
_RATINGS_AT_ONCE = 200_000


class ItemRatings(NamedTuple):
    """Ratings that workers gave to items, or their z, at most one each. All arrays: (n,).

    Sorted by item. Items, workers and documents count from 0; numbers may be left out.
    """

    value: FloatArray
    item: IntArray
    worker: IntArray
    document: IntArray


def known_only(ratings: ItemRatings) -> ItemRatings:
    """The ratings whose value is not NaN."""
    known = ~np.isnan(ratings.value)
    if known.all():
        return ratings
    value, item, worker, document = ratings
    return ItemRatings(value[known], item[known], worker[known], document[known])


def n_pairs(ratings: ItemRatings) -> int:
    """Number of pairs of ratings of the same item."""
    size = np.bincount(ratings.item)
    return int(size @ size - len(ratings.item)) // 2


def n_compared_workers(ratings: ItemRatings) -> int:
    """Number of workers who rated an item that another worker rated too."""
    size = np.bincount(ratings.item)
    return len(np.unique(ratings.worker[size[ratings.item] > 1]))


def inter_pair_sums(ratings: ItemRatings, cut: Cut, *, weight: PairWeight) -> PairSums:
    """Sums over the pairs of ratings of the same item in the cut's categories, each pair in both orders.

    With `weight` "item" the pairs of an item share one vote: their number grows with the square of its
    ratings, and a few items that many rated would outweigh all others.
    """
    agreeing, either = 0.0, np.zeros(cut.n_categories)
    for rows in _runs_of_items(ratings.item):
        item, place = ratings.item[rows] - ratings.item[rows.start], cut.place(ratings.value[rows]) - 1
        size = np.bincount(item)
        counts = np.bincount(item * cut.n_categories + place, minlength=len(size) * cut.n_categories)
        in_cell = counts.reshape(len(size), cut.n_categories)
        vote = 1.0 / np.maximum(size * (size - 1), 1) if weight == "item" else np.ones(len(size))
        agreeing += float(vote @ (np.einsum("uc,uc->u", in_cell, in_cell) - size))
        either += np.bincount(place, (vote * (size - 1))[item], cut.n_categories)
    return PairSums(np.array(agreeing), either, either)


def _runs_of_items(item: IntArray) -> Iterator[slice]:
    """Ratings in pieces small enough to be quick, no item in two of them."""
    start = 0
    while start < len(item):
        end = start + _RATINGS_AT_ONCE
        end = int(np.searchsorted(item, item[end])) if end < len(item) else len(item)
        # An item with very many ratings is a piece of its own.
        end = end if end > start else int(np.searchsorted(item, item[start], side="right"))
        yield slice(start, end)
        start = end
