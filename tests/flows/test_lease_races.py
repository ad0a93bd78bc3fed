"""Leases under people who do everything at once: no place is given twice, no answer is lost."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from itertools import count
from threading import Barrier, Lock
from typing import Any

import pytest
from sqlalchemy import Engine, event, func, insert, select

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.work import AssignmentStatus
from steelyard.flows.assign import NextItem
from steelyard.flows.release import release, release_idle, return_work
from steelyard.store import leases, tables

THREADS = 6


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What the calls return or raise, all begun at the same moment."""
    start = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        start.wait()
        try:
            return call()
        except (Conflict, NotFound) as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def check_places(people: Any) -> None:
    """A HIT is never judged by more people than wanted, and nobody judges what they should not."""
    stored, openings, hits = tables.assignments.c, tables.openings.c, tables.hits.c
    with people.campaign.store.read() as connection:
        held = dict(
            connection.execute(
                select(openings.assignment_id, openings.hit_id).where(openings.assignment_id.is_not(None))
            ).all()
        )
        assignments = connection.execute(
            select(tables.assignments, hits.round, hits.part).join(tables.hits, hits.hit_id == stored.hit_id)
        ).all()
        n_places = dict(
            connection.execute(select(openings.hit_id, func.count()).group_by(openings.hit_id)).all()
        )
        judged = connection.execute(
            select(stored.worker_id, tables.judgements.c.item_id).join(
                tables.judgements, tables.judgements.c.assignment_id == stored.assignment_id
            )
        ).all()
        began = set(connection.execute(select(tables.judgements.c.assignment_id)).scalars())
    for row in assignments:
        assert held.get(row.assignment_id) == (row.hit_id if row.released_at is None else None), row
    standing = Counter(row.hit_id for row in assignments if row.released_at is None)
    assert all(standing[hit_id] <= n for hit_id, n in n_places.items())
    n_open = Counter(row.worker_id for row in assignments if row.status == "accepted")
    assert all(n == 1 for n in n_open.values())
    rounds = {
        (row.worker_id, row.part, row.round)
        for row in assignments
        if row.released_at is None or row.assignment_id in began
    }
    assert len(rounds) == len({(worker, part) for worker, part, _ in rounds})
    assert max(Counter(judged).values(), default=1) == 1


def add_places(people: Any) -> None:
    """A second place on every HIT."""
    rows = [{"opening_id": 10 + number, "hit_id": f"h{number}"} for number in (1, 2, 3, 4)]
    with people.campaign.store.write() as connection:
        connection.execute(insert(tables.openings), rows)


def finish_all(people: Any, minute: float) -> None:
    """New people come until every place is filled."""
    for _ in range(20):
        [worker] = people.add()
        while people.take(worker, minute):
            people.finish(worker, minute)
    states = {place.state for hit in people.hits(minute).values() for place in hit.places}
    assert states == {"submitted"}


def test_one_of_many_gets_a_place_that_comes_free(people: Any) -> None:
    first = people.add(4)
    for worker in first:
        people.take(worker)
    waiting = people.add(THREADS)
    release(people.campaign, [first[2]], by="manager", now=people.at(1))

    taken = at_once([lambda worker=worker: people.take(worker, 2) for worker in waiting])

    assert Counter(taken) == {"h3": 1, None: THREADS - 1}
    check_places(people)


def test_two_devices_that_come_back_share_one_assignment(people: Any) -> None:
    [worker] = people.add()
    late = people.answer_to(people.next(worker))
    release(people.campaign, [worker], by="manager", now=people.at(1))
    other_device = people.answer_to(people.next(worker, 2), assignment_id=late.assignment_id)
    release(people.campaign, [worker], by="manager", now=people.at(3))

    replies = at_once(
        [lambda: people.send(worker, late, 4), lambda: people.send(worker, other_device, 4)]
        + [lambda: people.next(worker, 4)] * 2
    )

    stored = [reply for reply in replies[:2] if isinstance(reply, NextItem)]
    assert len(stored) == 1
    assert {reply.assignment_id for reply in replies if isinstance(reply, NextItem)} == {late.assignment_id}
    check_places(people)


def test_a_late_answer_and_somebody_new_do_not_get_the_same_place(people: Any) -> None:
    absent, *others = people.add(4)
    late = people.answer_to(people.next(absent))
    for worker in others:
        people.take(worker)
    release(people.campaign, [absent], by="manager", now=people.at(1))
    newcomers = people.add(2)

    answered, *taken = at_once(
        [lambda: people.send(absent, late, 2)]
        + [lambda worker=worker: people.take(worker, 2) for worker in newcomers]
    )

    winners = [isinstance(answered, NextItem), *(hit == "h1" for hit in taken)]
    assert sum(winners) == 1
    check_places(people)


