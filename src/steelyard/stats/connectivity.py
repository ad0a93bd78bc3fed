"""Connectivity: whether everything can be compared with everything through what it shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.arrays import IntArray

_Integers = NDArray[np.integer[Any]]


def number_of_blocks(left: _Integers, right: _Integers) -> int:
    """The number of connected parts of a two-sided graph whose edge k joins `left[k]` and `right[k]`.

    Left and right are different things even where they have the same number. What no edge touches
    is not part of the graph.

    Two workers who share no item, not even through others, cannot be separated from their items:
    a lenient worker with bad items looks like a strict one with good items.

    >>> number_of_blocks(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 7]))
    2
    """
    return len(np.unique(block_of_left(left, right)[left]))


def block_of_left(left: _Integers, right: _Integers) -> IntArray:
    """The connected part that each number on the left belongs to, counted from 0. Shape (max + 1,).

    >>> block_of_left(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 7]))
    array([0, 0, 1])
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if len(left) == 0:
        return np.zeros(0, dtype=np.int64)
    n_left, n_right = int(left.max()) + 1, int(right.max()) + 1
    ends = (left.astype(np.int32), right.astype(np.int32) + np.int32(n_left))
    graph = coo_array((np.ones(len(left)), ends), shape=(n_left + n_right,) * 2)
    _, block = connected_components(graph, directed=False)
    number: IntArray = np.unique(block[:n_left], return_inverse=True)[1].astype(np.int64)
    return number
