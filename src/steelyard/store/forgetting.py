"""What leads from a campaign's records to the people behind them: how much there is, and taking it away."""

from __future__ import annotations

import uuid

from sqlalchemy import ColumnElement, Connection, Select, delete, func, or_, select, union, update

from steelyard.domain.crowd import LEFT_STATES, PAID_STATES, is_stand_in, stand_in
from steelyard.store import tables
from steelyard.store.transfers import UNSETTLED

_SETTLED_STATES = [state.value for state in (*PAID_STATES, *LEFT_STATES)]
_UNSETTLED = [state.value for state in UNSETTLED]


def forget_sessions(connection: Connection, worker_id: str | None = None, *, unlink: bool) -> int:
    """Let stand-ins take the place of the platform's ids of sessions: of one worker, or of everybody.

    What was written about bonuses goes. With `unlink`, nothing leads from sessions and bonuses to a worker
    any more. Amounts stay, so that the ledger adds up. Returns in how many sessions there was anything.
    """
    stored, n_known = tables.crowd_sessions, 0
    query = select(stored.c.session_id, stored.c.tag, stored.c.worker_id)
    if worker_id is not None:
        query = query.where(stored.c.worker_id == worker_id)
    for session_id, tag, its_worker in connection.execute(query).all():
        new_id = stand_in(tag, session_id)
        nobody = {"worker_id": None, "assignment_id": None} if unlink else {}
        mine = update(stored).where(stored.c.session_id == session_id)
        connection.execute(mine.values(session_id=new_id, code=None, **nobody))
        _forget_bonuses(connection, session_id, new_id, unlink=unlink)
        n_known += new_id != session_id or (unlink and its_worker is not None)
    return n_known


def _forget_bonuses(connection: Connection, session_id: str, new_id: str, *, unlink: bool) -> None:
    stored = tables.transfers
    query = select(stored.c.token).where(stored.c.session_id == session_id)
    for token in connection.execute(query).scalars().all():
        # The log names the worker and the token, and it is never changed.
        nobody = {"worker_id": None, "token": uuid.uuid4().hex} if unlink else {}
        mine = update(stored).where(stored.c.token == token)
        connection.execute(mine.values(session_id=new_id, reason="", **nobody))


def n_unsettled_sessions(connection: Connection, worker_id: str | None = None) -> int:
    """How many sessions of a worker, or of all, are not decided yet, or have a bonus that may not be paid."""
    stored, sent = tables.crowd_sessions, tables.transfers
    in_doubt = select(sent.c.session_id).where(sent.c.state.in_(_UNSETTLED))
    is_open = or_(stored.c.state.not_in(_SETTLED_STATES), stored.c.session_id.in_(in_doubt))
    query = select(func.count()).select_from(stored).where(is_open)
    if worker_id is not None:
        query = query.where(stored.c.worker_id == worker_id)
    return int(connection.execute(query).scalar_one())


def n_recognisable(connection: Connection) -> int:
    """Of how many people anything is there that could tell who they are, or that they said of themselves."""
    named = tables.people.c
    entries, sessions = tables.entries.c, tables.crowd_sessions.c
    known = union(
        _whose(tables.participants.c.worker_id),
        _whose(tables.remarks.c.worker_id),
        _whose(entries.worker_id).where(entries.step != "consent"),
        _whose(named.worker_id).where(or_(named.name != "", named.email != "")),
        _whose(sessions.worker_id).where(sessions.worker_id.is_not(None)),
    ).subquery()
    workers = int(connection.execute(select(func.count()).select_from(known)).scalar_one())
    # Those who never came here, of whom the platform has told all the same.
    others = connection.execute(select(sessions.session_id).where(sessions.worker_id.is_(None))).scalars()
    return workers + sum(not is_stand_in(each) for each in others)


def erase_everybody(connection: Connection) -> None:
    """Erase all that `n_recognisable` counts, and who may not join. That people agreed stays, as proof."""
    forget_sessions(connection, unlink=True)
    for table in (
        tables.platform_sessions,
        tables.participants,
        tables.barred_participants,
        tables.people,
        tables.remarks,
    ):
        connection.execute(delete(table))
    connection.execute(delete(tables.entries).where(tables.entries.c.step != "consent"))


def _whose(column: ColumnElement[str]) -> Select[tuple[str]]:
    return select(column)
