"""The reliability of one rating from a curve of correlations, such as a published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.planning.sample_size import reliability_of

# Rho is looked for in steps of this size first, then ever closer around the best.
_STEP = 0.01
_GOLDEN = (math.sqrt(5) - 1) / 2
_CLOSE = 1e-10


class RhoFit(NamedTuple):
    """The reliability of one rating that fits best, and what is left: the sum of squared residuals."""

    rho: float
    residual: float


def fit_rho(ratings: Sequence[float], r: Sequence[float], *, full: float | None = None) -> RhoFit:
    """The rho whose Spearman-Brown curve comes closest to correlations of means of these numbers of ratings.

    By least squares. The correlations are of N ratings against N others; with `full`, of N against so
    many. The published replication of Spanish-English, whose figure does not say which, is the first
    [Graham2015]:

    >>> fit = fit_rho([1, 2, 5, 10, 15, 40], [0.41, 0.60, 0.76, 0.86, 0.91, 0.97])
    >>> round(fit.rho, 3), round(fit.residual, 4)
    (0.41, 0.0008)
    """
    if len(ratings) != len(r) or not len(r):
        raise ValueError("a fit needs as many correlations as numbers of ratings, one at least")

    def residual(rho: float) -> float:
        return sum(
            (expected_r(n, rho=rho, full=full) - found) ** 2 for n, found in zip(ratings, r, strict=True)
        )

    steps = round(1 / _STEP)
    best = min((place * _STEP for place in range(1, steps)), key=residual)
    low, high = max(best - _STEP, 1e-9), min(best + _STEP, 1 - 1e-9)
    while high - low > _CLOSE:
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if residual(left) < residual(right):
            high = right
        else:
            low = left
    rho = (low + high) / 2
    return RhoFit(rho, residual(rho))


def expected_r(ratings: float, *, rho: float, full: float | None = None) -> float:
    """Correlation of the means of this many ratings with those of as many others, or of `full` others.

    sqrt(r_N r_M) by Spearman and Brown; for M = N that is r_N.

    >>> round(expected_r(5, rho=0.41), 3), round(expected_r(5, rho=0.41, full=40), 3)
    (0.777, 0.866)
    """
    alone = reliability_of(ratings, rho=rho)
    return alone if full is None else math.sqrt(alone * reliability_of(full, rho=rho))
