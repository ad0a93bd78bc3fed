"""The first schema: one campaign, its HITs, who took them and what they answered."""

from __future__ import annotations

from sqlalchemy import Connection

TABLES = """
CREATE TABLE campaigns (
    name {key} PRIMARY KEY,
    title TEXT NOT NULL,
    protocol TEXT NOT NULL,
    attribute TEXT NOT NULL,
    source_language TEXT NOT NULL,
    target_language TEXT NOT NULL,
    check_name TEXT NOT NULL,
    seed BIGINT NOT NULL,
    hit_size INTEGER NOT NULL,
    ratings_per_item INTEGER NOT NULL,
    presentation TEXT NOT NULL,
    created_at {instant} NOT NULL,
    created_with TEXT NOT NULL
);
CREATE TABLE systems (
    system_id {key} PRIMARY KEY,
    is_human BOOLEAN NOT NULL,
    number INTEGER NOT NULL
);
CREATE TABLE segments (
    segment_id {key} PRIMARY KEY,
    number INTEGER NOT NULL,
    document_id {key} NOT NULL,
    source TEXT NOT NULL,
    reference TEXT NOT NULL
);
CREATE TABLE items (
    item_id {key} PRIMARY KEY,
    kind TEXT NOT NULL,
    system_id {key} NOT NULL REFERENCES systems,
    segment_id {key} NOT NULL REFERENCES segments,
    text TEXT NOT NULL,
    base_item_id {key} REFERENCES items DEFERRABLE INITIALLY DEFERRED
);
CREATE TABLE hits (
    hit_id {key} PRIMARY KEY,
    round INTEGER NOT NULL,
    number INTEGER NOT NULL
);
CREATE TABLE hit_items (
    hit_id {key} NOT NULL REFERENCES hits,
    position INTEGER NOT NULL,
    item_id {key} NOT NULL REFERENCES items,
    group_number INTEGER NOT NULL,
    is_padding BOOLEAN NOT NULL,
    PRIMARY KEY (hit_id, position)
);
CREATE INDEX hit_items_by_item ON hit_items (item_id);
CREATE TABLE workers (
    worker_id {key} PRIMARY KEY,
    created_at {instant} NOT NULL
);
CREATE TABLE links (
    token {key} PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('worker', 'manager', 'open')),
    worker_id {key} REFERENCES workers,
    created_at {instant} NOT NULL
);
CREATE TABLE assignments (
    assignment_id {key} PRIMARY KEY,
    hit_id {key} NOT NULL REFERENCES hits,
    worker_id {key} NOT NULL REFERENCES workers,
    status TEXT NOT NULL,
    accepted_at {instant} NOT NULL,
    submitted_at {instant},
    UNIQUE (hit_id, worker_id)
);
CREATE INDEX assignments_by_worker ON assignments (worker_id);
CREATE UNIQUE INDEX assignments_one_open ON assignments (worker_id) WHERE status = 'accepted';
CREATE TABLE openings (
    opening_id INTEGER PRIMARY KEY,
    hit_id {key} NOT NULL REFERENCES hits,
    assignment_id {key} UNIQUE REFERENCES assignments
);
CREATE INDEX openings_free ON openings (hit_id) WHERE assignment_id IS NULL;
CREATE TABLE judgements (
    judgement_id {key} PRIMARY KEY,
    assignment_id {key} NOT NULL REFERENCES assignments,
    item_id {key} NOT NULL REFERENCES items,
    position INTEGER NOT NULL,
    answer TEXT NOT NULL,
    shown_ms BIGINT NOT NULL,
    submitted_at {instant} NOT NULL,
    replaces {key} UNIQUE REFERENCES judgements
);
CREATE UNIQUE INDEX judgements_one_per_position ON judgements (assignment_id, position)
    WHERE replaces IS NULL;
CREATE VIEW current_judgements AS
    SELECT * FROM judgements AS judgement
    WHERE NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = judgement.judgement_id)
"""

REFUSAL = "judgements are append-only; a correction is a new judgement that replaces the old one"

SQLITE_TRIGGERS = (
    f"""CREATE TRIGGER judgements_no_update BEFORE UPDATE ON judgements
        BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END""",
    f"""CREATE TRIGGER judgements_no_delete BEFORE DELETE ON judgements
        BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END""",
)
POSTGRESQL_TRIGGERS = (
    f"""CREATE FUNCTION refuse_judgement_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
    """CREATE TRIGGER judgements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON judgements
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_judgement_change()""",
)


def upgrade(connection: Connection) -> None:
    """All tables, the view of current judgements, and the triggers that keep judgements append-only."""
    on_sqlite = connection.dialect.name == "sqlite"
    instant = "TEXT" if on_sqlite else "TIMESTAMP WITH TIME ZONE"
    # By code point, as on SQLite: the order of ids must not depend on the server's language.
    key = "TEXT" if on_sqlite else 'TEXT COLLATE "C"'
    for statement in TABLES.format(instant=instant, key=key).split(";"):
        connection.exec_driver_sql(statement)
    for statement in SQLITE_TRIGGERS if on_sqlite else POSTGRESQL_TRIGGERS:
        connection.exec_driver_sql(statement)
