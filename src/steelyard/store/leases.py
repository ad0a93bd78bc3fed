"""Assignments as leases: a place on a HIT that can be given back, and taken again while it is free.

An assignment holds an opening, or it has a `released_at`; never both, never neither. So a HIT has at
most as many holders as openings, whatever happens. Judgements stay where they are in either case.

On PostgreSQL whoever needs several locks takes them in this order, so that nobody waits in a circle:
worker, assignment, opening, log. Openings of others and idle assignments are skipped while locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    func,
    literal_column,
    or_,
    select,
    update,
)

from steelyard.domain.running import By, Conditions
from steelyard.domain.work import AssignmentStatus
from steelyard.store import tables
from steelyard.store.actions import log_action
from steelyard.store.assignments import latest_judged
from steelyard.store.turns import hold_rows

# Above the turn of every place that nobody has had.
RELEASED = 10**17
# By this much the turns of two places on one HIT differ: see `laid_out.turn_of`.
ONE_PLACE = 10**8


def release_place(connection: Connection, assignment_id: str, *, now: datetime) -> bool:
    """Offer the place of an assignment to others; False if it held none.

    Its status stays as it is: a submitted assignment that is replaced has been submitted all the same.
    """
    _hold_assignment(connection, assignment_id)
    openings, stored = tables.openings, tables.assignments
    held = openings.c.assignment_id == assignment_id
    # Its worker may come back, so places that nobody has had are given out before; and one that is released
    # again and again is no longer the first that everybody is offered.
    later = openings.c.turn + case((openings.c.turn < RELEASED, RELEASED), else_=ONE_PLACE)
    if connection.execute(update(openings).where(held).values(assignment_id=None, turn=later)).rowcount == 0:
        return False
    connection.execute(update(stored).where(stored.c.assignment_id == assignment_id).values(released_at=now))
    return True


def retake_place(connection: Connection, assignment_id: str) -> bool:
    """Give an assignment a place on its HIT again; False if others have taken them all.

    An assignment that holds a place keeps it.
    """
    _hold_assignment(connection, assignment_id)
    openings, stored = tables.openings, tables.assignments
    if connection.execute(
        select(openings.c.opening_id).where(openings.c.assignment_id == assignment_id)
    ).first():
        return True
    own_hit = select(stored.c.hit_id).where(stored.c.assignment_id == assignment_id).scalar_subquery()
    free = (
        select(openings.c.opening_id)
        .where(openings.c.hit_id == own_hit, openings.c.assignment_id.is_(None))
        # One that was released, if there is one, rather than one that nobody has had.
        .order_by(openings.c.turn.desc())
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    opening_id = connection.execute(free).scalar_one_or_none()
    if opening_id is None:
        return False
    connection.execute(
        update(openings).where(openings.c.opening_id == opening_id).values(assignment_id=assignment_id)
    )
    connection.execute(update(stored).where(stored.c.assignment_id == assignment_id).values(released_at=None))
    return True


def end_lease(connection: Connection, assignment_id: str, status: AssignmentStatus, *, now: datetime) -> bool:
    """End an open assignment as `returned` or `expired` and free its place; False if it is not open.

    One that has expired may still be returned: its worker will not be asked to go on with it.
    """
    _hold_assignment(connection, assignment_id)
    stored = tables.assignments
    ending = [AssignmentStatus.ACCEPTED.value]
    if status is AssignmentStatus.RETURNED:
        ending.append(AssignmentStatus.EXPIRED.value)
    mine = (stored.c.assignment_id == assignment_id, stored.c.status.in_(ending))
    if connection.execute(update(stored).where(*mine).values(status=status.value)).rowcount == 0:
        return False
    release_place(connection, assignment_id, now=now)
    return True


def renew_lease(connection: Connection, assignment_id: str, *, now: datetime) -> None:
    """Start the lease of an assignment anew: its worker is back."""
    stored = tables.assignments
    connection.execute(
        update(stored)
        .where(stored.c.assignment_id == assignment_id)
        .values(status=AssignmentStatus.ACCEPTED.value, resumed_at=now)
    )


def renew_if_idle(connection: Connection, assignment_id: str, *, before: datetime, now: datetime) -> None:
    """Start the lease of an assignment anew if it was last heard of before this moment."""
    _hold_assignment(connection, assignment_id)
    stored = tables.assignments
    mine = (stored.c.assignment_id == assignment_id, is_idle(before))
    connection.execute(update(stored).where(*mine).values(resumed_at=now))


def idle_before(connection: Connection, conditions: Conditions, *, now: datetime) -> datetime:
    """Accepted assignments last heard of before this moment are idle.

    Nobody can answer while a campaign is paused: leases run from when it was opened again.
    """
    opened_at = connection.execute(_OPENED_AT).scalar_one()
    before = now - conditions.lease
    if opened_at is None or opened_at < before:
        return before
    return datetime.min.replace(tzinfo=UTC)


def is_idle(before: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    """Whether an assignment is open and was last heard of, taken or judged in, before this moment.

    The status is written out, so that SQLite sees that the index of open assignments will do.
    """
    stored = tables.assignments
    return and_(
        stored.c.status == literal_column(f"'{AssignmentStatus.ACCEPTED.value}'"),
        stored.c.accepted_at < before,
        or_(stored.c.resumed_at.is_(None), stored.c.resumed_at < before),
        func.coalesce(latest_judged(tables.judgements.c.submitted_at), stored.c.accepted_at) < before,
    )


def unbegun_assignments(
    connection: Connection, assignment_ids: Sequence[str], *, before: datetime
) -> list[str]:
    """Those of these assignments that hold a HIT and have no judgement; one that is idle holds none."""
    stored = tables.assignments
    query = select(stored.c.assignment_id).where(
        stored.c.assignment_id.in_(assignment_ids),
        stored.c.status == AssignmentStatus.ACCEPTED.value,
        latest_judged(tables.judgements.c.position).is_(None),
        ~is_idle(before),
    )
    return list(connection.execute(query).scalars())


# Everyone who comes for work runs these: building them each time would cost more than running them.
_OPENED_AT = select(func.max(tables.actions.c.done_at, type_=tables.actions.c.done_at.type)).where(
    tables.actions.c.worker_id.is_(None), tables.actions.c.verb == "resume"
)
# Not in order, for which SQLite would go through all assignments.
_IDLE = select(tables.assignments.c.assignment_id).where(is_idle(bindparam("before", type_=tables.Instant())))


def idle_assignments(connection: Connection, *, before: datetime) -> list[str]:
    """The ids of idle assignments in order; looks at open assignments only, however many HITs there are."""
    return sorted(connection.execute(_IDLE, {"before": before}).scalars())


def end_idle_leases(
    connection: Connection, conditions: Conditions, *, by: By, now: datetime, reason: str = ""
) -> list[str]:
    """End every idle lease, each logged; returns their assignments.

    One that somebody else works on at this moment is left alone.
    """
    stored = tables.assignments
    before = idle_before(connection, conditions, now=now)
    candidates = idle_assignments(connection, before=before)
    if not candidates:
        return []
    locked = (
        select(stored.c.assignment_id)
        .where(stored.c.assignment_id.in_(candidates))
        .order_by(stored.c.assignment_id)
        .with_for_update(skip_locked=True, key_share=True)
    )
    held = list(connection.execute(locked).scalars())
    # Looked at again, now that nothing can change: an answer may have arrived in between.
    still_idle = select(stored.c.assignment_id, stored.c.worker_id, stored.c.hit_id).where(
        stored.c.assignment_id.in_(held), is_idle(before)
    )
    ended = connection.execute(still_idle.order_by(stored.c.accepted_at, stored.c.assignment_id)).all()
    for row in ended:
        end_lease(connection, row.assignment_id, AssignmentStatus.EXPIRED, now=now)
    reason = reason or f"no answer for {conditions.rules.lease_minutes:g} minutes"
    for row in ended:
        log_lease(connection, "release", row, by=by, now=now, reason=reason)
    return [row.assignment_id for row in ended]


def log_lease(
    connection: Connection, verb: str, assignment: Any, *, by: By, now: datetime, reason: str = ""
) -> None:
    """Log what happened to an assignment, which is anything with the ids of itself, its worker and HIT."""
    log_action(
        connection,
        verb,
        by=by,
        now=now,
        worker_id=assignment.worker_id,
        hit_id=assignment.hit_id,
        reason=reason,
        detail={"assignment_id": assignment.assignment_id},
    )


def _hold_assignment(connection: Connection, assignment_id: str) -> None:
    hold_rows(connection, tables.assignments, tables.assignments.c.assignment_id == assignment_id)
