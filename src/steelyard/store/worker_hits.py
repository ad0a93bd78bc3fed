"""The HITs of one worker."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select

from steelyard.store import tables
from steelyard.store.tallies import Tally, tallies_of


@dataclass(frozen=True, slots=True)
class WorkerHit:
    """A HIT that a worker took. `seconds`: how long its items were on screen."""

    hit_id: str
    assignment_id: str
    status: str
    n_items: int
    n_done: int
    seconds: float
    accepted_at: datetime
    last_at: datetime | None
    submitted_at: datetime | None
    released_at: datetime | None


def hits_of(connection: Connection, worker_id: str) -> list[WorkerHit]:
    """Every HIT that the worker took, in the order they took them."""
    stored, placed = tables.assignments, tables.hit_items.c
    n_items = select(func.count()).where(placed.hit_id == stored.c.hit_id).scalar_subquery()
    query = (
        select(stored, n_items.label("n_items"))
        .where(stored.c.worker_id == worker_id)
        .order_by(stored.c.accepted_at, stored.c.assignment_id)
    )
    rows = connection.execute(query).all()
    tallies = tallies_of(connection, [row.assignment_id for row in rows])
    nothing = Tally()
    return [
        WorkerHit(
            hit_id=row.hit_id,
            assignment_id=row.assignment_id,
            status=row.status,
            n_items=row.n_items,
            n_done=tally.n_done,
            seconds=tally.worked_ms / 1000,
            accepted_at=row.accepted_at,
            last_at=tally.last_at,
            submitted_at=row.submitted_at,
            released_at=row.released_at,
        )
        for row in rows
        for tally in [tallies.get(row.assignment_id, nothing)]
    ]
