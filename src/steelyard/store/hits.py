"""Every HIT with its places: who has them, and how far they are."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, select

from steelyard.domain.work import AssignmentStatus
from steelyard.store import tables
from steelyard.store.actions import exclusions
from steelyard.store.assignments import latest_judged, n_judged_in
from steelyard.store.leases import is_idle

PlaceState = Literal["free", "open", "idle", "submitted", "excluded", "returned", "expired"]


@dataclass(frozen=True, slots=True)
class Place:
    """One place on a HIT, or an assignment that had one and gave it up.

    A released assignment is `returned` by its worker, `expired` (idle for too long, or released by the
    manager) or `excluded`. `last_at`: when its worker was last heard of.
    """

    state: PlaceState
    assignment_id: str | None = None
    worker_id: str | None = None
    n_done: int = 0
    since: datetime | None = None
    last_at: datetime | None = None
    submitted_at: datetime | None = None
    released_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class HitPlaces:
    """A HIT, its places, and the assignments that have none any more. `round` counts through all parts."""

    hit_id: str
    part: int
    round: int
    n_items: int
    places: tuple[Place, ...]
    released: tuple[Place, ...]


def stored_hit_places(connection: Connection, *, before: datetime) -> list[HitPlaces]:
    """All HITs in their order. An open assignment last heard of `before` is idle.

    A submitted assignment is complete, so only the judgements of others are counted.
    """
    hits, stored = tables.hits.c, tables.assignments
    placed = tables.hit_items.c
    n_items = select(func.max(placed.position)).where(placed.hit_id == hits.hit_id).scalar_subquery()
    rows = connection.execute(
        select(hits.hit_id, hits.part, hits.round, n_items.label("n_items")).order_by(hits.number)
    ).all()
    sizes = {row.hit_id: row.n_items for row in rows}
    excluded = {(each.worker_id, each.hit_id) for each in exclusions(connection)}
    unfinished = unfinished_places(connection, before=before)
    places: dict[str, Place] = {}
    released = defaultdict(list)
    for row in connection.execute(select(stored).order_by(stored.c.accepted_at, stored.c.assignment_id)):
        place = unfinished.get(row.assignment_id) or _submitted(row, n_items=sizes[row.hit_id])
        if {(row.worker_id, None), (row.worker_id, row.hit_id)} & excluded:
            place = replace(place, state="excluded")
        places[row.assignment_id] = place
        if row.released_at is not None:
            released[row.hit_id].append(place)
    held = defaultdict(list)
    openings = tables.openings.c
    free = Place("free")
    query = select(openings.hit_id, openings.assignment_id).order_by(openings.opening_id)
    for hit_id, assignment_id in connection.execute(query):
        held[hit_id].append(free if assignment_id is None else places[assignment_id])
    return [
        HitPlaces(
            row.hit_id, row.part, row.round, row.n_items, tuple(held[row.hit_id]), tuple(released[row.hit_id])
        )
        for row in rows
    ]


def unfinished_places(connection: Connection, *, before: datetime) -> dict[str, Place]:
    """The assignments that are not submitted, by their id."""
    stored = tables.assignments
    answered_at = latest_judged(tables.judgements.c.submitted_at)
    columns = (
        n_judged_in().label("n_done"),
        answered_at.label("answered_at"),
        is_idle(before).label("is_idle"),
    )
    query = select(stored, *columns).where(stored.c.submitted_at.is_(None))
    return {row.assignment_id: _open(row) for row in connection.execute(query)}


def _open(row: Row[Any]) -> Place:
    state: PlaceState = "idle" if row.is_idle else "open"
    if row.status == AssignmentStatus.RETURNED.value:
        state = "returned"
    elif row.status == AssignmentStatus.EXPIRED.value:
        state = "expired"
    times = (row.accepted_at, row.resumed_at, row.answered_at)
    return Place(
        state=state,
        assignment_id=row.assignment_id,
        worker_id=row.worker_id,
        n_done=row.n_done,
        since=row.accepted_at,
        last_at=max(time for time in times if time is not None),
        released_at=row.released_at,
    )


def _submitted(row: Row[Any], *, n_items: int) -> Place:
    return Place(
        state="submitted",
        assignment_id=row.assignment_id,
        worker_id=row.worker_id,
        n_done=n_items,
        since=row.accepted_at,
        last_at=row.submitted_at,
        submitted_at=row.submitted_at,
        released_at=row.released_at,
    )
