"""What simulated people do, step by step, and whose turn it is."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from heapq import heappop, heappush
from typing import Generic, Literal, NamedTuple, TypeVar

import numpy as np

T = TypeVar("T")
Actor = TypeVar("Actor")


class Pause(NamedTuple):
    """Between two steps others may go first. `place`, `code`: until there may be one; `time`: until `at`."""

    what: Literal["turn", "place", "code", "time"]
    at: float = 0.0


TURN, FOR_PLACE, FOR_CODE = Pause("turn"), Pause("place"), Pause("code")
# What somebody does, which comes to a T. It pauses before every request.
Steps = Generator[Pause, None, T]


def later(seconds: float) -> Pause:
    """A pause of some seconds."""
    return Pause("time", time.monotonic() + seconds)


def alternately(rng: np.random.Generator, *each: Steps[T]) -> Steps[list[T]]:
    """Several things at once, now a step of one, now of another; gives what they come to, in order."""
    left, found = dict(enumerate(each)), {}
    while left:
        chosen = int(rng.choice(list(left)))
        try:
            yield next(left[chosen])
        except StopIteration as end:
            found[chosen] = end.value
            del left[chosen]
    return [found[number] for number in sorted(found)]


class Schedule(Generic[Actor]):
    """Whose turn it is, drawn at random from those who can go on."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._ready: list[Actor] = []
        self._asleep: defaultdict[str, list[Actor]] = defaultdict(list)
        self._later: list[tuple[float, int, Actor]] = []
        self._n_put = 0

    def add(self, actor: Actor, pause: Pause = TURN) -> None:
        """Let somebody go on, after this pause."""
        if pause.what == "turn":
            self._ready.append(actor)
        elif pause.what == "time":
            self._n_put += 1
            heappush(self._later, (pause.at, self._n_put, actor))
        else:
            self._asleep[pause.what].append(actor)

    def turns(self) -> Iterator[Actor]:
        """One after another who can go on, until nobody can. Whoever goes on after that is added again."""
        while self._ready or self._later:
            now = time.monotonic()
            while self._later and self._later[0][0] <= now:
                self._ready.append(heappop(self._later)[2])
            if not self._ready:
                time.sleep(self._later[0][0] - now)
                continue
            index = int(self._rng.integers(len(self._ready)))
            self._ready[index], self._ready[-1] = self._ready[-1], self._ready[index]
            yield self._ready.pop()

    def wake(self, what: str) -> None:
        """Those who wait for this look again."""
        self._ready += self._asleep.pop(what, [])

    def take_all(self) -> list[Actor]:
        """All who are not at an end; they make no other step unless they are added again."""
        asleep = [actor for actors in self._asleep.values() for actor in actors]
        found = [*self._ready, *asleep, *(actor for _, _, actor in self._later)]
        self._ready, self._later = [], []
        self._asleep.clear()
        return found
