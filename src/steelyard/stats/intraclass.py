"""The intraclass correlation: how much of the variance of ratings lies between units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.alpha import UnitSums, Weight, unit_sums
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING


class OneWayTotals(NamedTuple):
    """Sums over units. Shapes () or (draws,).

    With W and S a unit's sums of w and of w^2, and m its mean: of W, S, W^2, S / W, w x, w m^2 and
    w (x - m)^2.
    """

    weight: FloatArray
    squared_weight: FloatArray
    square_of_weight: FloatArray
    squared_per_weight: FloatArray
    value: FloatArray
    squared_mean: FloatArray
    spread: FloatArray


def one_way_icc(value: FloatArray, unit: IntArray, *, weight: Weight | None = None) -> float:
    """ICC(1,1): the reliability of one rating of a unit, by one-way random effects. In O(n).

    (MSB - MSW) / (MSB + (k0 - 1) MSW) with the mean squares between and within units [Shrout1979];
    units may have different numbers of ratings, and those with a single one inform the variance
    between. k0 = (N - sum of m^2 / N) / (U - 1), for U units with m ratings each and N together, is
    their mean number corrected for imbalance. It treats every difference between workers as noise.

    `weight`: how often each rating's worker was drawn; once if None. A value that is NaN is missing.
    NaN, because it is undefined, unless there are two units, one of them with two ratings, and ratings
    vary. All arrays: (n,).

    >>> round(one_way_icc(np.array([1., 2., 4., 5.]), np.array([0, 0, 1, 1])), 4)
    0.8947
    """
    return float(one_way_icc_of(one_way_totals(unit_sums(value, unit, weight=weight))))


def one_way_totals(sums: UnitSums) -> OneWayTotals:
    """What ICC(1,1) takes from the sums over units. Shapes () or (draws,)."""
    # Weights are whole numbers: 1 in place of 0 spares a division by it.
    per_weight = sums.squared_weight / np.maximum(sums.weight, 1.0)
    return OneWayTotals(
        weight=sums.weight.sum(axis=0),
        squared_weight=sums.squared_weight.sum(axis=0),
        square_of_weight=np.einsum("u...,u...->...", sums.weight, sums.weight),
        squared_per_weight=per_weight.sum(axis=0),
        value=sums.value.sum(axis=0),
        squared_mean=sums.squared_mean.sum(axis=0),
        spread=sums.spread.sum(axis=0),
    )


def one_way_icc_of(totals: OneWayTotals) -> FloatArray:
    """ICC(1,1) from totals over units. Shape () or (draws,).

    Copies of a rating share its error, so weights are more than repetition. The sums of squares are set
    equal to what they are on average for variances b between and e within units. With W and S a unit's
    sums of w and w^2, and N that of W, this average is e (N - sum S / W) within, and between
    b (N - sum W^2 / N) + e (sum S / W - sum S / N). If all weights are 1 that is the analysis of
    variance, and b / (b + e) is the formula with k0.
    """
    n, per_weight = totals.weight, totals.squared_per_weight
    with np.errstate(invalid="ignore", divide="ignore"):
        between = totals.squared_mean - totals.value**2 / n
        e = totals.spread / (n - per_weight)
        noise = e * (per_weight - totals.squared_weight / n)
        b = (between - noise) / (n - totals.square_of_weight / n)
        correlation = b / (b + e)
    varies = totals.spread + between > ROUNDING * (totals.spread + totals.squared_mean)
    found: FloatArray = np.where(varies & np.isfinite(correlation), correlation, np.nan)
    return found
