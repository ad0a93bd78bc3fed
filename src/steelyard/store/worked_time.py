"""How long a worker was at work on a judgement: what the browser says, bounded by the server's own clock."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, FromClause, and_, case, cast, func

from steelyard.store import tables


class TimedJudgements(NamedTuple):
    """Judgements joined with what their times are measured from, and the milliseconds of work on each."""

    source: FromClause
    worked_ms: ColumnElement[int]


def timed(connection: Connection, judged: FromClause) -> TimedJudgements:
    """Judgements with the assignments they belong to and the milliseconds of work on each.

    That is how long the browser says the item was on the screen, but never longer than the time since the
    worker's latest sign in this assignment: the answer before, taking the HIT, or coming back to it. A clock
    that was set back gives 0, never less.

    The answer before is the one at the position before: looked up in the index, not sorted.
    """
    held = tables.assignments
    before = tables.judgements.alias("answer_before")
    of_before = and_(
        before.c.assignment_id == judged.c.assignment_id,
        before.c.position == judged.c.position - 1,
        before.c.replaces.is_(None),
    )
    source = judged.join(held, held.c.assignment_id == judged.c.assignment_id).outerjoin(before, of_before)
    latest = func.coalesce(before.c.submitted_at, held.c.accepted_at, type_=tables.Instant())
    # An answer that came too late takes its HIT up again itself, at the moment it arrives.
    came_back = and_(held.c.resumed_at > latest, held.c.resumed_at < judged.c.submitted_at)
    since = case((came_back, held.c.resumed_at), else_=latest)
    elapsed = _milliseconds(connection, judged.c.submitted_at) - _milliseconds(connection, since)
    return TimedJudgements(source, _greatest(connection, 0, least(connection, elapsed, judged.c.shown_ms)))


def least(connection: Connection, *values: Any) -> ColumnElement[int]:
    """The smallest of some values of a row: each is computed once, which `CASE` would not do on SQLite."""
    of_row = func.min if connection.dialect.name == "sqlite" else func.least
    return of_row(*values, type_=BigInteger())


def _greatest(connection: Connection, *values: Any) -> ColumnElement[int]:
    of_row = func.max if connection.dialect.name == "sqlite" else func.greatest
    return of_row(*values, type_=BigInteger())


def epoch_second(connection: Connection, moment: ColumnElement[Any]) -> ColumnElement[int]:
    """The whole seconds since 1970 of a moment."""
    if connection.dialect.name == "sqlite":
        # Without the fraction, which SQLite rounds: half a millisecond before a second would be that second.
        return cast(func.strftime("%s", func.substr(moment, 1, 19)), BigInteger)
    return cast(func.floor(func.extract("epoch", moment)), BigInteger)


def _milliseconds(connection: Connection, moment: ColumnElement[Any]) -> ColumnElement[int]:
    """The whole milliseconds since 1970 of a moment, the same in both databases."""
    if connection.dialect.name == "sqlite":
        # Moments are text of fixed width.
        part = cast(func.substr(moment, 21, 3), BigInteger)
        return epoch_second(connection, moment) * 1000 + part
    return cast(func.floor(func.extract("epoch", moment) * 1000), BigInteger)
