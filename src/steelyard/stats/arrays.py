"""Names for the array types that the statistics take and give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def index_width(index: IntArray) -> int:
    """How many indices 0, 1, 2, ... there are, up to the largest in use; 0 of none.

    >>> index_width(np.array([0, 3])), index_width(np.array([], dtype=np.int64))
    (4, 0)
    """
    return int(index.max(initial=-1)) + 1
