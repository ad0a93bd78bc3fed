"""Evening out: exchanges between the groups of a HIT until all have nearly the same mix of systems."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.arrays import BoolArray, IntArray

Groups = NDArray[np.int16]
Indices = NDArray[np.int32]

# Single exchanges tried in all HITs at once before the rest are looked at one by one [our choice].
QUICK_PASSES = 8


def even_out(
    system: Indices, lane: NDArray[np.int8], group: Groups, mix: IntArray, *, rng: np.random.Generator
) -> BoolArray:
    """Exchange groups between cards of one lane in each HIT (row); which HITs have come out even.

    A HIT is even if no system has two more cards in one group than in another. `group`, and the
    numbers by HIT, system and group in `mix`, are changed in place.
    """
    rows = np.flatnonzero(~_is_even(mix))
    for _ in range(QUICK_PASSES):
        if not len(rows):
            break
        own, counts = group[rows], mix[rows]
        _exchange_once(system[rows], lane[rows], own, counts, rng)
        group[rows], mix[rows] = own, counts
        rows = rows[~_is_even(counts)]
    for row in rows.tolist():
        _Evener(system[row], lane[row], group[row], mix[row]).run()
    return _is_even(mix)


def _is_even(mix: IntArray) -> BoolArray:
    return np.asarray((mix.max(axis=2) - mix.min(axis=2) <= 1).all(axis=1))


def _exchange_once(
    system: Indices, lane: NDArray[np.int8], group: Groups, mix: IntArray, rng: np.random.Generator
) -> None:
    """One exchange in each HIT that brings a system with too many in one group nearer to even.

    Its partner is a card of the same lane whose system has more in the other group.
    """
    rows = np.arange(len(system))
    worst = (mix.max(axis=2) - mix.min(axis=2)).argmax(axis=1)
    jittered = mix[rows, worst] + rng.random((len(rows), mix.shape[2])) / 2
    full, empty = jittered.argmax(axis=1), jittered.argmin(axis=1)
    is_ours = (system == worst[:, None]) & (group == full[:, None])
    ours = _any_of(is_ours, rng)
    surplus = np.take_along_axis(mix[rows, :, empty] - mix[rows, :, full], system, axis=1)
    is_theirs = (lane == lane[rows, ours][:, None]) & (group == empty[:, None]) & (surplus > 0)
    rows = np.flatnonzero(is_theirs.any(axis=1))
    theirs = _any_of(is_theirs, rng)[rows]
    ours, full, empty = ours[rows], full[rows], empty[rows]
    group[rows, ours], group[rows, theirs] = empty, full
    for card, step in ((ours, -1), (theirs, 1)):
        mix[rows, system[rows, card], full] += step
        mix[rows, system[rows, card], empty] -= step


def _any_of(which: BoolArray, rng: np.random.Generator) -> IntArray:
    """In each row a random column of those marked."""
    return np.asarray((which * rng.random(which.shape, dtype=np.float32)).argmax(axis=1))


class _Evener:
    """Exchanges between groups of one HIT that bring the numbers of a system nearer to each other.

    Two items of one lane may change groups. Where no single exchange helps, a chain of them does:
    from a system with too many in one group, through systems that give one and get one, to a
    system with more in the other group.
    """

    def __init__(
        self, system: Indices, lane: NDArray[np.int8], group: Groups, mix: NDArray[np.int16]
    ) -> None:
        """`group` and `mix` are changed in place."""
        self.system, self.lane = system.tolist(), lane.tolist()
        self.group, self.mix = group, mix

    def run(self) -> None:
        """Even out what can be."""
        stuck: set[tuple[int, int, int]] = set()
        while True:
            spread = self.mix.max(axis=1) - self.mix.min(axis=1)
            tried = False
            for system in np.flatnonzero(spread > 1).tolist():
                for full, empty in self._extremes(system):
                    if (system, full, empty) in stuck:
                        continue
                    tried = True
                    chain = self._chain(system, full, empty)
                    if chain is None:
                        stuck.add((system, full, empty))
                        continue
                    self._apply(chain, full, empty)
                    stuck.clear()
                    break
                if tried:
                    break
            if not tried:
                return

    def _extremes(self, system: int) -> list[tuple[int, int]]:
        """Pairs of groups between which the system differs by more than one, worst first."""
        row = self.mix[system].tolist()
        pairs = [(a, b) for a, p in enumerate(row) for b, q in enumerate(row) if p - q > 1]
        return sorted(pairs, key=lambda pair: row[pair[1]] - row[pair[0]])

    def _chain(self, start: int, full: int, empty: int) -> list[tuple[int, int]] | None:
        """Pairs of cards to exchange between the two groups, None if no chain ends well."""
        mine: dict[int, dict[int, int]] = defaultdict(dict)
        theirs: dict[int, dict[int, int]] = defaultdict(dict)
        for card, group in enumerate(self.group.tolist()):
            if group == full:
                mine[self.system[card]][self.lane[card]] = card
            elif group == empty:
                theirs[self.lane[card]][self.system[card]] = card
        came: dict[int, tuple[int, tuple[int, int]]] = {}
        queue = [start]
        for system in queue:
            for lane, card in mine[system].items():
                for other, other_card in theirs[lane].items():
                    if other in came or other == start:
                        continue
                    came[other] = (system, (card, other_card))
                    if self.mix[other, empty] > self.mix[other, full]:
                        return self._walk_back(came, other, start)
                    queue.append(other)
        return None

    @staticmethod
    def _walk_back(
        came: dict[int, tuple[int, tuple[int, int]]], system: int, start: int
    ) -> list[tuple[int, int]]:
        chain = []
        while system != start:
            system, exchange = came[system]
            chain.append(exchange)
        return chain

    def _apply(self, chain: list[tuple[int, int]], full: int, empty: int) -> None:
        for card, other in chain:
            self.group[card], self.group[other] = empty, full
            for each, step in ((card, -1), (other, 1)):
                self.mix[self.system[each], full] += step
                self.mix[self.system[each], empty] -= step
