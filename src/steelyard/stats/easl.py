"""EASL: what ratings on a bounded scale say about each item, as a Beta distribution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray


class ItemBeliefs(NamedTuple):
    """Mode and deviation of each item's Beta distribution, between 0 and 1. Both: (items,)."""

    mode: FloatArray
    sd: FloatArray


def item_beliefs(rating: FloatArray, item_index: IntArray) -> ItemBeliefs:
    """What is believed about each item after its ratings between 0 and 1 [Sakaguchi2018].

    An item starts with Beta(1, 1), every value being equally likely; a rating r adds r to alpha and
    1 - r to beta. Of the sum, the order of ratings leaves no trace. The mode (alpha - 1) / (alpha +
    beta - 2) is the mean of the item's ratings, whatever their number; the deviation shrinks with it.

    Item indices are 0, 1, 2, ..., each at least once.

    >>> item_beliefs(np.array([0.2, 0.4, 1.0]), np.array([0, 0, 1])).mode.round(6)
    array([0.3, 1. ])
    """
    total, n = np.bincount(item_index, rating), np.bincount(item_index)
    alpha, beta = 1 + total, 1 + n - total
    both = alpha + beta
    return ItemBeliefs(mode=total / n, sd=np.sqrt(alpha * beta / (both**2 * (both + 1))))
