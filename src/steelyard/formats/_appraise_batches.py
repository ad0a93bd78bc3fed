"""Appraise's batches as texts and HITs: task types Direct and Document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.domain.campaign import GivenItem
from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.domain.wording import counted
from steelyard.domain.work import ItemKind
from steelyard.formats._appraise_names import (
    KINDS_BY_TYPE,
    document_name,
    is_tutorial,
    numbers_run_through,
)
from steelyard.formats.text_file import read_text
from steelyard.formats.texts import Texts

_STRINGS = ("sourceText", "targetID", "targetText")
# Appraise's own batches put a control half a HIT of 100 from its base.
_USUAL_DISTANCE = 50


@dataclass(frozen=True, slots=True)
class _Loaded:
    """One item of a batch."""

    place: str
    kind: ItemKind
    systems: tuple[str, ...]
    number: str
    shown: str
    text: str
    document: str | None
    """With the marks of its copy; None in a task of segments."""
    notes: Mapping[str, Any]
    """Our own, where we wrote the batches."""


@dataclass(slots=True)
class _Counts:
    """What was left out, and what could not be read."""

    problems: list[str] = field(default_factory=list)
    n_documents: int = 0
    n_tutorial: int = 0
    n_calibration: int = 0
    n_without_base: int = 0
    n_prefilled: int = 0


def read_batches(path: Path) -> Texts:
    """The texts and HITs of a file of batches; SourceError lists every problem with batch and item.

    The text shown as source is taken as the reference where items of type REF repeat it, else as
    the source. Without our notes, a batch does not hold the other.
    """
    counts = _Counts()
    batches = _batches(path)
    hits = [list(_load(batch, number, counts)) for number, batch in enumerate(batches, start=1)]
    if counts.problems:
        raise SourceError(str(path), counts.problems)
    texts = _Collected(numbers_run_through(map(_names, batches)))
    for hit in hits:
        texts.add(hit, counts)
    given = tuple(tuple(texts.given(hit, counts)) for hit in hits)
    if counts.problems:
        raise SourceError(str(path), counts.problems)
    references_shown = _shows_references(hits)
    return Texts(
        segments=tuple(texts.segments(references_shown)),
        translations=texts.by_system(),
        given=given,
        warnings=tuple(_warnings(counts, texts, references_shown)),
    )


def _batches(path: Path) -> list[Any]:
    try:
        content = json.loads(read_text(path))
    except ValueError as error:
        raise SourceError(str(path), [f"is not JSON ({error})."]) from None
    if not isinstance(content, list) or not content:
        raise SourceError(str(path), ['is not a list of batches: [{"task": {...}, "items": [...]}, ...].'])
    return content


def _load(batch: Any, number: int, counts: _Counts) -> Iterator[_Loaded]:
    """The items of one batch that show a segment; problems and what is left out go to `counts`."""
    items = batch.get("items") if isinstance(batch, dict) else None
    if not isinstance(items, list) or not items:
        counts.problems.append(f'batch {number}: has no list "items" with items in it.')
        return
    for position, item in enumerate(items, start=1):
        place = f"batch {number}, item {position}"
        problems = _item_problems(item)
        counts.problems += [f"{place}: {problem}" for problem in problems]
        if problems:
            continue
        document = item.get("documentID")
        if item.get("isCompleteDocument") is True:
            counts.n_documents += 1
        elif (document and is_tutorial(document)) or _teaches(item):
            counts.n_tutorial += 1
        elif item.get("_kind") == ItemKind.CALIBRATION:
            counts.n_calibration += 1
        else:
            counts.n_prefilled += bool(_marked_beforehand(item))
            yield _Loaded(
                place=place,
                kind=ItemKind(item.get("_kind") or KINDS_BY_TYPE[item["itemType"]]),
                systems=tuple(item["targetID"].split("+")),
                number=str(item["itemID"]),
                shown=item["sourceText"],
                text=item["targetText"],
                document=document,
                notes={name: value for name, value in item.items() if name.startswith("_")},
            )


def _teaches(item: Mapping[str, Any]) -> bool:
    """Whether an item tells the worker what to mark."""
    return isinstance(item.get("mqm"), dict) and bool(item["mqm"].get("tutorial"))


def _marked_beforehand(item: Mapping[str, Any]) -> Any:
    """The errors that are marked when the item is shown: mqm itself, or its payload."""
    marks = item.get("mqm")
    return marks.get("payload") if isinstance(marks, dict) else marks


def _item_problems(item: Any) -> list[str]:
    if not isinstance(item, dict):
        return ["is not a JSON object."]
    problems = [
        f"{name} is missing or not a text." for name in _STRINGS if not isinstance(item.get(name), str)
    ]
    if item.get("targetID") == "":
        problems.append("targetID is empty.")
    number = item.get("itemID")
    if isinstance(number, bool) or not (isinstance(number, int) or str(number).isdecimal()):
        problems.append("itemID is missing or not a whole number.")
    if item.get("itemType") not in KINDS_BY_TYPE:
        problems.append(f"itemType {item.get('itemType')!r} is none of {', '.join(KINDS_BY_TYPE)}.")
    if not isinstance(item.get("documentID", ""), str | None):
        problems.append("documentID is not a text.")
    if item.get("_kind") not in (None, *ItemKind):
        problems.append(f"_kind {item['_kind']!r} is none of {', '.join(ItemKind)}.")
    return problems


def _names(batch: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Document and number of every item, also of those that are left out."""
    return [(item.get("documentID") or "", str(item["itemID"])) for item in batch["items"]]


@dataclass(slots=True)
class _SegmentTexts:
    """What the batches say about one segment."""

    document: str
    number: int
    shown: str
    source: str | None = None
    reference: str | None = None


