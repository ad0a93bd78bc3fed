"""Release: give the place of an assignment back to the pool. What was judged stays and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.running import By
from steelyard.domain.work import Assignment, AssignmentStatus
from steelyard.flows.open import OpenCampaign
from steelyard.store import assignments, hits, leases, running, work
from steelyard.store.hits import HitPlaces, Place

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "HitPlaces",
    "Place",
    "Released",
    "hit_places",
    "n_held_hits",
    "release",
    "release_idle",
    "return_work",
]


@dataclass(frozen=True, slots=True)
class Released:
    """An assignment that gave up its place, and what the list of HITs shows of it."""

    assignment: Assignment
    place: Place


def release(
    campaign: OpenCampaign, names: Sequence[str], *, by: By, now: datetime, reason: str = ""
) -> list[Released]:
    """Release assignments, named by their own id or by the worker who has them open: all, or none.

    NotFound for a name that is neither; Conflict if there is nothing to release.
    """
    with campaign.store.write() as connection:
        # In one order, so that two who do this at once do not wait in a circle.
        named = {name: _named(connection, name) for name in sorted(set(names))}
        found = [named[name] for name in dict.fromkeys(names)]
        for assignment in found:
            _end(connection, assignment, now=now)
        for assignment in found:
            leases.log_lease(connection, "release", assignment, by=by, now=now, reason=reason)
        return _released(connection, [each.assignment_id for each in found], now=now)


def release_idle(campaign: OpenCampaign, *, by: By, now: datetime, reason: str = "") -> list[Released]:
    """Release everything that has had no answer for as long as the campaign's rules allow."""
    with campaign.store.write() as connection:
        conditions = running.conditions(connection)
        ids = leases.end_idle_leases(connection, conditions, by=by, now=now, reason=reason)
        return _released(connection, ids, now=now)


def return_work(campaign: OpenCampaign, worker_id: str, assignment_id: str, *, now: datetime) -> None:
    """Let a worker give back a HIT; Conflict if it is submitted already.

    One that has expired meanwhile counts as returned, so that it is not the next thing offered.
    """
    with campaign.store.write() as connection:
        work.open_assignment(connection, worker_id)
        assignment = work.assignment(connection, assignment_id)
        if assignment is None or assignment.worker_id != worker_id:
            raise NotFound("There is no such assignment under this link; reload the page.")
        if assignment.submitted_at is not None:
            raise Conflict("This set is submitted already, so it cannot be given back.")
        if assignment.status is AssignmentStatus.RETURNED:
            return
        leases.end_lease(connection, assignment_id, AssignmentStatus.RETURNED, now=now)
        leases.log_lease(connection, "return", assignment, by="worker", now=now)


def hit_places(campaign: OpenCampaign, *, now: datetime) -> list[HitPlaces]:
    """Every HIT with its places: which are free, and who has the others since when."""
    with campaign.store.snapshot() as connection:
        before = leases.idle_before(connection, running.conditions(connection), now=now)
        return hits.stored_hit_places(connection, before=before)


def n_held_hits(campaign: OpenCampaign) -> int:
    """How many HITs workers hold and have not finished."""
    with campaign.store.read() as connection:
        return assignments.n_held(connection)


def _released(connection: Connection, ids: Sequence[str], *, now: datetime) -> list[Released]:
    places = hits.unfinished_places(connection, before=now)
    found = [work.assignment(connection, each) for each in ids]
    return [Released(each, places[each.assignment_id]) for each in found if each is not None]


def _named(connection: Connection, name: str) -> Assignment:
    found = work.assignment(connection, name) or work.open_assignment(connection, name)
    if found is not None:
        return found
    if not work.has_worker(connection, name):
        raise NotFound(
            f'There is no assignment and no worker "{name}". `steelyard progress` lists the workers.'
        )
    raise Conflict(f"{name} has no HIT open, so there is nothing to release.")


def _end(connection: Connection, assignment: Assignment, *, now: datetime) -> None:
    if leases.end_lease(connection, assignment.assignment_id, AssignmentStatus.EXPIRED, now=now):
        return
    found = work.assignment(connection, assignment.assignment_id) or assignment
    if found.submitted_at is not None:
        raise Conflict(
            f"The assignment {found.assignment_id} is submitted already. To have the HIT judged by "
            f"somebody else, exclude it: steelyard exclude DB {found.worker_id} --hit {found.hit_id}"
        )
    raise Conflict(f"The assignment {found.assignment_id} was released before.")
