"""One worker in full: what they judged and how, the evidence about them, and what was done about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

from steelyard.control_pairs import text_pairs
from steelyard.domain.entry import CampaignEntry, entry_in
from steelyard.domain.errors import NotFound
from steelyard.domain.payment import Payment
from steelyard.domain.running import Action, Exclusion
from steelyard.domain.scale import Scale
from steelyard.domain.work import SUBSTITUTE_KINDS, ItemKind
from steelyard.flows.background import Background, background_of
from steelyard.flows.handling import PageHandling, page_handling
from steelyard.flows.judged import JudgedFrames, judged_frames
from steelyard.flows.judged_items import Shower
from steelyard.flows.open import OpenCampaign
from steelyard.flows.payments import payment_of
from steelyard.flows.progress import Watch, WorkerProgress
from steelyard.flows.verdicts import Verdicts, flag_phrase
from steelyard.protocols import protocols, stored_parts
from steelyard.report.plain import plain
from steelyard.store import judgements, running
from steelyard.store.actions import exclusions, logged_actions
from steelyard.store.entries import worker_entries
from steelyard.store.links import linked_workers
from steelyard.store.remarks import PlacedRemark, placed_remarks
from steelyard.store.worker_hits import WorkerHit, hits_of

# Scales of at most this many points have a bar for each, others this many bars [our choices].
_POINTS_WITH_A_BAR, _BARS = 12, 20
_PAIRED_KINDS = (ItemKind.DEGRADED, ItemKind.REPEAT, ItemKind.REFERENCE)


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A translation as the worker saw it, and the ratings that it got, by attribute."""

    system_id: str
    kind: str
    text: str
    ratings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One judgement. `preference`: which of the translations was better, if that was asked."""

    hit_id: str
    position: int
    kind: str
    segment_id: str
    source: str
    translations: tuple[JudgedText, ...]
    preference: str | None
    n_spans: int
    seconds: float
    submitted_at: datetime


@dataclass(frozen=True, slots=True)
class ControlPair:
    """A control beside its base. `difference`: of the base's rating to the control's.

    Where translations are compared side by side, `preferred` says whether the base was found better; None:
    neither was.
    """

    kind: str
    hit_id: str
    system_id: str
    segment_id: str
    source: str
    base_text: str
    control_text: str
    base_position: int
    control_position: int
    base_rating: float | None
    control_rating: float | None
    difference: float | None
    preferred: bool | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """How many ratings lie from `low` to `high`."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class WorkerDetail:
    """Everything about one worker. `finding` is what the check found, None without judgements."""

    worker: WorkerProgress
    name: str
    email: str
    check: str
    finding: Mapping[str, Any] | None
    payment: Payment
    currency: str
    excluded: tuple[Exclusion, ...]
    hits: tuple[WorkerHit, ...]
    pairs: tuple[ControlPair, ...]
    histogram: tuple[Bar, ...]
    items: tuple[JudgedItem, ...]
    actions: tuple[Action, ...]
    background: Background | None
    """What they agreed to and said before the first set; None: nothing, or not for the reader's eyes."""
    n_training: int
    remarks: tuple[PlacedRemark, ...]
    """What they wrote, newest first."""
    behaviour: PageHandling | None


def worker_detail(watch: Watch, verdicts: Verdicts, worker_id: str, *, now: datetime) -> WorkerDetail:
    """Everything about one worker; NotFound if there is none of this id."""
    overview = watch.overview(now=now)
    found = {worker.worker_id: worker for worker in overview.progress.workers}
    if worker_id not in found:
        raise NotFound(f"There is no worker {worker_id}; `steelyard progress` lists them.")
    worker, campaign = found[worker_id], watch.campaign
    with campaign.store.snapshot() as connection:
        [person] = linked_workers(connection, [worker_id])
        excluded = [each for each in exclusions(connection) if each.worker_id == worker_id]
        actions = logged_actions(connection, worker_id)
        hits = hits_of(connection, worker_id)
        entry = entry_in(running.latest_revision(connection).presentation) or CampaignEntry()
        records = worker_entries(connection, worker_id)
        written = placed_remarks(connection, worker_id=worker_id)
    items = _judged_items(campaign, worker_id)
    frames = judged_frames(campaign, worker_id=worker_id)
    finding = verdicts.by_worker().get(worker_id)
    return WorkerDetail(
        worker=worker,
        name=person.name,
        email=person.email,
        check=verdicts.check,
        finding=finding,
        payment=payment_of(overview, worker, finding or {}, excluded),
        currency=overview.money.currency,
        excluded=tuple(excluded),
        hits=tuple(hits),
        pairs=(*_rated_pairs(frames, items), *_compared_pairs(items)),
        histogram=_histogram(frames.ratings["rating"], protocols()[campaign.settings.protocol].scale),
        items=tuple(items),
        actions=tuple(actions),
        background=background_of(worker_id, records, entry) if records else None,
        n_training=len(entry.training),
        remarks=tuple(written),
        behaviour=page_handling(frames.handling),
    )


