from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import Connection, inspect, select

from steelyard.domain.errors import SourceError
from steelyard.store import schema, tables
from steelyard.store.database import Store, open_store


def applied(store: Store) -> list[int]:
    with store.read() as connection:
        query = select(tables.schema_versions.c.version).order_by(tables.schema_versions.c.applied_at)
        return list(connection.execute(query).scalars())


def test_migrations_are_numbered_without_gaps() -> None:
    numbers = list(schema.known_upgrades())

    assert numbers == list(range(1, len(numbers) + 1))


def test_a_new_database_has_every_migration(store: Store) -> None:
    assert applied(store) == list(schema.known_upgrades())


def test_opening_again_runs_no_migration_again(store: Store, address: str) -> None:
    before = applied(store)

    open_store(address, create=True).close()

    assert applied(store) == before


def test_upgrades_run_in_order_and_only_those_that_are_new(store: Store) -> None:
    newest = max(schema.known_upgrades())
    ran: list[int] = []
    upgrades = {number: lambda _, number=number: ran.append(number) for number in range(newest + 2, 0, -1)}

    schema.upgrade(store.write, upgrades=upgrades)
    schema.upgrade(store.write, upgrades=upgrades)

    assert ran == [newest + 1, newest + 2]


def test_an_upgrade_that_fails_leaves_the_schema_as_it_was(store: Store) -> None:
    before = applied(store)

    def fails(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half_done (name TEXT)")
        connection.exec_driver_sql("SELECT * FROM no_such_table")

    with pytest.raises(SourceError):
        schema.upgrade(store.write, upgrades={before[-1] + 1: fails})

    with store.read() as connection:
        assert not inspect(connection).has_table("half_done")
    assert applied(store) == before


def test_several_openers_at_once_run_each_migration_once(address: str) -> None:
    start = Barrier(6)

    def open_it(_: int) -> list[int]:
        start.wait()
        store = open_store(address, create=True)
        found = applied(store)
        store.close()
        return found

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(open_it, range(6)))

    assert found == [list(schema.known_upgrades())] * 6
