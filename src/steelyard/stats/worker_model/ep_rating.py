"""What one rating says about quality plus offset and the worker's precision, by quadrature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln, zeta

from steelyard.stats.arrays import FloatArray

# Log-precisions per rating; half as many where each needs its own quadrature.
N_NODES = 41
N_FEWER_NODES = 21
# The farthest that nodes reach below the modes, in log-precision: even exp(-50) changes no rating.
_WIDEST = 50.0


@dataclass(frozen=True, slots=True)
class Cavity:
    """What is believed about a rating's unknowns without that rating. All arrays: (n,).

    Quality plus offset is normal with `mean` and `variance`; the precision of the worker is
    Gamma(shape, rate).
    """

    mean: FloatArray
    variance: FloatArray
    shape: FloatArray
    rate: FloatArray


@dataclass(frozen=True, slots=True)
class Tilted:
    """Moments of the same unknowns once the rating is taken into account. All arrays: (n,).

    `log_evidence`: log-probability (density) of the rating; `shift`, `variance`: by how much the mean of
    quality plus offset moves, and its new variance; then mean, variance and mean logarithm of the
    precision.
    """

    log_evidence: FloatArray
    shift: FloatArray
    variance: FloatArray
    tau: FloatArray
    tau_variance: FloatArray
    log_tau: FloatArray


@dataclass(frozen=True, slots=True)
class Nodes:
    """Equidistant log-precisions (n, nodes), their distance (n,), and the prior's log-weight there."""

    log_tau: FloatArray
    tau: FloatArray
    width: FloatArray
    log_weight: FloatArray


def tilted_rating(value: FloatArray, cavity: Cavity) -> Tilted:
    """Moments after a rating that is normal around quality plus offset.

    Given the precision everything is normal; what remains is one dimension, the logarithm of the
    precision, by the trapezoidal rule, which for such smooth bells is exact to many digits.
    """
    residual = value - cavity.mean
    # With g = 1 / (1 + v tau) the derivative of the log-density of log tau vanishes only where
    # tau = (a + g / 2) / (b + (g e)² / 2); as g lies between 0 and 1, every mode lies between these two.
    low = cavity.shape / (cavity.rate + residual**2 / 2)
    high = (cavity.shape + 0.5) / cavity.rate
    nodes = nodes_between(low, high, cavity, tail=cavity.shape + 0.5)
    variance = cavity.variance[:, None]
    gain = variance * nodes.tau
    gain /= 1 + gain
    # The rating's own log-density, of which the variance v + 1 / tau = v / gain.
    log_weight = nodes.log_weight - (residual**2 / (2 * cavity.variance))[:, None] * gain
    log_weight += 0.5 * np.log(gain)
    log_weight -= (0.5 * np.log(2 * np.pi * cavity.variance))[:, None]
    return moments_over_nodes(
        nodes, log_weight, shift=gain * residual[:, None], variance=variance * (1 - gain)
    )


def nodes_between(
    low: FloatArray, high: FloatArray, cavity: Cavity, *, tail: FloatArray, n_nodes: int = N_NODES
) -> Nodes:
    """Nodes that cover the Gamma prior times a likelihood whose modes lie from `low` to `high`.

    Beyond these, weights fall like tau^tail on the left and faster than any power on the right: hence
    the two margins.
    """
    deviation = 1 / np.sqrt(cavity.shape)
    first = np.log(low) - np.minimum(np.maximum(8.0 * deviation, 14.0 / tail), _WIDEST)
    last = np.log(high) + np.minimum(7.0 * deviation, 1.0 + 3.0 * deviation)
    width = (last - first) / (n_nodes - 1)
    log_tau = first[:, None] + width[:, None] * np.arange(n_nodes)
    tau = np.exp(log_tau)
    constant = cavity.shape * np.log(cavity.rate) - gammaln(cavity.shape)
    log_weight = cavity.shape[:, None] * log_tau - cavity.rate[:, None] * tau + constant[:, None]
    return Nodes(log_tau, tau, width, log_weight)


def moments_over_nodes(
    nodes: Nodes, log_weight: FloatArray, *, shift: FloatArray, variance: FloatArray
) -> Tilted:
    """Moments over the nodes from each node's weight and its shift and variance (n, nodes)."""
    largest = log_weight.max(axis=1)
    weight = np.exp(log_weight - largest[:, None])
    total = weight.sum(axis=1)
    weight /= total[:, None]
    mean_shift = _row_sums(weight, shift)
    tau = _row_sums(weight, nodes.tau)
    return Tilted(
        log_evidence=largest + np.log(total * nodes.width),
        shift=mean_shift,
        variance=_row_sums(weight, variance) + _row_sums(weight, (shift - mean_shift[:, None]) ** 2),
        tau=tau,
        tau_variance=_row_sums(weight, (nodes.tau - tau[:, None]) ** 2),
        log_tau=_row_sums(weight, nodes.log_tau),
    )


def _row_sums(weight: FloatArray, values: FloatArray) -> FloatArray:
    sums: FloatArray = np.einsum("nk,nk->n", weight, values)
    return sums


def gamma_by_variance(tilted: Tilted) -> tuple[FloatArray, FloatArray]:
    """Shape and rate of the Gamma distribution with the mean and variance of the precision."""
    rate = tilted.tau / tilted.tau_variance
    return tilted.tau * rate, rate


def gamma_by_logarithm(tilted: Tilted) -> tuple[FloatArray, FloatArray]:
    """Shape and rate of the Gamma distribution with the mean and mean logarithm of the precision.

    Of all Gamma distributions it is the closest to the tilted one in the sense of expectation
    propagation [Minka2001]. The shape solves log a - digamma(a) = log E - E log by Newton's method on
    1/a, which is nearly straight.
    """
    gap = np.log(tilted.tau) - tilted.log_tau
    shape = (3 - gap + np.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(4):
        value = np.log(shape) - digamma(shape) - gap
        slope = 1 / shape - zeta(2, shape)
        shape = 1 / (1 / shape + value / (shape**2 * slope))
    return shape, shape / tilted.tau
