"""Ratings of many workers, or scores of many metrics, on one common scale."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray


class WorkerMoments(NamedTuple):
    """Number, mean and sample deviation (n - 1) of each worker's ratings. All arrays: (workers,)."""

    n: IntArray
    mean: FloatArray
    sd: FloatArray


def worker_moments(
    rating: FloatArray, worker_index: IntArray, *, over: BoolArray | None = None
) -> WorkerMoments:
    """Number, mean and deviation of every worker's ratings; NaN where there are too few.

    `over` marks the rows that count; all do if it is None. Worker indices are 0, 1, 2, ...;
    the answer has one entry up to the largest of them.

    >>> worker_moments(np.array([10., 30., 70.]), np.array([0, 0, 1])).mean
    array([20., 70.])
    """
    n_workers = int(worker_index.max()) + 1 if len(worker_index) else 0
    if over is not None:
        rating, worker_index = rating[over], worker_index[over]
    n = np.bincount(worker_index, minlength=n_workers)
    # Taking each worker's smallest rating off first makes equal ratings deviate by exactly 0,
    # which a rounded mean would not, and keeps the squares of far-off scales small.
    smallest = np.full(n_workers, np.inf)
    np.minimum.at(smallest, worker_index, rating)
    above = rating - smallest[worker_index]
    total = np.bincount(worker_index, above, n_workers)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_above = total / n
        if bool(np.all(above == np.rint(above))):
            # Sums of whole numbers are exact, whatever the order of rows.
            sum_of_squares = np.bincount(worker_index, above**2, n_workers).astype(np.float64)
            sum_of_squares -= total * mean_above
        else:
            deviation = above - mean_above[worker_index]
            sum_of_squares = np.bincount(worker_index, deviation**2, n_workers).astype(np.float64)
        sd = np.where(n > 1, np.sqrt(sum_of_squares / np.maximum(n - 1, 1)), np.nan)
        mean = np.where(n > 0, smallest + mean_above, np.nan)
    return WorkerMoments(n=n, mean=mean, sd=sd)


def standardise_by_worker(
    rating: FloatArray, worker_index: IntArray, *, over: BoolArray | None = None, minimum: int = 2
) -> FloatArray:
    """Ratings on one common scale: distance from the worker's mean in that worker's deviations.

    A strict worker and a generous one who order translations alike then count alike
    [Graham2017]. The drawback: a worker who happened to see only poor systems is pulled up
    to the average, so use this only where HITs are balanced over systems.

    `over` marks the rows that define a worker's mean and deviation; every row is standardised
    with them. Workers with fewer than `minimum` such rows, or with identical ratings in them,
    get NaN. All arrays: (n,).

    >>> standardise_by_worker(np.array([10., 30., 70., 90.]), np.array([0, 0, 1, 1])).round(2)
    array([-0.71,  0.71, -0.71,  0.71])
    """
    return standardised(
        rating, worker_index, moments=worker_moments(rating, worker_index, over=over), minimum=minimum
    )


def standardised(
    rating: FloatArray, worker_index: IntArray, *, moments: WorkerMoments, minimum: int = 2
) -> FloatArray:
    """As `standardise_by_worker`, with means and deviations that are known already."""
    usable = (moments.n >= max(minimum, 2)) & (moments.sd > 0)
    sd = np.where(usable, moments.sd, np.nan)
    z: FloatArray = (rating - moments.mean[worker_index]) / sd[worker_index]
    return z


def standardise_rows(scores: FloatArray) -> FloatArray:
    """Each row (k, m) less its mean, in its standard deviations (n); only less its mean if it does not vary.

    NaN stays, and counts for nothing.

    >>> standardise_rows(np.array([[1.0, 3.0, np.nan], [5.0, 5.0, 5.0]]))
    array([[-1.,  1., nan],
           [ 0.,  0.,  0.]])
    """
    known = ~np.isnan(scores)
    n = np.maximum(np.count_nonzero(known, axis=1), 1)
    centred = scores - (np.sum(scores, axis=1, where=known) / n)[:, None]
    deviation = np.sqrt(np.sum(centred**2, axis=1, where=known) / n)
    in_deviations: FloatArray = centred / np.where(deviation > 0, deviation, 1.0)[:, None]
    return in_deviations
