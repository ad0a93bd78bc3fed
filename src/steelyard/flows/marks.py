"""Everybody's marks in each translation, those that workers marked most differently first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.errors import ChoiceError, NotFound
from steelyard.domain.marks import ADJUDICATED, ErrorMark, MarkedBy, MarksDecision
from steelyard.domain.nearest import no_such
from steelyard.domain.work import ItemKind
from steelyard.flows.adjudicate import decisions, recorded_mark, require_marks
from steelyard.flows.campaign_texts import translations_of
from steelyard.flows.open import OpenCampaign
from steelyard.flows.source import Source, from_campaign
from steelyard.formats.judgements_writing import write_judgements
from steelyard.frames import SPANS_SCHEMA
from steelyard.protocols import protocols
from steelyard.review.disputes import disagreement, majority_marks

# Kinds of items that show a system's own translation.
_OWN = [str(kind) for kind in (ItemKind.REGULAR, ItemKind.REPEAT, ItemKind.GOLD)]
USUAL_SEVERITIES = ("minor", "major")


@dataclass(frozen=True, slots=True)
class MarkedTranslation:
    """One translation in short: who marked it, how much, and how differently (0 to 1; None: one worker)."""

    system_id: str
    segment_id: str
    document_id: str
    credited: tuple[str, ...]
    n_workers: int
    n_marks: int
    lowest: float | None
    highest: float | None
    disagreement: float | None


@dataclass(frozen=True, slots=True)
class MarkedText:
    """One translation in full: its texts, what each worker marked, what most did, and what was decided."""

    translation: MarkedTranslation
    text: str
    source: str
    workers: tuple[MarkedBy, ...]
    majority: tuple[ErrorMark, ...]
    decision: MarksDecision | None
    severities: tuple[str, ...]
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Texts:
    """What was said about one translation, and its names."""

    item_id: str
    document_id: str
    attribute: str
    credited: tuple[str, ...]
    workers: tuple[MarkedBy, ...]


class CampaignMarks:
    """All marks of a campaign, translation by translation, as of the moment when it was read."""

    def __init__(self, campaign: OpenCampaign, source: Source) -> None:
        self._campaign = campaign
        presentation = campaign.settings.presentation
        scale = protocols()[campaign.settings.protocol].scale
        self._span = None if scale is None else scale.maximum - scale.minimum
        self._found = _collected(source)
        said = [mark for each in self._found.values() for by in each.workers for mark in by.marks]
        given = tuple(presentation.get("spans", {}).get("severities", USUAL_SEVERITIES))
        self.severities = tuple(dict.fromkeys((*given, *sorted({mark.severity for mark in said}))))
        self.categories = tuple(sorted({mark.category for mark in said if mark.category}))
        texts = translations_of(campaign)
        self._sources = {segment.segment_id: segment.source for segment in texts.segments}
        self._texts = {
            (system_id, segment.segment_id): line
            for system_id, lines in texts.translations.items()
            for segment, line in zip(texts.segments, lines, strict=True)
            if line is not None
        }
        self.translations = sorted(
            (self._summary(key) for key in self._found),
            key=lambda each: (-1 if each.disagreement is None else each.disagreement, each.n_marks),
            reverse=True,
        )

    def _summary(self, key: tuple[str, str]) -> MarkedTranslation:
        found = self._found[key]
        counting = [each for each in found.workers if each.counts]
        ratings = [each.rating for each in counting if each.rating is not None]
        return MarkedTranslation(
            system_id=key[0],
            segment_id=key[1],
            document_id=found.document_id,
            credited=found.credited,
            n_workers=len(counting),
            n_marks=sum(len(each.marks) for each in counting),
            lowest=min(ratings, default=None),
            highest=max(ratings, default=None),
            disagreement=disagreement(found.workers, span=self._span),
        )

    def key(self, system_id: str | None, segment_id: str) -> tuple[str, str]:
        """The one translation that is meant; NotFound if there is none, ChoiceError if there are several."""
        systems = [system for system, segment in self._found if segment == segment_id]
        if not systems:
            raise NotFound(f"Nobody has marked a translation of a segment {segment_id}.")
        if system_id is None and len(systems) > 1:
            raise ChoiceError(f"Several systems translated segment {segment_id}: name one with {{system}}.")
        wanted = systems[0] if system_id is None else system_id
        for key in self._found:
            if key[1] == segment_id and wanted in (key[0], *self._found[key].credited):
                return key
        raise NotFound(no_such("system", wanted, systems, use=f"Of segment {segment_id} are marked"))

    def text(self, key: tuple[str, str]) -> MarkedText:
        """One translation in full."""
        found = self._found[key]
        return MarkedText(
            translation=self._summary(key),
            text=self._texts[key],
            source=self._sources[key[1]],
            workers=found.workers,
            majority=majority_marks(found.workers, severities=self.severities),
            decision=decisions(self._campaign).get(key),
            severities=self.severities,
            categories=self.categories,
        )

    def decided_spans(self) -> pl.DataFrame:
        """What was decided, as a spans frame of one worker named adjudicated, with the texts beside."""
        rows = [row for key, each in decisions(self._campaign).items() for row in self._rows(key, each)]
        schema: dict[str, Any] = {**SPANS_SCHEMA, "text": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _rows(self, key: tuple[str, str], decision: MarksDecision) -> list[dict[str, Any]]:
        found = self._found[key]
        common = {
            "judgement_id": f"A{decision.number:05}",
            "worker_id": ADJUDICATED,
            "assignment_id": ADJUDICATED,
            "hit_id": ADJUDICATED,
            "item_id": found.item_id,
            "item_kind": str(ItemKind.REGULAR),
            "document_id": found.document_id,
            "system_id": key[0],
            "segment_id": key[1],
            "attribute": found.attribute,
            "position": decision.number,
            "submitted_at": decision.decided_at,
            "credited": list(found.credited) or None,
        }
        if not decision.marks:
            return [{**common, "side": "target", "text": self._texts[key]}]
        texts = {"target": self._texts[key], "source": self._sources[key[1]]}
        return [{**common, **recorded_mark(mark), "text": texts[mark.side]} for mark in decision.marks]


def marks_of(campaign: OpenCampaign) -> CampaignMarks:
    """All marks of a campaign so far; NotFound if its protocol has no marks."""
    require_marks(campaign)
    return CampaignMarks(campaign, from_campaign(campaign))


def _collected(source: Source) -> dict[tuple[str, str], _Texts]:
    """By system and segment, what each worker marked."""
    names = ["system_id", "segment_id", "judgement_id", "worker_id", "hit_id", "item_kind", "item_id"]
    about = ["document_id", "attribute", "credited", "seconds", "submitted_at"]
    marked = ["start", "end", "severity", "category", "side", "marked_seconds"]
    text = [
        pl.col(name).cast(pl.String) for name in (*names, "document_id", "attribute", "severity", "category")
    ]
    rows = (
        source.spans.with_columns(text)
        .filter(pl.col("item_kind").is_in(_OWN))
        .join(
            _ratings(source),
            on=["judgement_id", "system_id", "segment_id"],
            how="left",
            maintain_order="left",
        )
        .group_by(names, maintain_order=True)
        .agg(*(pl.col(name).first() for name in about), pl.col("rating").first(), *map(pl.col, marked))
    )
    out = {(each.worker_id, each.hit_id) for each in source.exclusions}
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        found.setdefault((row["system_id"], row["segment_id"]), []).append(row)
    return {key: _texts(own, out) for key, own in found.items()}


def _ratings(source: Source) -> pl.DataFrame:
    keys = ["judgement_id", "system_id", "segment_id"]
    return source.frame.select(*(pl.col(key).cast(pl.String) for key in keys), "rating").unique(
        keys, keep="first"
    )


def _texts(rows: Sequence[Mapping[str, Any]], out: set[tuple[str, str | None]]) -> _Texts:
    workers = []
    for row in rows:
        worker, hit = row["worker_id"], row["hit_id"]
        columns = (row[name] for name in ("start", "end", "severity", "category", "side", "marked_seconds"))
        workers.append(
            MarkedBy(
                worker_id=worker,
                hit_id=hit,
                marks=tuple(ErrorMark(*each) for each in zip(*columns, strict=True) if each[2] is not None),
                rating=row["rating"],
                seconds=row["seconds"],
                submitted_at=row["submitted_at"],
                is_repeat=row["item_kind"] == ItemKind.REPEAT,
                is_excluded=bool(out.intersection({(worker, None), (worker, hit)})),
            )
        )
    # In every translation the same order, so that a reader finds a worker again.
    workers.sort(key=lambda each: (each.worker_id, each.is_repeat))
    first = rows[0]
    return _Texts(
        first["item_id"],
        first["document_id"],
        first["attribute"],
        tuple(first["credited"] or ()),
        tuple(workers),
    )


def marks_record(marks: CampaignMarks, campaign: OpenCampaign, *, most: int | None = None) -> dict[str, Any]:
    """The translations, most disputed first, as plain values; at most so many of them."""
    decided = decisions(campaign)
    shown = marks.translations if most is None else marks.translations[:most]
    rows = [{**asdict(each), "is_decided": (each.system_id, each.segment_id) in decided} for each in shown]
    return {"translations": rows, "n_translations": len(marks.translations), "n_decided": len(decided)}


def text_record(found: MarkedText) -> dict[str, Any]:
    """One translation in full, as plain values."""
    workers = [{**asdict(each), "counts": each.counts} for each in found.workers]
    return {**asdict(found), "workers": workers}


def export_decided(campaign: OpenCampaign, path: Path) -> int:
    """Write what was decided to a spans file under the worker adjudicated; returns how many translations."""
    frame = marks_of(campaign).decided_spans()
    write_judgements(frame, path, name="spans")
    return frame["judgement_id"].n_unique()
