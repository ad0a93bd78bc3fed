"""One round of expectation propagation: every stand-in renewed given the others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logit

from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.worker_model.ep_bounds import tilted_ratings
from steelyard.stats.worker_model.ep_model import EpModel
from steelyard.stats.worker_model.ep_network import (
    Precisions,
    Sites,
    first_precisions,
    joint_means,
    passed_precisions,
    share_of_step,
    totals,
)
from steelyard.stats.worker_model.ep_options import EpOptions
from steelyard.stats.worker_model.ep_order import order_site
from steelyard.stats.worker_model.ep_rating import (
    Cavity,
    gamma_by_logarithm,
    gamma_by_variance,
)
from steelyard.stats.worker_model.problem import Posterior, WorkerRatings
from steelyard.stats.worker_model.published import PublishedPriors

# Halvings of a step that left the joint distribution improper before it is given up.
_MOST_HALVINGS = 20
_PACE_TRUNCATED = 0.2
# A precision of which less than this share of the prior is left is practically unknown.
_LEAST = 0.01


class ImproperStep(ArithmeticError):  # noqa: N818 (it is the step that is wrong)
    """No step, however short, leaves a proper distribution."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not change from sweep to sweep."""

    ratings: WorkerRatings
    priors: PublishedPriors
    options: EpOptions
    model: EpModel


@dataclass(frozen=True, slots=True)
class EpState:
    """The approximation: stand-ins for ties, what they add to precisions, means; Gamma messages.

    `shape_message`, `rate_message`: what each rating adds to the worker's Gamma distribution;
    `honest`: the probability that a rating is none of the random clicks.
    """

    sites: Sites
    precisions: Precisions
    means: FloatArray
    shape_message: FloatArray
    rate_message: FloatArray
    shape: FloatArray
    rate: FloatArray
    honest: FloatArray


@dataclass(frozen=True, slots=True)
class Round:
    """The state after a round, and how it came about.

    `length`: the part of the full step that was taken; `change`: how far the full step would have moved
    a natural parameter; `skipped`: updates that were left out.
    """

    state: EpState
    length: float
    change: float
    skipped: int


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the ratings would like their stand-ins and messages to be."""

    sites: Sites
    shape_message: FloatArray
    rate_message: FloatArray
    honest: FloatArray


def first_state(problem: Problem, start: Posterior) -> EpState:
    """A state from which to begin: each rating weighs as much as its worker's expected precision."""
    ratings, priors, net = problem.ratings, problem.priors, problem.model
    tau = start.precision.mean[ratings.worker]
    precision = np.concatenate([tau, np.zeros(net.n_orders), net.closeness])
    weighted = np.concatenate([tau * ratings.value, np.zeros(net.n_orders + len(net.closeness))])
    sites = Sites(precision, weighted)
    owners = net.ties.second[len(net.ties.second) - len(net.hits) :] - net.n_items
    known = np.concatenate([start.quality.mean, start.offset.mean, start.offset.mean[owners]])
    means = joint_means(net.ties, sites, known)
    assert means is not None, "priors and weights are positive"
    n_given = np.bincount(ratings.worker, minlength=net.n_workers)[ratings.worker]
    clicks = problem.options.contamination
    return EpState(
        sites=sites,
        precisions=first_precisions(net.ties, precision),
        means=means,
        shape_message=(start.precision.shape[ratings.worker] - priors.shape) / n_given,
        rate_message=(start.precision.rate[ratings.worker] - priors.rate) / n_given,
        shape=start.precision.shape,
        rate=start.precision.rate,
        honest=np.full(net.n_ratings, 1.0 if clicks is None else 1 - clicks.expected),
    )


