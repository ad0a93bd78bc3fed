"""Continuous ratings sorted into a few categories, for agreement tables only."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray

# A rating this close to a border, in widths of a category, was meant to lie on it: 0.29 * 100 is below 29
# in floating point [our choice].
_BORDER_TOLERANCE = 1e-9


def equal_width(rating: FloatArray, *, n_categories: int, low: float, high: float) -> IntArray:
    """Categories 1, 2, ..., C that cut the scale from `low` to `high` into equal parts. Shape (n,).

    min(C, floor((rating - low) C / (high - low)) + 1): a rating on a border goes up, the top of the
    scale belongs to the last category [Graham2013]. What lies beyond an end counts as that end.

    >>> equal_width(np.array([0., 49., 50., 100.]), n_categories=2, low=0., high=100.)
    array([1, 1, 2, 2])
    """
    if n_categories < 1 or not high > low:
        raise ValueError(f"cannot cut a scale from {low} to {high} into {n_categories} categories")
    # Multiplied before it is divided: whole numbers on a whole scale are then cut without any error.
    place = (rating - low) * n_categories / (high - low)
    border = np.rint(place)
    place = np.where(np.abs(place - border) <= _BORDER_TOLERANCE, border, place)
    return np.clip(np.floor(place), 0, n_categories - 1).astype(np.int64) + 1


def percentile_cuts(z: FloatArray, n_categories: int) -> FloatArray:
    """The C - 1 values that cut `z` into equally many each: its 100 c / C percentiles. Shape (C - 1,).

    Between two values a percentile is interpolated linearly. NaN throughout if there is no value.

    >>> percentile_cuts(np.array([1., 2., 3., 4., 5.]), 4)
    array([2., 3., 4.])
    """
    if n_categories < 1:
        raise ValueError(f"cannot cut into {n_categories} categories")
    if not len(z):
        return np.full(n_categories - 1, np.nan)
    cuts: FloatArray = np.quantile(z, np.arange(1, n_categories) / n_categories)
    return cuts


def by_cuts(z: FloatArray, cuts: FloatArray) -> IntArray:
    """Categories 1, 2, ..., C between C - 1 ascending cuts; a value on a cut goes down. Shape (n,).

    >>> by_cuts(np.array([-1., 0., 0.5]), np.array([0.]))
    array([1, 1, 2])
    """
    return np.searchsorted(cuts, z, side="left").astype(np.int64) + 1
