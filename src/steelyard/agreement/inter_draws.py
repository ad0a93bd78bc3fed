"""Different workers' agreement on the same item, for many draws of workers at once.

A draw counts a worker's ratings as often as the worker was drawn; a worker drawn twice is no pair of two.
All sums are products of sparse matrices with the counts, with as many operations as there are ratings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from steelyard.agreement.cuts import Cut
from steelyard.agreement.item_ratings import ItemRatings, SharedItems, shared_and_single
from steelyard.agreement.options import AgreementOptions
from steelyard.stats.alpha import AlphaTotals, UnitSums, alpha_totals, centred, interval_alpha_of
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.intraclass import OneWayTotals, one_way_icc_of, one_way_totals
from steelyard.stats.kappa import PairSums, beyond_chance, kappa

# About this many ratings are taken at once: sums over their items then stay in the processor's cache.
_RATINGS_AT_ONCE = 1024


class CutCategories(NamedTuple):
    """The categories of ratings in every cut, from 0, and how many categories each cut has."""

    place: list[IntArray]
    n_categories: list[int]

    def of(self, ratings: slice) -> CutCategories:
        """Those of some ratings."""
        return CutCategories([place[ratings] for place in self.place], self.n_categories)


class BlockTotals(NamedTuple):
    """Sums over items for draws of workers; those of several blocks add up.

    Pairs are ordered and of different workers. `pairs` is their number, or the number of items that have
    pairs if items have a vote each: (draws,). `agreeing` those in the same category: (cuts, draws).
    `either` how often each category of each cut occurs in them: (categories of all cuts, draws), or
    nothing where chance does not ask for it.
    """

    alpha: AlphaTotals
    one_way: OneWayTotals
    pairs: FloatArray
    agreeing: FloatArray
    either: FloatArray

    def plus(self, other: BlockTotals) -> BlockTotals:
        """The sums over both blocks."""
        return BlockTotals(
            self.alpha.plus(other.alpha),
            self.one_way.plus(other.one_way),
            self.pairs + other.pairs,
            self.agreeing + other.agreeing,
            self.either + other.either,
        )


class ItemBlock:
    """Some items, and the matrices that make sums over them from counts of workers.

    Rows of the matrices are sums, columns are workers. A cell is an item and a category.
    """

    def __init__(self, items: SharedItems, places: CutCategories, options: AgreementOptions) -> None:
        self._n_items, self._options = items.n_items, options
        borders = np.searchsorted(items.item, np.arange(items.n_items + 1))
        one, value, square = (
            csr_array((data, items.worker, borders), shape=(items.n_items, items.n_workers))
            for data in (np.ones_like(items.value), items.value, items.value**2)
        )
        cells = [_full_cells(items, place, n) for place, n in zip(*places, strict=True)]
        self._cell_items = [item for _, item in cells]
        self._weights = vstack([one, *(matrix for matrix, _ in cells)], format="csr")
        self._all = vstack([self._weights, value, square], format="csr")
        self._worker, self._item = items.worker, items.item
        self._categories = _categories(places, n_ratings=len(items.item))

    def totals(self, counts: FloatArray, squares: FloatArray) -> BlockTotals:
        """Sums over the items for counts (workers, draws), which come with their squares."""
        n_items, n_weights = self._n_items, self._weights.shape[0]
        # One product for all sums: one after another they would each go through the counts.
        summed, squared = self._all @ counts, self._weights @ squares
        weight, value = summed[:n_items], summed[n_weights : n_weights + n_items]
        squared_mean = value * value / np.maximum(weight, 1.0)
        spread = summed[n_weights + n_items :] - squared_mean
        of_items = UnitSums(weight, squared[:n_items], value, squared_mean, spread)
        pairs = weight * weight - of_items.squared_weight
        # Items without pairs give 0 to all sums of pairs, whatever their vote.
        vote = 1.0 / np.maximum(pairs, 1.0) if self._options.weight == "item" else None
        return BlockTotals(
            alpha_totals(of_items),
            one_way_totals(of_items),
            (pairs if vote is None else pairs * vote).sum(axis=0),
            self._agreeing(summed[n_items:n_weights], squared[n_items:n_weights], vote),
            self._either(counts, weight, vote),
        )

    def _agreeing(self, weight: FloatArray, squared: FloatArray, vote: FloatArray | None) -> FloatArray:
        """Pairs in the same cell, for each cut, from sums over cells. Shape (cuts, draws)."""
        found, start = np.empty((len(self._cell_items), weight.shape[1])), 0
        for k, item in enumerate(self._cell_items):
            rows = slice(start, start + len(item))
            start += len(item)
            if vote is None:
                found[k] = np.einsum("cd,cd->d", weight[rows], weight[rows]) - squared[rows].sum(axis=0)
            else:
                found[k] = np.einsum("cd,cd->d", weight[rows] ** 2 - squared[rows], vote[item])
        return found

    def _either(self, counts: FloatArray, weight: FloatArray, vote: FloatArray | None) -> FloatArray:
        """Pairs that a rating is the first of, by its category. Shape (categories of all cuts, draws)."""
        if self._options.chance == "uniform":
            return np.empty((0, counts.shape[1]))
        own = counts[self._worker]
        pairs = own * (weight[self._item] - own)
        either: FloatArray = self._categories @ (pairs if vote is None else pairs * vote[self._item])
        return either


def _full_cells(items: SharedItems, place: IntArray, n_categories: int) -> tuple[csr_array, IntArray]:
    """A sum for each cell with two ratings or more, for only those can agree; and the cells' items."""
    cell = items.item * n_categories + place
    size = np.bincount(cell, minlength=items.n_items * n_categories)
    rating = np.flatnonzero(size[cell] > 1)
    rating = rating[np.argsort(cell[rating], kind="stable")]
    full = np.flatnonzero(size > 1)
    borders = np.append(0, np.cumsum(size[full]))
    matrix = csr_array(
        (np.ones(len(rating)), items.worker[rating], borders), shape=(len(full), items.n_workers)
    )
    return matrix, full // n_categories


