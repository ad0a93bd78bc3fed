"""How far each rating moved a coefficient of agreement, to first order: what its error rests on.

A unit's average over pairs of its ratings is known without any one of them too, and that says what each
rating did to it. A unit of two ratings has one pair, which both share alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from steelyard.domain.exhibit import Chance
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.kappa import PairSums, chance_agreement, observed_agreement


class Influence(NamedTuple):
    """Of each rating: how far it moved the coefficient, and its share in it. Both (n,).

    Influences sum to 0, up to what a small sample adds, and shares to 1. `of_pair` says how far pairs of
    ratings of one unit moved it, given their places; over the pairs of a unit it sums to what its ratings do.
    """

    moved: FloatArray
    share: FloatArray
    of_pair: Callable[[IntArray, IntArray], FloatArray] | None = None


def spread_influence(value: FloatArray, unit: IntArray, *, with_singles: bool) -> Influence:
    """Influences on 1 - (variance within units) / (variance of all ratings). All arrays: (n,).

    That is Krippendorff's alpha if a unit counts by its ratings and one without a second rating not at all,
    and ICC(1,1) if it counts by its degrees of freedom and those `with_singles` are part of the variance.
    """
    size = np.bincount(unit).astype(np.float64)
    m, n_units = size[unit], len(size)
    counts = np.ones(len(value)) if with_singles else (m > 1).astype(np.float64)
    about = value - float(counts @ value) / counts.sum()
    mean = np.bincount(unit, about, n_units) / np.maximum(size, 1.0)
    square = (about - mean[unit]) ** 2
    spread = np.bincount(unit, square, n_units)
    variance = spread / np.maximum(size - 1, 1.0)
    without = (spread[unit] - square * m / np.maximum(m - 1, 1.0)) / np.maximum(m - 2, 1.0)
    weight = size - 1 if with_singles else size * (size > 1)
    within, inner = _averaged(variance, without, unit, weight=np.maximum(weight, 0.0))
    total = float(counts @ about**2) / counts.sum()
    outer = counts * (about**2 - total) / counts.sum()
    outer = within / total**2 * outer

    def of_pair(i: IntArray, j: IntArray) -> FloatArray:
        apart = 2 * inner.share[i] * ((about[i] - about[j]) ** 2 / 2 - within)
        moved: FloatArray = (outer[i] + outer[j] - apart / total) / (m[i] - 1)
        return moved

    return Influence(outer - inner.moved / total, inner.share, of_pair)


def match_influence(
    category: IntArray, unit: IntArray, *, weight: FloatArray, chance: Chance = "uniform", n_categories: int
) -> Influence:
    """Influences on kappa: categories 0, 1, ... of ratings (n,), units counting by `weight` (units,).

    Units without a second rating must have weight 0. With each unit's number of ratings for weight and
    chance "scott" it is Krippendorff's alpha for categories.
    """
    size = np.bincount(unit).astype(np.float64)
    m = size[unit]
    cell = unit * n_categories + category
    in_cell = np.bincount(cell, minlength=len(size) * n_categories).astype(np.float64)
    agreeing = (in_cell**2).reshape(len(size), n_categories).sum(axis=1) - size
    average = agreeing / np.maximum(size * (size - 1), 1.0)
    without = (agreeing[unit] - 2 * (in_cell[cell] - 1)) / np.maximum((m - 1) * (m - 2), 1.0)
    observed, inner = _averaged(average, without, unit, weight=weight)
    by_chance, outer = 1 / n_categories, np.zeros(len(unit))
    if chance != "uniform":
        shares = np.bincount(category, inner.share, n_categories)
        by_chance = float(shares @ shares)
        outer = 2 * inner.share * (shares[category] - by_chance)
    beyond = 1 - by_chance
    outer = (1 - observed) / beyond**2 * outer

    def of_pair(i: IntArray, j: IntArray) -> FloatArray:
        alike = 2 * inner.share[i] * ((category[i] == category[j]) - observed)
        moved: FloatArray = (alike / beyond - outer[i] - outer[j]) / (m[i] - 1)
        return moved

    return Influence(inner.moved / beyond - outer, inner.share, of_pair)


def repeat_influence(first: IntArray, second: IntArray, *, sums: PairSums, chance: Chance) -> Influence:
    """Influences of pairs of categories 1, 2, ... (n,) on kappa, which has these sums."""
    n = len(first)
    share = np.full(n, 1 / n)
    observed, by_chance = float(observed_agreement(sums)), float(chance_agreement(sums, chance=chance))
    beyond = 1 - by_chance
    moved = ((first == second) - observed) / beyond
    if chance != "uniform":
        firsts, seconds = sums.first / n, sums.second / n
        if chance == "scott":
            firsts = seconds = (firsts + seconds) / 2
        outer = seconds[first - 1] + firsts[second - 1] - 2 * by_chance
        moved = moved - (1 - observed) / beyond**2 * outer
    return Influence(moved / n, share)


def correlation_influence(x: FloatArray, y: FloatArray, correlation: float) -> Influence:
    """Influences of pairs of values about their means (n,) on Pearson's correlation."""
    x, y = x / np.sqrt(np.mean(x * x)), y / np.sqrt(np.mean(y * y))
    n = len(x)
    return Influence((x * y - correlation * (x * x + y * y) / 2) / n, np.full(n, 1 / n))


def _averaged(
    average: FloatArray, without: FloatArray, unit: IntArray, *, weight: FloatArray
) -> tuple[float, Influence]:
    """A weighted mean of units' averages over pairs, and each rating's influence on it.

    `average` and `weight`: (units,); `without`: (n,), the average of the rating's unit without the rating,
    which is not looked at in units of two.
    """
    size = np.bincount(unit).astype(np.float64)
    m, of_unit = size[unit], average[unit]
    found = float(weight @ average) / weight.sum()
    share = (weight / weight.sum() / np.maximum(size, 1.0))[unit]
    own = np.where(m > 2, (m - 1) * (of_unit - without), 0.0)
    return found, Influence(share * (of_unit - found + own), share)
