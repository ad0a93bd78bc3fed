from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import delete, update

from steelyard.domain.errors import Conflict
from steelyard.domain.running import Action
from steelyard.store import actions, tables, work
from steelyard.store.database import Store


@pytest.fixture
def workers_store(toy_store: Store, noon: datetime) -> Store:
    with toy_store.write() as connection:
        for _ in range(2):
            work.add_worker(connection, now=noon)
    return toy_store


def test_actions_are_numbered_in_order_and_come_back_as_they_were(
    workers_store: Store, noon: datetime
) -> None:
    with workers_store.write() as connection:
        actions.log_action(connection, "pause", by="manager", now=noon, reason="a typo")
        actions.log_action(
            connection, "exclude", by="command line", now=noon, worker_id="W0001", detail={"replace": True}
        )

    with workers_store.read() as connection:
        found = actions.logged_actions(connection)

    assert found == [
        Action(1, noon, "manager", "pause", reason="a typo"),
        Action(2, noon, "command line", "exclude", "W0001", detail={"replace": True}),
    ]


def test_actions_about_one_worker_leave_out_the_others(workers_store: Store, noon: datetime) -> None:
    with workers_store.write() as connection:
        for worker_id in ("W0001", "W0002", "W0001"):
            actions.log_action(connection, "block", by="manager", now=noon, worker_id=worker_id)

    with workers_store.read() as connection:
        assert [action.number for action in actions.logged_actions(connection, "W0001")] == [1, 3]


def test_nothing_changes_an_action(workers_store: Store, noon: datetime) -> None:
    with workers_store.write() as connection:
        actions.log_action(connection, "pause", by="manager", now=noon)

    for statement in (update(tables.actions).values(reason="other"), delete(tables.actions)):
        with pytest.raises(Conflict, match="append-only"), workers_store.write() as connection:
            connection.execute(statement)


def test_the_latest_decision_about_a_worker_or_a_hit_holds(workers_store: Store, noon: datetime) -> None:
    decisions = [
        ("exclude", "W0001", None),
        ("exclude", "W0001", "h2"),
        ("exclude", "W0002", None),
        ("reinstate", "W0001", None),
        ("reinstate", "W0002", None),
        ("exclude", "W0002", None),
    ]
    with workers_store.write() as connection:
        for minute, (verb, worker_id, hit_id) in enumerate(decisions):
            now = noon + timedelta(minutes=minute)
            actions.log_action(connection, verb, by="manager", now=now, worker_id=worker_id, hit_id=hit_id)

    with workers_store.read() as connection:
        found = [(each.worker_id, each.hit_id) for each in actions.exclusions(connection)]

    assert found == [("W0001", "h2"), ("W0002", None)]
