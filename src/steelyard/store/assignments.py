"""Assignments: one worker on one HIT, and how far they are. Counts are queried, never stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, update

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.running import Conditions
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.store import tables
from steelyard.store.running import conditions_columns, conditions_of
from steelyard.store.turns import hold_rows


def counted_assignments() -> Select[Any]:
    """Assignments with how many items they have and how many of them are judged."""
    stored, placed, judged = tables.assignments, tables.hit_items, tables.judgements
    n_items = select(func.count()).where(placed.c.hit_id == stored.c.hit_id).scalar_subquery()
    n_done = (
        select(func.count())
        .where(judged.c.assignment_id == stored.c.assignment_id, judged.c.replaces.is_(None))
        .scalar_subquery()
    )
    return select(stored, n_items.label("n_items"), n_done.label("n_done"))


# Every click of every worker runs these: building them each time would cost more than running them.
_ASSIGNMENT = (
    counted_assignments()
    .add_columns(*conditions_columns())
    .where(tables.assignments.c.assignment_id == bindparam("assignment_id"))
)
_OPEN_ASSIGNMENT = counted_assignments().where(
    tables.assignments.c.worker_id == bindparam("worker_id"),
    tables.assignments.c.status == AssignmentStatus.ACCEPTED.value,
)


def open_assignment(connection: Connection, worker_id: str) -> Assignment | None:
    """The worker's open assignment, if any.

    In a write transaction the worker is locked until it ends: two pages of one worker take turns.
    """
    hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)
    return assignment_of(connection.execute(_OPEN_ASSIGNMENT, {"worker_id": worker_id}).one_or_none())


def assignment(connection: Connection, assignment_id: str) -> Assignment | None:
    """The assignment, with how many of its items are judged.

    In a write transaction it is locked until that ends, so that decisions based on it stay valid.
    """
    found = assignment_and_conditions(connection, assignment_id)
    return None if found is None else found[0]


def assignment_and_conditions(
    connection: Connection, assignment_id: str
) -> tuple[Assignment, Conditions] | None:
    """As `assignment`, with the conditions on which the campaign takes answers now, in the same query."""
    if not tables.could_be_key(assignment_id):
        return None
    hold_rows(connection, tables.assignments, tables.assignments.c.assignment_id == assignment_id)
    row = connection.execute(_ASSIGNMENT, {"assignment_id": assignment_id}).one_or_none()
    found = assignment_of(row)
    return None if row is None or found is None else (found, conditions_of(row))


def n_submitted(connection: Connection, worker_id: str) -> int:
    """How many HITs the worker has finished, whatever was decided about them later."""
    stored = tables.assignments
    query = select(func.count()).where(stored.c.worker_id == worker_id, stored.c.submitted_at.is_not(None))
    return int(connection.execute(query).scalar_one())


def n_judged(connection: Connection, worker_id: str) -> int:
    """How many judgements the worker has given, in HITs that were released too."""
    stored, judged = tables.assignments, tables.judgements
    query = (
        select(func.count())
        .select_from(stored)
        .join(judged, judged.c.assignment_id == stored.c.assignment_id)
        .where(stored.c.worker_id == worker_id, judged.c.replaces.is_(None))
    )
    return int(connection.execute(query).scalar_one())


def submit_assignment(connection: Connection, assignment_id: str, *, now: datetime) -> None:
    """Mark an accepted assignment as submitted; Conflict if it is at any other point."""
    stored = tables.assignments
    submitted = connection.execute(
        update(stored)
        .where(stored.c.assignment_id == assignment_id, stored.c.status == AssignmentStatus.ACCEPTED.value)
        .values(status=AssignmentStatus.SUBMITTED.value, submitted_at=now)
    )
    if submitted.rowcount == 1:
        return
    found = assignment(connection, assignment_id)
    if found is None:
        raise NotFound(f"there is no assignment {assignment_id}")
    raise Conflict(f"the assignment {assignment_id} is {found.status.value} already; ask for the next HIT")


def assignment_of(row: Row[Any] | None) -> Assignment | None:
    """The assignment in a row of `counted_assignments`."""
    if row is None:
        return None
    return Assignment(
        assignment_id=row.assignment_id,
        hit_id=row.hit_id,
        worker_id=row.worker_id,
        status=AssignmentStatus(row.status),
        accepted_at=row.accepted_at,
        submitted_at=row.submitted_at,
        n_items=row.n_items,
        n_done=row.n_done,
        released_at=row.released_at,
    )
