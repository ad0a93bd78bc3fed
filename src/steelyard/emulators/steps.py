"""What simulated people do, step by step, and whose turn it is."""

from __future__ import annotations

import threading
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
    """Whose turn it is, drawn at random from those who can go on. Several threads may take turns."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._changed = threading.Condition()
        self._ready: list[Actor] = []
        self._asleep: defaultdict[str, list[Actor]] = defaultdict(list)
        self._later: list[tuple[float, int, Actor]] = []
        self._n_acting = 0
        self._n_put = 0

    def add(self, actor: Actor, pause: Pause = TURN) -> None:
        """Let somebody go on, after this pause."""
        with self._changed:
            self._put(actor, pause)

    def turns(self) -> Iterator[Actor]:
        """One after another who can go on, until nobody can. `done` must be called after each."""
        while True:
            with self._changed:
                actor = self._next()
                if actor is None:
                    return
                self._n_acting += 1
            yield actor

    def done(self, actor: Actor, pause: Pause | None) -> None:
        """Somebody has made a step, and pauses; None: they make no other."""
        with self._changed:
            self._n_acting -= 1
            if pause is not None:
                self._put(actor, pause)
            self._changed.notify_all()

    def wake(self, what: str) -> None:
        """Those who wait for this look again."""
        with self._changed:
            self._ready += self._asleep.pop(what, [])
            self._changed.notify_all()

    def everybody(self) -> list[Actor]:
        """All who are not at an end."""
        with self._changed:
            asleep = [actor for actors in self._asleep.values() for actor in actors]
            return [*self._ready, *asleep, *(actor for _, _, actor in self._later)]

    def remove(self, actors: list[Actor]) -> None:
        """These make no other step."""
        gone = {id(actor) for actor in actors}
        with self._changed:
            self._ready = [actor for actor in self._ready if id(actor) not in gone]
            for what, waiting in self._asleep.items():
                self._asleep[what] = [actor for actor in waiting if id(actor) not in gone]
            self._later = [entry for entry in self._later if id(entry[2]) not in gone]

    def _put(self, actor: Actor, pause: Pause) -> None:
        if pause.what == "turn":
            self._ready.append(actor)
        elif pause.what == "time":
            self._n_put += 1
            heappush(self._later, (pause.at, self._n_put, actor))
        else:
            self._asleep[pause.what].append(actor)

    def _next(self) -> Actor | None:
        while True:
            now = time.monotonic()
            while self._later and self._later[0][0] <= now:
                self._ready.append(heappop(self._later)[2])
            if self._ready:
                index = int(self._rng.integers(len(self._ready)))
                self._ready[index], self._ready[-1] = self._ready[-1], self._ready[index]
                return self._ready.pop()
            if self._later:
                self._changed.wait(self._later[0][0] - now)
            elif self._n_acting:
                self._changed.wait()
            else:
                return None