def _judged_items(campaign: OpenCampaign, worker_id: str) -> list[JudgedItem]:
    """What the worker judged, in order of time."""
    protocol = protocols()[campaign.settings.protocol]
    found = []
    with campaign.store.snapshot() as connection:
        shower = Shower.of(connection, campaign.settings)
        for columns in judgements.stored_judgements(
            connection, **stored_parts(campaign.settings), worker_id=worker_id
        ):
            for number, item in enumerate(shower.shown(columns)):
                said = protocol.rows(item, columns.answer[number])
                ratings: list[dict[str, float]] = [{} for _ in item.translations]
                for row in said.ratings:
                    ratings[row.place][row.attribute] = row.rating
                texts = (
                    JudgedText(text.system_id, str(text.kind), text.text, rated)
                    for text, rated in zip(item.translations, ratings, strict=True)
                )
                found.append(
                    JudgedItem(
                        hit_id=columns.hit_id[number],
                        position=columns.position[number],
                        kind=columns.item_kind[number],
                        segment_id=columns.segment_id[number],
                        source=columns.source[number],
                        translations=tuple(texts),
                        preference=said.preferences[0].preference if said.preferences else None,
                        n_spans=sum(span.severity is not None for span in said.spans),
                        seconds=columns.worked_ms[number] / 1000,
                        submitted_at=columns.submitted_at[number],
                    )
                )
    return sorted(found, key=lambda item: (item.submitted_at, item.hit_id, item.position))


def _rated_pairs(frames: JudgedFrames, items: Sequence[JudgedItem]) -> list[ControlPair]:
    """The pairs that the check compares, with their texts."""
    at = {(item.hit_id, item.position): item for item in items}
    found = []
    for kind in _PAIRED_KINDS:
        for row in text_pairs(frames.ratings, kind).iter_rows(named=True):
            base = at[row["hit_id"], row["base_position"]]
            control = at[row["hit_id"], row["control_position"]]
            found.append(
                ControlPair(
                    kind=str(kind),
                    hit_id=row["hit_id"],
                    system_id=row["system_id"],
                    segment_id=row["segment_id"],
                    source=base.source,
                    base_text=_text_by(base, row["system_id"], ItemKind.REGULAR),
                    control_text=_text_by(control, row["system_id"], kind),
                    base_position=row["base_position"],
                    control_position=row["control_position"],
                    base_rating=row["base_rating"],
                    control_rating=row["control_rating"],
                    difference=row["base_rating"] - row["control_rating"],
                )
            )
    return found


def _text_by(item: JudgedItem, system_id: str, kind: ItemKind) -> str:
    """The item's text of this kind by a system; one that it shares may bear another's name."""
    own = (text.text for text in item.translations if (text.system_id, text.kind) == (system_id, str(kind)))
    return next(own, item.translations[0].text)


def _compared_pairs(items: Sequence[JudgedItem]) -> list[ControlPair]:
    """Controls that stood beside their base, in one item."""
    found = []
    for item in items:
        kinds = [ItemKind(text.kind) for text in item.translations]
        if item.preference is None or len(kinds) != 2 or sum(kind in SUBSTITUTE_KINDS for kind in kinds) != 1:
            continue
        place = int(kinds[1] in SUBSTITUTE_KINDS)
        control, base = item.translations[place], item.translations[1 - place]
        better = {"a": 0, "b": 1}.get(item.preference)
        found.append(
            ControlPair(
                kind=control.kind,
                hit_id=item.hit_id,
                system_id=base.system_id,
                segment_id=item.segment_id,
                source=item.source,
                base_text=base.text,
                control_text=control.text,
                base_position=item.position,
                control_position=item.position,
                base_rating=None,
                control_rating=None,
                difference=None,
                preferred=None if better is None else better != place,
            )
        )
    return found


def _histogram(ratings: pl.Series, scale: Scale | None) -> tuple[Bar, ...]:
    if scale is None or ratings.is_empty():
        return ()
    edges = np.linspace(scale.minimum, scale.maximum, _BARS + 1)
    if scale.width < _POINTS_WITH_A_BAR:
        edges = np.arange(scale.minimum - 0.5, scale.maximum + 1)
    counts, _ = np.histogram(ratings.to_numpy(), bins=edges)
    return tuple(
        Bar(float(low), float(high), int(n))
        for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
    )


def worker_record(detail: WorkerDetail) -> dict[str, Any]:
    """Everything about a worker in plain types."""
    finding = dict(detail.finding or {})
    flags = zip(finding.get("flags") or (), finding.get("remarks") or (), strict=True)
    worker = asdict(detail.worker)
    record = {
        "worker_id": detail.worker.worker_id,
        "person": {"name": detail.name, "email": detail.email},
        "progress": {name: worker[name] for name in worker if name not in ("hits_worked", "seconds")},
        "check": detail.check,
        "finding": finding or None,
        "flags": [{"flag": flag, "phrase": flag_phrase(flag), "text": text} for flag, text in flags],
        "pay": {
            "currency": detail.currency,
            **{
                name: getattr(detail.payment, name)
                for name in ("hits", "items", "hours", "pay", "hourly_pay", "open_items", "suggestion")
            },
        },
        "excluded": [asdict(each) for each in detail.excluded],
        "hits": [asdict(each) for each in detail.hits],
        "pairs": [asdict(each) for each in detail.pairs],
        "histogram": [asdict(each) for each in detail.histogram],
        "items": [asdict(each) for each in detail.items],
        "actions": [asdict(each) for each in detail.actions],
        "background": asdict(detail.background) if detail.background else None,
        "remarks": [
            {**asdict(each.remark), "hit_id": each.hit_id, "position": each.position}
            for each in detail.remarks
        ],
        "behaviour": asdict(detail.behaviour) if detail.behaviour else None,
    }
    return {name: plain(value) for name, value in record.items()}
