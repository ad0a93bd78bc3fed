"""The reliability of one rating, with an interval that allows for other workers and documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class RatedItems:
    """Ratings of items: `value`, `item` and `worker`, (n,), and the `document` of each item, (items,).

    Workers may have no more than one rating of an item. Items, workers and documents: 0, 1, 2, ...
    """

    value: FloatArray
    item: IntArray
    worker: IntArray
    document: IntArray


def rho_with_interval(rated: RatedItems, *, draws: int, rng: np.random.Generator) -> Rho:
    """ICC(1,1) of the ratings, and its interval from draws of documents, of workers and of both.

    The correlation of two workers' ratings of one item [Shrout1979]; see `one_way_icc`. Both the documents
    and the workers could have been others, and workers differ in care: intervals from draws of items alone
    are far too narrow where workers are few, or where the items of one document are alike. The variance is
    that of drawing documents plus that of drawing workers minus that of drawing what one worker said of one
    document, whose noise the first two both contain [Cameron2011]; it is never less than either. The interval
    is symmetric in log((1 + (k - 1) rho) / (1 - rho)) with k ratings per item: there, estimates spread alike
    whatever rho is. It may reach below 0.
    """
    sums = unit_sums(rated.value, rated.item)
    rho = float(one_way_icc_of(one_way_totals(sums)))
    if math.isnan(rho):
        return Rho(rho, math.nan, math.nan)
    half = _half_width(rated, sums, draws=draws, rng=rng)
    return Rho(rho, *_ends(rho, half, size=len(rated.value) / len(sums.weight)))


def _half_width(rated: RatedItems, sums: UnitSums, *, draws: int, rng: np.random.Generator) -> float:
    """Half of a symmetric interval of ICC(1,1); NaN if most draws are undefined.

    Resampling few workers finds too little spread between them, and a quantile of the normal distribution
    would treat it as known: hence n / (n - 1), and Student's quantile with as many degrees of freedom as
    the two parts of the variance have together [Welch1947].
    """
    n_items, n_workers = len(sums.weight), int(rated.worker.max()) + 1
    # Of a single document nothing can be learnt about others: its items stand for themselves.
    document = rated.document if rated.document.any() else np.arange(n_items)
    n_documents = int(document.max()) + 1
    cells, cell = np.unique(rated.worker * n_documents + document[rated.item], return_inverse=True)
    of_documents, of_workers, of_cells = (np.empty(draws) for _ in range(3))
    for draw in range(draws):
        # An item that is drawn twice is two items.
        drawn = np.repeat(np.arange(n_items), _times(n_documents, rng)[document])
        of_documents[draw] = one_way_icc_of(one_way_totals(UnitSums(*(of_item[drawn] for of_item in sums))))
        by_worker = _times(n_workers, rng)[rated.worker]
        of_workers[draw] = one_way_icc(rated.value, rated.item, weight=by_worker)
        of_cells[draw] = one_way_icc(rated.value, rated.item, weight=_times(len(cells), rng)[cell])
    between_documents = _spread(of_documents) * n_documents / (n_documents - 1)
    between_workers = _spread(of_workers) * n_workers / max(n_workers - 1, 1)
    variance = max(
        between_documents + between_workers - _spread(of_cells),
        between_documents,
        between_workers,
        _NO_VARIANCE,
    )
    freedom = variance**2 / (
        between_documents**2 / (n_documents - 1)
        + between_workers**2 / max(n_workers - 1, 1)
        + _NO_VARIANCE**2
    )
    return float(stdtrit(max(freedom, 1.0), 1 - _TAIL)) * math.sqrt(variance)


def _times(n: int, rng: np.random.Generator) -> IntArray:
    """How often each of n is drawn, of n draws with replacement."""
    return np.bincount(rng.integers(n, size=n), minlength=n)


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
