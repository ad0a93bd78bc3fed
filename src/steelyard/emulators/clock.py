"""A clock that can be put forward: what takes days on a platform takes no time in a rehearsal."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count


def _wall_clock() -> datetime:
    return datetime.now(UTC)


class EmulatorClock:
    """The time on an emulated platform, and what is to happen there later.

    `source` says what time it is outside; the time here is ahead of it by as much as it was put forward.
    Nothing happens by itself: `settle` does all that has fallen due, each at its own time and in order.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> clock = EmulatorClock(lambda: noon)
    >>> clock.after(60, lambda: print("due at", clock.now().time()))
    >>> clock.advance(3600)
    due at 12:01:00
    >>> clock.now().time()
    datetime.time(13, 0)
    """

    def __init__(self, source: Callable[[], datetime] = _wall_clock) -> None:
        self._source = source
        self._ahead = timedelta(0)
        self._held: datetime | None = None
        self._due: list[tuple[datetime, int, Callable[[], object]]] = []
        self._order = count()

    def now(self) -> datetime:
        """The time on the platform; while something happens that has fallen due, the time it was due."""
        return self._held or self._source() + self._ahead

    def at(self, when: datetime, action: Callable[[], object]) -> None:
        """Let this happen then. It must look for itself whether it is still wanted."""
        heapq.heappush(self._due, (when, next(self._order), action))

    def after(self, seconds: float, action: Callable[[], object]) -> None:
        """Let this happen after so many seconds."""
        self.at(self.now() + timedelta(seconds=seconds), action)

    def settle(self) -> None:
        """Do all that has fallen due."""
        for _ in self._happening(self.now()):
            pass

    def advance(self, seconds: float) -> None:
        """Put the clock forward, and do on the way all that falls due."""
        for _ in self.advancing(seconds):
            pass

    def advancing(self, seconds: float) -> Iterator[datetime]:
        """Put the clock forward; yields after each thing that happens, and once at the end.

        In between, others may do what takes real time, such as sending what has happened to somebody.
        """
        goal = self.now() + timedelta(seconds=seconds)
        yield from self._happening(goal)
        self._ahead += max(timedelta(0), goal - self.now())
        yield self.now()

    def _happening(self, until: datetime) -> Iterator[datetime]:
        while self._due and self._due[0][0] <= until:
            when, _, action = heapq.heappop(self._due)
            # It may be past that time, if nobody has looked since; what happens is dated as it was due.
            outer, self._held = self._held, when
            try:
                action()
            finally:
                self._held = outer
            self._ahead += max(timedelta(0), when - self.now())
            yield when
