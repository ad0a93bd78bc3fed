"""Connectivity: whether everything can be compared with everything through what it shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if len(left) == 0:
        return 0
    n_left, n_right = int(left.max()) + 1, int(right.max()) + 1
    ends = (left.astype(np.int32), right.astype(np.int32) + np.int32(n_left))
    graph = coo_array((np.ones(len(left)), ends), shape=(n_left + n_right,) * 2)
    touched = np.zeros(n_left + n_right, dtype=np.bool_)
    touched[ends[0]] = touched[ends[1]] = True
    parts, _ = connected_components(graph, directed=False)
    # Numbers that never occur would each count as a part.
    return int(parts - np.count_nonzero(~touched))
