"""A SQLite file that is moved, removed or replaced while it is open, and other reasons not to be ready."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import insert

from steelyard.domain.errors import SourceError
from steelyard.store import opened_file, tables
from steelyard.store.database import Store, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "toy.db"


@pytest.fixture
def opened(path: Path) -> Iterator[Store]:
    with open_store(str(path), create=True) as store:
        yield store


def add_version(store: Store, number: int) -> None:
    with store.write() as connection:
        connection.execute(
            insert(tables.schema_versions).values(version=number, applied_at=datetime.now(UTC))
        )


@contextmanager
def moved_away(path: Path) -> Iterator[Path]:
    elsewhere = path.with_name("elsewhere.db")
    path.rename(elsewhere)
    yield elsewhere
    elsewhere.rename(path)


def test_nothing_is_written_to_a_file_that_is_gone(opened: Store, path: Path) -> None:
    path.unlink()

    with pytest.raises(SourceError, match=r"the file toy\.db is gone"):
        add_version(opened, -1)


def test_a_file_that_vanishes_before_the_commit_is_noticed_after_it(opened: Store, path: Path) -> None:
    with pytest.raises(SourceError, match=r"the file toy\.db is gone"), opened.write():
        path.unlink()


def test_nothing_is_read_from_a_file_that_is_gone(opened: Store, path: Path) -> None:
    path.unlink()

    with pytest.raises(SourceError, match="is gone"), opened.read():
        pytest.fail("it was read")


def test_the_same_file_may_come_back(opened: Store, path: Path) -> None:
    with moved_away(path), pytest.raises(SourceError, match="is gone"):
        opened.ping()

    opened.ping()
    add_version(opened, -1)


def test_another_file_in_its_place_is_refused_for_good(opened: Store, path: Path) -> None:
    with moved_away(path) as elsewhere:
        shutil.copy(elsewhere, path)
        with pytest.raises(SourceError, match=r"the file toy\.db is not the one that was opened"):
            opened.ping()
        path.unlink()

    with pytest.raises(SourceError, match="stop and start again"):
        add_version(opened, -1)


def test_its_log_must_stay_too(opened: Store, path: Path) -> None:
    path.with_name("toy.db-wal").unlink()

    with pytest.raises(SourceError, match=r"the file toy\.db-wal is gone"):
        add_version(opened, -1)


def test_other_programs_that_open_and_close_the_file_do_no_harm(opened: Store, path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    open_store(str(path)).close()

    add_version(opened, -1)


def test_a_nearly_full_disk_is_not_ready(opened: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_file, "RESERVE_BYTES", 2**62)

    with pytest.raises(SourceError, match="the disk has only"):
        opened.ping()


def test_a_disk_that_was_full_is_not_ready_until_something_is_stored(opened: Store) -> None:
    with pytest.raises(SourceError, match="the disk is full"), opened.write() as connection:
        [pages] = connection.exec_driver_sql("PRAGMA page_count").one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        connection.exec_driver_sql("CREATE TABLE filler AS SELECT zeroblob(100000)")
    with pytest.raises(SourceError, match="the disk is full"):
        opened.ping()

    with opened.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        connection.exec_driver_sql("CREATE TABLE filler AS SELECT zeroblob(100000)")
    opened.ping()


def test_a_schema_that_is_newer_than_this_program_is_not_ready(store: Store) -> None:
    add_version(store, 999)

    with pytest.raises(SourceError, match="newer Steelyard"):
        store.ping()


def test_a_standby_is_not_ready(postgres_address: str) -> None:
    open_store(postgres_address, create=True).close()
    with psycopg.connect(postgres_address) as server:
        name = server.info.dbname
        server.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")

    with open_store(postgres_address) as standby, pytest.raises(SourceError, match="can only be read now"):
        standby.ping()

    with psycopg.connect(postgres_address) as server:
        server.execute("SET TRANSACTION READ WRITE")
        server.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
