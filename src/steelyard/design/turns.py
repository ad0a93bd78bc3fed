"""Turns: how many each system gives to every HIT, so that all keep to their shares."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# Enough to decide between systems that are equally far behind, too little to matter otherwise.
_TIE = 1e-6


def counts_by_turns(n_systems: int, *, per_hit: int, total: int) -> IntArray:
    """How many places of each HIT each system has, if they take turns until `total` places are taken.

    >>> counts_by_turns(3, per_hit=4, total=6).tolist()
    [[2, 1, 1], [0, 1, 1]]
    """
    n_hits = -(-total // per_hit)
    filled = np.minimum(np.arange(n_hits + 1)[:, None] * per_hit, total)
    up_to = (filled + n_systems - 1 - np.arange(n_systems)) // n_systems
    return np.diff(up_to, axis=0)


class Shares:
    """Systems that give different numbers: each gives its share of a HIT rounded down or up.

    What is left over goes to those who are most behind their shares; among those equally far
    behind, chance decides. `behind` says how much less than its share each has given so far.
    """

    def __init__(self, share: IntArray, *, rng: np.random.Generator) -> None:
        self.share: FloatArray = share / share.sum()
        self.behind: FloatArray = np.zeros(len(share))
        self._ties = _ties(len(share), rng)

    def give(self, number: int, limit: IntArray) -> IntArray:
        """How many of `number` each system gives, up to its limit."""
        due = number * self.share
        counts = np.minimum(due.astype(np.int64), limit)
        rest = number - int(counts.sum())
        # The lowest score comes next.
        score = counts - self.behind - due - next(self._ties)
        while rest > 0:
            score[counts >= limit] = np.inf
            chosen = score.argsort()[:rest]
            chosen = chosen[counts[chosen] < limit[chosen]]
            assert len(chosen), "the limits leave room for all"
            counts[chosen] += 1
            score[chosen] += 1
            rest -= len(chosen)
        self.behind = self.behind + due - counts
        return counts

    def note(self, counts: IntArray) -> None:
        """Take into account what was given without asking whose turn it is."""
        self.behind = self.behind + int(counts.sum()) * self.share - counts


def _ties(n_systems: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Endless small random numbers, a row at a time."""
    while True:
        yield from rng.random((256, n_systems)) * _TIE


class TurnQueue:
    """An endless queue of systems in which each keeps to its share, otherwise in random order.

    With equal shares every system comes once before any comes again. Who cannot take its turn
    changes places with the next in the queue who can, and thus comes a little later.
    """

    def __init__(self, share: IntArray, *, rng: np.random.Generator) -> None:
        self.share: FloatArray = share / share.sum()
        self._rng = rng
        self._time = 0
        # How many turns of each system have a time already; those that are not due yet wait.
        self._n_timed = np.zeros(len(share), dtype=np.int64)
        self._waiting: tuple[NDArray[np.int32], FloatArray] = (np.zeros(0, dtype=np.int32), np.zeros(0))
        self.queue: NDArray[np.int32] = np.zeros(0, dtype=np.int32)

    def plan(self, number: int, *, lower: IntArray, upper: IntArray) -> Plan:
        """Turns for HITs (rows) of so many each; whoever is in them has left the queue."""
        self.extend(len(lower) * number)
        return Plan(self, number, lower=lower, upper=upper)

    def extend(self, length: int) -> None:
        """Make the queue at least so long."""
        while len(self.queue) < length:
            # One turn falls due in one unit of time, on average.
            self._time += max(length - len(self.queue), 2 * len(self.share))
            self.queue = np.concatenate([self.queue, self._due()])

    def _due(self) -> NDArray[np.int32]:
        """The turns that have fallen due since the last time; the k-th between k and k + 1 intervals."""
        systems, times = [self._waiting[0]], [self._waiting[1]]
        for number in np.flatnonzero(self.share).tolist():
            share = float(self.share[number])
            begun = int(self._time * share) + 1
            turns = np.arange(self._n_timed[number], begun)
            self._n_timed[number] = begun
            systems.append(np.full(len(turns), number, dtype=np.int32))
            times.append((turns + self._rng.random(len(turns))) / share)
        system, due = np.concatenate(systems), np.concatenate(times)
        is_due = due < self._time
        self._waiting = (system[~is_due], due[~is_due])
        return np.asarray(system[is_due][np.argsort(due[is_due], kind="stable")])


class Plan:
    """The turns of some HITs (rows) at the head of a queue, within bounds by HIT and system.

    HITs must be settled in order; settling one may change later ones, which `changed` then shows.
    """

    def __init__(self, turns: TurnQueue, number: int, *, lower: IntArray, upper: IntArray) -> None:
        n_hits, n_systems = upper.shape
        self._turns, self._number = turns, number
        self.lower, self.upper = lower, self._tightened(lower, upper)
        taken = turns.queue[: n_hits * number].reshape(n_hits, number)
        key = np.arange(n_hits)[:, None] * n_systems + taken
        self.counts = np.bincount(key.ravel(), minlength=n_hits * n_systems).reshape(n_hits, n_systems)
        self.is_wrong: BoolArray = np.asarray(
            ((self.counts > self.upper) | (self.counts < lower)).any(axis=1)
        )
        self.changed: BoolArray = np.zeros(n_hits, dtype=np.bool_)

    def _tightened(self, lower: IntArray, upper: IntArray) -> IntArray:
        """Bounds that also keep a system from coming far more often than is its share, if that can be."""
        most = np.ceil(self._number * self._turns.share).astype(np.int64) + 1
        tight = np.maximum(np.minimum(upper, most), lower)
        return np.where((tight.sum(axis=1) >= self._number)[:, None], tight, upper)

    def settle(self, hit: int) -> None:
        """Exchange turns of the HIT with later ones until it keeps within its bounds."""
        counts, lower, upper = self.counts[hit], self.lower[hit], self.upper[hit]
        while True:
            over, under = counts > upper, counts < lower
            if not over.any() and not under.any():
                break
            leaving = over if over.any() else counts > lower
            self._exchange(hit, leaving, under if under.any() else counts < upper)
        self.is_wrong[hit] = False

    def rebound(self, hit: int, lower: IntArray, upper: IntArray) -> None:
        """Give a HIT other bounds."""
        self.lower[hit] = lower
        self.upper[hit] = self._tightened(lower[None], upper[None])[0]

    def _exchange(self, hit: int, leaving: BoolArray, coming: BoolArray) -> None:
        queue, stop = self._turns.queue, (hit + 1) * self._number
        place = stop - 1 - int(np.argmax(leaving[queue[hit * self._number : stop][::-1]]))
        later = stop
        while True:
            window = coming[self._turns.queue[later : later + 4 * len(coming)]]
            if window.any():
                break
            later += len(window)
            self._turns.extend(later + 1)
        queue, later = self._turns.queue, later + int(np.argmax(window))
        self._move(hit, later // self._number, leaving=int(queue[place]), coming=int(queue[later]))
        queue[place], queue[later] = queue[later], queue[place]

    def _move(self, hit: int, other: int, *, leaving: int, coming: int) -> None:
        self.changed[hit] = True
        self.counts[hit, leaving] -= 1
        self.counts[hit, coming] += 1
        if other < len(self.counts):
            self.changed[other] = self.is_wrong[other] = True
            self.counts[other, leaving] += 1
            self.counts[other, coming] -= 1

    def done(self) -> None:
        """Take the turns of all these HITs from the queue."""
        self._turns.queue = self._turns.queue[self.counts.shape[0] * self._number :].copy()
