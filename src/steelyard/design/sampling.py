"""Drawing regular items: every entry once per round, HITs balanced over systems and segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np

from steelyard.design.entries import IndexArray
from steelyard.design.turns import Turns, counts_by_turns
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# Exchanges that a place should see. Our choice: HITs then share no more segments with each other than in
# a shuffle; where segments are few, most exchanges fail.
MOVES_PER_PLACE = 2
# Segments for each regular item of a HIT from which on a shuffle will do for a start [our choice].
PLENTY = 50
# Exchanges tried in each HIT that is still not as it should be [our choice].
MAX_REPAIRS = 3000
_REPAIRS_AT_ONCE = 20
# A repeated segment is worse than any lack of possible bases.
_REPEATED = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """Entries that can serve as a base of some kind, and how many of them every HIT should have."""

    serves: BoolArray
    """By entry."""
    wanted: int


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """What is drawn from: entries, each by one system and of one segment (indices from 0).

    In each round, system s gives `quota[s]` of its entries; all of them if there is no quota. Every
    HIT is given what `needs` asks for, if there is enough of it.
    """

    system: IndexArray
    segment: IndexArray
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

    entry: IndexArray
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
    turns = Turns(pool.taken, rng=rng)
    lookup = np.full((pool.n_systems, pool.n_segments), -1, dtype=np.int32)
    lookup[pool.system, pool.segment] = np.arange(len(pool.system), dtype=np.int32)
    for _ in range(n_rounds):
        # The systems that are behind after the padding of earlier rounds begin.
        shuffled = rng.permutation(pool.n_systems)
        order = shuffled[np.argsort(-turns.behind[shuffled].round(6), kind="stable")]
        yield _Round(pool, lookup, turns, order, rng).draws()


class _Round:
    """One partition. Its start is a cycle over segments beside the cycle over systems, moved on by
    one segment after each common multiple of the two lengths: if every system has every segment,
    each entry comes once, and the entries of a HIT have distinct segments. Then it is mixed.
    """

    def __init__(
        self, pool: Pool, lookup: IndexArray, turns: Turns, order: IntArray, rng: np.random.Generator
    ) -> None:
        self.pool, self.turns, self.order, self.rng = pool, turns, order, rng
        self.taken = pool.taken
        self.is_even = bool((self.taken == self.taken[0]).all())
        counts = self._counts()
        # The entries of a HIT stand in order of systems.
        systems = np.repeat(np.tile(np.arange(pool.n_systems), pool.n_hits), counts.ravel())
        self.places = np.split(np.argsort(systems, kind="stable"), np.cumsum(self.taken)[:-1])
        self.entry = np.full((pool.n_hits, pool.n_regular), -1, dtype=np.int32)
        self._start(lookup)
        Mixer(self.entry, counts, pool=pool, rng=rng).mix()

    def draws(self) -> Draws:
        """The entries, the last HIT padded."""
        n_padding = self.entry.size - self.pool.size
        if n_padding:
            self.entry[-1, -n_padding:] = self._padding(n_padding)
        return Draws(self.entry, n_padding)

    def _counts(self) -> IntArray:
        """How many entries of its own each HIT has from each system."""
        pool = self.pool
        if self.is_even:
            counts = np.empty((pool.n_hits, pool.n_systems), dtype=np.int64)
            counts[:, self.order] = counts_by_turns(pool.n_systems, per_hit=pool.n_regular, total=pool.size)
            return counts
        most = np.ceil(pool.n_regular * self.turns.share).astype(np.int64)
        left, rows = self.taken.copy(), []
        for _ in range(pool.size // pool.n_regular):
            limit = np.minimum(left, most)
            # Near the end some systems may have nothing left, and others step in.
            row = self.turns.take(pool.n_regular, most=limit if limit.sum() >= pool.n_regular else left)
            rows.append(row)
            left -= row
        if left.any():
            rows.append(left)
            self.turns.note(left)
        return np.stack(rows)

    def _start(self, lookup: IndexArray) -> None:
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
            if _is_plenty(pool):
                entries = self.rng.permutation(entries)
            self.entry.ravel()[self.places[system]] = entries

    def _padding(self, n_padding: int) -> list[int]:
        """Entries from the start of the list that fill the last HIT, the systems' turns going on."""
        row: list[int] = self.entry[-1, :-n_padding].tolist()
        n_own = len(row)
        behind = (self.turns.behind + n_padding * self.turns.share)[self.order]
        for number in range(n_padding):
            for turn in self._next_turns(number, behind):
                found = self._reused(int(self.order[turn]), np.array(row, dtype=np.int32))
                if found is not None:
                    row.append(found)
                    behind[turn] -= 1
                    break
        self.turns.behind[self.order] = behind
        return row[n_own:]

    def _next_turns(self, number: int, behind: FloatArray) -> list[int]:
        """Whose turn it is to fill this place of the padding, and who follows if they cannot."""
        turns = np.arange(self.pool.n_systems)
        order = np.roll(turns, -number) if self.is_even else np.argsort(-behind.round(6), kind="stable")
        return [int(turn) for turn in order]

    def _reused(self, system: int, row: IndexArray) -> int | None:
        """The system's first entry that repeats the row's segments least, if possible one that is needed."""
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


