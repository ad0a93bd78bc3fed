"""What a crowd says of a worker who gave few ratings: means and deviations drawn towards everyone's.

How strongly they are drawn is learned from how much workers differ beyond chance. Where they hardly differ,
few ratings of one worker say little that the crowd does not; where they differ much, as they do among
clickers, the crowd says little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from steelyard.stats.arrays import FloatArray
from steelyard.stats.standardise import WorkerMoments

_MOST_STEPS, _ENOUGH = 100, 1e-10


class RatingUnits(NamedTuple):
    """A standardised rating is (rating - centre) / deviation, by worker; NaN where the crowd never varies.

    `own`: how much of a centre is the mean of the worker's own ratings. `pooled`: how far a worker's ratings
    probably lie apart, which is not the unit where there are few of them. All arrays: (workers,).
    """

    centre: FloatArray
    deviation: FloatArray
    own: FloatArray
    pooled: FloatArray


def rating_units(moments: WorkerMoments) -> RatingUnits:
    """Units in which a rating is the mean of two views of its worker.

    By the first the worker stands alone: distance from the own mean in own deviations, 0 where these do not
    exist. By the second the worker is one of a crowd, and both are drawn towards everyone's. Neither can be
    proved by a handful of ratings: one mistakes chance for habits, the other takes clickers for a part of
    the crowd. With many ratings they are the same.
    """
    varied = moments.sd > 0
    pooled = pooled_deviation(moments)
    mean, kept = pooled_mean(moments, pooled)
    with np.errstate(divide="ignore", invalid="ignore"):
        alone = np.where(varied, 1 / moments.sd, 0.0)
        together = 1 / pooled
        total = alone + together
        # A mean that does not exist has no part in the centre either.
        centre = (alone * np.where(varied, moments.mean, 0.0) + together * mean) / total
        return RatingUnits(centre, 2 / total, (alone + together * kept) / total, pooled)


def pooled_deviation(moments: WorkerMoments) -> FloatArray:
    """Deviations drawn towards everyone's, as variances with an inverse-gamma prior learned from them all.

    The prior is worth as many ratings as workers' variances are alike [Smyth2004]. Workers of one rating have
    its deviation; those who never vary say nothing about it. NaN throughout where nobody varies.
    """
    freedom = np.maximum(moments.n - 1, 0).astype(np.float64)
    varied = moments.sd > 0
    if not varied.any():
        return np.full(len(freedom), np.nan)
    half = freedom[varied] / 2
    # The logarithm of a sample variance has this mean and variance around that of the true one.
    logarithm = 2 * np.log(moments.sd[varied]) - digamma(half) + np.log(half)
    centre, between = spread_between(logarithm, polygamma(1, half))
    squares = freedom * np.where(varied, moments.sd, 0.0) ** 2
    if between < _ENOUGH:
        return np.full(len(freedom), np.sqrt(squares.sum() / freedom[varied].sum()))
    prior = _inverse_trigamma(between)
    usual = np.exp(centre + digamma(prior) - np.log(prior))
    deviation: FloatArray = np.sqrt((2 * prior * usual + squares) / (2 * prior + freedom))
    return deviation


def pooled_mean(moments: WorkerMoments, deviation: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means drawn towards everyone's, and how much of each is the worker's own; of workers of no rating 0."""
    here = moments.n > 0
    error = deviation**2 / np.maximum(moments.n, 1)
    centre, between = spread_between(moments.mean[here], error[here])
    with np.errstate(invalid="ignore"):
        kept = np.where(here, between / (between + error), 0.0)
    return centre + kept * (np.where(here, moments.mean, centre) - centre), kept


def spread_between(value: FloatArray, error: FloatArray) -> tuple[float, float]:
    """Mean and variance of what values measure, each value with an error of this variance [Paule1982].

    The variance is the one with which the values scatter as much as they should; never below 0, and 0 for a
    single value.

    >>> np.round(spread_between(np.array([0.0, 4.0]), np.array([1.0, 1.0])), 6).tolist()
    [2.0, 7.0]
    """
    variance = 0.0
    for _ in range(_MOST_STEPS):
        weight = 1 / (variance + error)
        mean = float((weight * value).sum() / weight.sum())
        distance = weight * (value - mean)
        excess = float((distance * (value - mean)).sum()) - (len(value) - 1)
        # From below, Newton's steps grow shorter and never pass the answer.
        if len(value) < 2 or excess <= _ENOUGH * len(value):
            break
        variance += excess / float((distance**2).sum())
    return mean, variance


def _inverse_trigamma(value: float) -> float:
    """Where the trigamma function has this value, by Newton's method on its inverse."""
    found = 0.5 + 1 / value
    for _ in range(_MOST_STEPS):
        there = float(polygamma(1, found))
        step = there * (1 - there / value) / float(polygamma(2, found))
        found += step
        if -step / found < _ENOUGH:
            break
    return found
