"""Assignments as leases: a place on a HIT that can be given back, and taken again while it is free.

An assignment holds an opening, or it has a `released_at`; never both, never neither. So a HIT has at
most as many holders as openings, whatever happens. Judgements stay where they are in either case.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select, update

from steelyard.store import tables
from steelyard.store.turns import hold_rows


def release_place(connection: Connection, assignment_id: str, *, now: datetime) -> bool:
    """Offer the place of an assignment to others; False if it held none.

    Its status stays as it is: a submitted assignment that is replaced has been submitted all the same.
    """
    _hold_assignment(connection, assignment_id)
    openings, stored = tables.openings, tables.assignments
    held = openings.c.assignment_id == assignment_id
    if connection.execute(update(openings).where(held).values(assignment_id=None)).rowcount == 0:
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
        .order_by(openings.c.opening_id)
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


def _hold_assignment(connection: Connection, assignment_id: str) -> None:
    hold_rows(connection, tables.assignments, tables.assignments.c.assignment_id == assignment_id)
