"""Bulk loading: how a campaign of millions of items is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.exc import DBAPIError

# Rows between two progress reports: enough to be fast, few enough to need little memory.
BATCH = 10_000
# One statement for this many rows takes SQLite half the time of a statement per row.
ROWS_PER_STATEMENT = 100

Row = Sequence[Any]
RowsWritten = Callable[[int], None]


def load(
    connection: Connection, table: Table, rows: Iterable[Row], *, progress: RowsWritten | None = None
) -> None:
    """Append rows, each a sequence in the order of the table's columns.

    Values go to the driver unchanged: no column type converts them. `progress` is called after each batch
    with the number of rows written.
    """
    append = _append_sqlite if connection.dialect.name == "sqlite" else _copy_postgresql
    for batch in batches(rows, size=BATCH):
        append(connection, table, batch)
        if progress is not None:
            progress(len(batch))


@contextmanager
def filling(connection: Connection) -> Iterator[None]:
    """Fill an empty database without asking for every row on SQLite whether it replaces another.

    The triggers that ask are there again before the transaction ends, or it has never been.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    query = (
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%!_no!_replace' ESCAPE '!'"
    )
    triggers = connection.exec_driver_sql(query).all()
    for name, _ in triggers:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")
    yield
    for _, definition in triggers:
        connection.exec_driver_sql(definition)


def _append_sqlite(connection: Connection, table: Table, rows: list[Row]) -> None:
    n_full = len(rows) - len(rows) % ROWS_PER_STATEMENT
    full = [
        tuple(chain.from_iterable(rows[start : start + ROWS_PER_STATEMENT]))
        for start in range(0, n_full, ROWS_PER_STATEMENT)
    ]
    if full:
        connection.exec_driver_sql(_insert(table, ROWS_PER_STATEMENT), full)
    if n_full < len(rows):
        connection.exec_driver_sql(_insert(table, 1), [tuple(row) for row in rows[n_full:]])


def _insert(table: Table, n_rows: int) -> str:
    row = f"({', '.join('?' for _ in table.columns)})"
    return f"INSERT INTO {table.name} ({_names(table)}) VALUES {', '.join([row] * n_rows)}"  # noqa: S608


def _copy_postgresql(connection: Connection, table: Table, rows: list[Row]) -> None:
    statement = f"COPY {table.name} ({_names(table)}) FROM STDIN"
    driver_error = connection.dialect.loaded_dbapi.Error
    try:
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except driver_error as error:
        # The driver is called directly, so its errors must be turned into SQLAlchemy's here.
        raise DBAPIError.instance(statement, None, error, driver_error, dialect=connection.dialect) from error


def _names(table: Table) -> str:
    return ", ".join(column.name for column in table.columns)


def batches(values: Iterable[Any], *, size: int) -> Iterator[list[Any]]:
    """The values in lists of `size`, the last one shorter."""
    remaining = iter(values)
    while some := list(islice(remaining, size)):
        yield some
