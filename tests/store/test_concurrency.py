from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from itertools import count
from threading import Barrier

import pytest
from sqlalchemy import select, update

from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Judgement
from steelyard.domain.work import Hit, Item, ItemKind, PlacedItem
from steelyard.store import campaigns, judgements, tables, work
from steelyard.store.database import Store, open_store

THREADS = 8
HITS = 24

# Stores judgements until it is killed; prints an id only after its transaction has ended.
ENDLESS_WORKER = """
import sys
from datetime import UTC, datetime
from itertools import count
from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Judgement
from steelyard.store import judgements
from steelyard.store.database import open_store

store = open_store(sys.argv[1])
for number in count(1):
    judgement = Judgement(f"j{number}", "a1", "i-alpha-s1", number, {"rating": 50}, 1, datetime.now(UTC))
    with store.write() as connection:
        judgements.append(connection, judgement)
    print(judgement.judgement_id, flush=True)
"""


def at_once(run: Callable[[int], object]) -> list[object]:
    """What `run(0)` ... `run(7)` return, all started at the same moment."""
    start = Barrier(THREADS)

    def wait_and_run(number: int) -> object:
        start.wait()
        return run(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(wait_and_run, range(THREADS)))


@pytest.fixture
def wide_store(store: Store, toy_campaign: Campaign, noon: datetime) -> Store:
    """Many HITs of one item with two openings each, and a worker per thread."""
    items = [Item(f"i{n}", ItemKind.REGULAR, "alpha", "s1", "text") for n in range(HITS)]
    hits = [Hit(f"h{n}", 1, n, (PlacedItem(f"i{n}", 1, 1),)) for n in range(HITS)]
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=items,
            hits=hits,
            openings_per_hit=2,
            now=noon,
            created_with="test",
        )
        for _ in range(THREADS):
            work.add_worker(connection, now=noon)
    return store


def test_each_opening_is_handed_out_exactly_once(wide_store: Store, noon: datetime) -> None:
    def take_all(number: int) -> list[str]:
        return list(iter(partial(take_one, number, count()), None))

    def take_one(number: int, attempts: count[int]) -> str | None:
        assignment_id = f"a{number}-{next(attempts)}"
        with wide_store.write() as connection:
            claimed = work.claim_opening(
                connection, f"W{number + 1:04d}", assignment_id=assignment_id, now=noon
            )
            if claimed is None:
                return None
            work.submit_assignment(connection, assignment_id, now=noon)
            return claimed.hit_id

    taken = at_once(take_all)

    assert Counter(hit_id for one in taken for hit_id in one) == {f"h{n}": 2 for n in range(HITS)}
    with wide_store.read() as connection:
        holders = connection.execute(select(tables.openings.c.assignment_id)).scalars().all()
    assert len(set(holders) - {None}) == 2 * HITS


def test_eight_pages_of_one_worker_get_one_assignment(wide_store: Store, noon: datetime) -> None:
    def take_one(number: int) -> str:
        with wide_store.write() as connection:
            return work.claim_opening(connection, "W0001", assignment_id=f"a{number}", now=noon).assignment_id

    claimed = at_once(take_one)

    assert len(set(claimed)) == 1


def test_no_concurrent_write_is_lost(wide_store: Store) -> None:
    stored = tables.shared_links

    def add_25(_: int) -> None:
        for _ in range(25):
            with wide_store.write() as connection:
                connection.execute(
                    update(stored).where(stored.c.role == "open").values(version=stored.c.version + 1)
                )

    at_once(add_25)

    with wide_store.read() as connection:
        version = connection.execute(select(stored.c.version).where(stored.c.role == "open")).scalar_one()
    assert version == 1 + THREADS * 25


def test_concurrent_workers_get_numbers_of_their_own(store: Store, noon: datetime) -> None:
    def add_5(_: int) -> list[str]:
        added = []
        for _ in range(5):
            with store.write() as connection:
                added.append(work.add_worker(connection, now=noon).worker_id)
        return added

    added = at_once(add_5)

    everyone = sorted(worker_id for some in added for worker_id in some)
    assert everyone == [f"W{n:04d}" for n in range(1, THREADS * 5 + 1)]


def test_a_judgement_that_arrives_eight_times_at_once_is_stored_once(
    toy_store: Store, noon: datetime
) -> None:
    with toy_store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)

    def send(_: int) -> int:
        with toy_store.write() as connection:
            work.assignment(connection, "a1")
            judgements.append(connection, Judgement("j1", "a1", "i-alpha-s1", 1, {}, 1, noon))
            return work.assignment(connection, "a1").n_done

    assert at_once(send) == [1] * THREADS


def test_only_one_of_eight_campaigns_created_at_once_is_kept(
    store: Store, toy_campaign: Campaign, noon: datetime
) -> None:
    def create(_: int) -> str:
        try:
            with store.write() as connection:
                campaigns.add_campaign(
                    connection,
                    toy_campaign,
                    items=[],
                    hits=[],
                    openings_per_hit=1,
                    now=noon,
                    created_with="test",
                )
        except Conflict as error:
            return str(error)
        return "kept"

    outcomes = at_once(create)

    assert Counter("already holds" in outcome for outcome in outcomes) == {False: 1, True: THREADS - 1}


def test_every_judgement_confirmed_before_a_kill_is_there_after_it(
    toy_store: Store, address: str, noon: datetime
) -> None:
    with toy_store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)
    toy_store.close()

    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS_WORKER, address], stdout=subprocess.PIPE, text=True
    ) as process:
        confirmed = [process.stdout.readline().strip() for _ in range(30)]
        process.kill()
        confirmed += [line.strip() for line in process.stdout if line.endswith("\n")]

    reopened = open_store(address)
    with reopened.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        stored = columns.judgement_id
    reopened.close()
    assert len(confirmed) >= 30
    assert set(confirmed) <= set(stored)