def test_every_answer_that_was_confirmed_while_the_manager_released_is_there(people: Any) -> None:
    [worker] = people.add()
    confirmed = []

    def judge() -> None:
        for _ in range(4):
            answer = people.answer_to(people.next(worker))
            with suppress(Conflict):
                people.send(worker, answer)
                confirmed.append(answer.judgement_id)

    def release_often() -> None:
        for _ in range(8):
            with suppress(Conflict):
                release(people.campaign, [worker], by="manager", now=people.at(1))

    at_once([judge, release_often, release_often])

    with people.campaign.store.read() as connection:
        stored = set(connection.execute(select(tables.judgements.c.judgement_id)).scalars())
    assert set(confirmed) == stored
    assert confirmed
    check_places(people)


class Walk:
    """Random steps of a few people with two devices each, and of a manager; time moves on by itself."""

    def __init__(self, people: Any, seed: int) -> None:
        self.people = people
        self.random = random.Random(seed)
        self.minutes = count(0, 7)
        self.workers = people.add(5)
        self.kept: dict[str, Any] = {}
        self.confirmed: list[str] = []
        self.lock = Lock()
        people.rules(lease_minutes=30)

    def step(self) -> None:
        with self.lock:
            minute = next(self.minutes)
            worker = self.random.choice(self.workers)
            action = self.random.choice(
                [self.ask] * 3 + [self.answer] * 8 + [self.give_back, self.free, self.sweep, self.replace]
            )
        with suppress(Conflict, NotFound):
            action(worker, minute)

    def ask(self, worker: str, minute: int) -> None:
        view = self.people.next(worker, minute)
        if isinstance(view, NextItem):
            self.kept[worker] = view

    def answer(self, worker: str, minute: int) -> None:
        if worker not in self.kept:
            return self.ask(worker, minute)
        # Sometimes what is on screen is old: the answer then comes late, or to the wrong item.
        answer = self.people.answer_to(self.kept[worker])
        view = self.people.send(worker, answer, minute)
        self.confirmed.append(answer.judgement_id)
        if isinstance(view, NextItem):
            self.kept[worker] = view
        else:
            self.kept.pop(worker, None)
        return None

    def give_back(self, worker: str, minute: int) -> None:
        held = self.people.status(worker, minute).assignment_id
        return_work(self.people.campaign, worker, held or str(uuid.uuid4()), now=self.people.at(minute))

    def free(self, worker: str, minute: int) -> None:
        release(self.people.campaign, [worker], by="manager", now=self.people.at(minute))

    def sweep(self, worker: str, minute: int) -> None:
        release_idle(self.people.campaign, by="command line", now=self.people.at(minute))

    def replace(self, worker: str, minute: int) -> None:
        """Offer a submitted HIT to others, or take that back while the place is free."""
        stored = tables.assignments.c
        query = select(stored.assignment_id, stored.released_at).where(
            stored.worker_id == worker, stored.status == AssignmentStatus.SUBMITTED.value
        )
        with self.people.campaign.store.write() as connection:
            row = connection.execute(query.order_by(stored.assignment_id).limit(1)).first()
            if row is None:
                return
            if row.released_at is None:
                leases.release_place(connection, row.assignment_id, now=self.people.at(minute))
            else:
                leases.retake_place(connection, row.assignment_id)

    def check(self) -> None:
        with self.people.campaign.store.read() as connection:
            stored = list(connection.execute(select(tables.judgements.c.judgement_id)).scalars())
        assert sorted(stored) == sorted(self.confirmed)
        check_places(self.people)


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_people_do_a_hit_is_never_judged_by_more_than_wanted(people: Any, seed: int) -> None:
    add_places(people)
    walk = Walk(people, seed)

    for _ in range(60):
        walk.step()
        check_places(people)

    walk.check()
    finish_all(people, 100_000)
    check_places(people)


def test_that_holds_when_they_do_it_all_at_once(people: Any, noon: datetime) -> None:
    add_places(people)
    walk = Walk(people, seed=3)

    at_once([lambda: [walk.step() for _ in range(15)]] * THREADS)

    walk.check()
    finish_all(people, 100_000)
    check_places(people)


def test_the_list_of_hits_shows_one_moment_though_a_place_is_taken_meanwhile(people: Any) -> None:
    [worker] = people.add()
    is_taken = False

    def take_between(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        nonlocal is_taken
        if "FROM openings" in statement and not is_taken:
            is_taken = True
            people.take(worker, 1)

    event.listen(Engine, "before_cursor_execute", take_between)
    try:
        before = people.hits(1)
    finally:
        event.remove(Engine, "before_cursor_execute", take_between)
    states = Counter(place.state for hit in before.values() for place in hit.places)
    afterwards = Counter(place.state for hit in people.hits(1).values() for place in hit.places)

    assert is_taken
    assert (states["open"], afterwards["open"]) == (0, 1)
