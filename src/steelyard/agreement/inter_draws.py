"""Different workers' agreement on the same item, for many draws of workers at once.

A draw counts a worker's ratings as often as the worker was drawn; a worker drawn twice is no pair of two.
All sums are products of sparse matrices with the counts, with as many operations as there are ratings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np

from steelyard.agreement.cuts import Cut
from steelyard.agreement.item_block import BlockTotals, CutCategories, ItemBlock
from steelyard.agreement.item_ratings import ItemRatings, SharedItems, shared_and_single
from steelyard.agreement.options import AgreementOptions
from steelyard.stats.alpha import centred, interval_alpha_of
from steelyard.stats.arrays import FloatArray
from steelyard.stats.intraclass import OneWayTotals, one_way_icc_of
from steelyard.stats.kappa import PairSums, beyond_chance, kappa

# About this many ratings are taken at once: sums over their items then stay in the processor's cache.
_RATINGS_AT_ONCE = 1024


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
