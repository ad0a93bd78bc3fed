"""p-values that allow for having made many tests."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray


def holm(p_values: FloatArray) -> FloatArray:
    """Adjusted p-values that keep the chance of any false finding below the threshold. Same shape.

    Step-down [Holm1979]: the smallest of m is multiplied by m, the next by m - 1, and so on, never
    falling below the one before. Valid under any dependence. NaN stays NaN and is not counted.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = np.full(p_values.shape, np.nan)
    known = ~np.isnan(p_values)
    p = p_values[known]
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    back = np.empty(len(p))
    back[order] = np.minimum(stepped, 1.0)
    adjusted[known] = back
    return adjusted
