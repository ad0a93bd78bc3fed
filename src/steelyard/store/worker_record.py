"""Everything that is stored about one worker, for the worker themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from steelyard.domain.judgement import Answer
from steelyard.domain.participants import PlatformSession
from steelyard.domain.work import ItemKind, SegmentTexts, ShownText, own_kind
from steelyard.store import tables
from steelyard.store.campaigns import texts_beside


@dataclass(frozen=True, slots=True)
class StoredWorker:
    """Who a worker is, as far as the campaign knows. `platform` and what follows: None if none sent them."""

    worker_id: str
    created_at: datetime
    is_revoked: bool
    is_blocked: bool
    is_simulated: bool
    name: str | None
    email: str | None
    platform: str | None
    participant_id: str | None
    pseudonym: str | None
    joined_at: datetime | None
    visits: tuple[PlatformSession, ...] = ()


@dataclass(frozen=True, slots=True)
class SaidJudgement:
    """A judgement, later corrected or not, with the texts it is about, in the order the worker saw them."""

    judgement_id: str
    hit_id: str
    position: int
    translations: tuple[ShownText, ...]
    segments: tuple[SegmentTexts, ...]
    answer: Answer
    shown_ms: int
    submitted_at: datetime
    revision: int
    behaviour: Mapping[str, Any] | None
    replaces: str | None


def stored_worker(connection: Connection, worker_id: str) -> StoredWorker | None:
    """Who a worker is; None if there is none of this id."""
    workers, people, sent = tables.workers, tables.people, tables.participants
    if not tables.could_be_key(worker_id):
        return None
    query = (
        select(
            *(workers.c.worker_id, workers.c.created_at, workers.c.is_revoked, workers.c.is_blocked),
            *(workers.c.is_simulated, people.c.name, people.c.email),
            *(sent.c.platform, sent.c.participant_id, sent.c.pseudonym, sent.c.joined_at),
        )
        .select_from(workers)
        .outerjoin(people, people.c.worker_id == workers.c.worker_id)
        .outerjoin(sent, sent.c.worker_id == workers.c.worker_id)
        .where(workers.c.worker_id == worker_id)
    )
    row = connection.execute(query).one_or_none()
    visits = tables.platform_sessions.c
    came = select(visits.study_id, visits.session_id, visits.begun_at).where(visits.worker_id == worker_id)
    sessions = connection.execute(came.order_by(visits.begun_at, visits.session_id))
    return None if row is None else StoredWorker(*row, tuple(PlatformSession(*each) for each in sessions))


def said_judgements(connection: Connection, worker_id: str) -> list[SaidJudgement]:
    """Every judgement of a worker in order of time, also those that were corrected."""
    stored, assigned = tables.judgements, tables.assignments
    items, segments = tables.items, tables.segments
    query = (
        select(stored, assigned.c.hit_id, items.c.kind, items.c.system_id, items.c.segment_id, items.c.text)
        .add_columns(segments.c.source, segments.c.reference)
        .join(assigned, assigned.c.assignment_id == stored.c.assignment_id)
        .join(items, items.c.item_id == stored.c.item_id)
        .join(segments, segments.c.segment_id == items.c.segment_id)
        .where(assigned.c.worker_id == worker_id)
        .order_by(stored.c.submitted_at, stored.c.position, stored.c.judgement_id)
    )
    rows = connection.execute(query).all()
    beside = texts_beside(connection, sorted({row.item_id for row in rows})) if rows else {}
    found = []
    for row in rows:
        others = [each.shown for each in beside.get(row.item_id, ())]
        kind = own_kind(ItemKind(row.kind), row.system_id, others)
        texts = [ShownText(row.system_id, row.segment_id, row.text, kind), *others]
        own = SegmentTexts(row.source, row.reference)
        about = [own, *(each.segment for each in beside.get(row.item_id, ()))]
        order = json.loads(row.shown_order) if row.shown_order else range(1, len(texts) + 1)
        found.append(
            SaidJudgement(
                judgement_id=row.judgement_id,
                hit_id=row.hit_id,
                position=row.position,
                translations=tuple(texts[place - 1] for place in order),
                segments=tuple(about[place - 1] for place in order),
                answer=json.loads(row.answer),
                shown_ms=row.shown_ms,
                submitted_at=row.submitted_at,
                revision=row.revision,
                behaviour=None if row.behaviour is None else json.loads(row.behaviour),
                replaces=row.replaces,
            )
        )
    return found
