"""What a sweep of the Gibbs sampler needs of the ratings: sums over them, and the state they depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.gibbs_model import GibbsModel
from steelyard.stats.worker_model.problem import WorkerRatings

# Our choice: where this share of the cells holds a rating, ordinary matrices are faster than sparse ones.
DENSE_SHARE = 0.2
DENSE_SIZE = 1_000_000


@dataclass(slots=True)
class ChainState:
    """Where a chain is: one value for everything unknown. `hit_offset` is 0 for each cell without HITs."""

    quality: FloatArray
    offset: FloatArray
    slope: FloatArray
    precision: FloatArray
    effect: FloatArray
    hit_offset: FloatArray
    contamination: FloatArray


def sums_by_place(place: IntArray, value: FloatArray, size: int) -> FloatArray:
    """Sums of the values by place 0, 1, 2, ... Shape (size,)."""
    return np.bincount(place, value, minlength=size).astype(np.float64, copy=False)


class CellSums:
    """Sums over the ratings by item and by cell; a cell is a worker, or a worker's HIT where HITs count.

    Everything a sweep asks of the ratings is a product with one of two matrices (cells, items): `weight`
    holds 1 for each rating that counts, `weighted` its value. Both stay the same from sweep to sweep
    unless ratings are latent, that is censored or perhaps clicks at random.
    """

    def __init__(self, ratings: WorkerRatings, model: GibbsModel) -> None:
        by_hit = ratings.hit if model.hit_sd is not None and ratings.hit is not None else None
        cell = ratings.worker if by_hit is None else by_hit
        # Sorted, so that rows in another order give the same draws.
        order = np.lexsort((ratings.value, ratings.item, cell))
        self.cell, self.item, self.worker = cell[order], ratings.item[order], ratings.worker[order]
        self.value = np.asarray(ratings.value[order], dtype=np.float64)
        self.n_workers, self.n_items = ratings.n_workers, ratings.n_items
        self.by_hit = by_hit is not None
        self.cell_worker = (
            _worker_of_cells(self.cell, self.worker) if self.by_hit else np.arange(self.n_workers)
        )
        self.n_cells = len(self.cell_worker)
        self.latent = model.censored or model.contamination is not None
        begin = np.concatenate([[0], np.cumsum(np.bincount(self.cell, minlength=self.n_cells))])
        shape = (self.n_cells, self.n_items)
        self._weight = csr_array((np.ones(len(order)), self.item, begin), shape=shape)
        self._weighted = csr_array((self.value.copy(), self.item, begin), shape=shape)
        size = shape[0] * shape[1]
        dense = not self.latent and len(order) >= DENSE_SHARE * size and size <= DENSE_SIZE
        self.weight: Any = self._weight.toarray() if dense else self._weight
        self.weighted: Any = self._weighted.toarray() if dense else self._weighted
        self._sum_up(np.ones(len(order)), self.value)

    def renew(self, genuine: FloatArray, value: FloatArray) -> None:
        """Count the ratings that are genuine (1, else 0) with these values. Both: rows as sorted here."""
        self._weight.data[:] = genuine
        self._weighted.data[:] = genuine * value
        self._sum_up(genuine, value)

    def _sum_up(self, genuine: FloatArray, value: FloatArray) -> None:
        """Number, sum and sum of squares of each cell's ratings."""
        self.count = self.over_rows(genuine)
        self.total = self.over_rows(genuine * value)
        self.squares = self.over_rows(genuine * value * value)

    def over_rows(self, value: FloatArray) -> FloatArray:
        """Sums of something of each rating, by cell."""
        return sums_by_place(self.cell, value, self.n_cells)

    def by_worker(self, value: FloatArray) -> FloatArray:
        """Sums of something of each cell, by worker."""
        return sums_by_place(self.cell_worker, value, self.n_workers) if self.by_hit else value

    def of_items(self, state: ChainState) -> tuple[FloatArray, FloatArray]:
        """What the ratings say about each item: precision, and precision times mean. Both: (n_items,)."""
        slope = state.slope[self.cell_worker]
        pull = state.precision[self.cell_worker] * slope
        offset = state.offset[self.cell_worker] + state.hit_offset
        precision: FloatArray = self.weight.T @ (pull * slope)
        return precision, self.weighted.T @ pull - self.weight.T @ (pull * offset)


def _worker_of_cells(cell: IntArray, worker: IntArray) -> IntArray:
    """The worker of each HIT; worker 0 for numbers without ratings, where it does not matter."""
    owner = np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    owner[cell] = worker
    if np.any(owner[cell] != worker):
        raise ValueError("hit: a number belongs to one worker only; number the pairs of worker and HIT.")
    return owner
