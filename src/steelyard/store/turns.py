"""Taking turns on PostgreSQL. SQLite needs none of it: there one write transaction runs at a time."""

from __future__ import annotations

from zlib import crc32

from sqlalchemy import ColumnElement, Connection, Table, func, select

# Marks the connections of `Store.write`.
WRITES = "steelyard_writes"
# Marks those of `Store.snapshot`.
SNAPSHOT = "steelyard_snapshot"


def take_turns(connection: Connection, matter: str) -> None:
    """Wait until no other transaction holds this subject, then hold it until this one ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(crc32(f"steelyard {matter}".encode()))))


def hold_rows(connection: Connection, table: Table, condition: ColumnElement[bool]) -> None:
    """Keep others from changing these rows until this write transaction ends.

    It is a separate statement, because PostgreSQL gives each statement a fresh view: what is
    read next includes what the previous holder has done. In a read it does nothing.
    """
    if connection.dialect.name == "postgresql" and connection.get_execution_options().get(WRITES):
        key = table.primary_key.columns
        connection.execute(select(*key).where(condition).order_by(*key).with_for_update(key_share=True)).all()
