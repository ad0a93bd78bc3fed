"""Ratings in each worker's own units: distance from the worker's mean in the worker's deviations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.pooling import rating_units, spread_between
from steelyard.stats.standardise import WorkerMoments


@dataclass(frozen=True, slots=True)
class OwnUnits:
    """Ratings standardised by worker, and what leads back to points.

    A rating is `centre[worker, criterion] + deviation[worker] * value`. `own` (workers, criteria): how much
    of a centre is the mean of its own ratings, the rest being that of others. `pooled`: how far a worker's
    ratings probably lie apart, in points. `overall` and `typical`: the mean and the deviation of all ratings;
    `varied`: whether a worker ever gave two different ratings.
    """

    value: FloatArray
    centre: FloatArray
    deviation: FloatArray
    own: FloatArray
    pooled: FloatArray
    overall: float
    typical: float
    varied: BoolArray


def in_own_units(
    rating: FloatArray, worker: IntArray, criterion: IntArray, *, n_workers: int, n_criteria: int
) -> OwnUnits:
    """The ratings standardised by worker, means and deviations of few ratings drawn towards everyone's.

    See `rating_units`. With several criteria each has its own mean for each worker, drawn towards the
    worker's: otherwise someone who gives the same rating to everything would seem to agree with others who
    do, wherever the criteria differ.
    """
    shape = (n_workers, n_criteria)
    varied = _varied(rating, worker, n_workers)
    # From the smallest on, squares of far-off scales are small.
    smallest = float(rating.min(initial=np.inf))
    cell = worker * n_criteria + criterion
    n, total, square = (
        part.reshape(shape) for part in _sums(rating - smallest, cell, n_workers * n_criteria)
    )
    overall = float(total.sum() / n.sum())
    # How each criterion lies beside the others, over all workers.
    mean = total.sum(axis=1) / np.maximum(n.sum(axis=1), 1)
    beside = (total - n * mean[:, None]).sum(axis=0) / np.maximum(n.sum(axis=0), 1)
    moments = _moments(n, total - n * beside, square - 2 * beside * total + n * beside**2, varied.copy())
    units = rating_units(moments)
    deviation = np.where(np.isfinite(units.deviation), units.deviation, 1.0)
    centre = np.where(np.isfinite(units.centre), units.centre, overall)[:, None] + beside
    own = np.broadcast_to(units.own[:, None], shape)
    if n_criteria > 1:
        centre, kept = _by_criterion(centre, deviation, n, total)
        own = own + (1 - own) * kept
    return OwnUnits(
        value=(rating - smallest - centre[worker, criterion]) / deviation[worker],
        centre=centre + smallest,
        deviation=deviation,
        own=np.nan_to_num(own),
        pooled=np.where(np.isfinite(units.pooled), units.pooled, 1.0),
        overall=overall + smallest,
        typical=float(np.sqrt(max(square.sum() / n.sum() - overall**2, 0.0))) or 1.0,
        varied=varied,
    )


def _moments(n: FloatArray, total: FloatArray, square: FloatArray, varied: BoolArray) -> WorkerMoments:
    """Moments of each worker from sums by worker and criterion."""
    count = n.sum(axis=1)
    mean = total.sum(axis=1) / np.maximum(count, 1)
    squares = square.sum(axis=1) - count * mean**2
    # What is left of equal ratings is rounding.
    varied &= squares > 1e-12 * square.sum()
    sd = np.where(varied, np.sqrt(np.maximum(squares, 0.0) / np.maximum(count - 1, 1)), 0.0)
    return WorkerMoments(count.astype(np.int64), mean, sd)


def _by_criterion(
    centre: FloatArray, deviation: FloatArray, n: FloatArray, total: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Centres of each worker and criterion, and how much of the distance from the worker's own was kept."""
    here = n > 0
    apart = np.where(here, total / np.maximum(n, 1) - centre, 0.0)
    error = (deviation**2)[:, None] / np.maximum(n, 1)
    _, between = spread_between(apart[here], error[here])
    kept = np.where(here, between / (between + error), 0.0)
    return centre + kept * apart, kept


def _sums(rating: FloatArray, cell: IntArray, n_cells: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Number, sum and sum of squares of the ratings in each cell, the same to the last bit in any order."""
    if not (rating % 1 == 0).all():
        # Sums of whole numbers are exact anyhow.
        order = np.lexsort((rating, cell))
        rating, cell = rating[order], cell[order]
    n = np.bincount(cell, minlength=n_cells).astype(np.float64)
    total, square = np.bincount(cell, rating, n_cells), np.bincount(cell, rating**2, n_cells)
    return n, total.astype(np.float64), square.astype(np.float64)


def _varied(rating: FloatArray, worker: IntArray, n_workers: int) -> BoolArray:
    """Whether each worker gave any two different ratings."""
    some = np.zeros(n_workers)
    some[worker] = rating
    differs: BoolArray = np.bincount(worker[rating != some[worker]], minlength=n_workers) > 0
    return differs
