"""Drawing regular items: every translation once per round, HITs balanced over systems and segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np

# Random exchanges per translation that follow the regular start. Our choice: HITs then share no more
# segments with each other than in a shuffle, and 50,000 translations still take about a second.
EXCHANGES_PER_TRANSLATION = 4
# How many partners one translation tries when a HIT is short of possible bases [our choice].
PARTNERS_TRIED = 200


@dataclass(frozen=True, slots=True)
class Pool:
    """What is drawn from: every system's translation of every segment, by their indices.

    `can_be_base` tells which translations may serve a demanding control; every HIT is given at
    least `bases_wanted` of them if there are enough.
    """

    n_systems: int
    n_segments: int
    n_regular: int
    can_be_base: Callable[[int, int], bool] = lambda _system, _segment: True
    bases_wanted: int = 0

    @property
    def size(self) -> int:
        return self.n_systems * self.n_segments

    @property
    def n_hits(self) -> int:
        """HITs that one round takes."""
        return -(-self.size // self.n_regular)


@dataclass(frozen=True, slots=True)
class Draw:
    """One translation drawn for a HIT. `is_padding`: drawn a second time to fill the last one."""

    system: int
    segment: int
    is_padding: bool = False


def draw_rounds(
    pool: Pool, *, n_rounds: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[Draw, ...], ...]]:
    """For each round its HITs, each a tuple of `n_regular` draws.

    Systems take turns through all HITs and rounds, so that their counts never differ by more than
    one; every round is a new partition, which links workers through shared items and keeps
    standardisation from removing differences between fixed HITs.
    """
    if pool.size < pool.n_regular:
        raise ValueError(f"{pool.size} translations cannot fill a HIT of {pool.n_regular} regular items")
    drawn = np.zeros(pool.n_systems, dtype=np.int64)
    for _ in range(n_rounds):
        # Whoever is one behind after the padding of earlier rounds begins.
        shuffled = rng.permutation(pool.n_systems)
        turns = shuffled[np.argsort(drawn[shuffled], kind="stable")]
        yield _Partition(pool, turns.tolist(), rng).hits()
        whole_turns, rest = divmod(pool.n_hits * pool.n_regular, pool.n_systems)
        drawn += whole_turns
        drawn[turns[:rest]] += 1


class _Partition:
    """One round: place k of the list belongs to system `turns[k mod S]` and holds a segment.

    The start is a cycle over segments beside the cycle over systems, moved on by one segment
    after each common multiple of the two lengths: every translation comes once, and neighbours
    have distinct segments. Exchanging the segments of two places of one system keeps both, so
    random exchanges shuffle the list without ever leaving the balanced designs.
    """

    def __init__(self, pool: Pool, turns: list[int], rng: np.random.Generator) -> None:
        self.pool, self.turns, self.rng = pool, turns, rng
        order = rng.permutation(pool.n_segments)
        place = np.arange(pool.size)
        block = lcm(pool.n_segments, pool.n_systems)
        self.segment: list[int] = order[(place + place // block) % pool.n_segments].tolist()
        self.copies: Counter[tuple[int, int]] = Counter(
            (k // pool.n_regular, segment) for k, segment in enumerate(self.segment)
        )
        self._mix()
        self._share_out_bases()

    def hits(self) -> tuple[tuple[Draw, ...], ...]:
        """The HITs of the round, the last one padded."""
        n_regular, n_systems = self.pool.n_regular, self.pool.n_systems
        draws = [Draw(self.turns[k % n_systems], segment) for k, segment in enumerate(self.segment)]
        hits = [draws[start : start + n_regular] for start in range(0, len(draws), n_regular)]
        hits[-1] += self._padding(hits[-1])
        return tuple(tuple(hit) for hit in hits)

    def _mix(self) -> None:
        attempts = EXCHANGES_PER_TRANSLATION * self.pool.size
        places = self.rng.integers(self.pool.size, size=attempts)
        # Places of one system lie a whole number of turns apart.
        steps = self.pool.n_systems * self.rng.integers(self.pool.n_segments, size=attempts)
        partners = places % self.pool.n_systems + steps
        for first, second in zip(places.tolist(), partners.tolist(), strict=True):
            if self._may_exchange(first, second):
                self._exchange(first, second)

    def _may_exchange(self, first: int, second: int) -> bool:
        """Whether the two HITs stay at least as free of repeated segments as they are."""
        hit, other = first // self.pool.n_regular, second // self.pool.n_regular
        segment, incoming = self.segment[first], self.segment[second]
        return (
            hit != other
            and self.copies[hit, incoming] < self.copies[hit, segment]
            and self.copies[other, segment] < self.copies[other, incoming]
        )

    def _exchange(self, first: int, second: int) -> None:
        for place, leaving, incoming in (
            (first, self.segment[first], self.segment[second]),
            (second, self.segment[second], self.segment[first]),
        ):
            hit = place // self.pool.n_regular
            self.copies[hit, leaving] -= 1
            self.copies[hit, incoming] += 1
        self.segment[first], self.segment[second] = self.segment[second], self.segment[first]

    def _serves(self, place: int) -> bool:
        return self.pool.can_be_base(self.turns[place % self.pool.n_systems], self.segment[place])

    def _share_out_bases(self) -> None:
        """Move possible bases from HITs with plenty to HITs with too few."""
        size, wanted = self.pool.n_regular, self.pool.bases_wanted
        stock = Counter(k // size for k in range(self.pool.size) if self._serves(k))
        poor = [hit for hit in range(self.pool.n_hits) if stock[hit] < wanted]
        for place in (k for hit in poor for k in range(hit * size, min((hit + 1) * size, self.pool.size))):
            hit = place // size
            spare = sum(stock.values()) - wanted * self.pool.n_hits
            if spare <= 0 or stock[hit] >= wanted or self._serves(place):
                continue
            steps = self.pool.n_systems * self.rng.integers(self.pool.n_segments, size=PARTNERS_TRIED)
            for partner in (place % self.pool.n_systems + steps).tolist():
                rich = stock[partner // size] > wanted and self._serves(partner)
                if rich and self._may_exchange(place, partner):
                    self._exchange(place, partner)
                    stock[partner // size] -= 1
                    stock[hit] += 1
                    break

    def _padding(self, hit: list[Draw]) -> list[Draw]:
        """Draws from the start of the list that fill the last HIT, the systems' turns going on."""
        n_systems, padding = self.pool.n_systems, list[Draw]()
        present = {(draw.system, draw.segment) for draw in hit}
        copies = Counter(draw.segment for draw in hit)
        stock = sum(self.pool.can_be_base(draw.system, draw.segment) for draw in hit)
        for k in range(len(hit), self.pool.n_regular):
            turn = (self.pool.size - len(hit) + k) % n_systems
            system = self.turns[turn]
            candidates = [s for s in self.segment[turn::n_systems] if (system, s) not in present]
            if stock < self.pool.bases_wanted:
                serving = [s for s in candidates if self.pool.can_be_base(system, s)]
                candidates = [s for s in serving if not copies[s]] or candidates
            segment = min(candidates, key=copies.__getitem__)
            present.add((system, segment))
            copies[segment] += 1
            stock += self.pool.can_be_base(system, segment)
            padding.append(Draw(system, segment, is_padding=True))
        return padding
