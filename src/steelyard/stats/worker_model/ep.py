"""The published worker model by expectation propagation, with the extensions its paper asks for."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.ep_accelerate import Accelerator
from steelyard.stats.worker_model.ep_model import model
from steelyard.stats.worker_model.ep_options import Contamination, EpOptions
from steelyard.stats.worker_model.ep_sweep import (
    EpState,
    ImproperStep,
    Problem,
    at_vector,
    clicked_shares,
    first_state,
    sweep,
    vector,
)
from steelyard.stats.worker_model.problem import Gamma, Normal, Posterior, WorkerRatings
from steelyard.stats.worker_model.published import NotConverged, PublishedPriors, in_fixed_order, mean_field

__all__ = ["Contamination", "EpOptions", "expectation_propagation"]

_METHOD = "Expectation propagation for the worker model"
# Steps that turn back on the one before get shorter by this factor, down to a limit; steps that go on
# in its direction get longer again.
_SHORTER = 0.7
_LONGER = 1.2
_SHORTEST = 0.05


def expectation_propagation(
    ratings: WorkerRatings,
    priors: PublishedPriors,
    options: EpOptions | None = None,
    *,
    start: Posterior | None = None,
) -> Posterior:
    """Quality, offsets and precisions by expectation propagation [Minka2001; Mathur2018].

    Every rating, and every pair of ordered or nearly equal items, is approximated by a normal and a Gamma
    factor with the right moments beside all the others. These stand-ins are renewed all at once, with
    damping; means follow from them exactly, precisions by passing messages. Starts from `mean_field` or
    from an earlier posterior for nearly the same ratings. The order of rows does not matter.
    Raises `NotConverged`.

    >>> items, workers = np.array([0, 1, 2] * 2), np.array([0, 0, 0, 1, 1, 1])
    >>> values = np.array([1.0, -0.5, -1.2, 0.6, 0.4, -0.2])
    >>> ratings = WorkerRatings(items, workers, values, n_items=3, n_workers=2)
    >>> expectation_propagation(ratings, PublishedPriors()).quality.mean.round(2)
    array([ 0.59, -0.03, -0.54])
    """
    options = options or EpOptions()
    ratings = in_fixed_order(ratings)
    if options.bounds is not None and np.any(options.bounds.outside(ratings.value)):
        raise ValueError("a rating lies outside the bounds of the scale")
    problem = Problem(ratings, priors, options, model(ratings, priors, options.hit_sd))
    return _iterated(problem, first_state(problem, start or mean_field(ratings, priors)))


def _iterated(problem: Problem, state: EpState) -> Posterior:
    """Rounds from this state until nothing changes any more."""
    options, accelerator = problem.options, Accelerator()
    damping, change, skipped = options.damping, np.inf, 0
    place, last_step, last_size = vector(state), None, np.inf
    fallback: EpState | None = None
    for n_sweeps in range(1, options.most_sweeps + 1):
        try:
            done = sweep(problem, state, damping)
        except ImproperStep:
            raise NotConverged(_METHOD, n_sweeps, change) from None
        renewed = done.state
        change, skipped = done.change, skipped + done.skipped
        if change <= options.tolerance:
            return _posterior(problem, renewed, sweeps=n_sweeps, change=change, skipped=skipped)
        step = (vector(renewed) - place) / done.length
        size = _size(step)
        if fallback is not None and size > last_size:
            accelerator.failed()
            state, fallback, last_step, last_size = fallback, None, None, np.inf
            place = vector(state)
            continue
        accelerator.note(place, step)
        damping = _adapted(damping, step, last_step, options.damping)
        state, fallback = _accelerated(problem, renewed, accelerator, damping)
        place, last_step, last_size = vector(state), (None if fallback else step), size
    raise NotConverged(_METHOD, options.most_sweeps, change)


def _accelerated(
    problem: Problem, renewed: EpState, accelerator: Accelerator, damping: float
) -> tuple[EpState, EpState | None]:
    """Where to go on, and where to return to if that turns out badly."""
    guess = accelerator.guess(damping)
    if guess is None:
        return renewed, None
    guessed = at_vector(problem, renewed, guess)
    if guessed is None:
        accelerator.failed()
        return renewed, None
    return guessed, renewed


def _adapted(damping: float, step: FloatArray, last_step: FloatArray | None, most: float) -> float:
    if last_step is None:
        return damping
    turns_back = float(np.sum(step * last_step)) < 0
    return max(_SHORTEST, damping * _SHORTER) if turns_back else min(most, damping * _LONGER)


def _size(step: FloatArray) -> float:
    return float(np.sqrt(np.sum(step**2)))


def _posterior(problem: Problem, state: EpState, *, sweeps: int, change: float, skipped: int) -> Posterior:
    net, options = problem.model, problem.options
    n_items, n_workers = net.n_items, net.n_workers
    sd = 1 / np.sqrt(state.precisions.total)
    last = n_items + n_workers
    return Posterior(
        quality=Normal(state.means[:n_items], sd[:n_items]),
        offset=Normal(state.means[n_items:last], sd[n_items:last]),
        slope=Normal(np.ones(n_workers), np.zeros(n_workers)),
        precision=Gamma(state.shape, state.rate),
        converged=True,
        sweeps=sweeps,
        change=change,
        skipped=skipped,
        contamination=None if options.contamination is None else clicked_shares(problem, state),
        hit_offset=None if options.hit_sd is None else _hit_offsets(problem, state, options.hit_sd),
    )


def _hit_offsets(problem: Problem, state: EpState, hit_sd: float) -> Normal:
    """What each HIT adds to its worker's offset; numbers without ratings keep their prior."""
    ties, hits = problem.model.ties, problem.model.hits
    assert problem.ratings.hit is not None
    rows = slice(len(ties.first) - len(hits), None)
    now = state.precisions
    first = now.total[ties.first[rows]] - now.to_first[rows]
    second = now.total[ties.second[rows]] - now.to_second[rows]
    both = first + second
    n_hits = int(problem.ratings.hit.max(initial=-1)) + 1
    mean, variance = np.zeros(n_hits), np.full(n_hits, hit_sd**2)
    mean[hits] = state.means[ties.first[rows]] - state.means[ties.second[rows]]
    variance[hits] = both / (first * second + both / hit_sd**2)
    return Normal(mean, np.sqrt(variance))
