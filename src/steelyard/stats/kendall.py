"""Kendall's rank correlation."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray


def kendall(first: FloatArray, second: FloatArray) -> float:
    """Kendall's tau-b of two scores of the same things: 1 if they order them alike, -1 if reversed.

    Ties count in neither direction. NaN with fewer than two things, or where one score is the same
    for all. Looks at all pairs: for systems, not for segments.

    >>> kendall(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 2.0]))
    0.3333333333333333
    """
    one = np.sign(first[:, None] - first[None, :])
    other = np.sign(second[:, None] - second[None, :])
    untied = np.sqrt(np.sum(one**2) * np.sum(other**2))
    return float(np.sum(one * other) / untied) if untied else float("nan")