def sweep(problem: Problem, state: EpState, damping: float) -> Round:
    """One round in which every stand-in is renewed."""
    n = problem.model.n_ratings
    means, variances, proper = _cavities(problem, state)
    shape = state.shape[problem.ratings.worker] - state.shape_message
    rate = state.rate[problem.ratings.worker] - state.rate_message
    proper[:n] &= (shape > _LEAST * problem.priors.shape) & (rate > _LEAST * problem.priors.rate)
    # Where nothing proper is left, any numbers are fine: the outcome is not used.
    cavity = Cavity(
        means[:n], variances[:n], np.where(proper[:n], shape, 1.0), np.where(proper[:n], rate, 1.0)
    )
    wanted = _wanted(problem, state, cavity)
    precision, weighted = order_site(means[n:], variances[n:], problem.priors.margin)
    sites = Sites(
        np.concatenate([wanted.sites.precision, precision]), np.concatenate([wanted.sites.weighted, weighted])
    )
    pace = _pace(problem.options)
    renewed = _renewed_gammas(problem, state, wanted, np.where(proper[:n], pace * damping, 0.0))
    renewed, length = _renewed_sites(problem.model, renewed, sites, np.where(proper, damping, 0.0))
    honest = state.honest + np.where(proper[:n], damping, 0.0) * (wanted.honest - state.honest)
    renewed, length = replace(renewed, honest=honest), damping * length
    return Round(renewed, length, _change(state, renewed, pace) / length, int(np.count_nonzero(~proper)))


def _pace(options: EpOptions) -> float:
    """How much slower than the rest the precisions of workers may change.

    On a truncated scale a worker who uses one end only may be near it and careless, or beyond it and
    careful. If precisions and offsets run after each other at the same speed, they never converge.
    """
    truncated = options.bounds is not None and options.bounds.kind == "truncated"
    return _PACE_TRUNCATED if truncated else 1.0


def _cavities(problem: Problem, state: EpState) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Mean and variance of what ratings and orders see, each without itself; and whether they are proper.

    If tie n with stand-in (p, p y) sees s, taking it away moves the mean of s by v (p s - p y), v being
    the variance of s without it: what the rule of natural parameters gives once messages agree.
    """
    ties, now = problem.model.ties, state.precisions
    n = problem.model.n_ratings + problem.model.n_orders
    first = now.total[ties.first[:n]] - now.to_first[:n]
    second = now.total[ties.second[:n]] - now.to_second[:n]
    proper = (first > 0) & (second > 0)
    variance = 1 / np.where(proper, first, 1.0) + 1 / np.where(proper, second, 1.0)
    seen = (ties.incidence @ state.means)[:n]
    pull = state.sites.precision[:n] * seen - state.sites.weighted[:n]
    return seen + variance * pull, variance, proper


def _wanted(problem: Problem, state: EpState, cavity: Cavity) -> _Wanted:
    """Stand-ins with the moments that each rating gives its unknowns.

    A rating that is genuine with probability q counts as the share q of a rating. To match the
    moments of the mixture of both cases instead widens what is believed about an item on which two workers
    disagree; each is then treated as a click in turn, forever, however short the steps.
    """
    tilted = tilted_ratings(problem.ratings.value, cavity, problem.options.bounds)
    honest = _honest(problem, state, tilted.log_evidence)
    match = gamma_by_variance if problem.options.moments == "mean-variance" else gamma_by_logarithm
    shape, rate = match(tilted)
    precision = 1 / tilted.variance - 1 / cavity.variance
    weighted = cavity.mean * precision + tilted.shift / tilted.variance
    return _Wanted(
        sites=Sites(honest * precision, honest * weighted),
        shape_message=honest * (shape - cavity.shape),
        rate_message=honest * (rate - cavity.rate),
        honest=honest,
    )


def _honest(problem: Problem, state: EpState, log_evidence: FloatArray) -> FloatArray:
    """The probability that each rating was no click at random."""
    clicks, bounds, value = problem.options.contamination, problem.options.bounds, problem.ratings.value
    if clicks is None:
        return state.honest
    log_click = np.full(len(value), -np.log(clicks.high - clicks.low))
    if bounds is not None and bounds.kind == "censored":
        # At an end the rating has a probability, not a density: so must the click.
        log_click[bounds.at_low(value) | bounds.at_high(value)] = -np.log(bounds.steps)
    share = clicked_shares(problem, state)[problem.ratings.worker]
    honest: FloatArray = expit(log_evidence - log_click - logit(share))
    return honest


def clicked_shares(problem: Problem, state: EpState) -> FloatArray:
    """Expected share of random clicks among each worker's ratings."""
    prior = problem.options.contamination
    assert prior is not None
    worker, n_workers = problem.ratings.worker, problem.model.n_workers
    random = prior.random + totals(worker, 1 - state.honest, n_workers)
    return random / (prior.random + prior.honest + np.bincount(worker, minlength=n_workers))


