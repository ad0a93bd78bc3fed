"""Errors that are marked before any worker comes."""

from __future__ import annotations

from sqlalchemy import Connection

TABLE = """
CREATE TABLE prefilled (
    item_id {key} NOT NULL REFERENCES items,
    place INTEGER NOT NULL CHECK (place >= 1),
    spans TEXT NOT NULL,
    PRIMARY KEY (item_id, place)
)
"""
REFUSAL = "prefilled cannot be changed: what was recorded there gives judgements their meaning"
SQLITE_TRIGGERS = (
    f"CREATE TRIGGER prefilled_no_update BEFORE UPDATE ON prefilled "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    f"CREATE TRIGGER prefilled_no_delete BEFORE DELETE ON prefilled "
    f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END",
    # SQLite asks no DELETE trigger about rows that OR REPLACE puts aside.
    f"""CREATE TRIGGER prefilled_no_replace BEFORE INSERT ON prefilled WHEN EXISTS (
        SELECT 1 FROM prefilled WHERE item_id = NEW.item_id AND place = NEW.place OR rowid = NEW.rowid
    ) BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END""",  # noqa: S608 (our own words)
)
# The function is that of the fifth step.
POSTGRESQL_TRIGGER = """
CREATE TRIGGER prefilled_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON prefilled
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""


def upgrade(connection: Connection) -> None:
    """A table more, written once like the items it belongs to."""
    on_sqlite = connection.dialect.name == "sqlite"
    connection.exec_driver_sql(TABLE.format(key="TEXT" if on_sqlite else 'TEXT COLLATE "C"'))
    for statement in SQLITE_TRIGGERS if on_sqlite else (POSTGRESQL_TRIGGER,):
        connection.exec_driver_sql(statement)
