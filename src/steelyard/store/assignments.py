"""Assignments: one worker on one HIT, and how far they are. Counts are queried, never stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, func, select, update

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.running import Conditions
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.store import tables
from steelyard.store.running import conditions_columns, conditions_of
from steelyard.store.turns import hold_rows


def latest_judged(column: ColumnElement[Any], *, of: Any = tables.assignments) -> ColumnElement[Any]:
    """A column of the latest judgement of an assignment in the query around this; null: nothing is judged.

    An assignment is judged position by position, so the latest judgement is at the highest, and one look
    into an index finds it. That it begins at 1 is said for SQLite: it would take the unique index on
    `replaces` otherwise, nearly all of it null, and read every judgement there is.
    """
    judged = tables.judgements
    of_assignment = (judged.c.assignment_id == of.c.assignment_id, judged.c.position >= 1)
    return (
        select(column)
        .where(*of_assignment, judged.c.replaces.is_(None))
        .order_by(judged.c.position.desc())
        .limit(1)
        .correlate(of)
        .scalar_subquery()
    )


def n_judged_in(*, of: Any = tables.assignments) -> ColumnElement[int]:
    """How many items of an assignment are judged."""
    return func.coalesce(latest_judged(tables.judgements.c.position, of=of), 0)


def counted_assignments() -> Select[Any]:
    """Assignments with how many items they have and how many of them are judged."""
    stored, placed = tables.assignments, tables.hit_items
    n_items = select(func.count()).where(placed.c.hit_id == stored.c.hit_id).scalar_subquery()
    return select(stored, n_items.label("n_items"), n_judged_in().label("n_done"))


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

_WORKER_ASSIGNMENTS = counted_assignments().where(
    tables.assignments.c.worker_id == bindparam("worker_id"),
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


def assignments_of(connection: Connection, worker_id: str) -> list[Assignment]:
    """Everything that the worker has taken, with how much of it is judged."""
    rows = connection.execute(_WORKER_ASSIGNMENTS, {"worker_id": worker_id})
    return [found for row in rows if (found := assignment_of(row)) is not None]


def n_submitted(connection: Connection, worker_id: str) -> int:
    """How many HITs the worker has finished, whatever was decided about them later."""
    stored = tables.assignments
    query = select(func.count()).where(stored.c.worker_id == worker_id, stored.c.submitted_at.is_not(None))
    return int(connection.execute(query).scalar_one())


def n_held(connection: Connection) -> int:
    """HITs that workers hold now and have not finished."""
    stored = tables.assignments
    held = (stored.c.status == AssignmentStatus.ACCEPTED.value) & stored.c.released_at.is_(None)
    return int(connection.execute(select(func.count()).select_from(stored).where(held)).scalar_one())


def n_judged(connection: Connection, worker_id: str) -> int:
    """How many judgements the worker has given, in HITs that were released too."""
    stored = tables.assignments
    query = select(func.coalesce(func.sum(n_judged_in()), 0)).where(stored.c.worker_id == worker_id)
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
    raise Conflict(f"the assignment {assignment_id} is {found.status.value} already; ask for the next set")


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
