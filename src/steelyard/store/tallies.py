"""What was judged in single assignments: how much, for how long, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import BigInteger, ColumnElement, Connection, Table, Text, cast, func, select

from steelyard.stats.arrays import IntArray
from steelyard.store import tables

# Assignments whose judgements are looked up; for more, reading all judgements is quicker [our choice].
_MOST_LOOKED_UP = 2_000


@dataclass(slots=True)
class Tally:
    """The current judgements of an assignment, or of several."""

    n_done: int = 0
    shown_ms: int = 0
    last_at: datetime | None = None
    seconds: IntArray = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, other: Tally) -> None:
        """Count what the other has; its moments are left where they are."""
        self.n_done += other.n_done
        self.shown_ms += other.shown_ms
        self.last_at = max(filter(None, (self.last_at, other.last_at)), default=None)


def tallies_of(connection: Connection, assignment_ids: Sequence[str]) -> dict[str, Tally]:
    """The current judgements of these assignments; those without any are missing."""
    if not assignment_ids:
        return {}
    if len(assignment_ids) > _MOST_LOOKED_UP:
        wanted = set(assignment_ids)
        every = _read_tallies(connection, None)
        return {name: tally for name, tally in every.items() if name in wanted}
    return _read_tallies(connection, assignment_ids)


def _read_tallies(connection: Connection, assignment_ids: Sequence[str] | None) -> dict[str, Tally]:
    judged = tables.current_judgements
    second = cast(_epoch_second(connection, judged), Text)
    query = select(
        judged.c.assignment_id,
        func.count(),
        func.sum(judged.c.shown_ms),
        func.max(judged.c.submitted_at),
        func.aggregate_strings(second, ","),
    ).group_by(judged.c.assignment_id)
    if assignment_ids is not None:
        query = query.where(judged.c.assignment_id.in_(assignment_ids))
    found: defaultdict[str, Tally] = defaultdict(Tally)
    # Apart from each other, because each has its own index.
    for part in (judged.c.replaces.is_(None), judged.c.replaces.is_not(None)):
        for assignment_id, n, shown_ms, last_at, seconds in connection.execute(query.where(part)):
            tally = found[assignment_id]
            tally.add(Tally(n, int(shown_ms), last_at))
            tally.seconds = np.concatenate([tally.seconds, np.array(seconds.split(","), dtype=np.int64)])
    return dict(found)


def _epoch_second(connection: Connection, judged: Table) -> ColumnElement[Any]:
    if connection.dialect.name == "sqlite":
        return cast(func.strftime("%s", judged.c.submitted_at), BigInteger)
    return cast(func.floor(func.extract("epoch", judged.c.submitted_at)), BigInteger)
