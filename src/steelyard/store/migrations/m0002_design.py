"""What campaign design needs: its settings, weights, items of known quality, what is shared."""

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
);
CREATE TABLE shared_places (
    item_id {key} NOT NULL REFERENCES items,
    hit_id {key} NOT NULL REFERENCES hits,
    PRIMARY KEY (item_id, hit_id)
);
CREATE INDEX shared_places_by_hit ON shared_places (hit_id);
INSERT INTO shared_places SELECT DISTINCT item_id, hit_id FROM hit_items
    WHERE item_id IN (SELECT item_id FROM hit_items WHERE is_padding);
DROP INDEX hit_items_by_item
"""


def upgrade(connection: Connection) -> None:
    """Columns and tables more; what is stored keeps its meaning by their defaults.

    The places of items that two HITs of a round share are few. Listed apart, they answer the one
    question for which every place was in an index by item.
    """
    key = "TEXT" if connection.dialect.name == "sqlite" else 'TEXT COLLATE "C"'
    for statement in CHANGES.format(key=key).split(";"):
        connection.exec_driver_sql(statement)
