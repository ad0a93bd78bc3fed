"""Who came from a crowd platform. Found by pseudonym; the id itself is there for as long as it is needed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, update

from steelyard.domain.participants import Participant, PlatformSession, Visit
from steelyard.store import tables
from steelyard.store.assignments import n_judged_in

# In which one person finished nothing: more than anybody has, and too few to fill a disk [our choice].
MOST_SESSIONS = 100


def participating_worker(connection: Connection, pseudonym: str) -> str | None:
    """The worker whom this pseudonym stands for."""
    stored = tables.participants.c
    query = select(stored.worker_id).where(stored.pseudonym == pseudonym)
    return connection.execute(query).scalar_one_or_none()


def is_barred(connection: Connection, pseudonym: str) -> bool:
    """Whether somebody may not join."""
    stored = tables.barred_participants.c
    query = select(stored.pseudonym).where(stored.pseudonym == pseudonym)
    return connection.execute(query).first() is not None


def participant_id(connection: Connection, worker_id: str) -> str | None:
    """A worker's id on the platform; None for others, and once it was forgotten."""
    stored = tables.participants.c
    query = select(stored.participant_id).where(stored.worker_id == worker_id)
    return connection.execute(query).scalar_one_or_none()


def add_participant(
    connection: Connection, worker_id: str, visit: Visit, *, platform: str, pseudonym: str, now: datetime
) -> None:
    """Record whom a worker is on a platform."""
    row = {
        "worker_id": worker_id,
        "platform": platform,
        "pseudonym": pseudonym,
        "participant_id": visit.participant_id,
        "joined_at": now,
    }
    connection.execute(insert(tables.participants), [row])


def add_session(connection: Connection, worker_id: str, visit: Visit, *, now: datetime) -> None:
    """Record a visit, once for each session of the platform; one without study and session is none.

    Whoever adds one must hold the turn "worker". Sessions in which a set was finished may be any number.
    """
    if not visit.study_id and not visit.session_id:
        return
    stored = tables.platform_sessions.c
    rows = connection.execute(
        select(stored.study_id, stored.session_id, stored.assignment_id).where(stored.worker_id == worker_id)
    ).all()
    n_without = sum(row.assignment_id is None for row in rows)
    is_known = any((row.study_id, row.session_id) == (visit.study_id, visit.session_id) for row in rows)
    if is_known or n_without >= MOST_SESSIONS:
        return
    row = {
        "worker_id": worker_id,
        "study_id": visit.study_id,
        "session_id": visit.session_id,
        "begun_at": now,
    }
    connection.execute(insert(tables.platform_sessions), [row])


def all_participants(connection: Connection) -> list[Participant]:
    """Everybody whom a platform sent, in the order in which they came."""
    people, workers = tables.participants, tables.workers
    done = tables.assignments.c
    work = (
        select(
            done.worker_id,
            func.count(done.submitted_at).label("hits"),
            func.sum(n_judged_in()).label("judged"),
        )
        .group_by(done.worker_id)
        .subquery()
    )
    query = (
        select(
            people.c.worker_id,
            people.c.platform,
            people.c.participant_id,
            people.c.joined_at,
            func.coalesce(work.c.hits, 0),
            func.coalesce(work.c.judged, 0),
            workers.c.is_blocked,
        )
        .select_from(people)
        .join(workers, workers.c.worker_id == people.c.worker_id)
        .outerjoin(work, work.c.worker_id == people.c.worker_id)
        .order_by(people.c.joined_at, func.length(people.c.worker_id), people.c.worker_id)
    )
    rows = connection.execute(query).all()
    sessions = _sessions(connection, [row.worker_id for row in rows])
    agreed = _agreements(connection)
    return [
        Participant(*row, sessions[row.worker_id], *agreed.get(row.worker_id, (None, None, None)))
        for row in rows
    ]


