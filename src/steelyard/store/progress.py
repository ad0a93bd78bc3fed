"""How far a campaign has come, counted from what is stored."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from steelyard.domain.running import Exclusion
from steelyard.domain.work import AssignmentStatus
from steelyard.store import tables
from steelyard.store.actions import exclusions
from steelyard.store.arrivals import Arrivals, ArrivalTimes
from steelyard.store.tallies import Tally, n_corrections, tallies_of


@dataclass(frozen=True, slots=True)
class HeldHit:
    """A HIT that a worker has begun and holds the place of.

    `seconds`: how long its items were on screen. `last_at`: when the worker last did something.
    """

    assignment_id: str
    hit_id: str
    n_items: int
    n_done: int
    seconds: float
    since: datetime
    last_at: datetime
    is_idle: bool


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """What one worker has done. `seconds_per_item` is the mean time an item was on screen.

    Of ten minutes at most, each: a page left open overnight is no work.

    `n_items` are those of HITs that were submitted or are open, and those judged in released HITs.
    `n_released` counts HITs whose place went back to the pool. `hits_worked`: submitted HITs, and released
    ones by the share of their items that was judged.
    """

    worker_id: str
    n_assignments: int
    n_submitted: int
    n_done: int
    n_items: int
    seconds_per_item: float | None
    last_at: datetime | None
    n_released: int = 0
    hits_worked: float = 0.0
    seconds: float = 0.0
    open: HeldHit | None = None
    is_blocked: bool = False
    is_revoked: bool = False
    is_excluded: bool = False
    is_simulated: bool = False


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """The places on HITs. `idle`: begun, but nothing was done for longer than a lease lasts.

    `excluded`: taken by someone who was excluded, and not offered to anybody else.
    """

    free: int = 0
    open: int = 0
    idle: int = 0
    submitted: int = 0
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """What is wanted, taken and done. `history`: end of a stretch of time, judgements until then.

    `n_submitted` are places whose HIT was submitted. `n_left` are items still to be judged: judgements in
    HITs that were released do not shorten what is left, unless their worker comes back. `n_free_items` are
    those of them on places that nobody holds.
    """

    n_openings: int
    n_taken: int
    n_submitted: int
    n_judgements: int
    n_wanted: int
    workers: tuple[WorkerProgress, ...]
    history: tuple[tuple[datetime, int], ...]
    n_left: int = 0
    n_free_items: int = 0
    n_corrections: int = 0
    places: PlaceCounts = PlaceCounts()
    arrivals: Arrivals = field(default_factory=Arrivals, compare=False, repr=False)


class _Begun(NamedTuple):
    """An assignment that is not submitted: open, or released."""

    assignment_id: str
    hit_id: str
    worker_id: str
    status: str
    accepted_at: datetime
    released_at: datetime | None
    resumed_at: datetime | None


@dataclass(slots=True)
class _Finished:
    """What a worker has submitted."""

    n_hits: int = 0
    n_items: int = 0
    tally: Tally = field(default_factory=Tally)


class ProgressReader:
    """Counts a campaign again and again, and reads only what may have changed since the last time.

    A submitted assignment is complete and never changes, a released one only by being taken up again; so
    their judgements are read once. HITs and places are only ever added. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sizes: dict[str, int] = {}
        self._n_openings = self._n_wanted = 0
        self._forget()

    def _forget(self) -> None:
        """Begin anew with judgements: a correction may be of any of them."""
        self._n_corrections = 0
        self._submitted: set[str] = set()
        self._finished: defaultdict[str, _Finished] = defaultdict(_Finished)
        self._released: dict[str, tuple[datetime | None, Tally]] = {}
        self._times = ArrivalTimes()

    def read(self, connection: Connection, *, idle_before: datetime | None = None) -> Progress:
        """The whole campaign at a glance, and each worker by worker_id.

        HITs in which nothing has been done since `idle_before` are idle.
        """
        with self._lock:
            corrected = n_corrections(connection)
            if corrected != self._n_corrections:
                self._forget()
                self._n_corrections = corrected
            # In this order: what is submitted in between is found with the submitted ones.
            unfinished = _unfinished(connection)
            self._read_sizes(connection)
            self._read_submitted(connection)
            unfinished = [row for row in unfinished if row.assignment_id not in self._submitted]
            tallies = self._unfinished_tallies(connection, unfinished)
            excluded = exclusions(connection)
            workers = self._workers(connection, unfinished, tallies, excluded, idle_before)
            return self._progress(connection, workers, tallies.values(), excluded)

    def _read_sizes(self, connection: Connection) -> None:
        if _count(connection, tables.hits.c.hit_id) != len(self._sizes):
            placed = tables.hit_items.c
            query = select(placed.hit_id, func.count().label("n")).group_by(placed.hit_id)
            self._sizes = {row.hit_id: row.n for row in connection.execute(query)}
            self._n_openings = -1
        n_openings = _count(connection, tables.openings.c.opening_id)
        if n_openings != self._n_openings:
            self._n_openings = n_openings
            self._n_wanted = self._n_items(connection, free=False)

    def _n_items(self, connection: Connection, *, free: bool) -> int:
        """The items of all places, or of the free ones."""
        openings = tables.openings.c
        query = select(openings.hit_id, func.count()).group_by(openings.hit_id)
        if free:
            query = query.where(openings.assignment_id.is_(None))
        return sum(self._sizes.get(hit_id, 0) * n for hit_id, n in connection.execute(query))

    def _read_submitted(self, connection: Connection) -> None:
        stored = tables.assignments.c
        if _count(connection, stored.submitted_at) == len(self._submitted):
            return
        query = select(stored.assignment_id, stored.hit_id, stored.worker_id).where(
            stored.submitted_at.is_not(None)
        )
        new = [row for row in connection.execute(query) if row.assignment_id not in self._submitted]
        tallies = tallies_of(connection, [row.assignment_id for row in new])
        for assignment_id, hit_id, worker_id in new:
            found = self._finished[worker_id]
            found.n_hits += 1
            found.n_items += self._sizes.get(hit_id, 0)
            self._submitted.add(assignment_id)
            self._released.pop(assignment_id, None)
            if assignment_id in tallies:
                found.tally.add(tallies[assignment_id])
        self._times.add([tally.seconds for tally in tallies.values()])

    def _unfinished_tallies(self, connection: Connection, unfinished: Sequence[_Begun]) -> dict[str, Tally]:
        """By assignment, what was judged in HITs that are open or were released."""
        known = {
            row.assignment_id: self._released[row.assignment_id][1]
            for row in unfinished
            if row.assignment_id in self._released
            and not _is_open(row)
            and self._released[row.assignment_id][0] == row.released_at
        }
        wanted = [row.assignment_id for row in unfinished if row.assignment_id not in known]
        read = tallies_of(connection, wanted)
        tallies = known | {name: read.get(name) or Tally() for name in wanted}
        self._released = {
            row.assignment_id: (row.released_at, tallies[row.assignment_id])
            for row in unfinished
            if not _is_open(row)
        }
        return tallies

    def _workers(
        self,
        connection: Connection,
        unfinished: Sequence[_Begun],
        tallies: dict[str, Tally],
        excluded: Sequence[Exclusion],
        idle_before: datetime | None,
    ) -> tuple[WorkerProgress, ...]:
        begun: defaultdict[str, list[_Begun]] = defaultdict(list)
        for assignment in unfinished:
            begun[assignment.worker_id].append(assignment)
        out = {exclusion.worker_id for exclusion in excluded if exclusion.hit_id is None}
        stored = tables.workers.c
        query = select(stored.worker_id, stored.is_blocked, stored.is_revoked, stored.is_simulated)
        return tuple(
            replace(
                self._worker(row.worker_id, begun.get(row.worker_id, []), tallies, idle_before),
                is_blocked=row.is_blocked,
                is_revoked=row.is_revoked,
                is_excluded=row.worker_id in out,
                is_simulated=row.is_simulated,
            )
            for row in connection.execute(query.order_by(func.length(stored.worker_id), stored.worker_id))
        )

    def _worker(
        self,
        worker_id: str,
        begun: Sequence[_Begun],
        tallies: dict[str, Tally],
        idle_before: datetime | None,
    ) -> WorkerProgress:
        finished = self._finished.get(worker_id) or _Finished()
        total = Tally()
        for tally in (finished.tally, *(tallies[assignment.assignment_id] for assignment in begun)):
            total.add(tally)
        n_items, hits_worked, held = finished.n_items, float(finished.n_hits), None
        for assignment in begun:
            tally, size = tallies[assignment.assignment_id], self._sizes.get(assignment.hit_id, 0)
            if _is_open(assignment):
                held = _held(assignment, tally, size, idle_before)
                n_items += size
            else:
                n_items += tally.n_done
                hits_worked += tally.n_done / size if size else 0.0
        return WorkerProgress(
            worker_id=worker_id,
            n_assignments=finished.n_hits + len(begun),
            n_submitted=finished.n_hits,
            n_done=total.n_done,
            n_items=n_items,
            seconds_per_item=total.worked_ms / total.n_done / 1000 if total.n_done else None,
            last_at=total.last_at,
            n_released=len(begun) - (held is not None),
            hits_worked=hits_worked,
            seconds=total.worked_ms / 1000,
            open=held,
        )

    def _progress(
        self,
        connection: Connection,
        workers: tuple[WorkerProgress, ...],
        unfinished: Collection[Tally],
        excluded: Sequence[Exclusion],
    ) -> Progress:
        out = {(exclusion.worker_id, exclusion.hit_id) for exclusion in excluded}
        held = [worker.open for worker in workers if worker.open is not None]
        counted = [
            worker.open
            for worker in workers
            if worker.open is not None
            and not {(worker.worker_id, None), (worker.worker_id, worker.open.hit_id)} & out
        ]
        n_taken = _count(connection, tables.openings.c.assignment_id)
        n_submitted = n_taken - len(held)
        n_excluded = _n_excluded(connection, out)
        n_idle = sum(hit.is_idle for hit in counted)
        n_free_items = self._n_items(connection, free=True)
        arrivals = self._times.with_more([tally.seconds for tally in unfinished])
        return Progress(
            n_openings=self._n_openings,
            n_taken=n_taken,
            n_submitted=n_submitted,
            n_judgements=sum(worker.n_done for worker in workers),
            n_wanted=self._n_wanted,
            workers=workers,
            history=arrivals.history(),
            n_left=n_free_items + sum(hit.n_items - hit.n_done for hit in held),
            n_free_items=n_free_items,
            n_corrections=self._n_corrections,
            places=PlaceCounts(
                free=self._n_openings - n_taken,
                open=len(counted) - n_idle,
                idle=n_idle,
                submitted=n_submitted - n_excluded,
                excluded=n_excluded + len(held) - len(counted),
            ),
            arrivals=arrivals,
        )


