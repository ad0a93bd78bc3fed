"""Items that show several translations, and the order in which a worker saw them."""

from __future__ import annotations

from sqlalchemy import Connection

CHANGES = """
CREATE TABLE item_translations (
    item_id {key} NOT NULL REFERENCES items,
    place INTEGER NOT NULL CHECK (place >= 2),
    system_id {key} NOT NULL REFERENCES systems,
    segment_id {key} NOT NULL REFERENCES segments,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    credited TEXT,
    PRIMARY KEY (item_id, place)
);
DROP VIEW current_judgements;
ALTER TABLE judgements ADD COLUMN shown_order TEXT;
CREATE VIEW current_judgements AS
    SELECT * FROM judgements AS judgement
    WHERE NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = judgement.judgement_id)
"""


def upgrade(connection: Connection) -> None:
    """One table and one column more; no judgement is touched.

    The first translation of an item stays in `items`, so a campaign that shows one at a time has nothing
    here. The view is created again, since PostgreSQL fixed its columns when it was made.
    """
    key = "TEXT" if connection.dialect.name == "sqlite" else 'TEXT COLLATE "C"'
    for statement in CHANGES.format(key=key).split(";"):
        connection.exec_driver_sql(statement)
