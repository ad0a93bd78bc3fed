"""A campaign on crowd platforms: its listings there, and where each person's session stands."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from steelyard.domain.crowd import ListingState, SessionReport, SessionState
from steelyard.domain.work import AssignmentStatus
from steelyard.store import tables
from steelyard.store.sessions import session_of, sets_without_session


@dataclass(frozen=True, slots=True)
class StoredListing:
    """A listing as we know it; `listing_id` None: no reply came.

    `pay`: what people get if every place is taken, with what is set aside for those screened out. `cost`: the
    same with fees.
    """

    tag: str
    platform: str
    listing_id: str | None
    state: ListingState
    places: int
    reward: int
    pay: int
    cost: int
    currency: str
    made_at: datetime
    synced_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CrowdSession:
    """A person's session as the platform last told it. `worker_id` None: they never came here.

    `fee`: what the platform takes for the reward that it has paid; None: it was not asked yet.
    """

    session_id: str
    tag: str
    worker_id: str | None
    assignment_id: str | None
    state: SessionState
    changed_at: datetime
    seen_at: datetime
    code: str | None
    reward: int
    fee: int | None
    bonuses: tuple[int, ...]
    is_return_requested: bool


def add_listing(connection: Connection, listing: StoredListing) -> None:
    """Write down a listing before the platform is asked for it."""
    row = {name: getattr(listing, name) for name in StoredListing.__slots__}
    connection.execute(insert(tables.listings), [row | {"state": listing.state.value}])


def set_listing(connection: Connection, tag: str, **values: Any) -> None:
    """Change what is known of a listing."""
    stored = tables.listings
    known = {name: each.value if isinstance(each, ListingState) else each for name, each in values.items()}
    connection.execute(update(stored).where(stored.c.tag == tag).values(**known))


def drop_listing(connection: Connection, tag: str) -> None:
    """Forget a listing that the platform has refused to make."""
    connection.execute(tables.listings.delete().where(tables.listings.c.tag == tag))


def listings(connection: Connection) -> list[StoredListing]:
    """All listings, the oldest first."""
    stored = tables.listings
    rows = connection.execute(select(stored).order_by(stored.c.made_at, stored.c.tag))
    return [StoredListing(**{**row._mapping, "state": ListingState(row.state)}) for row in rows]


def sessions(connection: Connection, tag: str | None = None) -> list[CrowdSession]:
    """All sessions, or those of a listing, in the order in which they came up here."""
    stored = tables.crowd_sessions
    query = select(stored).order_by(stored.c.seen_at, stored.c.session_id)
    if tag is not None:
        query = query.where(stored.c.tag == tag)
    return [_session(row) for row in connection.execute(query)]


def session(connection: Connection, session_id: str) -> CrowdSession | None:
    """One session; None if the platform never told of it."""
    stored = tables.crowd_sessions
    row = connection.execute(select(stored).where(stored.c.session_id == session_id)).one_or_none()
    return None if row is None else _session(row)


def put_session(
    connection: Connection,
    tag: str,
    report: SessionReport,
    *,
    worker_id: str | None,
    now: datetime,
    fee: int | None = None,
) -> CrowdSession:
    """Write down what a platform says about a session, over what it said before."""
    known = session(connection, report.session_id)
    values = {
        "state": report.state.value,
        "changed_at": report.changed_at,
        "code": report.code,
        "reward": report.reward,
        "fee": fee,
        "bonuses": json.dumps(list(report.bonuses)),
        "is_return_requested": report.is_return_requested,
        "worker_id": worker_id if known is None or known.worker_id is None else known.worker_id,
    }
    stored = tables.crowd_sessions
    if known is None:
        row = values | {"session_id": report.session_id, "tag": tag, "seen_at": now}
        connection.execute(insert(stored), [row])
    else:
        connection.execute(update(stored).where(stored.c.session_id == report.session_id).values(**values))
    found = session(connection, report.session_id)
    assert found is not None, "it was just written"
    return found


def set_session(connection: Connection, session_id: str, state: SessionState, *, reward: int = 0) -> None:
    """Note what a platform has just done to a session; the next look at the platform confirms it."""
    stored = tables.crowd_sessions
    values: dict[str, Any] = {"state": state.value, "fee": None}
    if reward:
        values["reward"] = reward
    connection.execute(update(stored).where(stored.c.session_id == session_id).values(**values))


def mark_return_requested(connection: Connection, session_id: str) -> None:
    """Note that somebody was asked to give their place back."""
    stored = tables.crowd_sessions
    mine = stored.c.session_id == session_id
    connection.execute(update(stored).where(mine).values(is_return_requested=True))


def move_session(
    connection: Connection, session_id: str, state: SessionState, *, changed_at: datetime
) -> None:
    """Note what the platform told by itself about a session."""
    stored = tables.crowd_sessions
    mine = stored.c.session_id == session_id
    connection.execute(update(stored).where(mine).values(state=state.value, changed_at=changed_at))


def worker_of_session(connection: Connection, session_id: str) -> str | None:
    """The worker who came in this session; None if nobody did, or several say so."""
    stored = tables.platform_sessions.c
    found = connection.execute(select(stored.worker_id).where(stored.session_id == session_id).limit(2))
    workers = list(found.scalars())
    return workers[0] if len(workers) == 1 else None


def latest_session(connection: Connection, worker_id: str) -> str | None:
    """The session in which a worker came last; None if the platform named none."""
    stored = tables.platform_sessions.c
    query = select(stored.session_id).where(stored.worker_id == worker_id, stored.session_id != "")
    return connection.execute(query.order_by(stored.begun_at.desc()).limit(1)).scalar_one_or_none()


def untold_sessions(connection: Connection, *, since: datetime | None) -> Counter[str]:
    """By worker, in how many sessions they came since then of which the platform has told nothing yet."""
    came, told = tables.platform_sessions.c, tables.crowd_sessions.c
    query = select(came.worker_id, came.session_id).distinct()
    query = query.where(came.session_id != "", came.session_id.not_in(select(told.session_id)))
    if since is not None:
        query = query.where(came.begun_at >= since)
    return Counter(row.worker_id for row in connection.execute(query))


def tie_assignment(connection: Connection, known: CrowdSession) -> str | None:
    """The assignment done in a session: the worker's first finished one that no other session has."""
    if known.worker_id is None or known.assignment_id is not None:
        return known.assignment_id
    came = session_of(connection, known.worker_id, known.session_id)
    found = None if came is None else came.assignment_id
    if found is None:
        left = sets_without_session(connection, known.worker_id, known.session_id)
        found = left[0] if left else None
    tied = tables.crowd_sessions
    if found is not None:
        mine = tied.c.session_id == known.session_id
        connection.execute(update(tied).where(mine).values(assignment_id=found))
    return found


def decide_assignment(connection: Connection, assignment_id: str, status: AssignmentStatus) -> bool:
    """Set a finished assignment to approved or rejected; False if it is so already, or not finished."""
    stored = tables.assignments
    mine = (
        stored.c.assignment_id == assignment_id,
        stored.c.submitted_at.is_not(None),
        stored.c.status != status.value,
    )
    return connection.execute(update(stored).where(*mine).values(status=status.value)).rowcount > 0


def is_new_notice(connection: Connection, notice_id: str, *, now: datetime) -> bool:
    """Remember a notice; False if it was there before."""
    stored = tables.notices
    if connection.execute(select(stored.c.notice_id).where(stored.c.notice_id == notice_id)).first():
        return False
    connection.execute(insert(stored), [{"notice_id": notice_id, "received_at": now}])
    return True


def _session(row: Row[Any]) -> CrowdSession:
    values = dict(row._mapping)
    return CrowdSession(
        **{**values, "state": SessionState(row.state), "bonuses": tuple(json.loads(row.bonuses))}
    )
