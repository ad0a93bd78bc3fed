"""Running a campaign: its state and rules, revisions of its words, people, leases, and what managers did."""

from __future__ import annotations

from sqlalchemy import Connection

CHANGES = """
ALTER TABLE campaigns ADD COLUMN state TEXT NOT NULL DEFAULT 'open'
    CHECK (state IN ('draft', 'open', 'paused', 'closed'));
ALTER TABLE campaigns ADD COLUMN rules TEXT NOT NULL DEFAULT '{empty}';
ALTER TABLE campaigns ADD COLUMN url TEXT;
ALTER TABLE campaigns ADD COLUMN secret_mark TEXT;
CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    presentation TEXT NOT NULL,
    made_at {instant} NOT NULL,
    reason TEXT NOT NULL
);
INSERT INTO revisions SELECT 1, title, presentation, created_at, '' FROM campaigns;
ALTER TABLE segments ADD COLUMN part INTEGER NOT NULL DEFAULT 1;
ALTER TABLE hits ADD COLUMN part INTEGER NOT NULL DEFAULT 1;
ALTER TABLE workers ADD COLUMN link_version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE workers ADD COLUMN is_revoked BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workers ADD COLUMN is_blocked BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workers ADD COLUMN is_simulated BOOLEAN NOT NULL DEFAULT FALSE;
CREATE TABLE people (
    worker_id {key} PRIMARY KEY REFERENCES workers,
    name TEXT NOT NULL,
    email TEXT NOT NULL
);
CREATE TABLE shared_links (
    role {key} PRIMARY KEY CHECK (role IN ('manager', 'open')),
    version INTEGER NOT NULL
);
INSERT INTO shared_links SELECT role, 1 FROM (SELECT 'manager' AS role UNION ALL SELECT 'open') AS roles;
ALTER TABLE assignments ADD COLUMN released_at {instant};
ALTER TABLE assignments ADD COLUMN resumed_at {instant};
CREATE TABLE actions (
    number INTEGER PRIMARY KEY,
    done_at {instant} NOT NULL,
    done_by TEXT NOT NULL,
    verb TEXT NOT NULL,
    worker_id {key} REFERENCES workers,
    hit_id {key} REFERENCES hits,
    reason TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX actions_by_worker ON actions (worker_id);
DROP VIEW current_judgements;
ALTER TABLE judgements ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
CREATE VIEW current_judgements AS
    SELECT * FROM judgements AS judgement
    WHERE NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = judgement.judgement_id)
"""

REFUSAL = "{table} are append-only; what was recorded there stays as it is"


def upgrade(connection: Connection) -> None:
    """Columns and tables more; no judgement is touched, and links that were stored keep working."""
    on_sqlite = connection.dialect.name == "sqlite"
    instant = "TEXT" if on_sqlite else "TIMESTAMP WITH TIME ZONE"
    key = "TEXT" if on_sqlite else 'TEXT COLLATE "C"'
    for statement in CHANGES.format(instant=instant, key=key, empty="{}").split(";"):
        connection.exec_driver_sql(statement)
    for table in ("revisions", "actions"):
        for statement in _append_only(table, on_sqlite=on_sqlite):
            connection.exec_driver_sql(statement)


def _append_only(table: str, *, on_sqlite: bool) -> list[str]:
    refusal = REFUSAL.format(table=table)
    if on_sqlite:
        return [
            f"""CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table}
                BEGIN SELECT RAISE(ABORT, '{refusal}'); END"""
            for verb in ("UPDATE", "DELETE")
        ]
    return [
        f"""CREATE FUNCTION refuse_{table}_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION '{refusal}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        f"""CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_{table}_change()""",
    ]