class _Collected:
    """Gathers segments and translations from the items of all batches."""

    def __init__(self, numbers_run_through: bool) -> None:
        self.numbers_run_through = numbers_run_through
        self.found: dict[str, _SegmentTexts] = {}
        self.translations: dict[str, dict[str, str]] = {}
        self.ids: dict[str, str] = {}
        """The segment of each item, by the item's place."""

    def add(self, hit: Sequence[_Loaded], counts: _Counts) -> None:
        """Take over the texts of one HIT; contradictions go to `counts`."""
        firsts: dict[str, int] = {}
        for item in hit:
            copy = item.document or ""
            firsts[copy] = min(int(item.number), firsts.get(copy, int(item.number)))
        for item in hit:
            number = int(item.number)
            if self.numbers_run_through:
                number += 1 - firsts[item.document or ""]
            segment_id, texts = self._segment(item, number)
            self.ids[item.place] = segment_id
            if texts.shown != item.shown:
                counts.problems.append(
                    f"{item.place}: another sourceText for segment {segment_id} than in an item before."
                )
            if item.kind == ItemKind.REFERENCE and texts.reference is None:
                texts.reference = item.text
            elif item.kind in (ItemKind.REGULAR, ItemKind.REPEAT, ItemKind.GOLD):
                self._translate(item, segment_id, counts)

    def _segment(self, item: _Loaded, number: int) -> tuple[str, _SegmentTexts]:
        document = document_name(item.document, item.systems[0]).document if item.document else None
        segment_id = str(item.notes.get("_segment") or (f"{document}:{number}" if document else number))
        texts = self.found.setdefault(
            segment_id,
            _SegmentTexts(
                document=str(item.notes.get("_document") or document or segment_id),
                number=number,
                shown=item.shown,
                source=item.notes.get("_source"),
                reference=item.notes.get("_reference"),
            ),
        )
        return segment_id, texts

    def _translate(self, item: _Loaded, segment_id: str, counts: _Counts) -> None:
        for system in item.systems:
            text = self.translations.setdefault(system, {}).setdefault(segment_id, item.text)
            if text != item.text:
                counts.problems.append(
                    f"{item.place}: another targetText of {system} for segment {segment_id} than before."
                )

    def ordered(self) -> list[str]:
        """The segments, document by document as they first appear, in the order of their numbers."""
        documents = {texts.document: None for texts in self.found.values()}
        rank = {document: place for place, document in enumerate(documents)}
        alone = len(rank) == len(self.found)
        return sorted(
            self.found,
            key=lambda name: (0 if alone else rank[self.found[name].document], self.found[name].number),
        )

    def segments(self, references_shown: bool) -> Iterator[Segment]:
        """The segments in order. What the batches lack is empty."""
        for segment_id in self.ordered():
            texts = self.found[segment_id]
            source, reference = texts.source, texts.reference
            if references_shown:
                reference = texts.shown
            elif source is None:
                source = texts.shown
            yield Segment(segment_id, texts.document, source or "", reference or "")

    def by_system(self) -> dict[str, list[str | None]]:
        """By system its text of each segment, in their order."""
        order = self.ordered()
        return {
            system: [texts.get(segment_id) for segment_id in order]
            for system, texts in sorted(self.translations.items())
        }

    def given(self, hit: Sequence[_Loaded], counts: _Counts) -> Iterator[GivenItem]:
        """The items of one HIT as they were laid out."""
        for position, item in enumerate(hit):
            system = item.systems[0]
            if item.kind == ItemKind.REFERENCE and system not in self.translations:
                # Appraise's own batches name the reference here, not whose place it takes.
                base = self._base(hit, position)
                if base is None:
                    counts.n_without_base += 1
                    continue
                system = base.systems[0]
            yield GivenItem(item.kind, system, self.ids[item.place], item.text)

    def _base(self, hit: Sequence[_Loaded], position: int) -> _Loaded | None:
        """The regular item of the same segment at the usual distance, or the first there is."""
        segment_id = self.ids[hit[position].place]
        bases = [
            (abs(abs(other - position) - _USUAL_DISTANCE), other)
            for other, item in enumerate(hit)
            if item.kind == ItemKind.REGULAR and self.ids[item.place] == segment_id
        ]
        return hit[min(bases)[1]] if bases else None


def _shows_references(hits: Sequence[Sequence[_Loaded]]) -> bool:
    """Whether the text shown as source is the reference."""
    items = [item for hit in hits for item in hit]
    noted = [item for item in items if item.notes.get("_reference")]
    if noted:
        return all(item.shown == item.notes["_reference"] for item in noted)
    references = [item for item in items if item.kind == ItemKind.REFERENCE]
    return bool(references) and all(item.shown == item.text for item in references)


def _warnings(counts: _Counts, texts: _Collected, references_shown: bool) -> Iterator[str]:
    left_out = {
        "that show whole documents": counts.n_documents,
        "of tutorials": counts.n_tutorial,
        "of an earlier campaign (calibration); name their file in the campaign file": counts.n_calibration,
        "of type REF without a regular item of their segment": counts.n_without_base,
    }
    for which, n in left_out.items():
        if n:
            yield f"Left out {counted(n, 'item')} {which}."
    if counts.n_prefilled:
        yield f"Errors marked beforehand in {counted(counts.n_prefilled, 'item')} were not read."
    segments = list(texts.segments(references_shown))
    for what, there in (
        ("source", [s.source for s in segments]),
        ("reference", [s.reference for s in segments]),
    ):
        missing = there.count("")
        if missing:
            yield f"The batches lack the {what} of {missing} of {len(segments)} segments."
