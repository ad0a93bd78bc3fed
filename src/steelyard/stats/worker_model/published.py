"""The published worker model: its priors, and its fast solution that treats all unknowns as independent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.ep_network import Network, Sites, joint_means, network
from steelyard.stats.worker_model.problem import Gamma, Normal, Posterior, WorkerRatings


class NotConverged(ArithmeticError):  # noqa: N818 (the dictionary's way: NotFound)
    """The iterations ended before the answer converged, so there is no answer."""

    def __init__(self, method: str, sweeps: int, change: float) -> None:
        super().__init__(
            f"{method} has not converged: after {sweeps} sweeps the last one still changed a value by "
            f"{change:.2g}. Allow more sweeps, or look for workers or items that contradict all others."
        )
        self.sweeps = sweeps
        self.change = change


@dataclass(frozen=True, slots=True)
class PublishedPriors:
    """What is believed before any rating, as published [Mathur2018, section 4].

    `quality`: of each item, N(0, 1) where None; items of known quality get their own mean and deviation.
    Offsets are N(0, offset_sd²), precisions Gamma(shape, rate). Two items of a repeat differ by
    N(0, repeat_sd²), our reading of "approximately equal"; ordered items differ by more than `margin`.
    """

    quality: Normal | None = None
    offset_sd: float = 1.0
    shape: float = 2.0
    rate: float = 1.0
    repeat_sd: float = 0.1
    margin: float = 0.0

    def of_items(self, n_items: int) -> Normal:
        """Prior quality of each item."""
        if self.quality is None:
            return Normal(np.zeros(n_items), np.ones(n_items))
        mean, sd = (np.broadcast_to(part, n_items) for part in (self.quality.mean, self.quality.sd))
        return Normal(mean, sd)


def in_fixed_order(ratings: WorkerRatings) -> WorkerRatings:
    """The same ratings and pairs sorted, so that sums do not depend on the order of rows."""
    hit = np.zeros_like(ratings.item) if ratings.hit is None else ratings.hit
    rows = np.lexsort((ratings.value, hit, ratings.worker, ratings.item))
    return WorkerRatings(
        item=ratings.item[rows],
        worker=ratings.worker[rows],
        value=ratings.value[rows],
        n_items=ratings.n_items,
        n_workers=ratings.n_workers,
        order=np.unique(ratings.order, axis=0),
        repeat=np.unique(ratings.repeat, axis=0),
        hit=None if ratings.hit is None else hit[rows],
    )


def mean_field(
    ratings: WorkerRatings, priors: PublishedPriors, *, tolerance: float = 1e-8, most_sweeps: int = 500
) -> Posterior:
    """Quality, offsets and precisions as if all were independent given the ratings [Mathur2018].

    The variational solution: means very close to the exact ones, deviations too small, since they treat all
    other unknowns as known. Pairs of items and HITs are ignored. Raises `NotConverged`.

    >>> three = np.array([0, 1, 2])
    >>> ratings = WorkerRatings(three, np.zeros(3, dtype=int), np.array([1.0, 0.0, -1.0]), 3, 1)
    >>> mean_field(ratings, PublishedPriors()).quality.mean.round(2)
    array([ 0.65,  0.  , -0.65])
    """
    ratings = in_fixed_order(ratings)
    ties = _item_worker_ties(ratings, priors)
    n_items, n_workers = ratings.n_items, ratings.n_workers
    per_worker = np.bincount(ratings.worker, minlength=n_workers)
    shape = priors.shape + per_worker / 2
    rate = shape * priors.rate / priors.shape
    means, change = np.zeros(n_items + n_workers), np.inf
    for sweep in range(1, most_sweeps + 1):
        tau = (shape / rate)[ratings.worker]
        solved = joint_means(ties, Sites(tau, tau * ratings.value), means)
        assert solved is not None, "priors and weights are positive"
        variance = 1 / (ties.prior_precision + abs(ties.transposed) @ tau)
        squared = (ratings.value - ties.incidence @ solved) ** 2 + abs(ties.incidence) @ variance
        new_rate = priors.rate + np.bincount(ratings.worker, squared, n_workers) / 2
        change = float(max(_largest(solved - means), _largest(np.log(new_rate / rate))))
        means, rate = solved, new_rate
        if change <= tolerance:
            sd = np.sqrt(variance)
            return Posterior(
                quality=Normal(means[:n_items], sd[:n_items]),
                offset=Normal(means[n_items:], sd[n_items:]),
                slope=Normal(np.ones(n_workers), np.zeros(n_workers)),
                precision=Gamma(shape, rate),
                converged=True,
                sweeps=sweep,
                change=change,
            )
    raise NotConverged("The mean-field solution of the worker model", most_sweeps, change)


def _item_worker_ties(ratings: WorkerRatings, priors: PublishedPriors) -> Network:
    quality = priors.of_items(ratings.n_items)
    offset_precision = np.full(ratings.n_workers, priors.offset_sd**-2.0)
    return network(
        np.concatenate([quality.sd**-2.0, offset_precision]),
        np.concatenate([quality.mean * quality.sd**-2.0, np.zeros(ratings.n_workers)]),
        first=ratings.item,
        second=ratings.n_items + ratings.worker,
        sign=np.ones(len(ratings.item)),
    )


def _largest(values: FloatArray) -> float:
    return float(np.max(np.abs(values), initial=0.0))
