"""Smooth outlines of a few dozen numbers."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray


def bandwidth(values: FloatArray) -> float:
    """Width of the Gaussian kernel by Silverman's rule of thumb; 0 where all values are the same.

    0.9 n^(-1/5) times the smaller of the standard deviation and the interquartile range over 1.34, or
    the deviation alone where half of the values are equal.

    >>> round(bandwidth(np.array([1.0, 2.0, 3.0, 4.0, 5.0])), 4)
    0.9736
    """
    if len(values) < 2:
        return 0.0
    deviation = float(np.std(values, ddof=1))
    low, high = np.quantile(values, [0.25, 0.75])
    spread = min(deviation, float(high - low) / 1.34) if high > low else deviation
    return float(0.9 * spread * len(values) ** -0.2)


def density(
    values: FloatArray, at: FloatArray, *, width: float, within: tuple[float, float] = (-np.inf, np.inf)
) -> FloatArray:
    """Gaussian kernel density of the values at the places given, all of them `within` the bounds.

    Where values cannot lie beyond a bound, such as magnitudes below 0, they are mirrored there, or the
    curve would leak to where no value can be. Holds a number for every value and place: give it a
    worker's pairs, not a campaign's.

    >>> density(np.array([0.0]), np.array([0.0, 1.0]), width=1.0).round(4)
    array([0.3989, 0.242 ])
    >>> density(np.array([0.0]), np.array([0.0, 1.0]), width=1.0, within=(0.0, np.inf)).round(4)
    array([0.7979, 0.4839])
    """
    images = [values, *(2 * bound - values for bound in within if np.isfinite(bound))]
    distance = (at[:, None] - np.concatenate(images)[None, :]) / width
    curve: FloatArray = np.exp(-0.5 * distance**2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))
    return curve
