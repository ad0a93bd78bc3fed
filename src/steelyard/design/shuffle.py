"""Shuffling rows of arrays: at random, but in order of something that matters more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.arrays import IntArray

_COLUMN_BITS, _RANDOM_BITS = 16, 24


def shuffled_by(major: NDArray[np.integer[Any]], *, rng: np.random.Generator) -> IntArray:
    """For each row the columns in ascending order of `major`, those of equal value in random order.

    >>> shuffled_by(np.array([[3, 1, 2]]), rng=np.random.default_rng(7)).tolist()
    [[1, 2, 0]]
    """
    width = major.shape[1]
    assert width < 1 << _COLUMN_BITS, "rows are HITs"
    chance = rng.integers(1 << _RANDOM_BITS, size=major.shape)
    # All in one number, because sorting numbers is many times faster than sorting their indices.
    packed = (major.astype(np.int64) << (_RANDOM_BITS + _COLUMN_BITS)) | (chance << _COLUMN_BITS)
    packed |= np.arange(width)
    packed.sort(axis=1)
    return packed & ((1 << _COLUMN_BITS) - 1)
