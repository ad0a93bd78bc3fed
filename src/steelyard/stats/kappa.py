"""Agreement in categories beyond chance, from sums over pairs of ratings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.domain.exhibit import Chance
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING


class PairSums(NamedTuple):
    """What kappa must know about pairs: how many agree, and how often each side has each category.

    Shapes: `agreeing` (...), `first` and `second` (..., C).
    """

    agreeing: FloatArray
    first: FloatArray
    second: FloatArray

    @property
    def n_pairs(self) -> FloatArray:
        """Number of pairs, or their total weight. Shape (...)."""
        total: FloatArray = self.first.sum(axis=-1)
        return total


def pair_sums(first: IntArray, second: IntArray, *, n_categories: int) -> PairSums:
    """Sums over pairs of categories 1, 2, ..., C. Shapes (), (C,), (C,).

    >>> sums = pair_sums(np.array([1, 1, 2]), np.array([1, 2, 2]), n_categories=2)
    >>> float(sums.agreeing), sums.first.tolist(), sums.second.tolist()
    (2.0, [2.0, 1.0], [1.0, 2.0])
    """
    counts = (np.bincount(side - 1, minlength=n_categories).astype(np.float64) for side in (first, second))
    return PairSums(np.array(float(np.sum(first == second))), *counts)


def observed_agreement(sums: PairSums) -> FloatArray:
    """Share of pairs whose members have the same category; NaN without pairs. Shape (...)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share: FloatArray = sums.agreeing / sums.n_pairs
    return share


def chance_agreement(sums: PairSums, *, chance: Chance) -> FloatArray:
    """Share of pairs that would agree by chance. Shape (...).

    `uniform`: 1 / C, as if each category were as likely as any other. That makes kappa the S coefficient
    [Bennett1954], and it is what the published tables have [Graham2013]. `cohen`: first and second members
    each have their own shares of the categories [Cohen1960]. `scott`: they have the pooled shares
    [Scott1955]. Pairs without an order count in both, so `first` equals `second`, and so do the last two.
    """
    n_categories = sums.first.shape[-1]
    if chance == "uniform":
        return np.full(np.shape(sums.agreeing), 1.0 / n_categories)
    with np.errstate(invalid="ignore", divide="ignore"):
        first = sums.first / sums.n_pairs[..., None]
        second = sums.second / sums.n_pairs[..., None]
    if chance == "scott":
        first = second = (first + second) / 2
    share: FloatArray = np.sum(first * second, axis=-1)
    return share


def kappa(sums: PairSums, *, chance: Chance) -> FloatArray:
    """(Pr(a) - Pr(e)) / (1 - Pr(e)): agreement beyond what `chance` alone gives. Shape (...).

    1 is perfect, 0 is chance. NaN without pairs, and where chance itself always agrees: one category
    only, or with `cohen` and `scott` one category only that was ever used.

    >>> sums = PairSums(np.array(3.0), np.array([2.0, 2.0]), np.array([3.0, 1.0]))
    >>> float(kappa(sums, chance="uniform")), float(kappa(sums, chance="cohen"))
    (0.5, 0.5)
    """
    return beyond_chance(observed_agreement(sums), chance_agreement(sums, chance=chance))


def beyond_chance(observed: FloatArray, by_chance: FloatArray) -> FloatArray:
    """Kappa from observed and chance agreement; NaN where chance always agrees. Shape of both."""
    with np.errstate(invalid="ignore", divide="ignore"):
        beyond = (observed - by_chance) / (1.0 - by_chance)
    found: FloatArray = np.where(by_chance < 1.0 - ROUNDING, beyond, np.nan)
    return found