def _categories(places: CutCategories, *, n_ratings: int) -> csr_array:
    """A row for each category of each cut, with a 1 for each rating that it has."""
    offsets = np.cumsum([0, *places.n_categories])
    rows = [place + offset for place, offset in zip(places.place, offsets[:-1], strict=True)]
    row = np.concatenate([np.empty(0, dtype=np.int64), *rows])
    rating = np.tile(np.arange(n_ratings), len(rows))
    return csr_array((np.ones(len(row)), (row, rating)), shape=(int(offsets[-1]), n_ratings))


class InterDraws:
    """Kappa for every cut, alpha and ICC(1,1) for draws of workers."""

    def __init__(self, ratings: ItemRatings, cuts: Sequence[Cut], options: AgreementOptions) -> None:
        self._sizes, self._options = [cut.n_categories for cut in cuts], options
        shared, _ = shared_and_single(ratings)
        places = CutCategories([cut.place(shared.value) - 1 for cut in cuts], self._sizes)
        # About the mean of all ratings, where squares are small enough to be subtracted.
        about_mean, single = shared_and_single(ratings._replace(value=centred(ratings.value)))
        self._blocks = [ItemBlock(part, places.of(rows), options) for part, rows in _blocks(about_mean)]
        self._singles = _Singles(single)

    def values(self, counts: FloatArray) -> FloatArray:
        """The coefficients for counts (workers, draws): (cuts + 2, draws)."""
        if not self._blocks:
            return np.full((len(self._sizes) + 2, counts.shape[1]), np.nan)
        squares = counts * counts
        totals = reduce(BlockTotals.plus, (block.totals(counts, squares) for block in self._blocks))
        one_way = totals.one_way.plus(self._singles.totals(counts, squares))
        return np.stack([*self._kappas(totals), interval_alpha_of(totals.alpha), one_way_icc_of(one_way)])

    def _kappas(self, totals: BlockTotals) -> Iterator[FloatArray]:
        ends = np.cumsum(self._sizes)
        for agreeing, size, end in zip(totals.agreeing, self._sizes, ends, strict=True):
            if self._options.chance == "uniform":
                with np.errstate(invalid="ignore", divide="ignore"):
                    observed = agreeing / totals.pairs
                yield beyond_chance(observed, np.full(len(observed), 1.0 / size))
            else:
                either = totals.either[end - size : end].T
                yield kappa(PairSums(agreeing, either, either), chance=self._options.chance)


def _blocks(items: SharedItems) -> Iterator[tuple[SharedItems, slice]]:
    """Some of the items after others, numbered from 0 each time, and which ratings are theirs."""
    step = max(1, _RATINGS_AT_ONCE * items.n_items // max(len(items.item), 1))
    for start in range(0, items.n_items, step):
        end = min(start + step, items.n_items)
        rows = slice(*np.searchsorted(items.item, [start, end]).tolist())
        number = items.item[rows] - start
        yield SharedItems(items.value[rows], number, items.worker[rows], items.n_workers, end - start), rows


class _Singles:
    """Items that one worker rated: they have no pairs, but inform the ICC how items differ.

    The only rating is the mean, so all sums follow from each worker's number, sum and sum of squares.
    """

    def __init__(self, ratings: ItemRatings) -> None:
        value, worker = ratings.value, ratings.worker
        self._of_worker = np.stack(
            [np.bincount(worker, part, ratings.n_workers) for part in (np.ones_like(value), value, value**2)]
        )

    def totals(self, counts: FloatArray, squares: FloatArray) -> OneWayTotals:
        """Sums over the items for counts (workers, draws), which come with their squares."""
        weight, value, squared_mean = self._of_worker @ counts
        squared = self._of_worker[0] @ squares
        return OneWayTotals(weight, squared, squared, weight, value, squared_mean, np.zeros_like(weight))
