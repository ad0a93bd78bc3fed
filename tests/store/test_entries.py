"""What workers said is stored in order and never reworded; erasing it, at their wish, is possible."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import delete, select, update

from steelyard.domain.entry import Remark
from steelyard.domain.errors import Conflict
from steelyard.store import entries, remarks, tables, work
from steelyard.store.database import Store


@pytest.fixture
def worker(toy_store: Store, noon: datetime) -> str:
    """A worker who has agreed, trained twice and written a remark."""
    with toy_store.write() as connection:
        worker_id = work.add_worker(connection, now=noon).worker_id
        for minute, step in enumerate(("consent", "training", "training")):
            content = {"number": minute}
            now = noon + timedelta(minutes=minute)
            entries.append_entry(connection, worker_id, step, content, revision=1, now=now)
        remarks.append_remark(connection, Remark("r1", worker_id, "comment", "Grüße", noon))
    return worker_id


def test_what_a_worker_did_comes_back_in_order(toy_store: Store, worker: str) -> None:
    with toy_store.read() as connection:
        found = entries.worker_entries(connection, worker)
        every = entries.all_entries(connection)
        numbers = connection.execute(select(tables.entries.c.step, tables.entries.c.number)).all()

    assert found is not None
    assert [(record.step, record.content["number"]) for record in found] == [
        *(("consent", 0), ("training", 1), ("training", 2))
    ]
    assert every == found
    assert sorted(map(tuple, numbers)) == [("consent", 1), ("training", 1), ("training", 2)]


def test_of_simulated_workers_nothing_is_known(toy_store: Store, noon: datetime) -> None:
    with toy_store.write() as connection:
        simulated = work.add_worker(connection, now=noon, is_simulated=True).worker_id
        new = work.add_worker(connection, now=noon).worker_id

    with toy_store.read() as connection:
        assert entries.worker_entries(connection, simulated) is None
        assert entries.worker_entries(connection, new) == []


@pytest.mark.parametrize(
    ("table", "column"), [("entries", "content"), ("entries", "made_at"), ("remarks", "text")]
)
def test_what_was_said_cannot_be_reworded(
    toy_store: Store, worker: str, noon: datetime, table: str, column: str
) -> None:
    stored = tables.metadata.tables[table]
    value = noon + timedelta(days=1) if column == "made_at" else "{}"

    with pytest.raises(Conflict, match="cannot be changed"), toy_store.write() as connection:
        connection.execute(update(stored).values({column: value}))


def test_what_was_said_can_be_erased(toy_store: Store, worker: str) -> None:
    with toy_store.write() as connection:
        for table in (tables.entries, tables.remarks):
            assert connection.execute(delete(table)).rowcount > 0
