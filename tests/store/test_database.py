from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import func, insert, select

from steelyard.domain.errors import Conflict, EvaluationError, SourceError, as_command_line
from steelyard.store import links, tables, work
from steelyard.store.database import Store, open_store
from steelyard.store.turns import take_turns


def run_sql(address: str, statement: str) -> None:
    """What another program might do to the database."""
    if address.startswith("postgresql"):
        with psycopg.connect(address) as server:
            server.execute(statement)
    else:
        connection = sqlite3.connect(address)
        connection.execute(statement)
        connection.commit()
        connection.close()


def n_workers(store: Store) -> int:
    with store.read() as connection:
        return connection.execute(select(func.count()).select_from(tables.workers)).scalar_one()


@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("busy_timeout", 30_000)],
)
def test_sqlite_is_set_up_for_durability(tmp_path: Path, pragma: str, value: str | int) -> None:
    store = open_store(str(tmp_path / "toy.db"), create=True)

    with store.read() as connection:
        found = connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()

    store.close()
    assert found == value


def test_a_sqlite_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "toy.db"

    open_store(str(path), create=True).close()

    assert path.stat().st_mode & 0o077 == 0


def test_a_closed_sqlite_database_is_one_file(tmp_path: Path) -> None:
    open_store(str(tmp_path / "toy.db"), create=True).close()

    assert [path.name for path in tmp_path.iterdir()] == ["toy.db"]


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    path = tmp_path / "50% of é?mode=ro#1.db"

    open_store(str(path), create=True).close()

    assert path.stat().st_size > 0


def test_a_write_is_there_for_the_next_to_open(address: str, noon: datetime) -> None:
    first = open_store(address, create=True)
    with first.write() as connection:
        work.add_worker(connection, now=noon)
    first.close()

    second = open_store(address)
    found = n_workers(second)

    second.close()
    assert found == 1


def test_nothing_stays_of_a_write_that_raises(store: Store, noon: datetime) -> None:
    def write_and_fail() -> None:
        with store.write() as connection:
            work.add_worker(connection, now=noon)
            raise KeyError

    with pytest.raises(KeyError):
        write_and_fail()

    assert n_workers(store) == 0


def test_a_reader_does_not_wait_for_a_writer(store: Store, noon: datetime) -> None:
    with store.write() as connection:
        work.add_worker(connection, now=noon)
        seen_meanwhile = n_workers(store)

    assert (seen_meanwhile, n_workers(store)) == (0, 1)


def test_a_contradiction_is_a_conflict(store: Store, noon: datetime) -> None:
    row = {"token": "t", "role": "worker", "worker_id": "W9999", "created_at": noon}

    with pytest.raises(Conflict, match="contradicts what is stored"), store.write() as connection:
        connection.execute(insert(tables.links), [row])


def test_broken_sql_is_never_a_raw_error(store: Store) -> None:
    with pytest.raises(SourceError, match="no_such_table"), store.read() as connection:
        connection.exec_driver_sql("SELECT * FROM no_such_table")


def test_a_database_locked_for_too_long_says_so(store: Store, address: str) -> None:
    impatient = open_store(address, patience=0.05)

    with store.write() as connection:
        take_turns(connection, "test")
        with pytest.raises(SourceError, match="locked for too long"), impatient.write() as second:
            take_turns(second, "test")

    impatient.close()


def test_threads_of_one_process_give_up_waiting_too(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "toy.db"), create=True, patience=0.05)

    with store.write(), pytest.raises(SourceError, match="locked for too long"), store.write():
        pass

    store.close()


def test_a_full_disk_stores_nothing_and_says_so(tmp_path: Path, noon: datetime) -> None:
    store = open_store(str(tmp_path / "toy.db"), create=True)
    rows = [{"token": "t" * size, "role": "manager", "created_at": noon} for size in (1, 1_000_000)]
    with store.read() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")

    with (
        pytest.raises(SourceError, match="the disk is full; nothing of this was stored"),
        store.write() as connection,
    ):
        connection.execute(insert(tables.links), rows)

    with store.read() as connection:
        assert links.stored_links(connection) == []
    store.close()


def test_work_goes_on_once_a_full_disk_has_room(tmp_path: Path, noon: datetime) -> None:
    store = open_store(str(tmp_path / "toy.db"), create=True)
    row = {"token": "t" * 1_000_000, "role": "manager", "created_at": noon}
    with store.read() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
    with pytest.raises(SourceError), store.write() as connection:
        connection.execute(insert(tables.links), [row])

    with store.read() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    with store.write() as connection:
        connection.execute(insert(tables.links), [row])

    with store.read() as connection:
        assert len(links.stored_links(connection)) == 1
    store.close()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("disk_full", "the disk is full; nothing of this was stored"),
        ("deadlock_detected", "locked for too long"),
        ("insufficient_privilege", "does not let this user do that"),
        ("read_only_sql_transaction", "can only be read now"),
        ("untranslatable_character", "cannot hold one of the values"),
        ("admin_shutdown", "cannot be reached"),
    ],
)
def test_what_postgresql_reports_is_put_in_words(postgres_address: str, code: str, text: str) -> None:
    store = open_store(postgres_address, create=True)

    with pytest.raises(SourceError, match=text), store.write() as connection:
        connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'told' USING ERRCODE = '{code}'; END $$")

    store.close()


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    path = tmp_path / "missing.db"

    with pytest.raises(
        SourceError, match=r'no such file\. .* steelyard\.create\("CAMPAIGN.toml", ".*missing.db"\)'
    ) as caught:
        open_store(str(path))

    assert f"steelyard create CAMPAIGN.toml --db {path}" in caught.value.spelt(as_command_line)
    assert not path.exists()


