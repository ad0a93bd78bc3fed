"""Choosing the bases of HITs: fit for their control, and balanced over systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steelyard.design.bases import N_GRADES, NEVER, BaseBook
from steelyard.design.layout import Layout
from steelyard.design.shuffle import shuffled_by
from steelyard.design.turns import Plan, TurnQueue
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.arrays import BoolArray, IntArray

Indices = NDArray[np.int32]

NO_LANE = len(CONTROL_KINDS)
"""The lane of a regular item that is no base; others are indices of CONTROL_KINDS."""

# The more demanding kinds take first.
_ORDER = (ItemKind.DEGRADED, ItemKind.REFERENCE, ItemKind.REPEAT)


class NoBaseError(Exception):
    """A HIT has too few entries that can serve controls of this kind."""

    def __init__(self, kind: ItemKind) -> None:
        super().__init__(kind)
        self.kind = kind


class BaseChoice:
    """Chooses bases HIT by HIT through a campaign, each kind balanced over systems.

    An entry serves one control in a HIT. Those that are fit for degradation only with reserve are
    taken where a HIT has nothing better.
    """

    def __init__(
        self, system: Indices, share: IntArray, *, layout: Layout, book: BaseBook, rng: np.random.Generator
    ) -> None:
        """`system` by entry; `share` says how many entries each system has in a round."""
        self._system, self._n_systems = system, len(share)
        self._quota, self._book, self._rng = layout.quota, book, rng
        self._turns = {kind: TurnQueue(share, rng=rng) for kind in CONTROL_KINDS}

    def lanes(self, entry: Indices, *, progress: Callable[[], None]) -> NDArray[np.int8]:
        """For HITs (rows) of entries, the kind of control that each entry is a base of, or NO_LANE."""
        system = self._system[entry]
        lane = np.full(entry.shape, NO_LANE, dtype=np.int8)
        for kind in _ORDER:
            if kind is ItemKind.DEGRADED:
                chosen = self._to_degrade(entry, system, progress)
            else:
                serves = (lane == NO_LANE) & self._book.serves(kind)[entry]
                chosen = self._by_turns(kind, system, serves)
            lane[chosen] = CONTROL_KINDS.index(kind)
        return lane

    def _by_turns(self, kind: ItemKind, system: Indices, serves: BoolArray) -> BoolArray:
        """Bases of one kind among those that serve, at random within a system."""
        upper = self._count(system, serves)
        if (upper.sum(axis=1) < self._quota[kind]).any():
            raise NoBaseError(kind)
        plan = self._turns[kind].plan(self._quota[kind], lower=np.zeros_like(upper), upper=upper)
        # One after the other: settling a HIT may upset a later one.
        for hit in range(len(system)):
            if plan.is_wrong[hit]:
                plan.settle(hit)
        plan.done()
        return _Ranking(system, ~serves, 2, rng=self._rng).first(plan.counts)

    def _to_degrade(self, entry: Indices, system: Indices, progress: Callable[[], None]) -> BoolArray:
        """Bases of the degraded items. They are degraded at once, to see whether they can be."""
        quota = self._quota[ItemKind.DEGRADED]
        grade = self._book.grade[entry]
        lower, upper = self._bounds(system, grade)
        plan = self._turns[ItemKind.DEGRADED].plan(quota, lower=lower, upper=upper)
        ranking = _Ranking(system, grade, N_GRADES, rng=self._rng)
        chosen = ranking.first(plan.counts)
        for hit in range(len(entry)):
            if plan.is_wrong[hit]:
                plan.settle(hit)
            if plan.changed[hit]:
                chosen[hit] = ranking.first_of(hit, plan.counts[hit])
            while not all(map(self._book.degrade, entry[hit, chosen[hit]].tolist())):
                chosen[hit] = self._next_best(hit, entry, system, plan)
            progress()
        plan.done()
        return chosen

    def _next_best(self, hit: int, entry: Indices, system: Indices, plan: Plan) -> BoolArray:
        """Other bases for a HIT, now that some of its entries have turned out not to be any."""
        own, grade = system[hit, None], self._book.grade[entry[hit, None]]
        lower, upper = self._bounds(own, grade)
        plan.rebound(hit, lower[0], upper[0])
        plan.settle(hit)
        return _Ranking(own, grade, N_GRADES, rng=self._rng).first_of(0, plan.counts[hit])

    def _bounds(self, system: Indices, grade: NDArray[np.int8]) -> tuple[IntArray, IntArray]:
        """How many of each system at least and at most, so that no worse grade is taken than must be."""
        stock = np.stack([self._count(system, grade <= each) for each in range(NEVER)])
        enough = stock.sum(axis=2) >= self._quota[ItemKind.DEGRADED]
        if not enough[-1].all():
            raise NoBaseError(ItemKind.DEGRADED)
        worst, hits = enough.argmax(axis=0), np.arange(len(system))
        better = np.where((worst > 0)[:, None], stock[worst - 1, hits], 0)
        return better, stock[worst, hits]

    def _count(self, system: Indices, which: BoolArray) -> IntArray:
        """How many of those in each HIT are by each system."""
        key = np.arange(len(system))[:, None] * self._n_systems + system
        counts = np.bincount(key[which], minlength=len(system) * self._n_systems)
        return counts.reshape(len(system), self._n_systems)


class _Ranking:
    """The places of each HIT (row) by system, then by grade, then at random."""

    def __init__(
        self,
        system: Indices,
        grade: NDArray[np.integer[Any]] | BoolArray,
        n_grades: int,
        *,
        rng: np.random.Generator,
    ) -> None:
        self.order = shuffled_by(system.astype(np.int64) * n_grades + grade, rng=rng)
        self.system = np.take_along_axis(system, self.order, axis=1)
        # How many of its system stand before each: its column less the one where the system begins.
        column = np.broadcast_to(np.arange(system.shape[1]), system.shape)
        begins = np.ones(system.shape, dtype=np.bool_)
        begins[:, 1:] = self.system[:, 1:] != self.system[:, :-1]
        self.rank = column - np.maximum.accumulate(np.where(begins, column, 0), axis=1)

    def first(self, counts: IntArray) -> BoolArray:
        """Which places are among the first so many of their system, by HIT and system."""
        chosen = np.zeros(self.order.shape, dtype=np.bool_)
        is_first = self.rank < np.take_along_axis(counts, self.system, axis=1)
        np.put_along_axis(chosen, self.order, is_first, axis=1)
        return chosen

    def first_of(self, hit: int, counts: IntArray) -> BoolArray:
        """The same of one HIT."""
        chosen = np.zeros(self.order.shape[1], dtype=np.bool_)
        chosen[self.order[hit, self.rank[hit] < counts[self.system[hit]]]] = True
        return chosen