def progress(connection: Connection, *, idle_before: datetime | None = None) -> Progress:
    """The whole campaign at a glance, read once; see `ProgressReader`."""
    return ProgressReader().read(connection, idle_before=idle_before)


def n_parts(connection: Connection) -> int:
    """How many parts of segments there are: 1, and one more for each time segments were added."""
    return int(connection.execute(select(func.max(tables.hits.c.part))).scalar_one() or 1)


def _count(connection: Connection, column: ColumnElement[Any]) -> int:
    """In how many rows the column holds something."""
    query = select(func.count()).select_from(column.table).where(column.is_not(None))
    return int(connection.execute(query).scalar_one())


def _unfinished(connection: Connection) -> Sequence[_Begun]:
    stored = tables.assignments.c
    query = select(
        *(stored.assignment_id, stored.hit_id, stored.worker_id),
        *(stored.status, stored.accepted_at, stored.released_at, stored.resumed_at),
    ).where(stored.submitted_at.is_(None))
    return [_Begun(*row) for row in connection.execute(query)]


def _is_open(assignment: _Begun) -> bool:
    return assignment.status == AssignmentStatus.ACCEPTED.value


def _held(assignment: _Begun, tally: Tally, size: int, idle_before: datetime | None) -> HeldHit:
    last_at = max(filter(None, (assignment.accepted_at, assignment.resumed_at, tally.last_at)))
    return HeldHit(
        assignment_id=assignment.assignment_id,
        hit_id=assignment.hit_id,
        n_items=size,
        n_done=tally.n_done,
        seconds=tally.worked_ms / 1000,
        since=assignment.accepted_at,
        last_at=last_at,
        is_idle=idle_before is not None and last_at < idle_before,
    )


def _n_excluded(connection: Connection, out: Collection[tuple[str, str | None]]) -> int:
    """Places held by submitted HITs that do not count."""
    if not out:
        return 0
    stored, openings = tables.assignments.c, tables.openings.c
    query = (
        select(stored.worker_id, stored.hit_id)
        .join(tables.openings, openings.assignment_id == stored.assignment_id)
        .where(stored.submitted_at.is_not(None), stored.worker_id.in_({worker for worker, _ in out}))
    )
    return sum((worker, None) in out or (worker, hit) in out for worker, hit in connection.execute(query))
