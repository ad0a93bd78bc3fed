"""Opening a database, and its transactions."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateSchema

from steelyard.domain.errors import Conflict, EvaluationError, SourceError
from steelyard.domain.extras import how_to_install
from steelyard.store import schema
from steelyard.store.addresses import postgresql_url, schema_in, shown_address
from steelyard.store.engines import postgresql_engine, read_only_engine, sqlite_engine
from steelyard.store.failures import BUSY, FULL, READ_ONLY, translate, unreadable_value
from steelyard.store.opened_file import OpenedFile
from steelyard.store.tables import schema_versions
from steelyard.store.turns import SNAPSHOT, WRITES

# Seconds a transaction waits for others before it gives up [our choice].
PATIENCE = 30.0
# Seconds for which a server is not ready after the disk was full [our choice]: then it must be tried again.
FULL_SECONDS = 30.0

CREATE = "Make a campaign with: {create=%s}"


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
        self._opened = None if file is None else OpenedFile(file, address=address)
        self._full_at: float | None = None
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
        self.require_same_file()
        with (
            self._understood(),
            self._translated(),
            self._engine.connect() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a transaction that may write; durable once the block is left without an error.

        Do not open a second one inside: on SQLite it would wait for the first. SourceError after the block
        if what became of it is not known: if it was stored all the same, doing it again does no harm.
        """
        self.require_same_file()
        with (
            self._translated(),
            self._turn_to_write(),
            self._writer.connect() as connection,
            connection.begin(),
        ):
            yield connection
        self._full_at = None
        self.require_same_file()

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A connection in a transaction that only reads, and sees one moment however long it lasts."""
        # On SQLite every transaction does.
        engine = self._engine.execution_options(**{SNAPSHOT: True})
        with self._understood(), self._translated(), engine.connect() as connection, connection.begin():
            yield connection

    def require_same_file(self) -> None:
        """SourceError if the SQLite file is no longer where it was opened: call it before acknowledging.

        `read` and `write` do. The file may come back; if another is there, it is for good.
        """
        if self._opened is not None:
            self._opened.require_same()

    def remember_log(self) -> None:
        """Let `require_same_file` ask for SQLite's write-ahead log too, now that a connection has made it."""
        if self._opened is not None:
            self._opened.remember_log()

    def ping(self) -> None:
        """Return if judgements can be stored; SourceError if not.

        The database answers and takes writes, this program knows its schema, and its disk has room.
        """
        with self.read() as connection:
            version = connection.execute(select(func.max(schema_versions.c.version))).scalar_one()
            is_standby = (
                self.dialect == "postgresql"
                and connection.exec_driver_sql("SHOW transaction_read_only").scalar_one() == "on"
            )
        _require_known(version, max(schema.known_upgrades()), where=self.address)
        if is_standby:
            raise SourceError(self.address, [READ_ONLY])
        if self._full_at is not None and time.monotonic() - self._full_at < FULL_SECONDS:
            raise SourceError(self.address, [FULL])
        if self._opened is not None:
            self._opened.require_room()

    def close(self) -> None:
        if self._opened is not None:
            self._opened.forget_log()
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
            problem = translate(error, where=self.address)
            if isinstance(problem, SourceError) and FULL in problem.problems:
                self._full_at = time.monotonic()
            raise problem from error

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """SourceError for values that nobody stored: a damaged file may hold together all the same."""
        try:
            yield
        except (ValueError, LookupError, TypeError) as error:
            if isinstance(error, EvaluationError):
                raise
            raise SourceError(self.address, [unreadable_value(error)]) from error


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
        if not loading:
            store.remember_log()
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


def _database_file(path: Path, *, create: bool) -> Path:
    where = str(path)
    try:
        if path.is_dir():
            raise SourceError(where, ["this is a folder. Give the path of a database file."])
        if path.exists():
            return path
        if not create:
            meant = path.with_name(f"{path.name}.db")
            advice = f"Did you mean {meant}?" if meant.is_file() else CREATE % where
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
        problem = f"PostgreSQL needs the psycopg package: {how_to_install('postgres')}"
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
    _require_known(version, newest, where=store.address)
    if version == 0 and not create:
        raise SourceError(store.address, [f"this database is empty. {CREATE % 'DB'}"])
    if version < newest:
        schema.upgrade(store.write, upgrades=upgrades)


def _require_known(version: int, newest: int, *, where: str) -> None:
    if version > newest:
        problem = f"this database was made by a newer Steelyard (schema {version}, this one knows {newest})"
        raise SourceError(where, [f"{problem}: upgrade steelyard"])
