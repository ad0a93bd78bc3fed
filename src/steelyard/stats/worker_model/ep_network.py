"""Normal quantities tied together two at a time: their joint means, and what each tie says about either."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray

# Means are needed to about this much of a standardised rating: far below any tolerance in use.
_MEAN_TOLERANCE = 1e-13
_MOST_STEPS = 1000
# A message may take no more than this share of what is known about a quantity in one sweep.
_LARGEST_LOSS = 0.9


@dataclass(frozen=True, slots=True)
class Network:
    """Unknowns x with normal priors, and ties that see x[first] + sign x[second].

    Priors are stored as precision and precision times mean; precision 0 is no prior. `incidence`
    (ties, unknowns) turns the unknowns into what the ties see.
    """

    prior_precision: FloatArray
    prior_weighted: FloatArray
    first: IntArray
    second: IntArray
    sign: FloatArray
    incidence: csr_array
    transposed: csr_array


@dataclass(frozen=True, slots=True)
class Sites:
    """Normal stand-ins for ties, as functions of what each sees: precision, and precision times mean."""

    precision: FloatArray
    weighted: FloatArray


@dataclass(frozen=True, slots=True)
class Precisions:
    """How well each unknown is known (`total`), and how much of that each tie adds at either end."""

    to_first: FloatArray
    to_second: FloatArray
    total: FloatArray


def network(
    prior_precision: FloatArray,
    prior_weighted: FloatArray,
    *,
    first: IntArray,
    second: IntArray,
    sign: FloatArray,
) -> Network:
    """The unknowns with their priors and the ties between them."""
    n = len(first)
    places = np.concatenate([first, second])
    rows = np.concatenate([np.arange(n), np.arange(n)])
    entries = np.concatenate([np.ones(n), sign])
    incidence = csr_array((entries, (rows, places)), shape=(n, len(prior_precision)))
    return Network(
        prior_precision, prior_weighted, first, second, sign, incidence, csr_array(incidence.transpose())
    )


def joint_means(ties: Network, sites: Sites, start: FloatArray) -> FloatArray | None:
    """Means of all unknowns under their joint normal distribution; None if it is not one.

    Solved by conjugate gradients from `start`. Passing means along the ties ends at the same place, but
    takes hundreds of rounds: only the priors distinguish a lift of all items from a drop of all workers.
    """

    def apply(x: FloatArray) -> FloatArray:
        result: FloatArray = ties.prior_precision * x + ties.transposed @ (
            sites.precision * (ties.incidence @ x)
        )
        return result

    diagonal = ties.prior_precision + abs(ties.transposed) @ sites.precision
    if not np.all(diagonal > 0):
        return None
    means = start.copy()
    residual = ties.prior_weighted + ties.transposed @ sites.weighted - apply(means)
    scaled = residual / diagonal
    direction, size = scaled, _product(residual, scaled)
    for _ in range(_MOST_STEPS):
        if np.max(np.abs(scaled), initial=0.0) <= _MEAN_TOLERANCE:
            break
        image = apply(direction)
        curvature = _product(direction, image)
        if curvature <= 0:
            return None
        means = means + size / curvature * direction
        residual = residual - size / curvature * image
        scaled = residual / diagonal
        size, before = _product(residual, scaled), size
        direction = scaled + size / before * direction
    return means


def _product(a: FloatArray, b: FloatArray) -> float:
    # Not a @ b: for long arrays that starts threads, which cost more than they save and sum in any order.
    return float(np.sum(a * b))


def first_precisions(ties: Network, site_precision: FloatArray) -> Precisions:
    """A start for `passed_precisions`: as if the unknowns at the other ends were known exactly."""
    n = len(ties.prior_precision)
    total = ties.prior_precision + totals(ties.first, site_precision, n)
    return Precisions(site_precision, site_precision, total + totals(ties.second, site_precision, n))


def passed_precisions(ties: Network, site_precision: FloatArray, now: Precisions) -> Precisions:
    """What each tie adds at either end, given what the other ties add at the opposite one.

    A tie that would end up with no proper distribution keeps what it added before; where the sum would
    leave an unknown with next to nothing, all ties there go only part of the way.
    """
    others_first = now.total[ties.first] - now.to_first
    others_second = now.total[ties.second] - now.to_second
    step_first = _added(site_precision, others_second, now.to_first) - now.to_first
    step_second = _added(site_precision, others_first, now.to_second) - now.to_second
    n = len(now.total)
    step = totals(ties.first, step_first, n) + totals(ties.second, step_second, n)
    part = share_of_step(now.total, step)
    to_first = now.to_first + part[ties.first] * step_first
    to_second = now.to_second + part[ties.second] * step_second
    added = totals(ties.first, to_first, n) + totals(ties.second, to_second, n)
    return Precisions(to_first, to_second, ties.prior_precision + added)


def totals(index: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Sum of the values with each index from 0 to n - 1."""
    return np.bincount(index, values, n).astype(np.float64, copy=False)


def share_of_step(value: FloatArray, step: FloatArray) -> FloatArray:
    """How much of a step each positive value can take and stay well above zero."""
    too_far = step < -_LARGEST_LOSS * value
    return np.where(too_far, _LARGEST_LOSS * value / np.where(too_far, -step, 1.0), 1.0)


def _added(site_precision: FloatArray, opposite: FloatArray, before: FloatArray) -> FloatArray:
    both = site_precision + opposite
    proper = both > 0
    return np.where(proper, site_precision * opposite / np.where(proper, both, 1.0), before)
