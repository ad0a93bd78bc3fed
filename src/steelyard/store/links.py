"""What links are made from: versions, who is revoked, and tokens that earlier versions stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    true,
    update,
)

from steelyard.domain.errors import NotFound
from steelyard.domain.people import Person
from steelyard.domain.work import LinkRole
from steelyard.store import tables
from steelyard.store.turns import hold_rows


@dataclass(frozen=True, slots=True)
class Link:
    """A stored token, as databases of version 0.1 had them: a worker's, the manager's, or the open link's."""

    token: str
    role: LinkRole
    worker_id: str | None = None


class Door(NamedTuple):
    """What decides whether a token opens something. `version` is None where nobody has such a link."""

    mark: str | None
    version: int | None
    is_revoked: bool


class LinkedWorker(NamedTuple):
    """A worker with what their link is made from, and who they are as far as the manager wrote it down."""

    worker_id: str
    version: int
    is_revoked: bool
    is_blocked: bool
    name: str
    email: str
    platform: str = ""
    participant_id: str = ""


def _door(version: ColumnElement[int], is_revoked: ColumnElement[bool], found: Any) -> Select[Any]:
    """One row, whether the link exists or not: an unknown id costs as much as a known one."""
    joined = tables.campaigns.outerjoin(version.table, found)
    return select(tables.campaigns.c.secret_mark, version, is_revoked).select_from(joined)


# Every click of every worker runs one of these: building them each time would cost more than running them.
_STORED = select(tables.links.c.token, tables.links.c.role, tables.links.c.worker_id).where(
    tables.links.c.token == bindparam("token")
)
_WORKER_DOOR = _door(
    tables.workers.c.link_version,
    func.coalesce(tables.workers.c.is_revoked, true()),
    tables.workers.c.worker_id == bindparam("worker_id"),
)
_MANAGER_DOOR = _door(
    tables.managers.c.link_version,
    func.coalesce(tables.managers.c.is_revoked, true()),
    tables.managers.c.manager_id == bindparam("manager_id"),
)
_SHARED_DOOR = _door(
    tables.shared_links.c.version,
    ~true(),
    tables.shared_links.c.role == bindparam("role"),
)


def door(connection: Connection, role: LinkRole, holder_id: str | None) -> Door:
    """What a token of this role must fit; `holder_id`: whose own link it is, None for one that is shared."""
    if holder_id is None:
        row = connection.execute(_SHARED_DOOR, {"role": role}).one()
    elif role == "worker":
        row = connection.execute(_WORKER_DOOR, {"worker_id": holder_id}).one()
    else:
        row = connection.execute(_MANAGER_DOOR, {"manager_id": holder_id}).one()
    return Door(row[0], row[1], bool(row[2]))


def find_link(connection: Connection, token: str) -> Link | None:
    """The link with a stored token."""
    if not tables.could_be_key(token):
        return None
    row = connection.execute(_STORED, {"token": token}).one_or_none()
    return None if row is None else Link(*row)


def stored_links(connection: Connection) -> list[Link]:
    """All links with stored tokens."""
    stored = tables.links.c
    query = select(stored.token, stored.role, stored.worker_id).order_by(stored.created_at, stored.token)
    return [Link(*row) for row in connection.execute(query)]


def linked_workers(connection: Connection, worker_ids: Sequence[str] | None = None) -> list[LinkedWorker]:
    """All workers, or these, in order of creation; of those made at one moment, by their numbers."""
    workers, people, participants = tables.workers, tables.people, tables.participants
    columns = (workers.c.worker_id, workers.c.link_version, workers.c.is_revoked, workers.c.is_blocked)
    about = (people.c.name, people.c.email, participants.c.platform, participants.c.participant_id)
    query = (
        select(*columns, *(func.coalesce(column, "") for column in about))
        .select_from(
            workers.outerjoin(people, people.c.worker_id == workers.c.worker_id).outerjoin(
                participants, participants.c.worker_id == workers.c.worker_id
            )
        )
        .order_by(workers.c.created_at, func.length(workers.c.worker_id), workers.c.worker_id)
    )
    if worker_ids is not None:
        query = query.where(workers.c.worker_id.in_(list(filter(tables.could_be_key, worker_ids))))
    return [LinkedWorker(*row) for row in connection.execute(query)]


def shared_versions(connection: Connection) -> dict[str, int]:
    """The versions of the manager's and the open link."""
    stored = tables.shared_links.c
    return {row.role: row.version for row in connection.execute(select(stored.role, stored.version))}


def renew_worker_link(connection: Connection, worker_id: str) -> None:
    """End the worker's present link; the next version opens the worker's page from now on."""
    _change_worker(connection, worker_id, is_revoked=False)


def revoke_worker_link(connection: Connection, worker_id: str) -> None:
    """End the worker's present link without giving another; the version makes that final."""
    _change_worker(connection, worker_id, is_revoked=True)


def _change_worker(connection: Connection, worker_id: str, *, is_revoked: bool) -> None:
    workers = tables.workers
    if not linked_workers(connection, [worker_id]):
        raise NotFound(f"There is no worker {worker_id}.")
    connection.execute(
        update(workers)
        .where(workers.c.worker_id == worker_id)
        .values(link_version=workers.c.link_version + 1, is_revoked=is_revoked)
    )
    connection.execute(delete(tables.links).where(tables.links.c.worker_id == worker_id))


def renew_shared_link(connection: Connection, role: LinkRole) -> None:
    """End the manager's or the open link; its next version holds from now on."""
    stored = tables.shared_links
    connection.execute(update(stored).where(stored.c.role == role).values(version=stored.c.version + 1))
    connection.execute(delete(tables.links).where(tables.links.c.role == role))


def hold_worker(connection: Connection, worker_id: str) -> None:
    """Keep others from changing a worker and who that is until this transaction ends."""
    if tables.could_be_key(worker_id):
        hold_rows(connection, tables.workers, tables.workers.c.worker_id == worker_id)


def set_person(connection: Connection, worker_id: str, person: Person) -> None:
    """Write down who a worker is; an empty person takes it back."""
    people = tables.people
    connection.execute(delete(people).where(people.c.worker_id == worker_id))
    if person != Person():
        row = {"worker_id": worker_id, "name": person.name, "email": person.email}
        connection.execute(insert(people), [row])


def secret_mark(connection: Connection) -> str | None:
    """The mark of the secret that links are made with; None: there was no need of one yet."""
    mark: str | None = connection.execute(select(tables.campaigns.c.secret_mark)).scalar_one()
    return mark


def set_secret_mark(connection: Connection, mark: str) -> None:
    """Make links with another secret from now on."""
    connection.execute(update(tables.campaigns).values(secret_mark=mark))


def forget_stored_links(connection: Connection) -> None:
    """End every link whose token is stored."""
    connection.execute(delete(tables.links))


def url(connection: Connection) -> str | None:
    """Where the campaign was last served."""
    found: str | None = connection.execute(select(tables.campaigns.c.url)).scalar_one()
    return found


def set_url(connection: Connection, url: str) -> None:
    connection.execute(update(tables.campaigns).values(url=url))