def _agreements(
    connection: Connection,
) -> dict[str, tuple[datetime | None, str | None, datetime | None]]:
    """By worker, when they last agreed, to which text, and when they took it back."""
    stored = tables.entries.c
    query = select(stored.worker_id, stored.content, stored.made_at).where(stored.step == "consent")
    found: dict[str, tuple[datetime | None, str | None, datetime | None]] = {}
    for worker_id, content, made_at in connection.execute(query.order_by(stored.worker_id, stored.number)):
        said = json.loads(content)
        if said["agrees"]:
            found[worker_id] = (made_at, said["version"], None)
        elif worker_id in found:
            found[worker_id] = (*found[worker_id][:2], found[worker_id][2] or made_at)
    return found


def n_barred(connection: Connection) -> int:
    """How many ids may not join."""
    return int(connection.execute(select(func.count()).select_from(tables.barred_participants)).scalar_one())


def bar(connection: Connection, pseudonyms: Iterable[str], *, now: datetime) -> int:
    """Let nobody join whom these stand for; returns how many of them are new."""
    stored = tables.barred_participants
    known = set(connection.execute(select(stored.c.pseudonym)).scalars())
    rows = [{"pseudonym": each, "made_at": now} for each in dict.fromkeys(pseudonyms) if each not in known]
    if rows:
        connection.execute(insert(stored), rows)
    return len(rows)


def admit(connection: Connection, pseudonyms: Sequence[str]) -> int:
    """Let those join again; returns how many could not."""
    stored = tables.barred_participants
    known = set(connection.execute(select(stored.c.pseudonym)).scalars())
    found = [each for each in set(pseudonyms) if each in known]
    for each in found:
        connection.execute(delete(stored).where(stored.c.pseudonym == each))
    return len(found)


def drop_ids(connection: Connection) -> int:
    """Forget the ids of all participants, their studies and sessions; returns of how many.

    Whoever comes back is known by the pseudonym all the same.
    """
    people = tables.participants
    connection.execute(delete(tables.platform_sessions))
    known = update(people).where(people.c.participant_id.is_not(None)).values(participant_id=None)
    return connection.execute(known).rowcount


def erase_participant(connection: Connection, worker_id: str) -> bool:
    """Erase everything that ties a worker to a platform; returns whether there was anything."""
    sessions, people = tables.platform_sessions, tables.participants
    connection.execute(delete(sessions).where(sessions.c.worker_id == worker_id))
    return connection.execute(delete(people).where(people.c.worker_id == worker_id)).rowcount > 0


def renew_pseudonyms(connection: Connection, pseudonym_of: Callable[[str], str]) -> int:
    """Make pseudonyms with another secret; returns how many are lost, because nobody knows their ids."""
    people = tables.participants
    rows = connection.execute(select(people.c.worker_id, people.c.participant_id, people.c.pseudonym)).all()
    for row in rows:
        known = None if row.participant_id is None else pseudonym_of(row.participant_id)
        connection.execute(update(people).where(people.c.worker_id == row.worker_id).values(pseudonym=known))
    n_forgotten = sum(row.participant_id is None and row.pseudonym is not None for row in rows)
    return n_forgotten + connection.execute(delete(tables.barred_participants)).rowcount


def _sessions(connection: Connection, worker_ids: Sequence[str]) -> dict[str, tuple[PlatformSession, ...]]:
    stored = tables.platform_sessions.c
    query = select(stored.worker_id, stored.study_id, stored.session_id, stored.begun_at)
    query = query.order_by(stored.begun_at, stored.study_id, stored.session_id)
    if len(worker_ids) == 1:
        query = query.where(stored.worker_id == worker_ids[0])
    found: dict[str, list[PlatformSession]] = {worker_id: [] for worker_id in worker_ids}
    for worker_id, *session in connection.execute(query):
        found[worker_id].append(PlatformSession(*session))
    return {worker_id: tuple(sessions) for worker_id, sessions in found.items()}
