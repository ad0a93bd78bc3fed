"""The worker model as a network: items, offsets and what ties them together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from steelyard.stats.arrays import IntArray
from steelyard.stats.worker_model.ep_network import Network, network
from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.published import PublishedPriors


@dataclass(frozen=True, slots=True)
class EpModel:
    """Unknowns: all items, all workers' offsets, then the offset of each of `hits`, if they have any.

    Ties, in this order: `n_ratings` ratings, `n_orders` ordered pairs, and pairs that are simply close
    with precision `closeness` (repeats; an offset in a HIT and the worker's own).
    """

    ties: Network
    n_items: int
    n_workers: int
    n_ratings: int
    n_orders: int
    closeness: list[float]
    hits: IntArray


def model(ratings: WorkerRatings, priors: PublishedPriors, hit_sd: float | None) -> EpModel:
    """The network of these ratings; refuses what cannot be true."""
    _check(ratings, priors, hit_sd)
    n_items, n_workers, n = ratings.n_items, ratings.n_workers, len(ratings.item)
    offset = n_items + ratings.worker
    hits = owner = np.zeros(0, dtype=np.int64)
    if hit_sd is not None and ratings.hit is not None:
        hits, where, place = np.unique(ratings.hit, return_index=True, return_inverse=True)
        owner = offset[where]
        if np.any(owner[place] != offset):
            raise ValueError("a number in `hit` belongs to two workers: number the pairs of worker and HIT")
        offset = n_items + n_workers + place
    in_hit = n_items + n_workers + np.arange(len(hits))
    quality = priors.of_items(n_items)
    offset_precision = np.full(n_workers, priors.offset_sd**-2.0)
    precision = np.concatenate([quality.sd**-2.0, offset_precision, np.zeros(len(hits))])
    known = np.concatenate([quality.mean, np.zeros(n_workers + len(hits))])
    ties = network(
        precision,
        precision * known,
        first=np.concatenate([ratings.item, ratings.order[:, 0], ratings.repeat[:, 0], in_hit]),
        second=np.concatenate([offset, ratings.order[:, 1], ratings.repeat[:, 1], owner]),
        sign=np.repeat([1.0, -1.0], [n, len(ratings.order) + len(ratings.repeat) + len(hits)]),
    )
    closeness = [priors.repeat_sd**-2.0] * len(ratings.repeat)
    closeness += [] if hit_sd is None else [hit_sd**-2.0] * len(hits)
    return EpModel(ties, n_items, n_workers, n, len(ratings.order), closeness, hits)


def _check(ratings: WorkerRatings, priors: PublishedPriors, hit_sd: float | None) -> None:
    if not np.all(np.isfinite(ratings.value)):
        raise ValueError("every rating must be a finite number")
    if len(ratings.repeat) and priors.repeat_sd <= 0:
        raise ValueError("repeats that do not differ at all are one item: give both the same number")
    if hit_sd is not None and ratings.hit is None:
        raise ValueError("an offset per HIT needs the number of the HIT of each rating")
    above, below = ratings.order[:, 0], ratings.order[:, 1]
    pairs = csr_array((np.ones(len(above)), (above, below)), shape=(ratings.n_items, ratings.n_items))
    n_groups, _ = connected_components(pairs, directed=True, connection="strong")
    if n_groups < ratings.n_items or np.any(above == below):
        raise ValueError("ordered pairs contradict each other: some item would have to be better than itself")
