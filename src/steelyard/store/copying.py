"""Copies of a whole database: into one SQLite file while others go on writing, and back from such a file.

A copy has the same schema as any SQLite database, so that it can be opened like one.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Dialect, Table, func, select

from steelyard.domain.errors import Conflict, SourceError
from steelyard.store import schema, tables
from steelyard.store.bulk import BATCH, filling, load
from steelyard.store.database import Store, new_store, open_store, read_only_store
from steelyard.store.failures import driver_problem
from steelyard.store.new_file import new_database_file
from steelyard.store.turns import take_turns

# Pages copied at a time, so that progress can be shown and an interruption is noticed [our choice].
PAGES = 1000
DAMAGED_COPY = "the copy is damaged ({why}), and was removed. Check the disk, then do it again."
DAMAGED_BACKUP = "this backup is damaged ({why}); nothing was restored. Use another one."
NO_CAMPAIGN = "this is not a copy of a campaign. Give a file that `steelyard backup` made."
OCCUPIED = "this database already holds the campaign {name}, and nothing was overwritten. Give an empty one."

# Shows how far a copy is: given its length, a function to call with each advance.
Advancing = Callable[[int], AbstractContextManager[Callable[[int], None]]]


def copy_to_file(store: Store, file: Path, *, watch: Advancing) -> int:
    """Write everything as it is at one moment into a new SQLite file; returns its number of judgements.

    Whatever was acknowledged before the call is in it. The file is complete, checked and on the disk
    when it gets its name; SourceError, and no file, if anything goes wrong.
    """
    with new_database_file(file) as partial, _named(file, partial):
        if store.dialect == "sqlite":
            with store.snapshot() as connection:
                _copy_pages(connection, partial, watch)
        else:
            with open_store(str(partial), create=True, loading=True) as copy:
                _copy_tables(store, copy, watch)
        return _checked(partial, where=str(file), problem=DAMAGED_COPY)


def copy_from_file(file: Path, address: str, *, watch: Advancing) -> None:
    """Fill a new SQLite file or an empty PostgreSQL database with a copy, or leave it as it was."""
    if not file.exists():
        raise SourceError(str(file), ["there is no such file. Give one that `steelyard backup` made."])
    with read_only_store(file) as source:
        version = _version(source)
        if "://" not in address:
            with new_database_file(Path(address)) as partial, _named(Path(address), partial):
                with source.snapshot() as connection:
                    _copy_pages(connection, partial, watch)
                open_store(str(partial)).close()
                _checked(partial, where=str(file), problem=DAMAGED_BACKUP)
            return
        if version == max(schema.known_upgrades()):
            with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
                _require_sound(database, where=str(file), problem=DAMAGED_BACKUP)
            with new_store(address) as target:
                _copy_tables(source, target, watch)
            return
        with tempfile.TemporaryDirectory() as folder:
            upgraded = Path(folder) / "copy.db"
            copy_from_file(file, str(upgraded), watch=watch)
            copy_from_file(upgraded, address, watch=watch)


def _version(store: Store) -> int:
    """The schema of a copy; SourceError if it holds no campaign, or one of a newer Steelyard."""
    with store.snapshot() as connection:
        version = schema.version(connection)
        if not version or connection.execute(select(tables.campaigns.c.name)).first() is None:
            raise SourceError(store.address, [NO_CAMPAIGN])
    newest = max(schema.known_upgrades())
    if version > newest:
        problem = f"this copy was made by a newer Steelyard (schema {version}, this one knows {newest})"
        raise SourceError(store.address, [f"{problem}: upgrade steelyard"])
    return version


def _copy_pages(connection: Connection, partial: Path, watch: Advancing) -> None:
    """Copy a SQLite database page by page, as the connection's transaction sees it.

    SQLite begins anew whenever somebody else writes, unless a transaction holds on to one moment.
    """
    # The moment that a transaction holds on to is that of its first reading.
    n_pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    connection.execute(select(func.max(tables.schema_versions.c.version))).one()
    source: Any = connection.connection.driver_connection
    assert isinstance(source, sqlite3.Connection)
    done = 0
    with watch(n_pages) as advance, closing(sqlite3.connect(partial)) as target:

        def show(_status: int, remaining: int, total: int) -> None:
            nonlocal done
            advance(total - remaining - done)
            done = total - remaining

        source.backup(target, pages=PAGES, progress=show)


def _copy_tables(source: Store, target: Store, watch: Advancing) -> None:
    """Copy a database row by row into one that holds no campaign, in one transaction."""
    every = tables.metadata.sorted_tables
    with source.snapshot() as read, target.write() as write:
        take_turns(write, "campaign")
        name = write.execute(select(tables.campaigns.c.name)).scalar()
        if name is not None:
            raise Conflict(f"{target.address}: {OCCUPIED.format(name=name)}")
        for table in reversed(every):
            # What the migrations wrote. Tables that are never changed refuse even to delete nothing.
            if write.execute(select(table).limit(1)).first() is not None:
                write.execute(table.delete())
        n_rows = sum(read.execute(select(func.count()).select_from(table)).scalar_one() for table in every)
        with watch(n_rows) as advance, filling(write):
            for table in every:
                load(write, table, _rows(read, table, write.dialect), progress=advance)
        write.exec_driver_sql("ANALYZE")


def _rows(connection: Connection, table: Table, dialect: Dialect) -> Iterator[Sequence[Any]]:
    """All rows of a table with values as the other database's driver takes them."""
    convert = [
        (place, processor)
        for place, column in enumerate(table.columns)
        if (processor := column.type.bind_processor(dialect)) is not None
    ]
    # A judgement that replaces another comes after it.
    order = tables.judgements.c.submitted_at if table is tables.judgements else None
    query = select(table).order_by(*([] if order is None else [order]), *table.primary_key.columns)
    with connection.execute(query, execution_options={"yield_per": BATCH}) as found:
        for row in found:
            values = list(row)
            for place, processor in convert:
                values[place] = processor(values[place])
            yield values


def _checked(partial: Path, *, where: str, problem: str) -> int:
    """Make the file complete by itself, and read all of it; returns the number of judgements."""
    with closing(sqlite3.connect(partial)) as copy:
        # Otherwise the newest pages might be in a file beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
        _require_sound(copy, where=where, problem=problem)
        return int(copy.execute("SELECT count(*) FROM current_judgements").fetchone()[0])


def _require_sound(database: sqlite3.Connection, *, where: str, problem: str) -> None:
    """Read all of a database; SourceError with this problem if it contradicts itself."""
    found = [row[0] for row in database.execute("PRAGMA integrity_check")]
    if found != ["ok"]:
        raise SourceError(where, [problem.format(why=found[0])])
    if database.execute("PRAGMA foreign_key_check").fetchone() is not None:
        raise SourceError(where, [problem.format(why="some rows name others that are not there")])


@contextmanager
def _named(file: Path, partial: Path) -> Iterator[None]:
    """Let what goes wrong with the unfinished file be said of the file it would become."""
    try:
        yield
    except sqlite3.Error as error:
        raise SourceError(str(file), [driver_problem(error)]) from error
    except SourceError as error:
        if error.where != str(partial):
            raise
        raise SourceError(str(file), error.problems) from error