@pytest.mark.parametrize("create", [False, True])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text("worker,segment,rating\n" * 100)

    with pytest.raises(SourceError, match="not a database"):
        open_store(str(path), create=create)

    assert path.read_text() == "worker,segment,rating\n" * 100


@pytest.mark.parametrize("create", [False, True])
def test_a_database_of_something_else_is_left_alone(address: str, create: bool) -> None:
    run_sql(address, "CREATE TABLE recipes (name TEXT)")

    with pytest.raises(SourceError, match="tables of something else"):
        open_store(address, create=create)


def test_an_empty_database_is_not_filled_unasked(postgres_address: str) -> None:
    with pytest.raises(SourceError, match=r"empty\. .* steelyard\.create"):
        open_store(postgres_address)


def test_an_empty_file_is_not_filled_unasked(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()

    with pytest.raises(SourceError, match=r"empty\. .* steelyard\.create"):
        open_store(str(path))


def test_a_newer_schema_is_refused(address: str) -> None:
    open_store(address, create=True).close()
    run_sql(address, "INSERT INTO schema_versions VALUES (99, '2030-01-01T00:00:00.000000+00:00')")

    with pytest.raises(
        SourceError,
        match=r"made by a newer Steelyard \(schema 99, this one knows \d+\): upgrade steelyard",
    ):
        open_store(address)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("missing/toy.db", "the folder .*missing does not exist"),
        ("file.txt/toy.db", r"the folder .*file.txt does not exist"),
        ("folder", "this is a folder"),
        ("n" * 300, "cannot be opened or made"),
    ],
)
def test_a_place_where_no_file_can_be_says_why(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "file.txt").touch()
    (tmp_path / "folder").mkdir()

    with pytest.raises(SourceError, match=text):
        open_store(str(tmp_path / name), create=True)


def test_a_folder_that_takes_no_files_says_so() -> None:
    # Permissions do not bind root, but nobody can make a file here.
    with pytest.raises(SourceError, match="Choose a folder you may write to"):
        open_store("/proc/toy.db", create=True)


def test_a_damaged_database_says_so(tmp_path: Path) -> None:
    path = tmp_path / "toy.db"
    open_store(str(path), create=True).close()
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)

    with pytest.raises(SourceError, match="damaged"):
        open_store(str(path))


def test_a_file_that_vanishes_is_not_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "toy.db"
    store = open_store(str(path), create=True)
    path.unlink()

    with pytest.raises(SourceError, match=r"the file toy\.db is gone"):
        store.ping()

    store.close()
    assert not path.exists()


def test_ping_is_silent_when_all_is_well(store: Store) -> None:
    assert store.ping() is None


def test_ping_tells_of_a_database_that_went_away(new_postgres_database: Callable[[], str]) -> None:
    store, other = open_store(new_postgres_database(), create=True), new_postgres_database()
    name = store.address.partition("@/")[2].partition("?")[0]
    with psycopg.connect(other, autocommit=True) as server:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

    with pytest.raises(SourceError, match="cannot be reached"):
        store.ping()

    store.close()


def test_a_restarted_server_is_noticed(new_postgres_database: Callable[[], str]) -> None:
    store, other = open_store(new_postgres_database(), create=True), new_postgres_database()
    name = store.address.partition("@/")[2].partition("?")[0]
    with psycopg.connect(other, autocommit=True) as server:
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

    store.ping()

    store.close()


@pytest.mark.parametrize(
    "place", ["@127.0.0.1:1/toy", "@no-such-host.invalid/toy", "@/toy?host=/no-such-folder"]
)
def test_a_server_that_is_not_there_says_what_to_check(place: str) -> None:
    with pytest.raises(SourceError, match=r"cannot be reached.*host, port") as raised:
        open_store(f"postgresql://judge:hush-hush{place}")

    assert "hush-hush" not in str(raised.value)


def test_a_wrong_password_is_reported_but_not_repeated(postgres_address: str) -> None:
    wrong = postgres_address.replace("toy-secret", "hush-hush")

    with pytest.raises(SourceError, match="password authentication failed") as raised:
        open_store(wrong)

    assert "hush-hush" not in f"{raised.value} {raised.value.__cause__}"


def test_a_missing_postgresql_database_is_named(postgres_address: str) -> None:
    missing = postgres_address.replace("@/", "@/no_such_")

    with pytest.raises(SourceError, match=r'database "no_such_.*" does not exist'):
        open_store(missing)


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(SourceError, match=r'pip install "steelyard\[postgres\]"'):
        open_store("postgresql://judge@127.0.0.1/toy")


@pytest.mark.parametrize(
    "address", ["mysql://u:hush-hush@h/d", "sqlite:///toy.db", "postgresql://u:hush-hush@h:port/d", "://"]
)
def test_an_address_we_cannot_read_says_which_we_can(address: str) -> None:
    with pytest.raises(EvaluationError, match="give the path of a SQLite file, or postgresql://") as raised:
        open_store(address)

    assert "hush-hush" not in str(raised.value)


@pytest.mark.parametrize("form", [str, repr, lambda store: store.address], ids=["str", "repr", "address"])
def test_a_store_never_shows_its_password(postgres_address: str, form: Callable[[Store], str]) -> None:
    store = open_store(f"{postgres_address}&sslpassword=hush-hush", create=True)

    shown = form(store)

    store.close()
    assert "postgresql://postgres:***@" in shown
    assert "toy-secret" not in shown
    assert "hush-hush" not in shown
