"""Krippendorff's alpha: agreement of many workers on units that not everyone has rated.

Within a unit every rating is by another worker. A bootstrap over workers gives each rating the number
of times its worker was drawn as a weight. Two copies of one rating are not two opinions, so pairs are
always of different ratings, i and j with weight w_i w_j, and never of a rating and its own copy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING

# How often each rating's worker was drawn: whole numbers.
Weight = FloatArray | IntArray


class UnitSums(NamedTuple):
    """Sums over the ratings of each unit, enough for alpha and for the intraclass correlation.

    For values x, about any common origin, with weights w and the unit's weighted mean m: the sums of w,
    of w^2, of w x, of w m^2 and of w (x - m)^2. Shapes (units,) or (units, draws).
    """

    weight: FloatArray
    squared_weight: FloatArray
    value: FloatArray
    squared_mean: FloatArray
    spread: FloatArray


class AlphaTotals(NamedTuple):
    """Sums over the units that have pairs. Shapes () or (draws,).

    The sums of w, w^2, w x and w x^2, and of each unit's w times half its mean squared difference.
    """

    weight: FloatArray
    squared_weight: FloatArray
    value: FloatArray
    square: FloatArray
    disagreement: FloatArray


def unit_sums(value: FloatArray, unit: IntArray, *, weight: Weight | None = None) -> UnitSums:
    """Sums over each unit's ratings, centred first so that far-off values lose no precision.

    `weight`: how often each rating's worker was drawn, a whole number; once if None. Units are 0, 1, 2,
    ...; a value that is NaN is missing. All arrays: (n,). Answer: (units,).
    """
    n_units = int(unit.max(initial=-1)) + 1
    # What was not drawn must not decide where the centre lies.
    present = ~np.isnan(value) if weight is None else ~np.isnan(value) & (weight > 0)
    if not present.all():
        value, unit, weight = value[present], unit[present], None if weight is None else weight[present]

    def summed(amount: Weight | None) -> FloatArray:
        weighted = amount if weight is None else weight if amount is None else weight * amount
        return np.bincount(unit, weighted, n_units).astype(np.float64, copy=False)

    x = centred(value)
    total, first = summed(None), summed(x)
    mean = first / np.maximum(total, 1.0)
    squared_weight = total if weight is None else summed(weight)
    return UnitSums(total, squared_weight, first, first * mean, summed((x - mean[unit]) ** 2))


def centred(value: FloatArray) -> FloatArray:
    """Values about their mean; exactly 0 throughout if they are all the same."""
    if not len(value):
        return value
    above = value - value.min()
    about: FloatArray = above - above.mean()
    return about


def alpha_totals(sums: UnitSums) -> AlphaTotals:
    """What interval alpha takes from the sums over units. Shapes () or (draws,).

    With W, S and Q = W^2 - S the sums of w, of w^2 and of w_i w_j over ordered pairs of a unit, and SS its
    spread, its mean squared difference is 2 W SS / Q, and it counts W times. Units with Q = 0 have no pair
    and do not count.
    """
    square = sums.weight * sums.weight
    pairs = square - sums.squared_weight
    # Weights are whole numbers, and so are pairs: this is 1 for units that count and 0 for the others.
    counts = np.minimum(pairs, 1.0)

    def total(of_unit: FloatArray) -> FloatArray:
        """Sum over the units that count, by a product: much faster than a sum with a mask."""
        found: FloatArray = np.einsum("u...,u...->...", counts, of_unit)
        return found

    return AlphaTotals(
        weight=total(sums.weight),
        squared_weight=total(sums.squared_weight),
        value=total(sums.value),
        square=total(sums.squared_mean + sums.spread),
        disagreement=total(square * sums.spread / np.maximum(pairs, 1.0)),
    )


def interval_alpha_of(totals: AlphaTotals) -> FloatArray:
    """Krippendorff's alpha of values whose differences matter: 1 is perfect, 0 chance. Shape () or (draws,).

    1 - D_o / D_e: the mean squared difference of two ratings of the same unit over that of any two
    ratings [Krippendorff2011]. Units with one rating do not count. NaN, because alpha is undefined, if no
    unit has two ratings or if all ratings are the same: without variation nobody can tell agreement
    from a constant.

    >>> sums = unit_sums(np.array([1.0, 2.0, 4.0, 5.0]), np.array([0, 0, 1, 1]))
    >>> round(float(interval_alpha_of(alpha_totals(sums))), 4)
    0.85
    """
    n = totals.weight
    with np.errstate(invalid="ignore", divide="ignore"):
        about_mean = totals.square - totals.value**2 / n
        # Both are half a mean squared difference: over pairs within units, and over all pairs.
        observed = totals.disagreement / n
        expected = n * about_mean / (n * n - totals.squared_weight)
        alpha = 1.0 - observed / expected
    found: FloatArray = np.where(about_mean > ROUNDING * totals.square, alpha, np.nan)
    return found


def nominal_alpha(category: IntArray, unit: IntArray, *, weight: Weight | None = None) -> float:
    """Krippendorff's alpha for categories, which are either the same or different. In O(n).

    As `interval_alpha_of`, with 1 for a difference between two categories and 0 for none. Categories are
    whole numbers from 0 on. All arrays: (n,).

    >>> round(nominal_alpha(np.array([1, 1, 2, 2, 1, 2]), np.array([0, 0, 1, 1, 2, 2])), 4)
    0.4444
    """
    if not len(category):
        return float("nan")
    n_units, n_categories = int(unit.max()) + 1, int(category.max()) + 1
    w = np.ones(len(unit)) if weight is None else weight.astype(np.float64)
    cell = unit * n_categories + category

    def by_unit(amount: FloatArray) -> tuple[FloatArray, FloatArray]:
        sums = np.bincount(cell, amount, n_units * n_categories).astype(np.float64, copy=False)
        table = sums.reshape(n_units, n_categories)
        return table, table.sum(axis=1)

    in_cell, total = by_unit(w)
    squares_in_cell, squares = by_unit(w * w)
    pairs = total**2 - squares
    counts = pairs > 0
    if not counts.any():
        return float("nan")
    agreeing = (in_cell**2 - squares_in_cell).sum(axis=1)
    n = total[counts].sum()
    observed = (total[counts] * (1.0 - agreeing[counts] / pairs[counts])).sum() / n
    of_category = in_cell[counts].sum(axis=0)
    all_squares = squares[counts].sum()
    equal = (of_category**2).sum() - all_squares
    expected = 1.0 - equal / (n * n - all_squares)
    return float(1.0 - observed / expected) if expected > ROUNDING else float("nan")
