"""Williams' test: whether one metric correlates with people better than another does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from steelyard.stats.arrays import FloatArray

# Correlations this close to 1 are 1 except for rounding.
_SAME = 1e-12


class Williams(NamedTuple):
    """Williams' t, and the one-sided p-value that the first correlation is the larger."""

    t: FloatArray
    p_value: FloatArray


def williams(r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: ArrayLike) -> Williams:
    """t and the one-sided p-value that r12 is above r13, two correlations with the same thing.

    r12 is that of people with the first metric, r13 that of people with the second, r23 that of the two
    metrics, all over the same n points. The more alike the metrics, the smaller a difference of their
    correlations the test can distinguish from chance [Graham2014b]. For Pearson's correlations of independent
    points. Arrays of any shapes that go together; a matrix of all pairs of metrics is one call.

    NaN with n <= 3, where a correlation is NaN, and where |r23| = 1: metrics that are each other's linear
    image leave nothing to test (with r23 = 1 both correlations are the same, with -1 opposite).

    >>> t, p_value = williams(0.9, 0.85, 0.8, 15)
    >>> round(float(t), 6), round(float(p_value), 6)
    (0.70629, 0.246747)
    """
    one, other, between, points = np.broadcast_arrays(
        *(np.asarray(value, dtype=np.float64) for value in (r12, r13, r23, n))
    )
    defined = (points > 3) & (np.abs(between) < 1 - _SAME)
    points = np.where(defined, points, np.nan)
    # Three correlations of real points never make the determinant negative; rounding may.
    determinant = np.maximum(1 - one**2 - other**2 - between**2 + 2 * one * other * between, 0.0)
    mean = (one + other) / 2
    scale = 2 * determinant * (points - 1) / (points - 3) + mean**2 * (1 - between) ** 3
    scale = np.where(scale > 0, scale, np.nan)
    t = np.asarray((one - other) * np.sqrt((points - 1) * (1 + between) / scale))
    return Williams(t, np.asarray(stdtr(points - 3, -t)))
