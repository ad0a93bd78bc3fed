"""Opening a database, its transactions, and its failures as messages that say what to do."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.schema import CreateSchema

from steelyard.domain.errors import Conflict, SourceError
from steelyard.store import schema
from steelyard.store.addresses import postgresql_url, schema_in, shown_address
from steelyard.store.engines import postgresql_engine, read_only_engine, sqlite_engine
from steelyard.store.tables import schema_versions
from steelyard.store.turns import WRITES

# Seconds a transaction waits for others before it gives up [our choice].
PATIENCE = 30.0

FULL = "the disk is full; nothing of this was stored. Free some space, then do it again."
BUSY = (
    "another program has kept the database locked for too long; nothing of this was stored. "
    "Try again, and close other programs that have the database open."
)
CREATE = "Make a campaign with: steelyard create CAMPAIGN.toml"
SQLITE_PROBLEMS = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_NOTADB: "this file is not a database. Give the file that `steelyard create` made.",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened. Check that the file is there, and that you may "
    "write both to it and to its folder: SQLite keeps two more files beside it.",
    sqlite3.SQLITE_READONLY: "the database cannot be written to. Give yourself permission to write to the "
    "file and its folder, or copy the file elsewhere.",
    sqlite3.SQLITE_CORRUPT: "the database is damaged. Restore it from a copy; "
    "`sqlite3 FILE .recover` may save what came after that.",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write the database. "
    "Check that it has space left and is in order.",
}
# By class or code of SQLSTATE, the longer first.
POSTGRESQL_PROBLEMS = {
    "53100": FULL,
    "53300": "PostgreSQL has no connection left. Close other programs that use it, or raise max_connections.",
    "55P03": BUSY,
    "40": BUSY,
    "25006": "this PostgreSQL database can only be read now, as a standby server can. Use the server that "
    "is written to, or take back default_transaction_read_only.",
    "42501": "PostgreSQL does not let this user do that. Use the owner of the database, or GRANT the rights.",
    "22": "PostgreSQL cannot hold one of the values, such as a text with a NUL character. Correct the texts.",
}


class Store:
    """An open database. Holds connections, nothing else; `close` it when done.

    `address` is fit for printing: a password in it is hidden. `file` is None on PostgreSQL.
    """

    def __init__(
        self, engine: Engine, *, address: str, file: Path | None = None, patience: float = PATIENCE
    ) -> None:
        self.address = address
        self.file = file
        self._engine = engine
        self._writer = engine.execution_options(**{WRITES: True})
        self._patience = patience
        # Threads queue here rather than poll in SQLite's busy handler, which is neither fair nor quick.
        self._write_lock = threading.Lock() if self.dialect == "sqlite" else None

    def __repr__(self) -> str:
        return f"Store({self.address!r})"

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        return "sqlite" if self._engine.dialect.name == "sqlite" else "postgresql"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a transaction that only reads; it never waits for writers."""
        with self._translated(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a transaction that may write; durable once the block is left without an error.

        Do not open a second one inside: on SQLite it would wait for the first.
        """
        with (
            self._translated(),
            self._turn_to_write(),
            self._writer.connect() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection in a transaction that only reads, and sees one moment however long it lasts."""
        # On SQLite every transaction does.
        level = {} if self.dialect == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        engine = self._engine.execution_options(**level)
        with self._translated(), engine.connect() as connection, connection.begin():
            yield connection

    def ping(self) -> None:
        """Return if the database answers; SourceError if not."""
        # A file that was removed stays readable through connections that are still open.
        if self.file is not None and not self.file.exists():
            raise SourceError(self.address, ["the file is gone. Put it back, or stop and start again."])
        with self.read() as connection:
            connection.execute(select(func.max(schema_versions.c.version)))

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _turn_to_write(self) -> Iterator[None]:
        if self._write_lock is None:
            yield
            return
        if not self._write_lock.acquire(timeout=self._patience):
            raise SourceError(self.address, [BUSY])
        try:
            yield
        finally:
            self._write_lock.release()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise translate(error, where=self.address) from error


def open_store(
    address: str, *, create: bool = False, patience: float = PATIENCE, loading: bool = False
) -> Store:
    """The database at a path or a postgresql:// address, brought to the present schema.

    `?schema=NAME` in an address keeps to the tables of that schema. `create` makes the file or the
    schema, and the tables, where they are missing. A transaction that has waited
    `patience` seconds for others fails. `loading`: for filling it with a campaign, and nothing else.
    """
    if "://" in address:
        store = _postgresql_store(address, create=create, patience=patience)
    else:
        file = _database_file(Path(address), create=create).absolute()
        engine = sqlite_engine(file, patience=patience, loading=loading)
        store = Store(engine, address=address, file=file, patience=patience)
    try:
        _bring_up_to_date(store, create=create)
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def new_store(address: str) -> Iterator[Store]:
    """A store to fill for the first time; the file made for it is removed if the block fails.

    Only a file that this call has made, and never after a Conflict: then another process was
    faster and owns the file.
    """
    path = None if "://" in address else Path(address)
    is_ours = path is not None and _make_file(path)
    try:
        store = open_store(address, create=True, loading=True)
        try:
            yield store
        finally:
            store.close()
    except Conflict:
        raise
    except BaseException:
        if path is not None and is_ours:
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
                path.with_name(name).unlink(missing_ok=True)
        raise


def _make_file(path: Path) -> bool:
    """Whether this call has made the file; why it could not is for `open_store` to say."""
    try:
        path.touch(mode=0o600, exist_ok=False)
    except OSError:
        return False
    return True


def translate(error: SQLAlchemyError, *, where: str) -> Exception:
    """The same failure in the domain's terms: what is wrong with the database at `where`, and what to do."""
    if isinstance(error, IntegrityError):
        return Conflict(f"{where}: this contradicts what is stored already ({_first_line(error.orig)}).")
    if isinstance(error, PoolTimeoutError):
        return SourceError(where, [BUSY])
    if isinstance(error, DBAPIError):
        return SourceError(where, [driver_problem(error.orig)])
    if isinstance(error, StatementError) and isinstance(error.orig, Exception):
        # A value of the wrong kind, such as a naive datetime: the caller's mistake, not the database's.
        return error.orig
    return SourceError(where, [f"the database cannot be used: {_first_line(error)}"])


def driver_problem(error: BaseException | None) -> str:
    """What a driver's error means, and what to do."""
    if isinstance(error, sqlite3.Error):
        problem = SQLITE_PROBLEMS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    else:
        state = getattr(error, "sqlstate", None) or ""
        problem = next((text for code, text in POSTGRESQL_PROBLEMS.items() if state.startswith(code)), None)
        if problem is None and state[:2] in ("", "08", "28", "3D", "57"):
            problem = (
                f"PostgreSQL cannot be reached, or refuses us ({_first_line(error)}). Check that it runs, "
                "and the host, port, user, password and database in the address."
            )
    return problem or f"the database reports: {_first_line(error)}. Check that no other program changed it."


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def _database_file(path: Path, *, create: bool) -> Path:
    where = str(path)
    try:
        if path.is_dir():
            raise SourceError(where, ["this is a folder. Give the path of a database file."])
        if path.exists():
            return path
        if not create:
            meant = path.with_name(f"{path.name}.db")
            advice = f"Did you mean {meant}?" if meant.is_file() else f"{CREATE} --db {where}"
            raise SourceError(where, [f"there is no such file. {advice}"])
        if not path.parent.is_dir():
            raise SourceError(
                where, [f"the folder {path.parent} does not exist. Make it, or choose another."]
            )
        # The file will hold what people answered: no other user of the machine may read it.
        path.touch(mode=0o600)
    except OSError as error:
        problem = f"the file cannot be opened or made: {error.strerror}. Choose a folder you may write to."
        raise SourceError(where, [problem]) from error
    return path


def _postgresql_store(address: str, *, create: bool, patience: float) -> Store:
    url = postgresql_url(address)
    shown, name = shown_address(url), schema_in(url)
    try:
        engine = postgresql_engine(url.difference_update_query(["schema"]), patience=patience, schema=name)
    except ImportError as error:
        problem = 'PostgreSQL needs the psycopg package: pip install "steelyard[postgres]"'
        raise SourceError(shown, [problem]) from error
    store = Store(engine, address=shown, patience=patience)
    if create and name is not None:
        try:
            with store.write() as connection:
                connection.execute(CreateSchema(name, if_not_exists=True))
        except BaseException:
            store.close()
            raise
    return store


def read_only_store(file: Path) -> Store:
    """A SQLite file as it is, which this neither changes nor upgrades."""
    _database_file(file, create=False)
    return Store(read_only_engine(file.absolute()), address=str(file), file=file.absolute())


@contextmanager
def unprepared_store(address: str) -> Iterator[Store]:
    """A PostgreSQL database as it is, whether or not it holds a campaign."""
    store = _postgresql_store(address, create=False, patience=PATIENCE)
    try:
        yield store
    finally:
        store.close()


def _bring_up_to_date(store: Store, *, create: bool) -> None:
    upgrades = schema.known_upgrades()
    newest = max(upgrades)
    with store.read() as connection:
        version = schema.version(connection)
    if version is None:
        problem = "this database holds tables of something else. Give Steelyard a database to itself."
        raise SourceError(store.address, [problem])
    if version > newest:
        problem = f"this database was made by a newer Steelyard (schema {version}, this one knows {newest})"
        raise SourceError(store.address, [f"{problem}: upgrade steelyard"])
    if version == 0 and not create:
        raise SourceError(store.address, [f"this database is empty. {CREATE} --db DB"])
    if version < newest:
        schema.upgrade(store.write, upgrades=upgrades)
