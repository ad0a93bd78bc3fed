"""Who came from a crowd platform, and whom nobody wants to see again: both apart from judgements."""

from __future__ import annotations

from sqlalchemy import Connection

TABLES = """
CREATE TABLE participants (
    worker_id {key} PRIMARY KEY REFERENCES workers,
    platform TEXT NOT NULL,
    pseudonym {key} UNIQUE,
    participant_id TEXT,
    joined_at {instant} NOT NULL
);
CREATE TABLE platform_sessions (
    worker_id {key} NOT NULL REFERENCES participants,
    study_id {key} NOT NULL,
    session_id {key} NOT NULL,
    begun_at {instant} NOT NULL,
    PRIMARY KEY (worker_id, study_id, session_id)
);
CREATE TABLE barred_participants (
    pseudonym {key} PRIMARY KEY,
    made_at {instant} NOT NULL
)
"""


def upgrade(connection: Connection) -> None:
    """Three tables more. Nothing in them gives judgements their meaning, so all of it may be erased."""
    on_sqlite = connection.dialect.name == "sqlite"
    instant = "TEXT" if on_sqlite else "TIMESTAMP WITH TIME ZONE"
    key = "TEXT" if on_sqlite else 'TEXT COLLATE "C"'
    for statement in TABLES.format(instant=instant, key=key).split(";"):
        connection.exec_driver_sql(statement)
