"""Correlation of two lists of numbers."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray


def pearson(first: FloatArray, second: FloatArray) -> float:
    """Pearson's correlation; NaN where one side does not vary.

    >>> round(pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 7.0])), 4)
    0.9934
    """
    # Numbers that are all equal can differ from their rounded mean.
    if len(first) == 0 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    one, other = first - first.mean(), second - second.mean()
    return float((one @ other) / np.sqrt((one @ one) * (other @ other)))
