"""What workers wrote to the organiser."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, delete, func, insert, select

from steelyard.domain.entry import Remark
from steelyard.store import tables
from steelyard.store.turns import hold_rows


class PlacedRemark(NamedTuple):
    """A remark, and the item that it is about: its HIT, its position there, its segment; None: no item."""

    remark: Remark
    hit_id: str | None
    position: int | None
    segment_id: str | None


def append_remark(connection: Connection, remark: Remark) -> None:
    """Add a remark whose id is not taken."""
    connection.execute(insert(tables.remarks), [asdict(remark)])


def remark(connection: Connection, remark_id: str) -> Remark | None:
    """The remark of this id, if there is one."""
    stored = tables.remarks
    row = connection.execute(select(stored).where(stored.c.remark_id == remark_id)).one_or_none()
    return None if row is None else _remark(row)


def n_remarks(connection: Connection, worker_id: str | None = None) -> int:
    """How many remarks there are, of one worker or of all.

    In a write transaction the worker is locked until it ends, so that the number stays true.
    """
    stored = tables.remarks
    query = select(func.count()).select_from(stored)
    if worker_id is not None:
        hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)
        query = query.where(stored.c.worker_id == worker_id)
    return int(connection.execute(query).scalar_one())


def has_item(connection: Connection, hit_id: str, item_id: str) -> bool:
    """Whether the item is in the HIT."""
    placed = tables.hit_items.c
    query = select(placed.position).where(placed.hit_id == hit_id, placed.item_id == item_id)
    return tables.could_be_key(item_id) and connection.execute(query).first() is not None


def placed_remarks(
    connection: Connection, *, worker_id: str | None = None, limit: int | None = None
) -> list[PlacedRemark]:
    """Remarks, of one worker or of all, newest first."""
    query = _placed()
    if worker_id is not None:
        query = query.where(tables.remarks.c.worker_id == worker_id)
    if limit is not None:
        query = query.limit(limit)
    return [
        PlacedRemark(_remark(row), row.hit_id, row.position, row.segment_id)
        for row in connection.execute(query)
    ]


def erase_remarks(connection: Connection, worker_id: str) -> int:
    """Erase what a worker wrote; returns how many remarks there were."""
    stored = tables.remarks
    return connection.execute(delete(stored).where(stored.c.worker_id == worker_id)).rowcount


def _placed() -> Select[Any]:
    stored, assigned, items = tables.remarks, tables.assignments, tables.items
    placed = tables.hit_items.c
    # Such a query must give one row, whatever a HIT holds.
    position = (
        select(func.min(placed.position))
        .where(placed.hit_id == assigned.c.hit_id, placed.item_id == stored.c.item_id)
        .scalar_subquery()
    )
    return (
        select(stored, assigned.c.hit_id, position.label("position"), items.c.segment_id)
        .select_from(stored)
        .outerjoin(assigned, assigned.c.assignment_id == stored.c.assignment_id)
        .outerjoin(items, items.c.item_id == stored.c.item_id)
        .order_by(stored.c.made_at.desc(), stored.c.remark_id)
    )


def _remark(row: Row[Any]) -> Remark:
    return Remark(
        remark_id=row.remark_id,
        worker_id=row.worker_id,
        kind=row.kind,
        text=row.text,
        made_at=row.made_at,
        assignment_id=row.assignment_id,
        item_id=row.item_id,
    )
