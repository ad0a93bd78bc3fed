"""The reliability of one rating, with an interval that allows for other workers and items."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from steelyard.stats.alpha import UnitSums, unit_sums
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.intraclass import one_way_icc, one_way_icc_of, one_way_totals

_TAIL = 0.025
# Less than this is no variance.
_NO_VARIANCE = 1e-18
# If more than half the draws are undefined, their spread means nothing [our choice].
_ENOUGH_SHARE = 0.5


class Rho(NamedTuple):
    """Reliability of one rating and the ends of its 95 % interval; NaN where unknown."""

    value: float
    lower: float
    upper: float


def rho_with_interval(
    value: FloatArray, item: IntArray, worker: IntArray, *, draws: int, rng: np.random.Generator
) -> Rho:
    """ICC(1,1) of the ratings, and its interval from draws of items, of workers and of ratings.

    The correlation of two workers' ratings of one item [Shrout1979]; see `one_way_icc`. Both the items
    and the workers could have been others, and workers differ in care: intervals from draws of items alone
    are far too narrow where workers are few. The variance is that of drawing items plus that of drawing
    workers minus that of drawing single ratings, whose noise the first two both contain [Cameron2011]; it
    is never less than either. The interval is symmetric in log((1 + (k - 1) rho) / (1 - rho)) with k ratings
    per item: there, estimates spread alike whatever rho is. It may reach below 0.

    Workers may have no more than one rating of an item. Items and workers: 0, 1, 2, ... All arrays: (n,).
    """
    sums = unit_sums(value, item)
    rho = float(one_way_icc_of(one_way_totals(sums)))
    if math.isnan(rho):
        return Rho(rho, math.nan, math.nan)
    half = _half_width(value, item, worker, sums=sums, draws=draws, rng=rng)
    return Rho(rho, *_ends(rho, half, size=len(value) / len(sums.weight)))


def _half_width(
    value: FloatArray,
    item: IntArray,
    worker: IntArray,
    *,
    sums: UnitSums,
    draws: int,
    rng: np.random.Generator,
) -> float:
    """Half of a symmetric interval of ICC(1,1); NaN if most draws are undefined.

    Resampling few workers finds too little spread between them, and a quantile of the normal distribution
    would treat it as known: hence n / (n - 1), and Student's quantile with as many degrees of freedom as
    the two parts of the variance have together [Welch1947].
    """
    n_items, n_workers, n = len(sums.weight), int(worker.max()) + 1, len(value)
    of_items, of_workers, of_ratings = (np.empty(draws) for _ in range(3))
    for draw in range(draws):
        drawn = rng.integers(n_items, size=n_items)
        # An item that is drawn twice is two items.
        of_items[draw] = one_way_icc_of(one_way_totals(UnitSums(*(of_item[drawn] for of_item in sums))))
        by_worker = np.bincount(rng.integers(n_workers, size=n_workers), minlength=n_workers)
        of_workers[draw] = one_way_icc(value, item, weight=by_worker[worker])
        by_rating = np.bincount(rng.integers(n, size=n), minlength=n)
        of_ratings[draw] = one_way_icc(value, item, weight=by_rating)
    between_items = _spread(of_items) * n_items / (n_items - 1)
    between_workers = _spread(of_workers) * n_workers / max(n_workers - 1, 1)
    variance = max(
        between_items + between_workers - _spread(of_ratings), between_items, between_workers, _NO_VARIANCE
    )
    freedom = variance**2 / (
        between_items**2 / (n_items - 1) + between_workers**2 / max(n_workers - 1, 1) + _NO_VARIANCE**2
    )
    return float(stdtrit(max(freedom, 1.0), 1 - _TAIL)) * math.sqrt(variance)


def _spread(drawn: FloatArray) -> float:
    known = drawn[np.isfinite(drawn)]
    return float(np.var(known, ddof=1)) if len(known) > _ENOUGH_SHARE * len(drawn) else math.nan


def _ends(rho: float, half: float, *, size: float) -> tuple[float, float]:
    """The interval around rho, with this half-width if it were symmetric; `size`: ratings per item."""
    if math.isnan(half) or rho >= 1:
        return (math.nan, math.nan) if math.isnan(half) else (rho, rho)
    others = max(size, 2.0) - 1
    ratio = max((1 + others * rho) / (1 - rho), 1e-9)
    # Halves wider than this lead to the ends of what rho can be anyway.
    factor = math.exp(min(half * (others + 1) / ((1 - rho) ** 2 * ratio), 300.0))
    lower, upper = ((of - 1) / (of + others) for of in (ratio / factor, ratio * factor))
    return lower, upper
