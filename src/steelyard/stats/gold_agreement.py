"""Workers' agreement with each other, and the threshold at which those who remain agree best.

A pair is two different workers' ratings of the same item; if someone judged an item twice, both ratings
count, but never as a pair. Nothing goes through the pairs: how many agree follows from how many ratings
an item has in each category. Arrays of ratings: (n,).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import TIE_DECIMALS

_LARGEST = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, slots=True)
class Votes:
    """The categories that workers put items in; `category`, `item` and `worker` count from 0."""

    category: IntArray
    item: IntArray
    worker: IntArray
    n_workers: int


class Threshold(NamedTuple):
    """A threshold, the agreement P(A) of what it leaves, and which ratings it leaves (n,)."""

    tau: float
    agreement: float
    keeps: BoolArray


def pairwise_agreement(votes: Votes) -> FloatArray:
    """P(A) of each worker with all others on common items; NaN without any. Shape (workers,).

    The share of the pairs a worker is in whose two ratings have the same category, pooled over items.

    >>> pairwise_agreement(Votes(np.array([1, 1, 2]), np.array([0, 0, 0]), np.array([0, 1, 2]), 3)).tolist()
    [0.5, 0.5, 0.0]
    """
    agreeing, pairs = _pairs_of_workers(votes)
    share: FloatArray = np.divide(agreeing, pairs, out=np.full(votes.n_workers, np.nan), where=pairs > 0)
    return share


def pooled_agreement(votes: Votes) -> float:
    """P(A) over all pairs of all items; NaN without pairs."""
    agreeing, pairs = _pairs_of_workers(votes)
    return float(agreeing.sum() / pairs.sum()) if pairs.sum() else float("nan")


def worker_threshold(votes: Votes, agreement: FloatArray) -> Threshold:
    """The least agreement with others a worker must have, so that those who remain agree best.

    Workers below it are dropped. Of all agreements that occur it is the one with the highest pooled P(A) of
    the remainder that leaves every item a rating; of equally good ones the smallest [Denkowski2010]. A
    worker with no agreement (NaN) cannot be below it. NaN if there is no pair of ratings.
    """
    is_known = ~np.isnan(agreement)
    levels, rank = np.unique(agreement[is_known], return_inverse=True)
    of_worker = np.full(votes.n_workers, len(levels))
    of_worker[is_known] = rank
    return _best(votes, of_worker[votes.worker], levels)


def rating_threshold(votes: Votes, distance: FloatArray) -> Threshold:
    """The largest distance from its item's mean that a rating may have, so that those that remain agree best.

    Ratings beyond it are dropped; it is chosen as in `worker_threshold`, among the distances that occur.
    """
    levels, rank = np.unique(distance.round(TIE_DECIMALS), return_inverse=True)
    # The nearer the longer a rating stays.
    return _best(votes, len(levels) - 1 - rank, levels[::-1], smaller_last=True)


def _best(votes: Votes, rank: IntArray, levels: FloatArray, *, smaller_last: bool = False) -> Threshold:
    """The best of the thresholds `levels`, the k-th of which drops ratings with a rank below k."""
    n_levels = len(levels)
    agreeing, pairs = (
        _remaining(of_rank, n_levels) for of_rank in _pairs_by_rank(votes, rank, n_ranks=n_levels + 1)
    )
    best_of_item = np.full(int(votes.item.max(initial=-1)) + 1, -1)
    np.maximum.at(best_of_item, votes.item, rank)
    # Numbers of items need not be in use.
    most = int(best_of_item[best_of_item >= 0].min(initial=n_levels))
    share = np.divide(agreeing, pairs, out=np.full(n_levels, -1.0), where=pairs > 0)[: most + 1]
    if not len(share) or share.max() < 0:
        return Threshold(np.nan, np.nan, np.ones(len(rank), dtype=np.bool_))
    ties = np.flatnonzero(share == share.max())
    k = int(ties[-1] if smaller_last else ties[0])
    return Threshold(float(levels[k]), float(share[k]), rank >= k)


def _remaining(of_rank: IntArray, n_levels: int) -> IntArray:
    """How many there are of each rank or higher. Shape (levels,)."""
    total: IntArray = np.cumsum(of_rank[::-1])[::-1][:n_levels]
    return total


def _pairs_by_rank(votes: Votes, rank: IntArray, *, n_ranks: int) -> tuple[IntArray, IntArray]:
    """Of each rank the number of pairs whose lower-ranked rating has it: the agreeing ones, and all.

    Each shape (ranks,).
    """

    def pairs(group: IntArray) -> IntArray:
        own = _joined(group, votes.worker, n_right=votes.n_workers)
        # A worker's own ratings of one item are not pairs.
        return _lower_ranked(group, rank, n_ranks=n_ranks) - _lower_ranked(own, rank, n_ranks=n_ranks)

    return pairs(_in_category(votes)), pairs(votes.item)


def _lower_ranked(group: IntArray, rank: IntArray, *, n_ranks: int) -> IntArray:
    """Of each rank the number of pairs within a group whose lower-ranked member has it. Shape (ranks,)."""
    key = np.sort(_joined(group, n_ranks - 1 - rank, n_right=n_ranks))
    place = np.arange(len(key))
    # The highest come first: as many as stand before a member make a pair with it.
    before = place - np.maximum.accumulate(np.where(_begins(key // n_ranks), place, 0))
    return np.bincount(n_ranks - 1 - key % n_ranks, before, n_ranks).astype(np.int64)


def _pairs_of_workers(votes: Votes) -> tuple[FloatArray, FloatArray]:
    """How many pairs of each worker agree, and how many there are. Each shape (workers,)."""

    def with_others(group: IntArray) -> FloatArray:
        key = np.sort(_joined(group, votes.worker, n_right=votes.n_workers))
        is_new = _begins(key // votes.n_workers)
        is_own = _begins(key)
        size = _sizes(is_new)[np.cumsum(is_new) - 1][is_own]
        n_own = _sizes(is_own)
        worker = key[is_own] % votes.n_workers
        return np.bincount(worker, n_own * (size - n_own), votes.n_workers).astype(np.float64)

    return with_others(_in_category(votes)), with_others(votes.item)


def _in_category(votes: Votes) -> IntArray:
    """A number for each item and category."""
    return _joined(votes.item, votes.category, n_right=int(votes.category.max(initial=-1)) + 1)


def _joined(left: IntArray, right: IntArray, *, n_right: int) -> IntArray:
    """One number for each pair of numbers, in the pairs' order: sorting it is far faster than sorting two."""
    if len(left) and int(left.max()) >= _LARGEST // n_right - 1:
        left = np.unique(left, return_inverse=True)[1]
    return left * n_right + right


def _begins(value: IntArray) -> BoolArray:
    """Where a value differs from the one before it; the first always does."""
    new = np.ones(len(value), dtype=np.bool_)
    np.not_equal(value[1:], value[:-1], out=new[1:])
    return new


def _sizes(begins: BoolArray) -> IntArray:
    """The sizes of runs that begin where this says so."""
    return np.diff(np.append(np.flatnonzero(begins), len(begins)))
