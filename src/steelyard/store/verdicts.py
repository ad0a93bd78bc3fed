"""Workers as managers decide about them: whom they block, which HITs they took, and who is simulated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, update

from steelyard.domain.errors import NotFound
from steelyard.domain.work import AssignmentStatus
from steelyard.store import tables
from steelyard.store.leases import end_lease, release_place
from steelyard.store.turns import hold_rows
from steelyard.store.work import has_worker

_DONE = (AssignmentStatus.SUBMITTED.value, AssignmentStatus.APPROVED.value)


def require_worker(connection: Connection, worker_id: str) -> None:
    """NotFound if there is no such worker. In a write transaction the worker is locked until it ends."""
    if not has_worker(connection, worker_id):
        raise NotFound(f"There is no worker {worker_id}; `steelyard progress` lists them.")
    hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)


def set_blocked(connection: Connection, worker_id: str, *, blocked: bool) -> None:
    stored = tables.workers
    connection.execute(update(stored).where(stored.c.worker_id == worker_id).values(is_blocked=blocked))


def simulated_workers(connection: Connection) -> frozenset[str]:
    """The workers who are no people."""
    stored = tables.workers
    return frozenset(connection.execute(select(stored.c.worker_id).where(stored.c.is_simulated)).scalars())


def n_judgements_of_people(connection: Connection) -> int:
    """How many judgements were given by workers who are not simulated."""
    workers, taken, judged = tables.workers, tables.assignments, tables.judgements
    query = (
        select(func.count())
        .select_from(judged)
        .join(taken, taken.c.assignment_id == judged.c.assignment_id)
        .join(workers, workers.c.worker_id == taken.c.worker_id)
        .where(~workers.c.is_simulated)
    )
    return int(connection.execute(query).scalar_one())


@dataclass(frozen=True, slots=True)
class TakenHit:
    """A HIT that a worker has taken, and whether the worker holds a place on it."""

    assignment_id: str
    hit_id: str
    is_open: bool
    is_submitted: bool
    has_place: bool


def taken_hits(connection: Connection, worker_id: str) -> list[TakenHit]:
    """Every HIT that a worker has taken, in order."""
    stored, openings = tables.assignments, tables.openings
    query = (
        select(stored.c.assignment_id, stored.c.hit_id, stored.c.status, openings.c.opening_id)
        .join(openings, openings.c.assignment_id == stored.c.assignment_id, isouter=True)
        .where(stored.c.worker_id == worker_id)
        .order_by(stored.c.accepted_at, stored.c.assignment_id)
    )
    return [
        TakenHit(
            row.assignment_id,
            row.hit_id,
            is_open=row.status == AssignmentStatus.ACCEPTED.value,
            is_submitted=row.status in _DONE,
            has_place=row.opening_id is not None,
        )
        for row in connection.execute(query)
    ]


def give_up_place(connection: Connection, taken: TakenHit, *, now: datetime) -> bool:
    """Offer the place of a HIT to others, and end the assignment if it is open; False if it held none."""
    ended = end_lease(connection, taken.assignment_id, AssignmentStatus.EXPIRED, now=now)
    return ended or release_place(connection, taken.assignment_id, now=now)
