"""Sums over the ratings of each item and of each worker: all that a sweep has to touch every rating for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.problem import WorkerRatings


class RatingSums:
    """Ratings stored once by item and once by worker, so that either sum is one pass through memory.

    A part is what shares an offset: all ratings of one worker, or those of one HIT where `ratings.hit`
    numbers them. `worker_of_part` leads from one to the other.
    """

    def __init__(self, ratings: WorkerRatings) -> None:
        self.divided = ratings.hit is not None
        part = ratings.worker if ratings.hit is None else ratings.hit
        n_parts = ratings.n_workers if ratings.hit is None else int(part.max(initial=-1)) + 1
        self.worker_of_part: IntArray = np.arange(ratings.n_workers)
        if ratings.hit is not None:
            self.worker_of_part = np.zeros(n_parts, dtype=np.int64)
            self.worker_of_part[part] = ratings.worker
        shape = (ratings.n_items, n_parts)
        by_item, by_part = _sorted(ratings.item, part, ratings.value, shape)
        ones = np.ones(len(ratings.value))
        self._parts_of_item = _with(by_item, ones)
        self._workers_of_item = self._parts_of_item
        if ratings.hit is not None:
            workers = self.worker_of_part[by_item.indices].astype(by_item.indices.dtype)
            self._workers_of_item = csr_array(
                (ones, workers, by_item.indptr), shape=(shape[0], ratings.n_workers)
            )
        self._values_of_item = _with(self._workers_of_item, by_item.data)
        self._items_of_part = _with(by_part, ones)
        self._values_of_part = by_part
        self.n_of_item: FloatArray = np.diff(by_item.indptr).astype(np.float64)
        self.n_of_part: FloatArray = np.diff(by_part.indptr).astype(np.float64)
        self.value_of_item: FloatArray = by_item @ np.ones(n_parts)
        self.square_of_item: FloatArray = _with(by_item, by_item.data**2) @ np.ones(n_parts)
        self.value_of_part: FloatArray = by_part @ np.ones(shape[0])
        self.square_of_worker: FloatArray = self.of_worker(
            _with(by_part, by_part.data**2) @ np.ones(shape[0])
        )
        self.n_of_worker: FloatArray = self.of_worker(self.n_of_part)

    def by_item(
        self, times_value: FloatArray, times_one: FloatArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """For each item the sum of value * times_value[worker] - times_one[part], and of weight[worker]."""
        pull = self._values_of_item @ times_value - self._parts_of_item @ times_one
        return pull, self._workers_of_item @ weight

    def by_worker(self, quality: FloatArray, square: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sums of value * quality by worker, of quality by part, of square by worker."""
        of_part = self._items_of_part
        product = self.of_worker(self._values_of_part @ quality)
        return product, of_part @ quality, self.of_worker(of_part @ square)

    def of_worker(self, of_part: FloatArray) -> FloatArray:
        """Sums over each worker's parts."""
        if not self.divided:
            return of_part
        n_workers = self._workers_of_item.shape[1]
        return np.bincount(self.worker_of_part, of_part, n_workers).astype(np.float64)

    @property
    def links(self) -> csr_array:
        """The parts (columns) that rated each item (rows), an entry of 1 for each rating."""
        return self._parts_of_item


def _sorted(
    row: IntArray, column: IntArray, value: FloatArray, shape: tuple[int, int]
) -> tuple[csr_array, csr_array]:
    """A sparse matrix and the same turned, whose entries stand in one fixed order, however they came.

    Every sum is then the same to the last bit: entries are in order of columns, and of values where somebody
    rated an item twice. Counting into rows, columns and rows again sorts several times faster than sorting.
    """
    order = _order_of(row, shape[0])
    starts = np.zeros(shape[0] + 1, dtype=np.int32)
    np.cumsum(np.bincount(row, minlength=shape[0]), out=starts[1:])
    matrix = csr_array((value[order], column.astype(np.int32)[order], starts), shape=shape)
    turned = matrix.tocsc()
    matrix = turned.tocsr()
    same = np.flatnonzero(matrix.indices[1:] == matrix.indices[:-1])
    if len(same):
        # The last of one row and the first of the next may have the same column.
        entry_row = np.searchsorted(starts, np.stack([same, same + 1]), side="right")
        twice = same[entry_row[0] == entry_row[1]]
        shared = np.union1d(twice, twice + 1)
        place = np.searchsorted(starts, shared, side="right"), matrix.indices[shared]
        matrix.data[shared] = matrix.data[shared][np.lexsort((matrix.data[shared], place[1], place[0]))]
        turned = matrix.tocsc()
    return matrix, csr_array((turned.data, turned.indices, turned.indptr), shape=shape[::-1])


def _order_of(group: IntArray, n_groups: int) -> NDArray[np.int32]:
    """The places of entries in order of their groups."""
    n = len(group)
    places = np.arange(n + 1, dtype=np.int32)
    one_each = csr_array((np.ones(n, dtype=np.int8), group.astype(np.int32), places), shape=(n, n_groups))
    order: NDArray[np.int32] = one_each.tocsc().indices
    return order


def _with(matrix: csr_array, value: FloatArray) -> csr_array:
    return csr_array((value, matrix.indices, matrix.indptr), shape=matrix.shape)
