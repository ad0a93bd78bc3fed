"""Mixing one round: exchanges between places of one system, which leave its counts in every HIT alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.stats.arrays import BoolArray, IntArray

# Exchanges that a place should see, and sweeps after which it must do. Our choice: HITs then share no
# more segments with each other than in a shuffle; where segments are few, nearly all exchanges fail.
MOVES_PER_PLACE = 3
MAX_SWEEPS = 24
# How many partners one place tries when something in its HIT must be mended [our choice].
PARTNERS_TRIED = 200
# How often what is still wrong is gone through [our choice].
MAX_REPAIRS = 25


@dataclass(frozen=True, slots=True, eq=False)
class Need:
    """Entries that can serve as a base of some kind, and how many of them every HIT should have."""

    serves: BoolArray
    """By entry."""
    wanted: int


class Mixer:
    """The entries of one round by HIT (rows) and place; -1 for places that are still empty.

    Any exchange is between two places of one system, so that HITs keep their mix of systems; and
    none puts a segment twice into a HIT that had it once.
    """

    def __init__(
        self,
        entry: NDArray[np.int32],
        *,
        segment: NDArray[np.int32],
        places: list[IntArray],
        rng: np.random.Generator,
    ) -> None:
        """`segment` by entry; `places` holds for each system where it is, as flat indices of `entry`."""
        self.entry, self.segment, self.places, self.rng = entry, segment, places, rng
        self.n_hits, self.width = entry.shape
        # Empty places have a number each that is no segment, so that none of them are alike.
        empty = -1 - np.arange(entry.size, dtype=np.int32).reshape(entry.shape)
        self.found: NDArray[np.int32] = np.where(entry >= 0, segment[entry], empty)
        self.system = np.full(entry.size, -1, dtype=np.int32)
        for number, own in enumerate(places):
            self.system[own] = number

    def mix(self) -> None:
        """Sweep until every place has seen some exchanges, or long enough."""
        movable = sum(len(own) for own in self.places)
        moved = 0
        for _ in range(MAX_SWEEPS):
            moved += 2 * self._sweep()
            if moved >= MOVES_PER_PLACE * movable:
                return

    def mix_few_segments(self) -> None:
        """Exchanges one by one, where HITs cannot but hold segments several times.

        Each leaves the HITs at least as free of repeated segments as they are.
        """
        for own in self.places:
            for place in np.repeat(own, MOVES_PER_PLACE).tolist():
                partner = int(own[self.rng.integers(len(own))])
                if self._may_exchange(place, partner):
                    self._exchange(place, partner)

    def mend(self) -> None:
        """Exchange entries whose segment is already in their HIT for others, where that can be."""
        for _ in range(MAX_REPAIRS):
            wrong = np.flatnonzero(repeated(self.found)).tolist()
            if not wrong:
                return
            for place in wrong:
                partners = self._partners(place)
                better = partners[self._frees(place, partners)]
                if len(better):
                    self._exchange(place, int(better[0]))
                else:
                    # Sideways, so that the next attempt meets another situation.
                    allowed = (each for each in partners[:20].tolist() if self._may_exchange(place, each))
                    partner = next(allowed, None)
                    if partner is not None:
                        self._exchange(place, partner)

    def share_out(self, needs: tuple[Need, ...]) -> None:
        """Move entries that serve a need from HITs with plenty of them to HITs with too few."""
        for number, need in enumerate(needs):
            self._share_out(need, settled=needs[:number])

    def _share_out(self, need: Need, *, settled: tuple[Need, ...]) -> None:
        stock = self._serving(need).sum(axis=1)
        wanted = min(need.wanted, int(stock.sum()) // self.n_hits)
        for hit in np.flatnonzero(stock < wanted).tolist():
            row = self.entry[hit]
            useless = np.flatnonzero((row >= 0) & ~need.serves[row])
            for place in (hit * self.width + self.rng.permutation(useless)).tolist():
                if stock[hit] >= wanted:
                    break
                partners = self._partners(place)
                partners = partners[stock[partners // self.width] > wanted]
                partner = self._giver(place, partners, need=need, settled=settled)
                if partner is not None:
                    stock[partner // self.width] -= 1
                    stock[hit] += 1
                    self._exchange(place, partner)

    def _giver(self, place: int, partners: IntArray, *, need: Need, settled: tuple[Need, ...]) -> int | None:
        """One of the partners that serves the need and makes no difference to needs settled before."""
        entry = self.entry.ravel()
        fits = need.serves[entry[partners]]
        for other in settled:
            fits = fits & (other.serves[entry[partners]] == other.serves[entry[place]])
        return next((each for each in partners[fits].tolist() if self._may_exchange(place, each)), None)

    def _serving(self, need: Need) -> BoolArray:
        return (self.entry >= 0) & need.serves[self.entry]

    def _sweep(self) -> int:
        """Exchange all places at once, in random pairs; undo what brings a segment twice into a HIT.

        Undoing everything would lead back to where we were, so this ends.
        """
        first, second = _pairs(self.places, self.rng)
        apart = first // self.width != second // self.width
        first, second = first[apart], second[apart]
        self._exchange_all(first, second)
        n_pairs, hits = len(first), np.arange(self.n_hits)
        clash = np.zeros(self.entry.size, dtype=np.bool_)
        while True:
            clash.reshape(self.entry.shape)[hits] = repeated(self.found[hits], both=True)
            wrong = clash[first] | clash[second]
            if not wrong.any():
                return len(first)
            self._exchange_all(first[wrong], second[wrong])
            touched = np.zeros(self.n_hits, dtype=np.bool_)
            touched[first[wrong] // self.width] = touched[second[wrong] // self.width] = True
            hits = np.flatnonzero(touched)
            first, second = first[~wrong], second[~wrong]
            assert len(first) < n_pairs, "every turn of the loop undoes something"

    def _exchange_all(self, first: IntArray, second: IntArray) -> None:
        for flat in (self.entry.ravel(), self.found.ravel()):
            flat[first], flat[second] = flat[second], flat[first]

    def _exchange(self, place: int, partner: int) -> None:
        for flat in (self.entry.ravel(), self.found.ravel()):
            flat[place], flat[partner] = flat[partner], flat[place]

    def _partners(self, place: int) -> IntArray:
        """Places of the same system in random order, all of them or a number worth trying."""
        own = self.places[self.system[place]]
        if len(own) <= PARTNERS_TRIED:
            return self.rng.permutation(own)
        return np.asarray(own[self.rng.integers(len(own), size=PARTNERS_TRIED)])

    def _frees(self, place: int, partners: IntArray) -> BoolArray:
        """Whether each exchange would make the HIT free of a repeated segment and harm no other."""
        hits = partners // self.width
        incoming = self.found.ravel()[partners]
        here = self.found[place // self.width]
        enters_alone = ~(incoming[:, None] == here).any(axis=1)
        welcome = ~(self.found[hits] == self.found.ravel()[place]).any(axis=1)
        return np.asarray((hits != place // self.width) & enters_alone & welcome)

    def _may_exchange(self, place: int, partner: int) -> bool:
        """Whether the two HITs stay at least as free of repeated segments as they are."""
        hit, other = place // self.width, partner // self.width
        if hit == other:
            return False
        segment, incoming = self.found.ravel()[place], self.found.ravel()[partner]
        if segment == incoming:
            return True
        here, there = self.found[hit], self.found[other]
        return bool(
            np.count_nonzero(here == incoming) < np.count_nonzero(here == segment)
            and np.count_nonzero(there == segment) < np.count_nonzero(there == incoming)
        )


def _pairs(places: list[IntArray], rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """A random matching of the places of every system; one is left over if their number is odd."""
    first, second = [], []
    for own in places:
        shuffled = rng.permutation(own)
        half = len(own) // 2
        first.append(shuffled[:half])
        second.append(shuffled[half : 2 * half])
    return np.concatenate(first), np.concatenate(second)


def repeated(rows: NDArray[np.int32], *, both: bool = False) -> BoolArray:
    """Where a row holds a number that stands in it before; with `both`, the first one too.

    >>> repeated(np.array([[4, 7, 4, 1]])).astype(int).tolist()
    [[0, 0, 1, 0]]
    """
    ordered = np.sort(rows, axis=1)
    # Sorting alone is many times faster, and mostly there is little to be found.
    affected = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    order = np.argsort(rows[affected], axis=1, kind="stable")
    same = ordered[affected, 1:] == ordered[affected, :-1]
    alike = np.zeros(order.shape, dtype=np.bool_)
    alike[:, 1:] = same
    if both:
        alike[:, :-1] |= same
    found = np.zeros(rows.shape, dtype=np.bool_)
    found[affected[:, None], order] = alike
    return found