def _renewed_gammas(problem: Problem, state: EpState, wanted: _Wanted, damping: FloatArray) -> EpState:
    """The state with new messages to the workers' precisions."""
    worker, n_workers = problem.ratings.worker, problem.model.n_workers
    shape_step = damping * (wanted.shape_message - state.shape_message)
    rate_step = damping * (wanted.rate_message - state.rate_message)
    part = np.minimum(
        share_of_step(state.shape, totals(worker, shape_step, n_workers)),
        share_of_step(state.rate, totals(worker, rate_step, n_workers)),
    )[worker]
    return _with_gammas(
        problem, state, state.shape_message + part * shape_step, state.rate_message + part * rate_step
    )


def _with_gammas(
    problem: Problem, state: EpState, shape_message: FloatArray, rate_message: FloatArray
) -> EpState:
    worker, n_workers = problem.ratings.worker, problem.model.n_workers
    return replace(
        state,
        shape_message=shape_message,
        rate_message=rate_message,
        shape=problem.priors.shape + totals(worker, shape_message, n_workers),
        rate=problem.priors.rate + totals(worker, rate_message, n_workers),
    )


def _renewed_sites(net: EpModel, state: EpState, wanted: Sites, damping: FloatArray) -> tuple[EpState, float]:
    """The state with new stand-ins and what follows from them, and which part of the way it went."""
    n = len(damping)
    precision_step, weighted_step = np.zeros((2, len(state.sites.precision)))
    precision_step[:n] = damping * (wanted.precision - state.sites.precision[:n])
    weighted_step[:n] = damping * (wanted.weighted - state.sites.weighted[:n])
    # Stand-ins of outlying ratings have negative precisions. The old ones gave a proper joint
    # distribution, so a step that is short enough does.
    for part in 0.5 ** np.arange(_MOST_HALVINGS):
        sites = Sites(
            state.sites.precision + part * precision_step, state.sites.weighted + part * weighted_step
        )
        means = joint_means(net.ties, sites, state.means)
        if means is not None:
            precisions = _passed_twice(net, sites.precision, state.precisions)
            return replace(state, sites=sites, means=means, precisions=precisions), float(part)
    raise ImproperStep


def _passed_twice(net: EpModel, site_precision: FloatArray, now: Precisions) -> Precisions:
    # Passing is cheap beside the quadratures; a second time keeps precisions abreast of the means.
    return passed_precisions(net.ties, site_precision, passed_precisions(net.ties, site_precision, now))


def vector(state: EpState) -> FloatArray:
    """All that a round hands to the next, apart from what follows from it."""
    return np.concatenate(
        [state.sites.precision, state.sites.weighted, state.shape_message, state.rate_message, state.honest]
    )


def at_vector(problem: Problem, state: EpState, values: FloatArray) -> EpState | None:
    """The state with these values, the rest following from them; None if they make no sense."""
    n, n_ties = problem.model.n_ratings, len(state.sites.precision)
    ends = np.cumsum([n_ties, n_ties, n, n])
    precision, weighted, shape_message, rate_message, honest = np.split(values, ends)
    sites = Sites(precision, weighted)
    state = _with_gammas(problem, state, shape_message, rate_message)
    means = joint_means(problem.model.ties, sites, state.means)
    if means is None or np.any(state.shape <= 0) or np.any(state.rate <= 0):
        return None
    precisions = _passed_twice(problem.model, precision, state.precisions)
    return replace(state, sites=sites, means=means, precisions=precisions, honest=np.clip(honest, 0.0, 1.0))


def _change(before: EpState, after: EpState, pace: float) -> float:
    """The largest change of a natural parameter of what is believed."""
    return max(
        float(np.max(np.abs(new - old), initial=0.0)) / speed
        for old, new, speed in (
            (before.precisions.total, after.precisions.total, 1.0),
            (before.precisions.total * before.means, after.precisions.total * after.means, 1.0),
            (before.shape, after.shape, pace),
            (before.rate, after.rate, pace),
            (before.honest, after.honest, 1.0),
        )
    )
