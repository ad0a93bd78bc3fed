"""The log of what managers, workers and the server did to a campaign. Appended to, never changed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from steelyard.domain.running import Action, By, ByManager, Exclusion
from steelyard.store import tables
from steelyard.store.turns import take_turns

# The verbs of decisions about which judgements count.
EXCLUSION_VERBS = ("exclude", "reinstate")
# Logged once, before anybody comes: everybody who does is simulated.
REHEARSAL_VERB = "rehearse"


def log_action(  # noqa: PLR0913 (an action is all of this)
    connection: Connection,
    verb: str,
    *,
    by: By,
    now: datetime,
    worker_id: str | None = None,
    hit_id: str | None = None,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Record an action in the transaction that carries it out."""
    take_turns(connection, "action")
    number = connection.execute(select(func.coalesce(func.max(tables.actions.c.number), 0))).scalar_one() + 1
    row = {
        "number": number,
        "done_at": now,
        "done_by": "manager" if isinstance(by, ByManager) else by,
        "verb": verb,
        "worker_id": worker_id,
        "hit_id": hit_id,
        "reason": reason,
        "detail": json.dumps(dict(detail or {}), ensure_ascii=False),
        "manager_id": by.manager_id if isinstance(by, ByManager) else None,
    }
    connection.execute(insert(tables.actions), [row])


def is_rehearsal(connection: Connection) -> bool:
    """Whether the campaign is the copy of another one for a rehearsal. The log is never changed: for good."""
    stored = tables.actions.c
    query = select(stored.number).where(stored.verb == REHEARSAL_VERB).limit(1)
    return connection.execute(query).first() is not None


def logged_actions(
    connection: Connection, worker_id: str | None = None, *, verbs: Sequence[str] = ()
) -> list[Action]:
    """All actions, or those about one worker, or of some verbs, in order."""
    stored = tables.actions
    query = select(stored).order_by(stored.c.number)
    if worker_id is not None:
        query = query.where(stored.c.worker_id == worker_id)
    if verbs:
        query = query.where(stored.c.verb.in_(verbs))
    return [_action(row) for row in connection.execute(query)]


def last_action(connection: Connection, verbs: Sequence[str]) -> Action | None:
    """The latest action of one of these verbs."""
    stored = tables.actions
    query = select(stored).where(stored.c.verb.in_(verbs)).order_by(stored.c.number.desc()).limit(1)
    row = connection.execute(query).one_or_none()
    return None if row is None else _action(row)


def latest_actions(connection: Connection, *, before: int | None, limit: int) -> list[Action]:
    """The newest actions, or the newest of those before a number; the newest first."""
    stored = tables.actions
    query = select(stored).order_by(stored.c.number.desc()).limit(limit)
    if before is not None:
        query = query.where(stored.c.number < before)
    return [_action(row) for row in connection.execute(query)]


def _action(row: Row[Any]) -> Action:
    return Action(
        number=row.number,
        done_at=row.done_at,
        done_by=row.done_by,
        verb=row.verb,
        worker_id=row.worker_id,
        hit_id=row.hit_id,
        reason=row.reason,
        detail=json.loads(row.detail),
        manager_id=row.manager_id,
    )


def exclusions(connection: Connection, worker_id: str | None = None) -> list[Exclusion]:
    """What is excluded now, or of one worker, in the order it was decided.

    The latest decision about a worker, or about one HIT of a worker, holds. The two are separate:
    reinstating a worker leaves a HIT excluded that was excluded for itself.
    """
    found: dict[tuple[str, str | None], Exclusion] = {}
    for action in logged_actions(connection, worker_id, verbs=EXCLUSION_VERBS):
        if action.worker_id is None:
            continue
        key = (action.worker_id, action.hit_id)
        found.pop(key, None)
        if action.verb == "exclude":
            found[key] = Exclusion(*key, action.reason, action.done_at, action.done_by)
    return list(found.values())
