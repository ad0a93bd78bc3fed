"""Which finished set belongs to which session of a crowd platform: one to each, and none to two."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, exists, select, update

from steelyard.store import tables
from steelyard.store.turns import hold_rows


class StoredSession(NamedTuple):
    """A session in which a worker came; `assignment_id`: the set that was done in it, None as yet."""

    study_id: str
    assignment_id: str | None


def session_of(connection: Connection, worker_id: str, session_id: str) -> StoredSession | None:
    """A worker's session by the platform's id; None if they never came in it.

    In a write transaction the worker is locked until it ends: two pages of one worker take turns.
    """
    if not tables.could_be_key(session_id):
        return None
    hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)
    stored = tables.platform_sessions.c
    rows = connection.execute(
        select(stored.study_id, stored.assignment_id)
        .where(stored.worker_id == worker_id, stored.session_id == session_id)
        .order_by(stored.assignment_id.is_(None), stored.begun_at, stored.study_id)
    )
    row = rows.first()
    return None if row is None else StoredSession(*row)


def sets_without_session(connection: Connection, worker_id: str, session_id: str) -> list[str]:
    """The assignments that a worker has finished and that no other session has, in order of their end."""
    sets, came, told = tables.assignments, tables.platform_sessions, tables.crowd_sessions
    in_session = exists().where(came.c.assignment_id == sets.c.assignment_id)
    # What the platform reports may outlast who came in it.
    in_report = exists().where(told.c.assignment_id == sets.c.assignment_id, told.c.session_id != session_id)
    query = (
        select(sets.c.assignment_id)
        .where(sets.c.worker_id == worker_id, sets.c.submitted_at.is_not(None), ~in_session, ~in_report)
        .order_by(sets.c.submitted_at, sets.c.assignment_id)
    )
    return list(connection.execute(query).scalars())


def give_set(
    connection: Connection,
    worker_id: str,
    session: tuple[str, str],
    assignment_id: str,
    *,
    now: datetime,
) -> None:
    """Record which set was done in a session, given by the platform's ids of study and session."""
    stored = tables.platform_sessions
    study_id, session_id = session
    connection.execute(
        update(stored)
        .where(
            stored.c.worker_id == worker_id,
            stored.c.study_id == study_id,
            stored.c.session_id == session_id,
        )
        .values(assignment_id=assignment_id, finished_at=now)
    )
