"""Reading progress again and again gives what counting everything anew would."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select, update

from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Judgement
from steelyard.store import judgements, tables, tallies, work
from steelyard.store.actions import exclusions, log_action
from steelyard.store.database import Store
from steelyard.store.leases import release_place, retake_place
from steelyard.store.progress import Progress, ProgressReader

STEPS = 100


def counted_anew(connection: Connection) -> dict[str, Any]:
    """Judgements, places and workers, each by its plainest query."""
    judged, stored = tables.current_judgements.c, tables.assignments.c

    def by_worker(*columns: Any, where: Iterable[Any] = ()) -> dict[str, tuple[Any, ...]]:
        query = (
            select(stored.worker_id, *columns)
            .join(tables.current_judgements, judged.assignment_id == stored.assignment_id, isouter=True)
            .where(*where)
            .group_by(stored.worker_id)
        )
        return {row[0]: tuple(row[1:]) for row in connection.execute(query)}

    every = connection.execute(select(tables.current_judgements).order_by(judged.submitted_at)).all()
    return {
        "n_judgements": len(every),
        "done": {
            worker: (n, worked_ms(connection, worker), last)
            for worker, (n, last) in by_worker(
                func.count(judged.judgement_id), func.max(judged.submitted_at)
            ).items()
        },
        "submitted": dict(
            tuple(row)
            for row in connection.execute(
                select(stored.worker_id, func.count(stored.submitted_at)).group_by(stored.worker_id)
            )
        ),
        **counted_places(connection),
        "moments": [row.submitted_at for row in every],
    }


def worked_ms(connection: Connection, worker_id: str) -> int:
    """How long a worker was at it, judgement by judgement."""
    held = tables.assignments
    total = 0
    for assignment in connection.execute(select(held).where(held.c.worker_id == worker_id)):
        of_it = select(tables.judgements).filter_by(assignment_id=assignment.assignment_id)
        rows = connection.execute(of_it).all()
        replaced = {row.replaces for row in rows}
        first = {row.position: row.submitted_at for row in rows if row.replaces is None}
        for row in rows:
            if row.judgement_id in replaced:
                continue
            before = first.get(row.position - 1, assignment.accepted_at)
            if assignment.resumed_at is not None and before < assignment.resumed_at < row.submitted_at:
                before = assignment.resumed_at
            passed = (row.submitted_at - before) // timedelta(milliseconds=1)
            total += min(row.shown_ms, max(0, passed), 600_000)
    return total


def counted_places(connection: Connection) -> dict[str, Any]:
    """What became of each place, and the items left on it, place by place."""
    stored, judged = tables.assignments.c, tables.current_judgements.c
    out = {(each.worker_id, each.hit_id) for each in exclusions(connection)}
    counts = dict.fromkeys(("free", "open", "submitted", "excluded"), 0)
    n_left = 0
    for _, hit_id, assignment_id, _ in connection.execute(select(tables.openings)).all():
        size = select(func.count()).where(tables.hit_items.c.hit_id == hit_id)
        n_items = connection.execute(size).scalar_one()
        if assignment_id is None:
            counts["free"] += 1
            n_left += n_items
            continue
        holder = connection.execute(
            select(tables.assignments).where(stored.assignment_id == assignment_id)
        ).one()
        done = select(func.count()).where(judged.assignment_id == assignment_id)
        n_left += n_items - connection.execute(done).scalar_one()
        if {(holder.worker_id, None), (holder.worker_id, holder.hit_id)} & out:
            counts["excluded"] += 1
        else:
            counts["submitted" if holder.submitted_at else "open"] += 1
    return {"places": counts, "n_left": n_left}


def seen(found: Progress) -> dict[str, Any]:
    """The same facts as progress tells them."""
    return {
        "n_judgements": found.n_judgements,
        "done": {
            worker.worker_id: (worker.n_done, round(worker.seconds * 1000), worker.last_at)
            for worker in found.workers
            if worker.n_assignments
        },
        "submitted": {
            worker.worker_id: worker.n_submitted for worker in found.workers if worker.n_assignments
        },
        "places": {
            "free": found.places.free,
            "open": found.places.open + found.places.idle,
            "submitted": found.places.submitted,
            "excluded": found.places.excluded,
        },
        "n_left": found.n_left,
    }


class Walk:
    """Random but valid things that happen to a campaign."""

    def __init__(self, store: Store, noon: datetime, seed: int) -> None:
        self.store, self.now = store, noon
        self.random = random.Random(seed)
        self.numbers = count()

    def step(self) -> None:
        self.now += timedelta(seconds=self.random.choice([0, 1, 30, 4000]))
        happening = self.random.choices(
            [self.join, self.take, self.judge, self.give_back, self.come_back],
            weights=[1, 3, 12, 1, 1],
        )[0]
        happening = self.random.choices(
            [happening, self.correct, self.exclude, self.offer_more], weights=[18, 1, 1, 1]
        )[0]
        with self.store.write() as connection:
            happening(connection)

    def any_of(self, connection: Connection, *where: Any) -> Any:
        query = select(tables.assignments).where(*where).order_by(tables.assignments.c.assignment_id)
        rows = connection.execute(query).all()
        return self.random.choice(rows) if rows else None

    def join(self, connection: Connection) -> None:
        work.add_worker(connection, now=self.now)

    def take(self, connection: Connection) -> None:
        workers = connection.execute(select(tables.workers.c.worker_id)).scalars().all()
        if workers:
            worker = self.random.choice(workers)
            work.claim_opening(connection, worker, assignment_id=f"a{next(self.numbers):04}", now=self.now)

    def judge(self, connection: Connection) -> None:
        taken = self.any_of(connection, tables.assignments.c.status == "accepted")
        if taken is None:
            return
        found = work.assignment(connection, taken.assignment_id)
        assert found is not None
        placed = work.placed_item(connection, found, found.n_done + 1)
        judgements.append(
            connection,
            Judgement(
                f"j{next(self.numbers)}",
                found.assignment_id,
                placed.item_id,
                found.n_done + 1,
                {"rating": 50},
                self.random.randrange(100, 9000),
                self.now,
            ),
        )
        if found.n_done + 1 == found.n_items:
            work.submit_assignment(connection, found.assignment_id, now=self.now)

    def give_back(self, connection: Connection) -> None:
        taken = self.any_of(connection, tables.assignments.c.status == "accepted")
        if taken is not None and release_place(connection, taken.assignment_id, now=self.now):
            self.set_status(connection, taken.assignment_id, "expired")

    def come_back(self, connection: Connection) -> None:
        left = self.any_of(connection, tables.assignments.c.status == "expired")
        if left is None or work.open_assignment(connection, left.worker_id):
            return
        if retake_place(connection, left.assignment_id):
            self.set_status(connection, left.assignment_id, "accepted")

    def set_status(self, connection: Connection, assignment_id: str, status: str) -> None:
        stored = tables.assignments
        connection.execute(
            update(stored).where(stored.c.assignment_id == assignment_id).values(status=status)
        )

    def correct(self, connection: Connection) -> None:
        current = tables.current_judgements
        rows = connection.execute(select(current).order_by(current.c.judgement_id)).mappings().all()
        if rows:
            old = dict(self.random.choice(rows))
            new = {"judgement_id": f"j{next(self.numbers)}", "replaces": old["judgement_id"]}
            moved = {"submitted_at": self.now, "shown_ms": old["shown_ms"] + 1}
            connection.execute(insert(tables.judgements), [old | new | moved])

    def offer_more(self, connection: Connection) -> None:
        number = connection.execute(select(func.max(tables.openings.c.opening_id))).scalar_one() + 1
        hit_id = self.random.choice(["h1", "h2", "h3", "h4"])
        connection.execute(insert(tables.openings), [{"opening_id": number, "hit_id": hit_id}])

    def exclude(self, connection: Connection) -> None:
        workers = connection.execute(select(tables.workers.c.worker_id)).scalars().all()
        if workers:
            verb = self.random.choice(["exclude", "reinstate"])
            who = self.random.choice(workers)
            log_action(connection, verb, by="manager", now=self.now, worker_id=who)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_reader_that_remembers_sees_what_a_new_one_sees(
    toy_store: Store, noon: datetime, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tallies, "_MOST_LOOKED_UP", 1 if seed == 1 else 100)
    walk, reader = Walk(toy_store, noon, seed), ProgressReader()
    for number in range(STEPS):
        try:
            walk.step()
        except Conflict:
            continue
        if number % 6:
            continue
        with toy_store.read() as connection:
            found = reader.read(connection, idle_before=walk.now)
            plain = counted_anew(connection)
            anew = ProgressReader().read(connection, idle_before=walk.now)

        assert asdict(found) | {"arrivals": None} == asdict(anew) | {"arrivals": None}
        moments = plain.pop("moments")
        assert seen(found) == plain
        for end, n in found.history:
            assert n == sum(moment < end for moment in moments)
