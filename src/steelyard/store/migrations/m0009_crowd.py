"""Campaigns on crowd platforms: listings, sessions and the sets done in them, bonuses, notices."""

from __future__ import annotations

from sqlalchemy import Connection

TABLES = """
CREATE TABLE listings (
    tag {key} PRIMARY KEY,
    platform TEXT NOT NULL,
    listing_id {key} UNIQUE,
    state TEXT NOT NULL,
    places INTEGER NOT NULL,
    reward BIGINT NOT NULL,
    pay BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    currency TEXT NOT NULL,
    made_at {instant} NOT NULL,
    synced_at {instant}
);
CREATE TABLE crowd_sessions (
    session_id {key} PRIMARY KEY,
    tag {key} NOT NULL REFERENCES listings,
    worker_id {key} REFERENCES workers,
    assignment_id {key} UNIQUE REFERENCES assignments,
    state TEXT NOT NULL,
    changed_at {instant} NOT NULL,
    seen_at {instant} NOT NULL,
    code TEXT,
    reward BIGINT NOT NULL,
    fee BIGINT,
    bonuses TEXT NOT NULL,
    is_return_requested BOOLEAN NOT NULL
);
CREATE TABLE transfers (
    token {key} PRIMARY KEY,
    tag {key} NOT NULL REFERENCES listings,
    session_id {key} NOT NULL,
    worker_id {key} REFERENCES workers,
    amount BIGINT NOT NULL,
    fee BIGINT NOT NULL,
    reason TEXT NOT NULL,
    state TEXT NOT NULL,
    order_id TEXT,
    made_at {instant} NOT NULL,
    settled_at {instant}
);
CREATE TABLE notices (
    notice_id {key} PRIMARY KEY,
    received_at {instant} NOT NULL
);
ALTER TABLE platform_sessions ADD COLUMN assignment_id {key} REFERENCES assignments;
ALTER TABLE platform_sessions ADD COLUMN finished_at {instant};
CREATE UNIQUE INDEX platform_sessions_assignment ON platform_sessions (assignment_id);
CREATE INDEX crowd_sessions_worker ON crowd_sessions (worker_id);
CREATE INDEX transfers_session ON transfers (session_id)
"""


def upgrade(connection: Connection) -> None:
    """Four tables more, and the set of a session. What they say of people can be erased; money stays."""
    on_sqlite = connection.dialect.name == "sqlite"
    instant = "TEXT" if on_sqlite else "TIMESTAMP WITH TIME ZONE"
    key = "TEXT" if on_sqlite else 'TEXT COLLATE "C"'
    for statement in TABLES.format(instant=instant, key=key).split(";"):
        connection.exec_driver_sql(statement)
