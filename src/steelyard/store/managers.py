"""The managers who have a link or an identity of their own."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Row, func, insert, select, update

from steelyard.domain.managers import Manager, ManagerRole
from steelyard.domain.people import Person
from steelyard.store import tables
from steelyard.store.turns import hold_rows, take_turns


def new_manager(connection: Connection, person: Person, role: ManagerRole, *, now: datetime) -> str:
    """A new manager; returns the id, numbered in turn."""
    take_turns(connection, "manager")
    n_managers = connection.execute(select(func.count()).select_from(tables.managers)).scalar_one()
    manager_id = f"M{n_managers + 1:02d}"
    row = {
        "manager_id": manager_id,
        "name": person.name,
        "email": person.email,
        "role": role,
        "link_version": 1,
        "is_revoked": False,
        "created_at": now,
    }
    connection.execute(insert(tables.managers), [row])
    return manager_id


def stored_managers(connection: Connection) -> list[Manager]:
    """All managers, in order of creation."""
    stored = tables.managers
    query = select(stored).order_by(func.length(stored.c.manager_id), stored.c.manager_id)
    return [_manager(row) for row in connection.execute(query)]


def manager(connection: Connection, manager_id: str) -> Manager | None:
    """The manager of this id, held until a write ends."""
    if not tables.could_be_key(manager_id):
        return None
    stored = tables.managers
    hold_rows(connection, stored, stored.c.manager_id == manager_id)
    row = connection.execute(select(stored).where(stored.c.manager_id == manager_id)).one_or_none()
    return None if row is None else _manager(row)


def set_manager_role(connection: Connection, manager_id: str, role: ManagerRole) -> None:
    """Let a manager go further, or less far, from now on."""
    stored = tables.managers
    connection.execute(update(stored).where(stored.c.manager_id == manager_id).values(role=role))


def end_manager_link(connection: Connection, manager_id: str, *, is_revoked: bool) -> None:
    """End a manager's present link; the next version opens the dashboard, unless they are revoked."""
    stored = tables.managers
    connection.execute(
        update(stored)
        .where(stored.c.manager_id == manager_id)
        .values(link_version=stored.c.link_version + 1, is_revoked=is_revoked)
    )


def _manager(row: Row[tuple[object, ...]]) -> Manager:
    found = row._mapping
    return Manager(**{name: found[name] for name in Manager.__dataclass_fields__})
