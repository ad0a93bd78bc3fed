from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Table, inspect, select

from steelyard.store import tables, work
from steelyard.store.database import Store

ALL_TABLES = list(tables.metadata.sorted_tables)


@pytest.fixture(params=ALL_TABLES, ids=lambda table: table.name)
def table(request: pytest.FixtureRequest) -> Table:
    return request.param


def test_the_migrations_make_exactly_the_declared_tables(store: Store) -> None:
    with store.read() as connection:
        made = set(inspect(connection).get_table_names())

    assert made == set(tables.metadata.tables)


def test_the_migrations_make_exactly_the_declared_columns(store: Store, table: Table) -> None:
    with store.read() as connection:
        made = inspect(connection).get_columns(table.name)

    declared = [(column.name, column.nullable or column.primary_key) for column in table.columns]
    # SQLite, unlike the standard, calls a primary key of text nullable.
    keys = set(table.primary_key.columns.keys())
    assert [(column["name"], column["nullable"] or column["name"] in keys) for column in made] == declared


def test_the_migrations_make_exactly_the_declared_foreign_keys(store: Store, table: Table) -> None:
    with store.read() as connection:
        made = inspect(connection).get_foreign_keys(table.name)

    declared = {(key.parent.name, key.column.table.name) for key in table.foreign_keys}
    assert {(key["constrained_columns"][0], key["referred_table"]) for key in made} == declared


@pytest.mark.parametrize(
    "zone", [UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))]
)
def test_moments_come_back_as_the_same_moment_in_utc(store: Store, zone: timezone) -> None:
    moment = datetime(2024, 2, 29, 23, 59, 59, 123456, tzinfo=zone)

    with store.write() as connection:
        work.add_worker(connection, now=moment)
    with store.read() as connection:
        stored = connection.execute(select(tables.workers.c.created_at)).scalar_one()

    assert (stored, stored.utcoffset()) == (moment, timedelta(0))


def test_moments_of_different_zones_sort_by_time(store: Store) -> None:
    early = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=9)))
    late = datetime(2024, 1, 1, 4, tzinfo=UTC)

    with store.write() as connection:
        for moment in (late, early):
            work.add_worker(connection, now=moment)
    with store.read() as connection:
        query = select(tables.workers.c.created_at).order_by(tables.workers.c.created_at)
        stored = connection.execute(query).scalars().all()

    assert stored == [early, late]


def test_a_naive_moment_is_refused(store: Store) -> None:
    naive = datetime(2024, 1, 1, 12)

    with pytest.raises(ValueError, match="has no time zone"), store.write() as connection:
        work.add_worker(connection, now=naive)
