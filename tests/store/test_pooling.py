"""PostgreSQL behind a pool, which gives each transaction any connection: nothing may stay on one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import psycopg
import pytest
from sqlalchemy import func, select, text

from steelyard.store.addresses import address_with_schema
from steelyard.store.database import Store, open_store
from steelyard.store.tables import workers
from steelyard.store.work import add_worker

NAMES = ("en-de", 'it"s 100% \\ other')


@pytest.fixture
def pooled(postgres_address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[psycopg.Connection]:
    """The only connection there is from now on: every store gets it, as from a pool of one."""
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        monkeypatch.setattr(psycopg, "connect", lambda *_arguments, **_options: connection)
        yield connection


def run_ten_times(store: Store) -> None:
    for _ in range(10):
        with store.read() as connection:
            connection.execute(select(func.count()).select_from(workers)).one()


def n_prepared(address: str) -> int:
    with open_store(address, create=True) as store:
        run_ten_times(store)
        with store.read() as connection:
            return int(connection.execute(text("SELECT count(*) FROM pg_prepared_statements")).scalar_one())


def test_each_transaction_keeps_to_its_schema_on_a_shared_connection(
    postgres_address: str, pooled: psycopg.Connection, noon: datetime
) -> None:
    first, second = (open_store(address_with_schema(postgres_address, name), create=True) for name in NAMES)
    with first.write() as connection:
        add_worker(connection, now=noon)
    counts = []
    for store in (second, first, second):
        with store.snapshot() as connection:
            counts.append(connection.execute(select(func.count()).select_from(workers)).scalar_one())
    assert counts == [0, 1, 0]


def test_a_transaction_leaves_no_settings_behind(postgres_address: str, pooled: psycopg.Connection) -> None:
    settings = "SELECT name, setting FROM pg_settings WHERE source = 'session' ORDER BY name"
    before = pooled.execute(settings).fetchall()
    store = open_store(address_with_schema(postgres_address, NAMES[0]), create=True)
    run_ten_times(store)
    assert pooled.execute(settings).fetchall() == before


def test_nothing_stays_locked_or_made_for_a_session(
    postgres_address: str, pooled: psycopg.Connection
) -> None:
    run_ten_times(open_store(postgres_address, create=True))
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
    made = "SELECT count(*) FROM pg_class WHERE relpersistence = 't'"
    assert [pooled.execute(query).fetchone() for query in (held, made)] == [(0,), (0,)]


def test_statements_stay_prepared_on_a_connection_of_our_own(postgres_address: str) -> None:
    assert n_prepared(postgres_address) > 0


def test_no_statement_is_prepared_behind_a_pool(
    postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A pool answers for many processes of the server, and so under a number of its own.
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", property(lambda _info: 1))
    assert n_prepared(postgres_address) == 0
