"""What every click of every worker needs, for many clicks at a time: few statements, written out beforehand.

The same questions as in `assignments`, `work` and `judgements`, asked for a list of assignments at once and
with nothing to be built or converted around them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection

from steelyard.domain.work import ItemKind, SegmentTexts, ShownText, own_kind
from steelyard.store.campaigns import texts_beside
from steelyard.store.prefilled import prefilled_spans
from steelyard.store.work import PlacedTexts

# Where in a HIT: its id and a position.
Place = tuple[str, int]

CONDITIONS = "SELECT state, secret_mark, (SELECT max(revision) FROM revisions) FROM campaigns"
# One that somebody else holds just now is passed over, so that nobody waits for what is not theirs.
HOLD = (
    "SELECT assignment_id FROM assignments "
    "WHERE assignment_id = ANY(ARRAY(SELECT json_array_elements_text(%s::json))) "
    "ORDER BY assignment_id FOR NO KEY UPDATE SKIP LOCKED"
)
# That positions begin at 1 is said for SQLite: see `assignments.latest_judged`.
_LATEST = """(SELECT {column} FROM judgements AS judged
    WHERE judged.assignment_id = held.assignment_id AND judged.position >= 1 AND judged.replaces IS NULL
    ORDER BY judged.position DESC LIMIT 1)"""
_STANDINGS = f"""
SELECT held.assignment_id, held.hit_id, held.worker_id, held.status, held.accepted_at,
    (SELECT link_version FROM workers WHERE workers.worker_id = held.worker_id),
    (SELECT is_revoked FROM workers WHERE workers.worker_id = held.worker_id),
    (SELECT max(position) FROM hit_items WHERE hit_items.hit_id = held.hit_id),
    {_LATEST.format(column="position")}, {_LATEST.format(column="chain_hash")},
    (SELECT content FROM entries WHERE entries.worker_id = held.worker_id AND entries.step = 'consent'
    ORDER BY entries.number DESC LIMIT 1)
FROM assignments AS held WHERE held.assignment_id {{wanted}}
"""  # noqa: S608 (nothing in it is anyone's but ours)
_PLACED = """
SELECT placed.hit_id, placed.position, items.item_id, items.kind, items.system_id, items.segment_id,
    items.text, segments.document_id, segments.number, segments.source, segments.reference
FROM {wanted} AS wanted
JOIN hit_items AS placed ON placed.hit_id = wanted.hit_id AND placed.position = wanted.position
JOIN items ON items.item_id = placed.item_id
JOIN segments ON segments.segment_id = items.segment_id
"""
# A list of values travels as one JSON text: arrays take PostgreSQL's driver several times as long to write.
STANDINGS = {
    "sqlite": _STANDINGS.format(wanted="IN (SELECT value FROM json_each(?))"),
    "postgresql": _STANDINGS.format(wanted="= ANY(ARRAY(SELECT json_array_elements_text(%s::json)))"),
}
PLACED = {
    "sqlite": _PLACED.format(
        wanted="(SELECT json_extract(value, '$[0]') AS hit_id, json_extract(value, '$[1]') AS position "
        "FROM json_each(?))"
    ),
    "postgresql": _PLACED.format(
        wanted="(SELECT value ->> 0 AS hit_id, (value ->> 1)::int AS position "
        "FROM json_array_elements(%s::json))"
    ),
}


class Doors(NamedTuple):
    """What holds for the whole campaign now: its state, the mark of its secret, the latest revision."""

    state: str
    mark: str | None
    revision: int


class Standing(NamedTuple):
    """One assignment, how far it is, what its worker's link must fit, and their latest word on consent."""

    assignment_id: str
    hit_id: str
    worker_id: str
    status: str
    accepted_at: datetime
    link_version: int
    is_revoked: bool
    n_items: int
    n_done: int
    last_hash: str | None
    consent: Mapping[str, Any] | None


def doors(connection: Connection) -> Doors:
    """What holds for the whole campaign now."""
    return Doors(*connection.exec_driver_sql(CONDITIONS).one())


def standings(connection: Connection, assignment_ids: Sequence[str]) -> dict[str, Standing]:
    """Those of these assignments that nobody else holds, by their ids; held until the transaction ends."""
    dialect = connection.dialect.name
    if dialect == "postgresql":
        # A statement of its own: what is read next includes what the previous holder has done.
        held = connection.exec_driver_sql(HOLD, (json.dumps(assignment_ids),))
        assignment_ids = list(held.scalars())
    found = connection.exec_driver_sql(STANDINGS[dialect], (json.dumps(assignment_ids),)).all()
    return {row[0]: _standing(tuple(row)) for row in found}


def _standing(row: tuple[Any, ...]) -> Standing:
    found = Standing(*row)
    moment: Any = found.accepted_at
    said: Any = found.consent
    # SQLite has no type for moments.
    accepted_at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    consent = None if said is None else json.loads(said)
    return found._replace(accepted_at=accepted_at, n_done=found.n_done or 0, consent=consent)


def placed_texts(
    connection: Connection, places: Sequence[Place], *, n_translations: int, prefills: bool = False
) -> dict[Place, PlacedTexts]:
    """The items at these places; those that are no places of the HIT are missing."""
    rows = connection.exec_driver_sql(PLACED[connection.dialect.name], (json.dumps(places),)).all()
    ids = [row[2] for row in rows]
    every = texts_beside(connection, ids) if n_translations > 1 and rows else {}
    marked = prefilled_spans(connection, ids) if prefills and rows else {}
    found = {}
    for hit_id, position, item_id, kind, system_id, segment_id, text, document_id, number, *segment in rows:
        beside = every.get(item_id, ())
        own = own_kind(ItemKind(kind), system_id, [each.shown for each in beside])
        found[(hit_id, position)] = PlacedTexts(
            item_id,
            (ShownText(system_id, segment_id, text, own), *(each.shown for each in beside)),
            (SegmentTexts(*segment), *(each.segment for each in beside)),
            document_id,
            number,
            marked.get(item_id, {}),
        )
    return found
