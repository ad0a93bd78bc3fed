"""What comes before and beside judgements: consent, questions, training, remarks, behaviour."""

from __future__ import annotations

from sqlalchemy import Connection

CHANGES = """
CREATE TABLE entries (
    worker_id {key} NOT NULL REFERENCES workers,
    step {key} NOT NULL CHECK (step IN ('consent', 'questions', 'training')),
    number INTEGER NOT NULL,
    content TEXT NOT NULL,
    revision INTEGER NOT NULL,
    made_at {instant} NOT NULL,
    PRIMARY KEY (worker_id, step, number)
);
CREATE TABLE remarks (
    remark_id {key} PRIMARY KEY,
    worker_id {key} NOT NULL REFERENCES workers,
    kind TEXT NOT NULL CHECK (kind IN ('comment', 'problem')),
    assignment_id {key} REFERENCES assignments,
    item_id {key} REFERENCES items,
    text TEXT NOT NULL,
    made_at {instant} NOT NULL
);
CREATE INDEX remarks_by_worker ON remarks (worker_id);
DROP VIEW current_judgements;
ALTER TABLE judgements ADD COLUMN behaviour TEXT;
CREATE VIEW current_judgements AS
    SELECT * FROM judgements AS judgement
    WHERE NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = judgement.judgement_id)
"""

REFUSAL = "{table} cannot be changed: they are what a worker said at that moment"


def upgrade(connection: Connection) -> None:
    """Two tables and a column more. What a worker said may be erased at their wish, but never reworded."""
    on_sqlite = connection.dialect.name == "sqlite"
    instant = "TEXT" if on_sqlite else "TIMESTAMP WITH TIME ZONE"
    key = "TEXT" if on_sqlite else 'TEXT COLLATE "C"'
    for statement in CHANGES.format(instant=instant, key=key).split(";"):
        connection.exec_driver_sql(statement)
    for table in ("entries", "remarks"):
        for statement in _no_update(table, on_sqlite=on_sqlite):
            connection.exec_driver_sql(statement)


def _no_update(table: str, *, on_sqlite: bool) -> list[str]:
    refusal = REFUSAL.format(table=table)
    if on_sqlite:
        return [
            f"""CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}
                BEGIN SELECT RAISE(ABORT, '{refusal}'); END"""
        ]
    return [
        f"""CREATE FUNCTION refuse_{table}_update() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION '{refusal}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        f"""CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_{table}_update()""",
    ]
