"""Known items: gold and calibration texts, dealt evenly to all HITs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from steelyard.design.entries import IndexArray
from steelyard.stats.arrays import IntArray

# How well a known item goes with a HIT: nothing else there of its segment; not the item itself; badly.
APART, OTHER_TEXT, SAME_TEXT = 0, 1, 2

# How well a number goes with those that are chosen already.
Fit = Callable[[int, list[int]], int]


class Rotation:
    """Numbers from 0 up to `n`, each in its turn, in an order that is reshuffled every time.

    What does not fit is passed over and comes later. Others may step in from the next time round,
    once each, so that none is ever taken three times more often than another.
    """

    def __init__(self, n: int, *, rng: np.random.Generator) -> None:
        self._n, self._rng = n, rng
        self._current, self._next = self._shuffled(), self._shuffled()

    def _shuffled(self) -> deque[int]:
        return deque(self._rng.permutation(self._n).tolist())

    def take(self, number: int, *, fit: Fit = lambda _candidate, _chosen: APART) -> list[int]:
        """Distinct numbers that fit, or if there are too few, some that fit less well."""
        assert number <= self._n, "no number twice"
        chosen: list[int] = []
        while len(chosen) < number:
            for worst in (APART, OTHER_TEXT, SAME_TEXT):
                for queue in (self._current, self._next):
                    _pass_through(queue, chosen, number, fit=fit, worst=worst)
            if not self._current:
                self._current, self._next = self._next, self._shuffled()
        return chosen


def _pass_through(queue: deque[int], chosen: list[int], number: int, *, fit: Fit, worst: int) -> None:
    """Move what fits well enough from the queue to the chosen, up to the number."""
    passed: list[int] = []
    while queue and len(chosen) < number:
        candidate = queue.popleft()
        if candidate not in chosen and fit(candidate, chosen) <= worst:
            chosen.append(candidate)
        else:
            passed.append(candidate)
    queue.extendleft(reversed(passed))


class GoldDealer:
    """Deals gold items to the gold positions of HITs.

    A HIT gets no gold item twice. As far as the numbers allow, it gets none whose segment it has
    already; where it must, they are kept apart.
    """

    def __init__(
        self, gold: IndexArray, segment: IndexArray, *, positions: tuple[int, ...], rng: np.random.Generator
    ) -> None:
        """`gold` lists the entries to show; `segment` is by entry."""
        self._entry, self._segment = gold.tolist(), segment[gold].tolist()
        self._positions = positions
        self._rotation = Rotation(len(gold), rng=rng)

    def deal(self, entries: list[int], segments: list[int]) -> list[int]:
        """The entries for the gold positions of a HIT with these entries and segments by position."""
        own, present = set(entries), set(segments)

        def fit(number: int, chosen: list[int]) -> int:
            if self._entry[number] in own:
                return SAME_TEXT
            segment = self._segment[number]
            taken = segment in present or any(self._segment[each] == segment for each in chosen)
            return OTHER_TEXT if taken else APART

        chosen = self._rotation.take(len(self._positions), fit=fit)
        if any(self._segment[number] in present for number in chosen):
            chosen = self._apart(chosen, segments)
        return [self._entry[number] for number in chosen]

    def _apart(self, chosen: list[int], segments: list[int]) -> list[int]:
        """The same, those whose segment the HIT has already as far from it as the positions allow."""
        places: dict[int, list[int]] = {}
        for position, segment in enumerate(segments, start=1):
            places.setdefault(segment, []).append(position)
        free, seated = list(self._positions), dict[int, int]()
        # Whatever has a place to keep away from chooses first.
        for number in sorted(chosen, key=lambda each: self._segment[each] not in places):
            near = places.get(self._segment[number], [])
            best = max(free, key=lambda position: min((abs(position - each) for each in near), default=0))
            seated[best] = number
            free.remove(best)
        return [seated[position] for position in self._positions]


def deal_calibration(rotation: Rotation, *, n_hits: int, per_hit: int) -> IntArray:
    """Calibration texts for each HIT (row), none twice in it."""
    rows = [rotation.take(per_hit) for _ in range(n_hits)] if per_hit else []
    return np.array(rows, dtype=np.int64).reshape(n_hits, per_hit)
