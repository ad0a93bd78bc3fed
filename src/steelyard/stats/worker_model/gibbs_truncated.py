"""Draws from normal distributions of which only an interval is left."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, ndtri_exp

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.problem import Normal


def truncated_normal(
    normal: Normal, low: FloatArray, high: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """One draw from each normal distribution, given that it falls between `low` and `high`. Shape (n,).

    By inversion of the distribution function in logs, on the side of the mean where it is small: exact
    even where the interval lies forty deviations out. The ends may be infinite.

    >>> far = Normal(np.array([0.0]), np.array([1.0]))
    >>> drawn = truncated_normal(far, np.array([40.0]), np.array([np.inf]), np.random.default_rng(1))
    >>> bool(40 < drawn[0] < 40.3)
    True
    """
    begin, end = (low - normal.mean) / normal.sd, (high - normal.mean) / normal.sd
    # Mirrored, an interval above the mean lies below it, where probabilities keep all their digits.
    mirrored = begin > 0
    lower, upper = np.where(mirrored, -end, begin), np.where(mirrored, -begin, end)
    log_upper = log_ndtr(upper)
    share = np.maximum(rng.random(len(lower)), np.finfo(np.float64).tiny)
    below = np.exp(np.minimum(log_ndtr(lower) - log_upper, 0.0))
    drawn = ndtri_exp(log_upper + np.log(share + (1 - share) * below))
    drawn = np.where(mirrored, -drawn, drawn)
    inside: FloatArray = np.clip(normal.mean + normal.sd * drawn, low, high)
    return inside
