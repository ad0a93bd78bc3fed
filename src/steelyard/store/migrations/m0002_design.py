"""What campaign design needs: its settings, weights, items of known quality, shared credit."""

from __future__ import annotations

from sqlalchemy import Connection

CHANGES = """
ALTER TABLE campaigns ADD COLUMN design TEXT NOT NULL DEFAULT '{{}}';
ALTER TABLE systems ADD COLUMN weight DOUBLE PRECISION NOT NULL DEFAULT 1;
ALTER TABLE items ADD COLUMN known DOUBLE PRECISION;
ALTER TABLE items ADD COLUMN known_sd DOUBLE PRECISION;
CREATE TABLE credits (
    item_id {key} NOT NULL REFERENCES items,
    system_id {key} NOT NULL REFERENCES systems,
    PRIMARY KEY (item_id, system_id)
)
"""


def upgrade(connection: Connection) -> None:
    """Columns and a table more; what is stored keeps its meaning by their defaults."""
    key = "TEXT" if connection.dialect.name == "sqlite" else 'TEXT COLLATE "C"'
    for statement in CHANGES.format(key=key).split(";"):
        connection.exec_driver_sql(statement)
