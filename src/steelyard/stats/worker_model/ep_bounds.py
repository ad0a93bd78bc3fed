"""What a rating says if the scale ends: ratings cut off at its ends, or never drawn beyond them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, partial
from typing import Literal

import numpy as np
from scipy.special import log_ndtr, ndtr, roots_hermitenorm

from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.worker_model.ep_order import above
from steelyard.stats.worker_model.ep_rating import (
    N_FEWER_NODES,
    Cavity,
    Tilted,
    moments_over_nodes,
    nodes_between,
    tilted_rating,
)

_Moments = Callable[[FloatArray, Cavity], Tilted]


# Points per precision for the integral over quality plus offset; a few are enough to find where it lies.
_N_POINTS = 21
_N_FIRST_POINTS = 9
# A standardised rating this share of the scale from an end was given at the end.
_AT_END = 1e-9
# Ratings whose quadratures fit the processor's cache together.
_BLOCK = 256
_SMALL_BLOCK = 24


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ends of the scale, standardised like the ratings, and what happens there.

    "censored": a rating at an end stands for any opinion beyond it. "truncated": opinions beyond the
    ends do not occur, which is what the paper proposes [Mathur2018, section 4]. `steps`: into how many
    the scale is divided, 100 for whole points from 0 to 100.
    """

    low: float
    high: float
    kind: Literal["censored", "truncated"] = "censored"
    steps: int = 100

    @property
    def step(self) -> float:
        """Distance of neighbouring ratings."""
        return (self.high - self.low) / self.steps

    def at_low(self, value: FloatArray) -> BoolArray:
        """Which ratings are the lowest possible."""
        return value <= self.low + _AT_END * (self.high - self.low)

    def at_high(self, value: FloatArray) -> BoolArray:
        """Which ratings are the highest possible."""
        return value >= self.high - _AT_END * (self.high - self.low)

    def outside(self, value: FloatArray) -> BoolArray:
        """Which ratings are impossible."""
        slack = _AT_END * (self.high - self.low)
        return (value < self.low - slack) | (value > self.high + slack)


def tilted_ratings(value: FloatArray, cavity: Cavity, bounds: Bounds | None) -> Tilted:
    """Moments after each rating, whatever the scale does at its ends."""
    if bounds is None:
        return _by_blocks(tilted_rating, value, cavity, _BLOCK)
    if bounds.kind == "truncated":
        return _by_blocks(partial(tilted_truncated, bounds=bounds), value, cavity, _SMALL_BLOCK)
    low, high = bounds.at_low(value), bounds.at_high(value)
    parts: list[tuple[BoolArray, _Moments]] = [
        (~(low | high), tilted_rating),
        (low, partial(tilted_beyond, direction=-1, end=bounds.low)),
        (high, partial(tilted_beyond, direction=1, end=bounds.high)),
    ]
    result = np.empty((len(fields(Tilted)), len(value)))
    for rows, moments in parts:
        found = _by_blocks(moments, value[rows], _rows(cavity, rows), _BLOCK)
        result[:, rows] = [getattr(found, field.name) for field in fields(Tilted)]
    return Tilted(*result)


def _by_blocks(moments: _Moments, value: FloatArray, cavity: Cavity, size: int) -> Tilted:
    result = np.empty((len(fields(Tilted)), len(value)))
    for start in range(0, len(value), size):
        rows = slice(start, start + size)
        found = moments(value[rows], _rows(cavity, rows))
        result[:, rows] = [getattr(found, field.name) for field in fields(Tilted)]
    return Tilted(*result)


def _rows(cavity: Cavity, rows: slice | BoolArray) -> Cavity:
    return Cavity(cavity.mean[rows], cavity.variance[rows], cavity.shape[rows], cavity.rate[rows])


