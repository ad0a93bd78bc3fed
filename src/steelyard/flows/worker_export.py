"""Everything that is stored about one worker, as a document for the person who asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from steelyard.domain.entry import CampaignEntry, EntryRecord, entry_in
from steelyard.domain.errors import NotFound
from steelyard.domain.plugin import TextRole
from steelyard.domain.running import Action, CampaignState, Revision
from steelyard.flows.open import OpenCampaign
from steelyard.protocols import roles_shown
from steelyard.report.plain import plain
from steelyard.store import crowd, running
from steelyard.store.actions import logged_actions
from steelyard.store.entries import worker_entries
from steelyard.store.remarks import PlacedRemark, placed_remarks
from steelyard.store.transfers import transfers
from steelyard.store.worker_hits import hits_of
from steelyard.store.worker_record import SaidJudgement, StoredWorker, said_judgements, stored_worker

_COMPUTED = (
    "Nothing else about you is stored. Whether judgements pass a check, what they count for and what is owed "
    "for them is computed anew from what stands here whenever somebody looks."
)
_SECRETS = (
    "Which texts are controls, made to see whether people read with care, is left out until the campaign is "
    "closed."
)
_SYSTEMS = "Which system made which translation is left out: it is not about you."


def everything_about(campaign: OpenCampaign, worker_id: str, *, now: datetime) -> dict[str, Any]:
    """All that is stored about a worker in plain types; NotFound if there is none of this id.

    What managers decided about them is in it, with the reasons. What would give away the campaign's controls
    is not, as long as somebody could still use it.
    """
    with campaign.store.snapshot() as connection:
        worker = stored_worker(connection, worker_id)
        if worker is None:
            raise NotFound(f"There is no worker {worker_id!r}; `steelyard progress` lists them.")
        state = running.conditions(connection).state
        revisions = running.revisions(connection)
        records = worker_entries(connection, worker_id) or []
        said = said_judgements(connection, worker_id)
        remarks = placed_remarks(connection, worker_id=worker_id)
        actions = logged_actions(connection, worker_id)
        sessions = [each for each in crowd.sessions(connection) if each.worker_id == worker_id]
        bonuses = [each for each in transfers(connection) if each.worker_id == worker_id]
        hits = hits_of(connection, worker_id)
    settings, is_closed = campaign.settings, state is CampaignState.CLOSED
    roles = roles_shown(settings)
    entry = entry_in(revisions[-1].presentation) or CampaignEntry()
    record = {
        "about": f"Everything that is stored about worker {worker_id} of the campaign {settings.name}",
        "written_at": now,
        "left_out": [*([] if is_closed else [_SECRETS]), _SYSTEMS, _COMPUTED],
        "campaign": {"name": settings.name, "title": revisions[-1].title, "state": state.value},
        "worker": _worker(worker),
        "participant": _participant(worker),
        "consent": _consent(records, revisions),
        "answers": _answers(records, entry),
        "training": [
            {**record.content, "made_at": record.made_at} for record in records if record.step == "training"
        ],
        "remarks": [_remark(each) for each in reversed(remarks)],
        "assignments": [asdict(each) for each in hits],
        "judgements": [_judgement(each, roles, has_kinds=is_closed) for each in said],
        "sessions_on_the_platform": [asdict(each) for each in sessions],
        "bonuses": [asdict(each) for each in bonuses],
        "log": [_action(each) for each in actions],
    }
    return {name: plain(value) for name, value in record.items()}


def _worker(worker: StoredWorker) -> dict[str, Any]:
    about = ("worker_id", "created_at", "is_revoked", "is_blocked", "is_simulated", "name", "email")
    return {name: getattr(worker, name) for name in about}


def _participant(worker: StoredWorker) -> dict[str, Any] | None:
    if worker.platform is None:
        return None
    about = ("platform", "participant_id", "pseudonym", "joined_at")
    visits = [asdict(each) for each in worker.visits]
    return {**{name: getattr(worker, name) for name in about}, "visits": visits}


def _consent(records: Iterable[EntryRecord], revisions: Iterable[Revision]) -> list[dict[str, Any]]:
    """What they were asked and said, each time, with the text that they read."""
    entries = (entry_in(each.presentation) for each in revisions)
    texts = {entry.consent.version: entry.consent for entry in entries if entry and entry.consent}
    found = []
    for record in records:
        if record.step == "consent":
            text = texts.get(record.content["version"])
            read = {"text": None, "behaviour": None} if text is None else asdict(text)
            found.append({**record.content, "made_at": record.made_at, **read})
    return found


def _answers(records: Iterable[EntryRecord], entry: CampaignEntry) -> list[dict[str, Any]]:
    texts = {question.name: question.text for question in entry.questions}
    return [
        {"question": texts.get(name, name), "name": name, "answer": answer, "made_at": record.made_at}
        for record in records
        if record.step == "questions"
        for name, answer in record.content["answers"].items()
    ]


def _remark(placed: PlacedRemark) -> dict[str, Any]:
    remark = placed.remark
    about = {"hit_id": placed.hit_id, "position": placed.position}
    return {"kind": remark.kind, "text": remark.text, "made_at": remark.made_at, **about}


def _judgement(said: SaidJudgement, roles: Sequence[TextRole], *, has_kinds: bool) -> dict[str, Any]:
    texts = [
        {
            "text": text.text,
            **({"source": segment.source} if "source" in roles else {}),
            **({"reference": segment.reference} if "reference" in roles else {}),
            **({"kind": text.kind.value} if has_kinds else {}),
        }
        for text, segment in zip(said.translations, said.segments, strict=True)
    ]
    about = ("judgement_id", "hit_id", "position")
    answered = ("answer", "shown_ms", "submitted_at", "revision", "behaviour", "replaces")
    return {
        **{name: getattr(said, name) for name in about},
        "translations": texts,
        **{name: getattr(said, name) for name in answered},
    }


def _action(action: Action) -> dict[str, Any]:
    about = ("done_at", "done_by", "verb", "hit_id", "reason", "detail")
    return {name: getattr(action, name) for name in about}
