"""Choosing the bases of HITs: fit for their control, and balanced over systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.design.bases import N_GRADES, NEVER, PREFERRED, BaseBook
from steelyard.design.entries import IndexArray
from steelyard.design.layout import Layout
from steelyard.design.turns import Turns
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.arrays import BoolArray, IntArray

# The more demanding kinds take first.
_ORDER = (ItemKind.DEGRADED, ItemKind.REFERENCE, ItemKind.REPEAT)
_COLUMN_BITS, _RANDOM_BITS = 16, 24


class NoBaseError(Exception):
    """A HIT has too few entries that can serve controls of this kind."""

    def __init__(self, kind: ItemKind) -> None:
        super().__init__(kind)
        self.kind = kind


class BaseChoice:
    """Chooses bases HIT by HIT through a campaign, each kind balanced over systems.

    An entry serves one control in a HIT. Entries that are poor bases for
    degradation are taken only where a HIT has nothing better.
    """

    def __init__(
        self, system: IndexArray, share: IntArray, *, layout: Layout, book: BaseBook, rng: np.random.Generator
    ) -> None:
        """`system` by entry; `share` says how many entries each system has in a round."""
        self._system, self._n_systems = system, len(share)
        self._quota, self._book, self._rng = layout.quota, book, rng
        self._turns = {kind: Turns(share, rng=rng) for kind in CONTROL_KINDS}
        if (share != share[0]).any():
            # Otherwise a system with few items would serve all kinds in the same HIT.
            for turns in self._turns.values():
                turns.behind += rng.random(len(share)) - 0.5

    def bases_first(self, entry: IndexArray, *, progress: Callable[[], None]) -> IndexArray:
        """The entries of each HIT (row) in another order: bases first, kind by kind, otherwise at random.

        Kinds come in the order of CONTROL_KINDS, so that column c holds the base of control c.
        """
        system = self._system[entry]
        lane = np.full(entry.shape, len(CONTROL_KINDS), dtype=np.int8)
        for kind in _ORDER:
            is_free = lane == len(CONTROL_KINDS)
            chosen = self._chosen(kind, entry, system, is_free, progress)
            np.put_along_axis(lane, chosen, np.int8(CONTROL_KINDS.index(kind)), axis=1)
        return np.take_along_axis(entry, shuffled_by(lane, rng=self._rng), axis=1)

    def _chosen(
        self,
        kind: ItemKind,
        entry: IndexArray,
        system: IndexArray,
        is_free: BoolArray,
        progress: Callable[[], None],
    ) -> IntArray:
        """The places of the bases of one kind: the best of what is free, at random within a system.

        Bases of degraded items are degraded at once, to see whether they can be.
        """
        turns, quota = self._turns[kind], self._quota[kind]
        chosen = np.empty((len(entry), quota), dtype=np.int64)
        grade = self._grade(kind, entry, is_free)
        least, most = self._bounds(kind, system, grade)
        ranking = _Ranking(system, grade, rng=self._rng)
        for hit, row in enumerate(entry):
            counts = turns.take(quota, least=least[hit], most=most[hit])
            chosen[hit] = ranking.first(hit, counts)
            while kind is ItemKind.DEGRADED and not all(map(self._book.degrade, row[chosen[hit]].tolist())):
                # Some cannot be: choose again among the others.
                turns.note(-counts)
                own, left = system[hit, None], self._grade(kind, row[None], is_free[hit, None])
                fewest, greatest = self._bounds(kind, own, left)
                counts = turns.take(quota, least=fewest[0], most=greatest[0])
                chosen[hit] = _Ranking(own, left, rng=self._rng).first(0, counts)
            if kind is ItemKind.DEGRADED:
                progress()
        return chosen

    def _grade(self, kind: ItemKind, entry: IndexArray, is_free: BoolArray) -> NDArray[np.int8]:
        """How well each entry serves."""
        if kind is ItemKind.DEGRADED:
            return np.where(is_free, self._book.grade[entry], np.int8(NEVER))
        return np.where(is_free & self._book.serves(kind)[entry], np.int8(PREFERRED), np.int8(NEVER))

    def _bounds(
        self, kind: ItemKind, system: IndexArray, grade: NDArray[np.int8]
    ) -> tuple[IntArray, IntArray]:
        """How many of each system at least and at most, so that no worse grade is taken than must be."""
        stock = np.stack([self._count(system, grade <= each) for each in range(NEVER)])
        enough = stock.sum(axis=2) >= self._quota[kind]
        if not enough[-1].all():
            raise NoBaseError(kind)
        worst, hits = enough.argmax(axis=0), np.arange(len(system))
        least, most = np.where((worst > 0)[:, None], stock[worst - 1, hits], 0), stock[worst, hits]
        return least, self._turns[kind].unhurried(self._quota[kind], least=least, most=most)

    def _count(self, system: IndexArray, which: BoolArray) -> IntArray:
        """How many of those in each HIT are by each system."""
        key = np.arange(len(system))[:, None] * self._n_systems + system
        counts = np.bincount(key[which], minlength=len(system) * self._n_systems)
        return counts.reshape(len(system), self._n_systems)


class _Ranking:
    """The places of each HIT (row) by system, then by grade, then at random."""

    def __init__(self, system: IndexArray, grade: NDArray[np.int8], *, rng: np.random.Generator) -> None:
        self.order = shuffled_by(system.astype(np.int64) * N_GRADES + grade, rng=rng)
        self.system = np.take_along_axis(system, self.order, axis=1)
        # How many of its system stand before each: its column less the one where the system begins.
        column = np.broadcast_to(np.arange(system.shape[1]), system.shape)
        begins = np.ones(system.shape, dtype=np.bool_)
        begins[:, 1:] = self.system[:, 1:] != self.system[:, :-1]
        self.rank = column - np.maximum.accumulate(np.where(begins, column, 0), axis=1)

    def first(self, hit: int, counts: IntArray) -> IntArray:
        """The first places of each system in a HIT, given how many by system."""
        return np.asarray(self.order[hit, self.rank[hit] < counts[self.system[hit]]])


def shuffled_by(major: NDArray[np.integer[Any]], *, rng: np.random.Generator) -> IntArray:
    """For each row the columns in ascending order of `major`, those of equal value in random order.

    >>> shuffled_by(np.array([[3, 1, 2]]), rng=np.random.default_rng(7)).tolist()
    [[1, 2, 0]]
    """
    width = major.shape[1]
    assert width < 1 << _COLUMN_BITS, "rows are HITs"
    chance = rng.integers(1 << _RANDOM_BITS, size=major.shape)
    # All in one number, because sorting numbers is many times faster than sorting their indices.
    packed = (major.astype(np.int64) << (_RANDOM_BITS + _COLUMN_BITS)) | (chance << _COLUMN_BITS)
    packed |= np.arange(width)
    packed.sort(axis=1)
    return packed & ((1 << _COLUMN_BITS) - 1)
