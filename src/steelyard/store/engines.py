"""SQLAlchemy engines for the two databases, with the settings that make a stored judgement durable."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, ExceptionContext, create_engine, event
from sqlalchemy.pool import QueuePool

from steelyard.store.turns import SNAPSHOT, WRITES

# Seconds before a PostgreSQL server that does not answer counts as unreachable [our choice].
CONNECT_SECONDS = 10
# Connections that a campaign of a series keeps open; more are made when they are needed [our choice].
KEPT_PER_SCHEMA = 2
# What PostgreSQL says when a transaction may only read.
READ_ONLY_STATE = "25006"
# Pages kept in memory while a campaign is loaded, so that the indexes need not be read again [our choice].
LOADING_CACHE_KIB = 100_000


def sqlite_engine(file: Path, *, patience: float, loading: bool = False) -> Engine:
    """An engine on an existing file, given by its absolute path. It never creates the file.

    Not even if the file vanishes while the server runs: workers' answers would be lost. While a whole
    campaign is loading, foreign keys are not checked row by row: an item may come before the base it
    names, and SQLite would search the table again for each.
    """
    uri = f"{file.as_uri()}?mode=rw"

    def connect() -> sqlite3.Connection:
        # Without an isolation level the sqlite3 module begins no transaction by itself: `begin` does.
        connection = sqlite3.connect(
            uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False
        )
        try:
            if loading:
                _prepare_loading(connection)
            else:
                _prepare_sqlite(connection, patience=patience)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    # One connection per thread at most, and threads are few: no need to bound them here.
    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, max_overflow=-1, hide_parameters=True
    )
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def read_only_engine(file: Path) -> Engine:
    """An engine on an existing SQLite file that cannot change it."""
    uri = f"{file.as_uri()}?mode=ro"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, hide_parameters=True)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, *, patience: float) -> None:
    _use_wal(connection, patience=patience)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    # Otherwise INSERT OR REPLACE would delete a judgement without asking the trigger.
    connection.execute("PRAGMA recursive_triggers = ON")
    # What is erased is not left in the file; not every build of SQLite sees to that by itself.
    connection.execute("PRAGMA secure_delete = ON")


def _prepare_loading(connection: sqlite3.Connection) -> None:
    """Settings for one transaction of millions of rows, as durable as any other.

    A new file needs hardly any rollback journal, while a write-ahead log would hold every row a
    second time, and grow slow to search.
    """
    with suppress(sqlite3.OperationalError):
        # Refused while somebody else has the file open: then it stays as it is.
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(f"PRAGMA cache_size = -{LOADING_CACHE_KIB}")


def _use_wal(connection: sqlite3.Connection, *, patience: float) -> None:
    """Switch to the write-ahead log; SQLite does not wait by itself when two do so at once."""
    deadline = time.monotonic() + patience
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def postgresql_engine(url: URL, *, patience: float, schema: str | None = None) -> Engine:
    """An engine that notices a restarted server and waits no longer than `patience` for a lock.

    With a `schema`, all tables are those of this schema and no other. Nothing is set for a whole
    connection: a pool such as PgBouncer may give each transaction another one.
    """
    patient = {} if "connect_timeout" in url.query else {"connect_timeout": CONNECT_SECONDS}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        # A server of twenty campaigns would otherwise keep a hundred connections: all that PostgreSQL has.
        pool_size=5 if schema is None else KEPT_PER_SCHEMA,
        pool_pre_ping=True,
        pool_timeout=patience,
        hide_parameters=True,
        # With autocommit psycopg begins no transaction by itself: `begin` does.
        connect_args={"autocommit": True, **patient},
    )
    settings = [f"SET LOCAL lock_timeout = {int(patience * 1000)}"]
    if schema is not None:
        settings.append(f"SET LOCAL search_path = {_quoted(schema)}")

    def begin(connection: Connection) -> None:
        level = "REPEATABLE READ" if connection.get_execution_options().get(SNAPSHOT) else "READ COMMITTED"
        # One round trip for all of it, as without a pool.
        statement = "; ".join([f"BEGIN ISOLATION LEVEL {level}", *settings])
        connection.exec_driver_sql(statement, execution_options={"no_parameters": True})

    event.listen(engine, "connect", _prepare_postgresql)
    event.listen(engine, "begin", begin)
    event.listen(engine, "handle_error", _leave_standby)
    return engine


def _leave_standby(context: ExceptionContext) -> None:
    """Connect anew after a server refused to write: another of the hosts may have taken its place."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY_STATE:
        context.is_disconnect = True


def _prepare_postgresql(connection: Any, _record: Any) -> None:
    """Keep no statements prepared where a pool stands in between: the next transaction may not find them.

    A pool shows in the number of the server's process: it gives its clients one of its own making.
    """
    process = connection.execute("SELECT pg_backend_pid()").fetchone()[0]
    if process != connection.info.backend_pid:
        connection.prepare_threshold = None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
