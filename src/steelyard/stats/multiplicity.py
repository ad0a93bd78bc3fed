"""p-values that allow for having made many tests, and for both directions of a difference."""

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


def two_sided(p_values: FloatArray) -> FloatArray:
    """p-values of any difference from those of each direction: twice the smaller, 1 at most. Shape (S, S).

    >>> two_sided(np.array([[np.nan, 0.02], [0.98, np.nan]]))
    array([[ nan, 0.04],
           [0.04,  nan]])
    """
    either: FloatArray = np.minimum(2 * np.minimum(p_values, p_values.T), 1.0)
    return either


def holm_of_pairs(two_sided_p: FloatArray) -> FloatArray:
    """Adjusted p-values where every unordered pair is one test; the same in both directions. Shape (S, S)."""
    above = np.triu(np.ones(two_sided_p.shape, dtype=np.bool_), k=1)
    adjusted = holm(np.where(above, two_sided_p, np.nan))
    mirrored: FloatArray = np.where(above, adjusted, adjusted.T)
    return mirrored
