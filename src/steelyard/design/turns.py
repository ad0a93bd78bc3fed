"""Turns: how many each system gives to every HIT, so that all keep to their shares."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray

# The system furthest behind comes first, give or take this part of a turn. Our choice: it keeps systems with
# different shares out of step.
_LEEWAY = 0.5


def counts_by_turns(n_systems: int, *, per_hit: int, total: int) -> IntArray:
    """How many places of each HIT each system has if they take turns until `total` places are taken.

    >>> counts_by_turns(3, per_hit=4, total=6).tolist()
    [[2, 1, 1], [0, 1, 1]]
    """
    n_hits = -(-total // per_hit)
    filled = np.minimum(np.arange(n_hits + 1)[:, None] * per_hit, total)
    up_to = (filled + n_systems - 1 - np.arange(n_systems)) // n_systems
    return np.diff(up_to, axis=0)


class Turns:
    """Systems give in proportion to their shares; the one furthest behind comes next.

    Ties are broken at random. `behind` says how much less than its share each system has given so far.
    """

    def __init__(self, share: IntArray, *, rng: np.random.Generator) -> None:
        self.share: FloatArray = share / share.sum()
        self.behind: FloatArray = np.zeros(len(share))
        self._rng = rng

    def take(self, number: int, *, most: IntArray, least: IntArray | None = None) -> IntArray:
        """How many of `number` each system gives: at least `least`, at most `most`."""
        due = number * self.share
        counts = np.minimum(due.astype(np.int64), most)
        if least is not None:
            counts = np.maximum(counts, least)
            counts = counts if counts.sum() <= number else least.copy()
        rest = number - int(counts.sum())
        self.behind += due
        # The lowest score comes next.
        score = counts - self.behind + self._rng.random(len(due)) * _LEEWAY
        while rest > 0:
            score[counts >= most] = np.inf
            chosen = score.argsort()[:rest]
            chosen = chosen[score[chosen] < np.inf]
            assert len(chosen), "the bounds leave room for all"
            counts[chosen] += 1
            score[chosen] += 1
            rest -= len(chosen)
        self.behind -= counts
        return counts

    def unhurried(self, number: int, *, least: IntArray, most: IntArray) -> IntArray:
        """Upper bounds for HITs (rows) that let systems catch up slowly, where bounds leave the choice.

        No system then gives more than one above its share of the HIT, rounded up.
        """
        slow = np.minimum(most, np.ceil(number * self.share).astype(np.int64) + 1)
        slow = np.maximum(slow, least)
        return np.where((slow.sum(axis=1) >= number)[:, None], slow, most)

    def note(self, counts: IntArray) -> None:
        """Take into account what was given without asking whose turn it is; below 0: what was put back."""
        self.behind += int(counts.sum()) * self.share - counts
