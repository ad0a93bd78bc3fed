from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from steelyard.domain.judgement import Judgement
from steelyard.store import judgements, tables, work
from steelyard.store.actions import log_action
from steelyard.store.database import Store
from steelyard.store.leases import release_place
from steelyard.store.progress import HeldHit, PlaceCounts, WorkerProgress


@pytest.fixture
def busy_store(toy_store: Store, noon: datetime) -> Store:
    """W0001 has finished h1 but for its last item and submitted it, W0002 has taken h2, W0003 nothing."""
    with toy_store.write() as connection:
        workers = [work.add_worker(connection, now=noon).worker_id for _ in range(3)]
        work.claim_opening(connection, workers[0], assignment_id="a1", now=noon - timedelta(minutes=1))
        work.claim_opening(connection, workers[1], assignment_id="a2", now=noon)
        for position, shown_ms, minutes in ((1, 1000, 0), (2, 2000, 1), (3, 6000, 119)):
            moment = noon + timedelta(minutes=minutes)
            judgement = Judgement(f"j{position}", "a1", "i-alpha-s1", position, {}, shown_ms, moment)
            judgements.append(connection, judgement)
        work.submit_assignment(connection, "a1", now=noon + timedelta(hours=2))
    return toy_store


def test_an_empty_database_has_no_progress(store: Store) -> None:
    with store.read() as connection:
        assert work.progress(connection) == work.Progress(0, 0, 0, 0, 0, workers=(), history=())


def test_the_campaign_is_counted(busy_store: Store) -> None:
    with busy_store.read() as connection:
        progress = work.progress(connection)

    counts = (progress.n_openings, progress.n_taken, progress.n_submitted, progress.n_judgements)
    assert counts == (4, 2, 1, 3)
    assert progress.n_wanted == 16


def test_each_worker_is_counted(busy_store: Store, noon: datetime) -> None:
    with busy_store.read() as connection:
        workers = work.progress(connection).workers

    last_at = noon + timedelta(minutes=119)
    held = HeldHit("a2", "h2", n_items=4, n_done=0, seconds=0, since=noon, last_at=noon, is_idle=False)
    assert workers == (
        WorkerProgress("W0001", 1, 1, 3, 4, 3.0, last_at, hits_worked=1, seconds=9),
        WorkerProgress("W0002", 1, 0, 0, 4, None, None, open=held),
        WorkerProgress("W0003", 0, 0, 0, 0, None, None),
    )


def test_a_page_left_open_overnight_makes_no_hours(toy_store: Store, noon: datetime) -> None:
    with toy_store.write() as connection:
        worker = work.add_worker(connection, now=noon).worker_id
        work.claim_opening(connection, worker, assignment_id="a1", now=noon)
        for position, shown_ms, hours in ((1, 20_000, 1), (2, 9 * 3_600_000, 10)):
            moment = noon + timedelta(hours=hours)
            judgements.append(
                connection, Judgement(f"j{position}", "a1", "i-alpha-s1", position, {}, shown_ms, moment)
            )
    with toy_store.read() as connection:
        [found] = work.progress(connection).workers

    assert found.seconds == 20 + 10 * 60


def test_places_are_counted_by_what_became_of_them(busy_store: Store, noon: datetime) -> None:
    with busy_store.read() as connection:
        found = work.progress(connection, idle_before=noon)
        later = work.progress(connection, idle_before=noon + timedelta(seconds=1))

    assert found.places == PlaceCounts(free=2, open=1, submitted=1)
    assert later.places == PlaceCounts(free=2, idle=1, submitted=1)
    assert found.n_left == later.n_left == 12


def test_a_released_hit_keeps_its_judgements_and_frees_its_items(busy_store: Store, noon: datetime) -> None:
    last_at = noon + timedelta(seconds=8)
    with busy_store.write() as connection:
        judgements.append(connection, Judgement("j9", "a2", "i-beta-s1", 1, {}, 5000, last_at))
        release_place(connection, "a2", now=noon)
        expired = {"status": "expired"}
        connection.execute(tables.assignments.update().filter_by(assignment_id="a2").values(expired))
        found = work.progress(connection)

    assert (found.n_judgements, found.n_left, found.n_free_items) == (4, 12, 12)
    assert found.places == PlaceCounts(free=3, submitted=1)
    assert found.workers[1] == WorkerProgress(
        "W0002", 1, 0, 1, 1, 5.0, last_at, n_released=1, hits_worked=0.25, seconds=5.0
    )


def test_a_place_of_someone_excluded_is_neither_free_nor_counted(busy_store: Store, noon: datetime) -> None:
    with busy_store.write() as connection:
        log_action(connection, "exclude", by="manager", now=noon, worker_id="W0001", reason="random")
        found = work.progress(connection)

    assert found.places == PlaceCounts(free=2, open=1, excluded=1)
    assert found.workers[0].is_excluded
    assert found.n_submitted == 1


def test_history_grows_to_the_number_of_judgements_in_few_steps(busy_store: Store, noon: datetime) -> None:
    with busy_store.read() as connection:
        history = work.progress(connection).history

    # 119 minutes and a second in 60 stretches of 120 seconds: two judgements in the first, one in the last.
    moments = [noon + timedelta(seconds=120 * number) for number in range(1, 61)]
    assert history == tuple(zip(moments, [2] * 59 + [3], strict=True))


def test_history_of_one_judgement_is_one_step(toy_store: Store, noon: datetime) -> None:
    with toy_store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)
        judgements.append(connection, Judgement("j1", "a1", "i-alpha-s1", 1, {}, 1000, noon))

    with toy_store.read() as connection:
        assert work.progress(connection).history == ((noon + timedelta(seconds=1), 1),)
