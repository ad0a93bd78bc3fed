"""What workers agreed to, answered and tried out before their first set. Only ever appended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select

from steelyard.domain.entry import EntryRecord, EntryStep
from steelyard.store import tables
from steelyard.store.turns import hold_rows

# Whoever asks for work runs this: one row at least for every worker there is.
_WORKER_ENTRIES = (
    select(
        # In a rehearsal those whom a platform sends do what people would do.
        (tables.workers.c.is_simulated & tables.participants.c.worker_id.is_(None)).label("is_asked_nothing"),
        tables.entries,
    )
    .select_from(tables.workers)
    .outerjoin(tables.participants, tables.participants.c.worker_id == tables.workers.c.worker_id)
    .outerjoin(tables.entries, tables.entries.c.worker_id == tables.workers.c.worker_id)
    .where(tables.workers.c.worker_id == bindparam("worker_id"))
    # By number, not by time: clocks are set back, and the latest word is the one that counts.
    .order_by(tables.entries.c.step, tables.entries.c.number)
)


def worker_entries(connection: Connection, worker_id: str) -> list[EntryRecord] | None:
    """What the worker did so far, step by step in order; None for a simulated one, of whom nothing is asked.

    A simulated one who came to a rehearsal from a platform is asked like anybody.

    In a write transaction the worker is locked until it ends: two pages of one worker take turns.
    """
    hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)
    rows = connection.execute(_WORKER_ENTRIES, {"worker_id": worker_id}).all()
    if any(row.is_asked_nothing for row in rows):
        return None
    return [_record(row) for row in rows if row.step is not None]


def all_entries(connection: Connection) -> list[EntryRecord]:
    """What every worker did, worker by worker, step by step and in order."""
    stored = tables.entries
    query = select(stored).order_by(stored.c.worker_id, stored.c.step, stored.c.number)
    return [_record(row) for row in connection.execute(query)]


def latest_consent(connection: Connection, worker_id: str) -> Mapping[str, Any] | None:
    """A worker's latest word on consent; None: they have said nothing. Nobody is locked."""
    stored = tables.entries.c
    query = (
        select(stored.content)
        .where(stored.worker_id == worker_id, stored.step == "consent")
        .order_by(stored.number.desc())
        .limit(1)
    )
    content = connection.execute(query).scalar_one_or_none()
    return None if content is None else json.loads(content)


def append_entry(
    connection: Connection,
    worker_id: str,
    step: EntryStep,
    content: Mapping[str, Any],
    *,
    revision: int,
    now: datetime,
) -> None:
    """Add what a worker did at a step. `worker_entries` must have locked the worker in this transaction."""
    stored = tables.entries
    latest = select(func.coalesce(func.max(stored.c.number), 0)).where(
        stored.c.worker_id == worker_id, stored.c.step == step
    )
    row = {
        "worker_id": worker_id,
        "step": step,
        "number": connection.execute(latest).scalar_one() + 1,
        "content": json.dumps(dict(content), ensure_ascii=False),
        "revision": revision,
        "made_at": now,
    }
    connection.execute(insert(stored), [row])


def erase_answers(connection: Connection, worker_id: str) -> int:
    """Erase what a worker answered and tried out; returns how much. That they agreed stays, as proof."""
    stored = tables.entries
    mine = delete(stored).where(stored.c.worker_id == worker_id, stored.c.step != "consent")
    return connection.execute(mine).rowcount


def _record(row: Row[Any]) -> EntryRecord:
    return EntryRecord(row.worker_id, row.step, json.loads(row.content), row.revision, row.made_at)
