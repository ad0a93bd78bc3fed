"""The segments of control documents: which is a repeat, which degraded, which the reference."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steelyard.design.bases import BaseBook
from steelyard.design.layout import MIN_DEGRADED
from steelyard.design.places import CODE
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.arrays import IntArray


class KindDealer:
    """Deals kinds to the segments of control documents, so that each kind has its share of them all.

    HIT by HIT the numbers are as even as the shares allow, what is left over going to the kind that
    is behind; then they are shuffled over the segments whatever document these belong to. Every
    HIT has at least five degraded ones if it has five that can be degraded.
    """

    def __init__(self, book: BaseBook, shares: Mapping[ItemKind, float], *, rng: np.random.Generator) -> None:
        self._book, self._rng = book, rng
        total = sum(shares.values()) or 1.0
        self._share = {kind: shares.get(kind, 0.0) / total for kind in CONTROL_KINDS}
        self._due = dict.fromkeys(CONTROL_KINDS, 0.0)

    def deal(self, entries: IntArray) -> IntArray:
        """The code of the kind of every control segment of one HIT, given their entries.

        What cannot be degraded, or has no reference, is a repeat.
        """
        wanted = self._wanted(len(entries))
        kinds = np.full(len(entries), CODE[ItemKind.REPEAT])
        degraded = self._degraded(entries, wanted[ItemKind.DEGRADED])
        kinds[degraded] = CODE[ItemKind.DEGRADED]
        with_reference = self._book.has_reference[entries]
        with_reference[degraded] = False
        chosen = self._rng.permutation(np.flatnonzero(with_reference))[: wanted[ItemKind.REFERENCE]]
        kinds[chosen] = CODE[ItemKind.REFERENCE]
        return kinds

    def _degraded(self, entries: IntArray, wanted: int) -> list[int]:
        """Places of entries that can be degraded, as many as wanted, drawn at random, short texts last."""
        candidates = self._rng.permutation(np.flatnonzero(self._book.can_be_degraded[entries]))
        candidates = candidates[np.argsort(self._book.grade[entries[candidates]], kind="stable")]
        chosen: list[int] = []
        for place in candidates.tolist():
            if len(chosen) == wanted:
                break
            if self._book.degrade(int(entries[place])):
                chosen.append(place)
        return chosen

    def _wanted(self, number: int) -> dict[ItemKind, int]:
        """How many of each kind among this number."""
        wanted = dict.fromkeys(CONTROL_KINDS, 0)
        for kind in CONTROL_KINDS:
            self._due[kind] += number * self._share[kind]
        for _ in range(number):
            # Ties go to the kind that comes first, which matters most for the test of a worker.
            behind = max(CONTROL_KINDS, key=lambda kind: self._due[kind] - wanted[kind])
            wanted[behind] += 1
        if self._share[ItemKind.DEGRADED]:
            while wanted[ItemKind.DEGRADED] < min(MIN_DEGRADED, number):
                richest = max((ItemKind.REPEAT, ItemKind.REFERENCE), key=lambda kind: wanted[kind])
                wanted[richest] -= 1
                wanted[ItemKind.DEGRADED] += 1
        for kind in CONTROL_KINDS:
            self._due[kind] -= wanted[kind]
        return wanted
