"""How well a worker model foretells ratings that it has not seen."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, roots_hermitenorm

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.ep_bounds import Bounds, log_between
from steelyard.stats.worker_model.ep_rating import Cavity, Nodes, nodes_between
from steelyard.stats.worker_model.problem import Posterior, WorkerRatings

_N_POINTS = 41
_BLOCK = 512
_SMALL_BLOCK = 32


def predictive_log_score(
    posterior: Posterior, heldout: WorkerRatings, *, bounds: Bounds | None = None
) -> float:
    """Mean logarithm of the probability that the model gave to ratings held out; higher is better.

    Without bounds: of the density. With bounds: of the probability of the step of the scale that the
    rating stands for, half a step to either side; what lies beyond an end belongs to the last step
    there, or does not exist if the bounds are "truncated". So models of a scale with and without ends
    can be compared: score an unbounded one with "censored" bounds.

    Qualities, offsets (those of HITs included) and precisions are taken as independent. Random clicks,
    where the model knows them, are spread evenly over the scale; without bounds they are left out.
    """
    offset = posterior.offset.mean[heldout.worker]
    variance = posterior.quality.sd[heldout.item] ** 2 + posterior.offset.sd[heldout.worker] ** 2
    if posterior.hit_offset is not None and heldout.hit is not None:
        offset = offset + posterior.hit_offset.mean[heldout.hit]
        variance = variance + posterior.hit_offset.sd[heldout.hit] ** 2
    belief = Cavity(
        mean=posterior.quality.mean[heldout.item] + offset,
        variance=variance,
        shape=posterior.precision.shape[heldout.worker],
        rate=posterior.precision.rate[heldout.worker],
    )
    scores = np.empty(len(heldout.value))
    size = _SMALL_BLOCK if bounds is not None and bounds.kind == "truncated" else _BLOCK
    for start in range(0, len(scores), size):
        rows = slice(start, start + size)
        part = Cavity(belief.mean[rows], belief.variance[rows], belief.shape[rows], belief.rate[rows])
        scores[rows] = _log_scores(heldout.value[rows], part, bounds)
    if posterior.contamination is not None and bounds is not None:
        share = posterior.contamination[heldout.worker]
        scores = np.logaddexp(np.log1p(-share) + scores, np.log(share) - np.log(bounds.steps))
    return float(np.mean(scores))


def _log_scores(value: FloatArray, belief: Cavity, bounds: Bounds | None) -> FloatArray:
    # A rating far out leans on the low end of the likely precisions, by as much as for a rating seen.
    low = belief.shape / (belief.rate + (value - belief.mean) ** 2 / 2)
    nodes = nodes_between(low, (belief.shape + 1) / belief.rate, belief, tail=belief.shape)
    if bounds is None:
        spread = belief.variance[:, None] + 1 / nodes.tau
        squares = (value - belief.mean)[:, None] ** 2 / spread
        return _over_nodes(nodes, -0.5 * np.log(2 * np.pi * spread) - 0.5 * squares)
    if bounds.kind == "truncated":
        return _over_nodes(nodes, _log_truncated_steps(value, belief, nodes, bounds))
    deviation = np.sqrt(belief.variance[:, None] + 1 / nodes.tau)
    lower, upper = _step_ends(value, bounds)
    lower = np.where(bounds.at_low(value), -np.inf, lower)
    upper = np.where(bounds.at_high(value), np.inf, upper)
    low, high = ((end - belief.mean)[:, None] / deviation for end in (lower, upper))
    return _over_nodes(nodes, log_between(low, high))


def _step_ends(value: FloatArray, bounds: Bounds) -> tuple[FloatArray, FloatArray]:
    # The last steps reach only as far as the scale does.
    lower = np.maximum(value - bounds.step / 2, bounds.low)
    return lower, np.minimum(value + bounds.step / 2, bounds.high)


def _log_truncated_steps(value: FloatArray, belief: Cavity, nodes: Nodes, bounds: Bounds) -> FloatArray:
    """Log-probability of each rating's step at each precision, given that it lies on the scale."""
    points, weights = roots_hermitenorm(_N_POINTS)
    middle = (belief.mean[:, None] + np.sqrt(belief.variance)[:, None] * points)[:, None, :]
    root = np.sqrt(nodes.tau)[:, :, None]
    lower, upper = (end[:, None, None] for end in _step_ends(value, bounds))
    within = log_between((lower - middle) * root, (upper - middle) * root)
    scale = log_between((bounds.low - middle) * root, (bounds.high - middle) * root)
    result: FloatArray = logsumexp(within - scale, b=weights / weights.sum(), axis=2)
    return result


def _over_nodes(nodes: Nodes, log_chance: FloatArray) -> FloatArray:
    result: FloatArray = logsumexp(nodes.log_weight + log_chance, axis=1) + np.log(nodes.width)
    return result
