"""A simulated crowd that comes to a campaign through an emulated platform, over HTTP, as people would.

Everybody does one small step at a time, and a random generator draws whose turn it is: the same seed gives
the same story, whatever it is that goes wrong in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from steelyard.domain.entry import entry_in
from steelyard.emulators.crowd_report import CrowdReport
from steelyard.emulators.entrance import Entrance
from steelyard.emulators.person import CrowdVisit, PersonKind, SimulatedPerson, Surroundings, VisitEnd
from steelyard.emulators.steps import Pause, Schedule, Steps
from steelyard.emulators.ways import take_part
from steelyard.emulators.wire import RequestRefused, Wire
from steelyard.flows.open import OpenCampaign
from steelyard.flows.simulate import Hand, make_hands
from steelyard.flows.state import campaign_now
from steelyard.simulate.crowd import Mix, make_crowd, shared_out

# Steps between two looks: about as many as one person makes [our choice].
STEPS_BETWEEN = 25
# Shares of what people do: a crowd as one must fear it [our choice].
KINDS = {
    PersonKind.DILIGENT: 0.50,
    PersonKind.CLICKING: 0.10,
    PersonKind.LEAVING: 0.08,
    PersonKind.ABANDONING: 0.06,
    PersonKind.FORGETTING: 0.05,
    PersonKind.CHEATING: 0.05,
    PersonKind.TWO_TABS: 0.05,
    PersonKind.SHARING: 0.04,
    PersonKind.SCREENED: 0.04,
    PersonKind.AGAIN: 0.03,
}
# Those who do the work, and those who only click [our choices].
WORKING = Mix(careful=0.6, noisy=0.4, careless=0.0, cheating=0.0)
CLICKING = Mix(careful=0.0, noisy=0.0, careless=0.0, cheating=1.0)


@dataclass(slots=True, eq=False)
class _Actor:
    """Somebody, and what they have still to do."""

    person: SimulatedPerson
    steps: Steps[None]


class VisitingCrowd:
    """People who come to a campaign through an emulated platform. Close it in the end.

    They know from the campaign how good each item is, and nothing in it is changed but by requests to its
    server.
    """

    def __init__(self, emulator_url: str, campaign: OpenCampaign, *, seed: int = 7) -> None:
        self._campaign = campaign
        self._rng = np.random.default_rng(seed)
        self.wire = Wire()
        self.entrance = Entrance(self.wire, emulator_url)
        self._codes: list[str] = []
        self._people: list[SimulatedPerson] = []
        self._visits: list[CrowdVisit] = []
        self._problems: list[str] = []
        self._seconds = 0.0
        self._schedule: Schedule[_Actor] = Schedule(self._rng.spawn(1)[0])

    def run(
        self,
        n_people: int = 0,
        *,
        look: Callable[[], None] = lambda: None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> CrowdReport:
        """Let so many more people come, and all act until nobody can go on.

        Who found no place, or no work, looks again in the next run. `look` is called every now and then, and
        `progress` is told of everybody who has come to an end.
        """
        started = time.perf_counter()
        for what in ("place", "code"):
            self._schedule.wake(what)
        for person in self._new_people(n_people):
            self._people.append(person)
            self._schedule.add(_Actor(person, take_part(person)))
        self._give_back_what_is_asked_for()
        for n_steps, actor in enumerate(self._schedule.turns(), 1):
            pause = self._step(actor)
            if pause is None:
                progress(1)
            else:
                self._schedule.add(actor, pause)
            if n_steps % STEPS_BETWEEN == 0:
                look()
        self._seconds += time.perf_counter() - started
        return self.report()

    def _step(self, actor: _Actor) -> Pause | None:
        """What somebody waits for after a step; None: they have come to an end."""
        try:
            return next(actor.steps)
        except StopIteration:
            return None
        except RequestRefused as refused:
            self._problems.append(f"{actor.person.kind} {actor.person.person_id}: {refused}")
            return None

    def send_home(self) -> None:
        """Let everybody stop where they are; those who wait for work give their places back."""
        for actor in self._schedule.take_all():
            actor.steps.close()
            for visit in actor.person.visits:
                if visit.end is VisitEnd.UNDER_WAY:
                    self.entrance.leave(visit.session)
                    visit.end = VisitEnd.NO_WORK

    def report(self) -> CrowdReport:
        """What everybody has done, and what the platform says of it now."""
        # Where a session is given on to somebody else, the platform speaks of the one who has it now.
        for visit in {visit.session: visit for visit in self._visits}.values():
            visit.state = self.entrance.session(visit.session)["state"]
        return CrowdReport(
            n_people=len(self._people),
            n_waiting=sum(not person.visits for person in self._people),
            visits=tuple(replace(visit) for visit in self._visits),
            problems=tuple(self._problems),
            seconds=self._seconds,
            n_requests=dict(self.wire.n_requests),
            waited=dict(self.wire.seconds),
            n_repeated=self.wire.n_repeated,
        )

    def close(self) -> None:
        """Let go of connections."""
        self.wire.close()

    def _new_people(self, n: int) -> list[SimulatedPerson]:
        if not n:
            return []
        around = Surroundings(
            wire=self.wire,
            entrance=self.entrance,
            entry=entry_in(campaign_now(self._campaign).settings.presentation),
            news=self._schedule.wake,
            codes=self._codes,
            visits=self._visits,
        )
        counts = shared_out(n, KINDS)
        kinds = [kind for kind, count in counts.items() for _ in range(count)]
        n_helpers = counts[PersonKind.SHARING]
        hands = make_hands(self._campaign, n + n_helpers, seed=int(self._rng.integers(2**31)), mix=WORKING)
        helpers = hands[n:]
        ids, first = self.entrance.new_people(n), len(self._people)
        return [
            SimulatedPerson(
                person_id=ids[place],
                kind=kinds[index],
                hand=self._hand(kinds[index], hands[place]),
                rng=self._rng.spawn(1)[0],
                address=_address(first + place),
                around=around,
                helper=helpers.pop() if kinds[index] is PersonKind.SHARING else None,
            )
            for place, index in enumerate(self._rng.permutation(n))
        ]

    def _hand(self, kind: PersonKind, hand: Hand) -> Hand:
        if kind is not PersonKind.CLICKING:
            return hand
        return replace(hand, worker=make_crowd(1, mix=CLICKING, rng=self._rng)[0])

    def _give_back_what_is_asked_for(self) -> None:
        """Who is asked to give the place back does so, unless they have done the work."""
        for visit in self._visits:
            is_doubtful = visit.end in (VisitEnd.STOLEN_CODE, VisitEnd.SCREENED_OUT)
            if is_doubtful and self.entrance.session(visit.session)["return_requested"]:
                self.entrance.leave(visit.session)
                visit.end = VisitEnd.RETURNED


def _address(number: int) -> str:
    """An address of somebody's own, in a network that is nobody's.

    >>> _address(0), _address(300)
    ('10.0.0.1', '10.0.1.45')
    """
    number += 1
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
