"""How far a campaign has come, counted from what is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import ceil
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, cast, func, select

from steelyard.store import tables

# Points of the curve of judgements over time; more would not show on a screen [our choice].
BUCKETS = 60


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """What one worker has done. `seconds_per_item` is the mean time an item was on screen."""

    worker_id: str
    n_assignments: int
    n_submitted: int
    n_done: int
    n_items: int
    seconds_per_item: float | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class Progress:
    """What is wanted, taken and done. `history`: end of a stretch of time, judgements until then."""

    n_openings: int
    n_taken: int
    n_submitted: int
    n_judgements: int
    n_wanted: int
    workers: tuple[WorkerProgress, ...]
    history: tuple[tuple[datetime, int], ...]


def progress(connection: Connection) -> Progress:
    """The whole campaign at a glance, and each worker by worker_id."""
    openings, placed = tables.openings, tables.hit_items
    sizes = select(placed.c.hit_id, func.count().label("n")).group_by(placed.c.hit_id).subquery()
    n_openings, n_taken, n_wanted = connection.execute(
        select(func.count(), func.count(openings.c.assignment_id), func.coalesce(func.sum(sizes.c.n), 0))
        .select_from(openings)
        .join(sizes, sizes.c.hit_id == openings.c.hit_id)
    ).one()
    workers = _workers(connection)
    return Progress(
        n_openings=n_openings,
        n_taken=n_taken,
        n_submitted=sum(worker.n_submitted for worker in workers),
        n_judgements=sum(worker.n_done for worker in workers),
        n_wanted=int(n_wanted),
        workers=workers,
        history=_history(connection),
    )


def _workers(connection: Connection) -> tuple[WorkerProgress, ...]:
    stored, placed, judged = tables.assignments, tables.hit_items, tables.current_judgements
    sizes = select(placed.c.hit_id, func.count().label("n")).group_by(placed.c.hit_id).subquery()
    taken = (
        select(
            stored.c.worker_id,
            func.count().label("n_assignments"),
            func.count(stored.c.submitted_at).label("n_submitted"),
            func.sum(sizes.c.n).label("n_items"),
        )
        .join(sizes, sizes.c.hit_id == stored.c.hit_id)
        .group_by(stored.c.worker_id)
        .subquery()
    )
    done = (
        select(
            stored.c.worker_id,
            func.count().label("n_done"),
            func.avg(judged.c.shown_ms).label("mean_ms"),
            func.max(judged.c.submitted_at).label("last_at"),
        )
        .join(judged, judged.c.assignment_id == stored.c.assignment_id)
        .group_by(stored.c.worker_id)
        .subquery()
    )
    worker_id = tables.workers.c.worker_id
    query = (
        select(worker_id, taken, done)
        .outerjoin(taken, taken.c.worker_id == worker_id)
        .outerjoin(done, done.c.worker_id == worker_id)
        .order_by(func.length(worker_id), worker_id)
    )
    return tuple(
        WorkerProgress(
            worker_id=row.worker_id,
            n_assignments=row.n_assignments or 0,
            n_submitted=row.n_submitted or 0,
            n_done=row.n_done or 0,
            n_items=int(row.n_items or 0),
            seconds_per_item=None if row.mean_ms is None else float(row.mean_ms) / 1000,
            last_at=row.last_at,
        )
        for row in connection.execute(query)
    )


def _history(connection: Connection) -> tuple[tuple[datetime, int], ...]:
    judged = tables.current_judgements
    second = _epoch_second(connection, judged)
    first, last = connection.execute(select(func.min(second), func.max(second))).one()
    if first is None:
        return ()
    width = max(1, ceil((last - first + 1) / BUCKETS))
    buckets = select(((second - first) // width).label("number")).subquery()
    query = select(buckets.c.number, func.count().label("n")).group_by(buckets.c.number)
    counts = {row.number: row.n for row in connection.execute(query)}
    start = datetime.fromtimestamp(first, UTC)
    totals = accumulate(counts.get(number, 0) for number in range((last - first) // width + 1))
    return tuple(
        (start + timedelta(seconds=width * number), total) for number, total in enumerate(totals, start=1)
    )


def _epoch_second(connection: Connection, judged: Table) -> ColumnElement[Any]:
    if connection.dialect.name == "sqlite":
        return cast(func.strftime("%s", judged.c.submitted_at), BigInteger)
    return cast(func.floor(func.extract("epoch", judged.c.submitted_at)), BigInteger)