class Mixer:
    """Local search over one round, in which pairs of HITs exchange entries of one system.

    The cost of a HIT is what repeats in it (pairs of places with the same segment) and what it lacks
    of each need. In each step all HITs are matched at random, and every pair tries one exchange, which
    stays unless it raises the cost. So HITs keep their mix of systems, and none gets worse.
    """

    def __init__(self, entry: IndexArray, counts: IntArray, *, pool: Pool, rng: np.random.Generator) -> None:
        """`entry` by HIT, -1 for empty places, changed in place; `counts` by HIT and system, in order."""
        self.entry, self.counts, self.rng, self.pool = entry, counts, rng, pool
        self.n_own = counts.sum(axis=1)
        self.first = np.cumsum(counts, axis=1) - counts
        # Empty places have a number each that is no segment, so that none of them are alike.
        empty = -1 - np.arange(entry.shape[1], dtype=np.int32)
        self.found: IndexArray = np.where(entry >= 0, pool.segment[entry], empty)
        self.served = [((entry >= 0) & need.serves[entry]).sum(axis=1) for need in pool.needs]
        # Less if there is not enough for all, and less in a HIT that is not full.
        self.wanted = [
            min(need.wanted, int(served.sum()) // len(entry)) * self.n_own // entry.shape[1]
            for need, served in zip(pool.needs, self.served, strict=True)
        ]

    def mix(self) -> None:
        """Exchange until every place has moved a few times, then until nothing is wrong, within limits."""
        hits = np.arange(len(self.entry))
        for _ in range(0 if _is_plenty(self.pool) else MOVES_PER_PLACE * self.entry.shape[1]):
            self._step(hits)
        for _ in range(MAX_REPAIRS // _REPAIRS_AT_ONCE):
            wrong = self._wrong()
            if not len(wrong):
                return
            for _ in range(_REPAIRS_AT_ONCE):
                self._step(wrong, is_repair=True)

    def _wrong(self) -> IntArray:
        """HITs that repeat more segments than they must, or have fewer possible bases than wanted."""
        n_repeated = repeated(self.found).sum(axis=1)
        wrong: BoolArray = np.asarray(n_repeated > np.maximum(self.n_own - self.pool.n_segments, 0))
        for served, wanted in zip(self.served, self.wanted, strict=True):
            wrong |= served < wanted
        return np.flatnonzero(wrong)

    def _step(self, hits: IntArray, *, is_repair: bool = False) -> None:
        """One exchange between each of these HITs, or half of them, and another."""
        order = self.rng.permutation(len(self.entry))
        if is_repair:
            order = order[np.argsort(~np.isin(order, hits), kind="stable")]
        n_pairs = min(len(hits), len(order) // 2)
        hit, other = order[:n_pairs], order[len(order) - n_pairs :]
        place = (self.rng.random(n_pairs) * self.n_own[hit]).astype(np.int64)
        if is_repair:
            at_fault = repeated(self.found[hit]) * self.rng.random((n_pairs, self.entry.shape[1]))
            place = np.where(at_fault.any(axis=1), at_fault.argmax(axis=1), place)
        system = self.pool.system[self.entry[hit, place]]
        n_partners = self.counts[other, system]
        partner = self.first[other, system] + (self.rng.random(n_pairs) * n_partners).astype(np.int64)
        possible = np.flatnonzero(n_partners)
        hit, place, other, partner = (each[possible] for each in (hit, place, other, partner))
        kept = self._rise(hit, place, other, partner) <= 0
        self._exchange(hit[kept], place[kept], other[kept], partner[kept])

    def _rise(self, hit: IntArray, place: IntArray, other: IntArray, partner: IntArray) -> IntArray:
        """How much each exchange would add to the cost."""
        ours, theirs = self.found[hit, place], self.found[other, partner]
        here, there = self.found[hit], self.found[other]
        copies = (
            np.count_nonzero(here == theirs[:, None], axis=1)
            - np.count_nonzero(here == ours[:, None], axis=1)
            + np.count_nonzero(there == ours[:, None], axis=1)
            - np.count_nonzero(there == theirs[:, None], axis=1)
        )
        rise = np.where(ours == theirs, 0, _REPEATED * (copies + 2))
        for need, served, wanted in zip(self.pool.needs, self.served, self.wanted, strict=True):
            change = need.serves[self.entry[other, partner]].astype(np.int64)
            change -= need.serves[self.entry[hit, place]]
            for side, moved in ((hit, change), (other, -change)):
                lack = wanted[side] - served[side]
                rise += np.maximum(lack - moved, 0) - np.maximum(lack, 0)
        return rise

    def _exchange(self, hit: IntArray, place: IntArray, other: IntArray, partner: IntArray) -> None:
        for need, served in zip(self.pool.needs, self.served, strict=True):
            change = need.serves[self.entry[other, partner]].astype(np.int64)
            change -= need.serves[self.entry[hit, place]]
            served[hit] += change
            served[other] -= change
        for each in (self.entry, self.found):
            each[hit, place], each[other, partner] = each[other, partner], each[hit, place]


def _is_plenty(pool: Pool) -> bool:
    """Whether a shuffle repeats so few segments that it can be repaired."""
    return pool.n_segments >= PLENTY * pool.n_regular


def repeated(rows: IndexArray) -> BoolArray:
    """Where a row holds a number that stands in it before.

    >>> repeated(np.array([[4, 7, 4, 1]], dtype=np.int32)).astype(int).tolist()
    [[0, 0, 1, 0]]
    """
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    found = np.zeros(rows.shape, dtype=np.bool_)
    np.put_along_axis(found, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return found
