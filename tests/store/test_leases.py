from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from steelyard.domain.work import Assignment
from steelyard.store import assignments, leases, tables, work
from steelyard.store.database import Store, open_store


def new_worker(store: Store, now: datetime) -> str:
    with store.write() as connection:
        return work.add_worker(connection, now=now).worker_id


def claim(store: Store, worker_id: str, assignment_id: str, now: datetime) -> Assignment | None:
    with store.write() as connection:
        return work.claim_opening(connection, worker_id, assignment_id=assignment_id, now=now)


def holders(store: Store, hit_id: str) -> list[str | None]:
    """Who holds the places of a HIT."""
    openings = tables.openings.c
    with store.read() as connection:
        query = select(openings.assignment_id).where(openings.hit_id == hit_id)
        return list(connection.execute(query.order_by(openings.opening_id)).scalars())


def released_at(store: Store, assignment_id: str) -> datetime | None:
    stored = tables.assignments.c
    with store.read() as connection:
        query = select(stored.released_at).where(stored.assignment_id == assignment_id)
        return connection.execute(query).scalar_one()


def test_a_released_place_is_free_and_its_assignment_says_since_when(
    toy_store: Store, noon: datetime
) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)
    later = noon + timedelta(hours=1)

    with toy_store.write() as connection:
        assert leases.release_place(connection, "a1", now=later)

    assert (holders(toy_store, "h1"), released_at(toy_store, "a1")) == ([None], later)


def test_a_place_is_released_only_once(toy_store: Store, noon: datetime) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)

    with toy_store.write() as connection:
        first = leases.release_place(connection, "a1", now=noon)
        again = leases.release_place(connection, "a1", now=noon + timedelta(hours=1))

    assert (first, again, released_at(toy_store, "a1")) == (True, False, noon)


def test_a_place_that_everybody_gives_back_is_not_always_offered_first(
    toy_store: Store, noon: datetime
) -> None:
    given = []
    for number in range(6):
        taken = claim(toy_store, new_worker(toy_store, noon), f"a{number}", noon)
        assert taken is not None
        given.append(taken.hit_id)
        with toy_store.write() as connection:
            leases.release_place(connection, f"a{number}", now=noon)

    assert given == ["h1", "h2", "h3", "h4", "h1", "h2"]


def test_a_free_place_can_be_taken_back(toy_store: Store, noon: datetime) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)
    with toy_store.write() as connection:
        leases.release_place(connection, "a1", now=noon)

    with toy_store.write() as connection:
        assert leases.retake_place(connection, "a1")

    assert (holders(toy_store, "h1"), released_at(toy_store, "a1")) == (["a1"], None)


def test_a_place_that_somebody_else_took_stays_theirs(toy_store: Store, noon: datetime) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)
    with toy_store.write() as connection:
        leases.release_place(connection, "a1", now=noon)
    for number in (2, 3, 4, 5):
        claim(toy_store, new_worker(toy_store, noon), f"a{number}", noon)
    [holder] = holders(toy_store, "h1")

    with toy_store.write() as connection:
        taken = leases.retake_place(connection, "a1")

    assert holder not in (None, "a1")
    assert (taken, holders(toy_store, "h1"), released_at(toy_store, "a1")) == (False, [holder], noon)


def test_who_holds_a_place_gets_no_second_one(toy_store: Store, noon: datetime) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)

    with toy_store.write() as connection:
        assert leases.retake_place(connection, "a1")

    assert holders(toy_store, "h1") == ["a1"]


def test_sqlite_finds_what_an_assignment_has_judged_by_its_own_index(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "empty.db"), create=True)
    query = assignments.counted_assignments().where(tables.assignments.c.assignment_id == "a1")
    with store.read() as connection:
        statement = query.compile(connection, compile_kwargs={"literal_binds": True})
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}").all()
    store.close()

    [looked_up] = [row.detail for row in plan if "judgements" in row.detail]
    assert "judgements_one_per_position (assignment_id=?" in looked_up
