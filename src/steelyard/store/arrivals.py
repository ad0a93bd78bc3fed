"""When judgements arrived: to the second, and quick to count however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil

import numpy as np

from steelyard.stats.arrays import IntArray

# Points of the curve of judgements over time; more would not show on a screen [our choice].
STRETCHES = 60
# Moments that may wait to be sorted among the others, at least and as a share of them [our choices].
_WAITING, _WAITING_SHARE = 10_000, 0.05


def _nothing() -> IntArray:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The seconds (since 1970) at which judgements arrived, in two sorted parts."""

    early: IntArray = field(default_factory=_nothing)
    late: IntArray = field(default_factory=_nothing)

    def before(self, seconds: IntArray) -> IntArray:
        """How many arrived before each of these seconds."""
        return np.searchsorted(self.early, seconds) + np.searchsorted(self.late, seconds)

    @property
    def first(self) -> int | None:
        """The second of the first arrival."""
        return min((int(part[0]) for part in (self.early, self.late) if len(part)), default=None)

    @property
    def last(self) -> int | None:
        """The second of the last arrival."""
        return max((int(part[-1]) for part in (self.early, self.late) if len(part)), default=None)

    def history(self) -> tuple[tuple[datetime, int], ...]:
        """The end of each stretch of time between the first and the last, and how many had come by then."""
        first, last = self.first, self.last
        if first is None or last is None:
            return ()
        width = max(1, ceil((last - first + 1) / STRETCHES))
        numbers = np.arange(1, (last - first) // width + 2)
        start = datetime.fromtimestamp(first, UTC)
        totals = self.before(first + width * numbers).tolist()
        return tuple(
            (start + timedelta(seconds=width * number), total) for number, total in enumerate(totals, start=1)
        )


class ArrivalTimes:
    """Moments that are only ever added to. Sorting waits until there are enough new ones."""

    def __init__(self) -> None:
        self._sorted = _nothing()
        self._waiting = _nothing()

    def add(self, seconds: Sequence[IntArray]) -> None:
        """Remember the moments of some more judgements."""
        self._waiting = np.concatenate([self._waiting, *seconds])
        if len(self._waiting) > max(_WAITING, _WAITING_SHARE * len(self._sorted)):
            self._sorted = np.sort(np.concatenate([self._sorted, self._waiting]))
            self._waiting = _nothing()

    def with_more(self, seconds: Sequence[IntArray]) -> Arrivals:
        """All moments, and these beside them, which are not remembered."""
        return Arrivals(self._sorted, np.sort(np.concatenate([self._waiting, *seconds])))
