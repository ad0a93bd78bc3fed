"""What was judged in single assignments: how much, for how long, and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    Text,
    cast,
    column,
    func,
    select,
    text,
)

from steelyard.stats.arrays import IntArray
from steelyard.store import tables
from steelyard.store.worked_time import epoch_second, least, timed

# Assignments whose judgements are looked up; for more, reading all judgements is quicker [our choice].
_MOST_LOOKED_UP = 2_000
# Nobody reads an item for longer than this: the page was left open, and the rest was no work [our choice].
LONGEST_WORKED_MS = 10 * 60 * 1000


@dataclass(slots=True)
class Tally:
    """The current judgements of an assignment, or of several. An item counts for ten minutes at most."""

    n_done: int = 0
    worked_ms: int = 0
    last_at: datetime | None = None
    seconds: IntArray = field(default_factory=lambda: np.empty(0, np.int64))

    def add(self, other: Tally) -> None:
        """Count what the other has; its moments are left where they are."""
        self.n_done += other.n_done
        self.worked_ms += other.worked_ms
        self.last_at = max(filter(None, (self.last_at, other.last_at)), default=None)


def tallies_of(connection: Connection, assignment_ids: Sequence[str]) -> dict[str, Tally]:
    """The current judgements of these assignments; those without any are missing."""
    if not assignment_ids:
        return {}
    if len(assignment_ids) > _MOST_LOOKED_UP:
        wanted = set(assignment_ids)
        every = _added_up(connection, [_tallied(connection, tables.current_judgements)])
        return {name: tally for name, tally in every.items() if name in wanted}
    first, later = first_judgements(connection), tables.current_judgements
    return _added_up(
        connection,
        [
            _tallied(connection, first).where(first.c.assignment_id.in_(assignment_ids)),
            _tallied(connection, later).where(
                is_correction(later), later.c.assignment_id.in_(assignment_ids)
            ),
        ],
    )


def _tallied(connection: Connection, judged: FromClause) -> Select[Any]:
    second = cast(epoch_second(connection, judged.c.submitted_at), Text)
    source, worked_ms = timed(connection, judged)
    return (
        select(
            judged.c.assignment_id,
            func.count(),
            func.sum(least(connection, worked_ms, LONGEST_WORKED_MS)),
            func.max(judged.c.submitted_at),
            func.aggregate_strings(second, ","),
        )
        .select_from(source)
        .group_by(judged.c.assignment_id)
    )


def _added_up(connection: Connection, queries: Sequence[Select[Any]]) -> dict[str, Tally]:
    found: defaultdict[str, Tally] = defaultdict(Tally)
    for query in queries:
        for assignment_id, n, worked_ms, last_at, seconds in connection.execute(query):
            tally = found[assignment_id]
            tally.add(Tally(n, int(worked_ms), last_at))
            tally.seconds = np.concatenate([tally.seconds, np.array(seconds.split(","), dtype=np.int64)])
    return dict(found)


def n_corrections(connection: Connection) -> int:
    """How many judgements replace an earlier one."""
    judged = tables.judgements
    query = select(func.count()).select_from(judged).where(is_correction(judged))
    return int(connection.execute(query).scalar_one())


def first_judgements(connection: Connection) -> FromClause:
    """Current judgements that replace none: nearly all. Looked up by assignment, they are found at once.

    SQLite would search for those without a predecessor, and read them all, if it were not told the index.
    """
    names = ", ".join(each.name for each in tables.judgements.columns)
    index = "INDEXED BY judgements_one_per_position" if connection.dialect.name == "sqlite" else ""
    query = f"""
        SELECT {names} FROM judgements AS judgement {index}
        WHERE replaces IS NULL
        AND NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = judgement.judgement_id)
    """  # noqa: S608 (our own names)
    typed = (column(each.name, each.type) for each in tables.judgements.columns)
    return text(query).columns(*typed).subquery("first_judgements")


def is_correction(judged: FromClause) -> ColumnElement[bool]:
    """Whether a judgement replaces another: put so that SQLite looks into the index, where few are."""
    return judged.c.replaces > ""
