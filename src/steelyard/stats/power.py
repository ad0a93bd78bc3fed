"""How likely a test is to find what is there."""

from __future__ import annotations

import numpy as np
from scipy.special import nctdtr, stdtrit

from steelyard.stats.arrays import FloatArray, IntArray


def paired_t_power(n: IntArray, sd: FloatArray, *, drop: float, threshold: float) -> FloatArray:
    """Chance that a one-sided paired t-test finds a mean difference of `drop`, for each n and sd.

    With n differences of deviation `sd`, t follows the noncentral t distribution with n - 1 degrees
    of freedom and noncentrality drop / (sd / sqrt(n)). It assumes normal differences, and treats `sd` as
    known: estimated from ten repeats, it makes the answer a rough one.

    A deviation of 0 gives 1: then any drop is found. NaN where n is below 2 or `sd` is NaN.
    All arrays: (m,).

    >>> paired_t_power(np.array([10, 20]), np.array([28.0, 28.0]), drop=20.0, threshold=0.05).round(2)
    array([0.67, 0.92])
    """
    if not 0 < threshold < 1:
        raise ValueError(f"the threshold must lie between 0 and 1, not at {threshold:g}")
    is_known = (n >= 2) & ~np.isnan(sd)
    is_certain = is_known & (sd == 0)
    usual = is_known & ~is_certain
    df = (n[usual] - 1).astype(np.float64)
    noncentrality = drop / sd[usual] * np.sqrt(n[usual])
    critical = -stdtrit(df, threshold)
    found = 1 - nctdtr(df, noncentrality, critical)
    # Far out, where the chance is 1 to the last digit, the library's series may not converge.
    found[np.isnan(found) & (noncentrality > critical)] = 1.0
    power = np.full(len(n), np.nan)
    power[is_certain] = 1.0
    power[usual] = found
    return power
