"""Drawing regular items: every entry once per round, HITs balanced over systems and segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np
from numpy.typing import NDArray

from steelyard.design.mixing import Mixer, Need
from steelyard.design.turns import Shares, counts_by_turns
from steelyard.stats.arrays import FloatArray, IntArray

Indices = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """What is drawn from: entries, each by one system and of one segment (indices from 0).

    In each round, system s gives `quota[s]` of its entries; all of them if there is no quota. Every
    HIT is given what `needs` asks for, if there is enough of it.
    """

    system: Indices
    segment: Indices
    n_systems: int
    n_segments: int
    n_regular: int
    quota: IntArray | None = None
    needs: tuple[Need, ...] = ()

    @property
    def taken(self) -> IntArray:
        """Entries that each system gives to a round."""
        if self.quota is not None:
            return self.quota
        return np.bincount(self.system, minlength=self.n_systems)

    @property
    def size(self) -> int:
        """Entries of one round."""
        return int(self.taken.sum())

    @property
    def n_hits(self) -> int:
        """HITs that one round takes."""
        return -(-self.size // self.n_regular)


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The entries of one round: a row per HIT, in no particular order within it.

    The last `n_padding` of the last row are drawn a second time, only to fill it.
    """

    entry: Indices
    n_padding: int


def draw_rounds(pool: Pool, *, n_rounds: int, rng: np.random.Generator) -> Iterator[Draws]:
    """The draws of each round.

    Systems take turns through all HITs and rounds, so that their counts never differ by more than
    one; systems that give different numbers keep to their shares. Every round is a new partition,
    which links workers through shared items and keeps standardisation from removing differences
    between fixed HITs.
    """
    if pool.size < pool.n_regular:
        raise ValueError(f"{pool.size} translations cannot fill a HIT of {pool.n_regular} regular items")
    shares = Shares(pool.taken, rng=rng)
    lookup = np.full((pool.n_systems, pool.n_segments), -1, dtype=np.int32)
    lookup[pool.system, pool.segment] = np.arange(len(pool.system), dtype=np.int32)
    for _ in range(n_rounds):
        # Whoever is behind after the padding of earlier rounds begins.
        shuffled = rng.permutation(pool.n_systems)
        order = shuffled[np.argsort(-shares.behind[shuffled].round(6), kind="stable")]
        yield _Round(pool, lookup, shares, order, rng).draws()


class _Round:
    """One partition. Its start is a cycle over segments beside the cycle over systems, moved on by
    one segment after each common multiple of the two lengths: if every system has every segment,
    each entry comes once, and the entries of a HIT have distinct segments. Then it is mixed.
    """

    def __init__(
        self, pool: Pool, lookup: Indices, shares: Shares, order: IntArray, rng: np.random.Generator
    ) -> None:
        self.pool, self.shares, self.order, self.rng = pool, shares, order, rng
        self.taken = pool.taken
        self.is_even = bool((self.taken == self.taken[0]).all())
        self.counts = self._counts()
        self.places = self._places()
        self.entry = np.full((pool.n_hits, pool.n_regular), -1, dtype=np.int32)
        self._start(lookup)
        mixer = Mixer(self.entry, segment=pool.segment, places=self.places, rng=rng)
        if pool.n_segments < pool.n_regular:
            mixer.mix_few_segments()
        else:
            mixer.mix()
            mixer.mend()
        mixer.share_out(pool.needs)

    def draws(self) -> Draws:
        """The entries, the last HIT padded."""
        n_padding = self.entry.size - self.pool.size
        if n_padding:
            self.entry[-1, -n_padding:] = self._padding(n_padding)
        return Draws(self.entry, n_padding)

    def _counts(self) -> IntArray:
        """How many entries of its own each HIT has from each system."""
        pool, taken = self.pool, self.taken
        if self.is_even:
            counts = np.empty((pool.n_hits, pool.n_systems), dtype=np.int64)
            counts[:, self.order] = counts_by_turns(pool.n_systems, per_hit=pool.n_regular, total=pool.size)
            return counts
        most = np.ceil(pool.n_regular * self.shares.share).astype(np.int64)
        left, rows = taken.copy(), []
        for _ in range(pool.size // pool.n_regular):
            limit = np.minimum(left, most)
            # Near the end some systems may have nothing left, and others step in.
            row = self.shares.give(pool.n_regular, limit if limit.sum() >= pool.n_regular else left)
            rows.append(row)
            left -= row
        if left.any():
            rows.append(left)
            self.shares.note(left)
        return np.stack(rows)

    def _places(self) -> list[IntArray]:
        """Where each system is, as flat indices; the entries of a HIT stand in order of systems."""
        systems = np.tile(np.arange(self.pool.n_systems, dtype=np.int32), self.pool.n_hits)
        by_system = np.argsort(np.repeat(systems, self.counts.ravel()), kind="stable")
        return np.split(by_system, np.cumsum(self.taken)[:-1])

    def _start(self, lookup: Indices) -> None:
        pool = self.pool
        block = lcm(pool.n_segments, pool.n_systems)
        segments = self.rng.permutation(pool.n_segments)
        for turn, system in enumerate(self.order.tolist()):
            place = np.arange(pool.n_segments) * pool.n_systems + turn
            entries = lookup[system, segments[(place + place // block) % pool.n_segments]]
            entries = entries[entries >= 0]
            n_taken = len(self.places[system])
            if n_taken < len(entries):
                entries = entries[np.sort(self.rng.permutation(len(entries))[:n_taken])]
            self.entry.ravel()[self.places[system]] = entries

    def _padding(self, n_padding: int) -> list[int]:
        """Entries from the start of the list that fill the last HIT, the systems' turns going on."""
        row: list[int] = self.entry[-1, :-n_padding].tolist()
        n_own = len(row)
        behind = (self.shares.behind + n_padding * self.shares.share)[self.order]
        for number in range(n_padding):
            for turn in self._next_turns(number, behind):
                found = self._reused(int(self.order[turn]), np.array(row, dtype=np.int32))
                if found is not None:
                    row.append(found)
                    behind[turn] -= 1
                    break
        self.shares.behind[self.order] = behind
        return row[n_own:]

    def _next_turns(self, number: int, behind: FloatArray) -> list[int]:
        """Who should fill this place of the padding, and who if they cannot."""
        turns = np.arange(self.pool.n_systems)
        order = np.roll(turns, -number) if self.is_even else np.argsort(-behind.round(6), kind="stable")
        return [int(turn) for turn in order]

    def _reused(self, system: int, row: Indices) -> int | None:
        """An entry of the system that goes best with the row: first come, first served."""
        segment = self.pool.segment
        candidates = self.entry.ravel()[self.places[system]]
        candidates = candidates[~np.isin(candidates, row)]
        if not len(candidates):
            return None
        copies = np.bincount(segment[row], minlength=self.pool.n_segments)[segment[candidates]]
        for need in self.pool.needs:
            useful = need.serves[candidates] & (copies == copies.min())
            if np.count_nonzero(need.serves[row]) < need.wanted and useful.any():
                return int(candidates[np.argmax(useful)])
        return int(candidates[np.argmin(copies)])
