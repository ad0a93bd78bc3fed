"""Ratings in each worker's own units: distance from the worker's mean in the worker's deviations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# A worker's mean and deviation are taken as if this many ratings of the average worker had come first:
# measured on real ratings, where workers with a handful of ratings are common.
PSEUDO_RATINGS = 4.0


@dataclass(frozen=True, slots=True)
class OwnUnits:
    """Ratings standardised by worker, and what leads back to points.

    A rating is `centre[worker, criterion] + deviation[worker] * value`. `overall` and `typical`: the mean
    and the deviation of all ratings; `varied`: whether a worker ever gave two different ratings.
    """

    value: FloatArray
    centre: FloatArray
    deviation: FloatArray
    overall: float
    typical: float
    varied: BoolArray


def in_own_units(
    rating: FloatArray, worker: IntArray, criterion: IntArray, *, n_workers: int, n_criteria: int
) -> OwnUnits:
    """The ratings standardised by worker, means and deviations drawn towards everyone's.

    With several criteria each has its own mean for each worker: otherwise someone who gives the
    same rating to everything would seem to agree with others who do, wherever the criteria differ.
    """
    shape = (n_workers, n_criteria)
    cell = worker * n_criteria + criterion
    n, total, square = (part.reshape(shape) for part in _sums(rating, cell, n_workers * n_criteria))
    overall = float(total.sum() / n.sum())
    n_ratings = n.sum(axis=1)
    mean = (total.sum(axis=1) + PSEUDO_RATINGS * overall) / (n_ratings + PSEUDO_RATINGS)
    centre = mean[:, None]
    if n_criteria > 1:
        # How each criterion lies beside the others, over all workers.
        beside = (total - n * mean[:, None]).sum(axis=0) / np.maximum(n.sum(axis=0), 1)
        centre = (total + PSEUDO_RATINGS * (mean[:, None] + beside)) / (n + PSEUDO_RATINGS)
    distance = (total - n * centre).sum(axis=1)
    around_centre = (square - 2 * centre * total + n * centre**2).sum(axis=1)
    squares = np.maximum(around_centre - distance**2 / np.maximum(n_ratings, 1), 0.0)
    freedom = np.maximum(n_ratings - 1, 0)
    usual = squares.sum() / max(freedom.sum(), 1.0) or 1.0
    deviation = np.sqrt((squares + PSEUDO_RATINGS * usual) / (freedom + PSEUDO_RATINGS))
    return OwnUnits(
        value=(rating - centre[worker, criterion]) / deviation[worker],
        centre=centre,
        deviation=deviation,
        overall=overall,
        typical=float(np.sqrt(max(square.sum() / n.sum() - overall**2, 0.0))) or 1.0,
        varied=_varied(rating, worker, n_workers),
    )


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