def tilted_beyond(_value: FloatArray, cavity: Cavity, *, end: float, direction: int) -> Tilted:
    """Moments after ratings known only to lie beyond an end of the scale.

    `direction` is 1 for the upper end and -1 for the lower one; their values say no more.
    """
    distance = direction * (cavity.mean - end)
    shortfall = np.minimum(distance, 0.0)
    # The probability rises with log tau by less than 0.15 where it is above a half, and falls by at
    # most d² tau + 0.08 where it is below: no mode lies outside these.
    low = np.maximum(cavity.shape - 0.08, cavity.shape / 2) / (cavity.rate + shortfall**2)
    nodes = nodes_between(low, (cavity.shape + 0.15) / cavity.rate, cavity, tail=cavity.shape)
    variance = cavity.variance[:, None]
    gain = variance * nodes.tau / (1 + variance * nodes.tau)
    t = (distance / np.sqrt(cavity.variance))[:, None] * np.sqrt(gain)
    slope, curvature = above(t)
    return moments_over_nodes(
        nodes,
        nodes.log_weight + log_ndtr(t),
        shift=direction * np.sqrt(variance * gain) * slope,
        variance=variance * (1 - gain * curvature),
    )


def tilted_truncated(value: FloatArray, cavity: Cavity, bounds: Bounds) -> Tilted:
    """Moments after a rating from a normal distribution of which only the part on the scale exists."""
    residual = value - cavity.mean
    low = cavity.shape / (cavity.rate + (residual**2 + cavity.variance) / 2)
    high = (cavity.shape + 1) / cavity.rate
    nodes = nodes_between(low, high, cavity, tail=cavity.shape, n_nodes=N_FEWER_NODES)
    gain = cavity.variance[:, None] * nodes.tau / (1 + cavity.variance[:, None] * nodes.tau)
    # A first look from between the deviation inside the scale, where the rating counts in full, and the
    # one far outside, where it hardly does; then a closer one from the moments found.
    place, spread = gain * residual[:, None], cavity.variance[:, None] * np.sqrt(1 - gain)
    for n_points in (_N_FIRST_POINTS, _N_POINTS):
        log_weight, place, spread = _over_points(value, cavity, bounds, nodes.tau, (place, spread, n_points))
        # The curvature of the log-density lies between 1 / v and 1 / v + tau, and so, the other way
        # round, does the variance.
        spread = np.clip(spread, cavity.variance[:, None] * (1 - gain), cavity.variance[:, None])
    return moments_over_nodes(nodes, nodes.log_weight + log_weight, shift=place, variance=spread)


def _over_points(
    value: FloatArray,
    cavity: Cavity,
    bounds: Bounds,
    tau: FloatArray,
    base: tuple[FloatArray, FloatArray, int],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log-evidence, shift and variance of quality plus offset for each precision. All: (n, nodes).

    Gauss-Hermite quadrature around the shift and variance in `base`.
    """
    place, spread, n_points = base
    points, weights = _hermite(n_points)
    shift = place[..., None] + np.sqrt(spread)[..., None] * points
    middle = cavity.mean[:, None, None] + shift
    log_prior = (
        -0.5 * shift**2 / cavity.variance[:, None, None] - 0.5 * np.log(cavity.variance)[:, None, None]
    )
    log_base = -0.5 * points**2 - 0.5 * np.log(spread)[..., None]
    log_weight = log_prior + _log_truncated(value[:, None, None], middle, tau[..., None], bounds) - log_base
    largest = log_weight.max(axis=-1)
    weight = np.exp(log_weight - largest[..., None]) * weights
    total = weight.sum(axis=-1)
    mean = (weight * shift).sum(axis=-1) / total
    variance = (weight * (shift - mean[..., None]) ** 2).sum(axis=-1) / total
    return largest + np.log(total), mean, variance


def _log_truncated(value: FloatArray, middle: FloatArray, tau: FloatArray, bounds: Bounds) -> FloatArray:
    root = np.sqrt(tau)
    log_density = 0.5 * np.log(tau / (2 * np.pi)) - 0.5 * tau * (value - middle) ** 2
    return log_density - log_between((bounds.low - middle) * root, (bounds.high - middle) * root)


def log_between(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Log-probability of a standard normal value between two limits, exact in both tails."""
    flipped = lower + upper > 0
    far, near = np.where(flipped, -upper, lower), np.where(flipped, -lower, upper)
    # 38 deviations out the probability is too small for a number; nothing that far out ever matters.
    result: FloatArray = np.log(np.maximum(ndtr(near) - ndtr(far), np.finfo(float).tiny))
    return result


@cache
def _hermite(n: int) -> tuple[FloatArray, FloatArray]:
    points, weights = roots_hermitenorm(n)
    return points, weights / np.sqrt(2 * np.pi)
