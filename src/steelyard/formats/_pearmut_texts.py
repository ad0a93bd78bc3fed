"""Pearmut's campaign files as texts.

`data` holds tasks with documents (assignment task-based) or documents, these hold items: `src`, `ref`, `tgt`
(model: text), `item_id`. What is shown before the work and at random (`data_welcome`, `data_random`) is left
out, as is every translation that a rule says was spoiled.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.domain.errors import SourceError
from steelyard.domain.text import Segment
from steelyard.domain.wording import counted
from steelyard.domain.work import SUBSTITUTE_KINDS, ItemKind
from steelyard.formats._pearmut_names import ItemNames, base_of_spoiled, names_of_items
from steelyard.formats.text_file import read_text
from steelyard.formats.texts import Texts, in_order_of_segments

_Items = list[dict[str, Any]]
_ASSIGNMENTS = ("task-based", "single-stream", "dynamic")


def is_pearmut_campaign(content: object) -> bool:
    """Whether this is what a campaign file holds."""
    return isinstance(content, dict) and {"info", "data"} <= set(content)


def read_pearmut_texts(path: Path) -> Texts:
    """The texts of a campaign file; SourceError lists every problem with the place of its item."""
    try:
        content = json.loads(read_text(path))
    except ValueError as error:
        raise SourceError(str(path), [f"is not JSON ({error})."]) from None
    if not is_pearmut_campaign(content):
        raise SourceError(str(path), ['is not a campaign of Pearmut: {"info": {...}, "data": [...]}.'])
    problems: list[str] = []
    documents = dict(_documents(content, problems))
    left_out = Counter[str]()
    for place in [place for place, items in documents.items() if all("form" in item for item in items)]:
        left_out["of forms"] += len(documents.pop(place))
    for place, items in documents.items():
        problems += [f"{place}, {problem}" for problem in _item_problems(items)]
    if problems:
        raise SourceError(str(path), problems)
    for key, which in (("data_welcome", "shown before the work"), ("data_random", "shown at random")):
        left_out[which] += sum(len(items) for items in content.get(key) or [] if isinstance(items, list))
    names = names_of_items(documents.values())
    found = _Found(names)
    for place, items in documents.items():
        found.add(place, items, left_out)
    if found.problems:
        raise SourceError(str(path), found.problems)
    said = [f"Left out {counted(n, 'item')} {which}." for which, n in left_out.items() if n]
    if found.n_prefilled:
        said.append(f"Errors marked beforehand in {counted(found.n_prefilled, 'item')} were not read.")
    return Texts(
        segments=tuple(found.segments.values()),
        translations=in_order_of_segments(found.translations, found.segments),
        warnings=(*said, *names.notes),
    )


def _documents(content: Mapping[str, Any], problems: list[str]) -> Iterator[tuple[str, _Items]]:
    """The documents with their places, for people."""
    info, data = content["info"], content["data"]
    assignment = info.get("assignment") if isinstance(info, dict) else None
    if assignment not in _ASSIGNMENTS:
        problems.append(f"info: assignment {assignment!r} is none of {', '.join(_ASSIGNMENTS)}.")
        return
    tasks = data if assignment == "task-based" else [data]
    for number, task in enumerate(tasks if isinstance(tasks, list) else [None], start=1):
        where = f"task {number}, " if assignment == "task-based" else ""
        if not isinstance(task, list):
            problems.append(f"{where}data is not a list of documents.")
            continue
        for position, items in enumerate(task, start=1):
            place = f"{where}document {position}"
            if isinstance(items, list) and items and all(isinstance(item, dict) for item in items):
                yield place, items
            else:
                problems.append(f"{place}: is not a list of items.")


def _item_problems(items: _Items) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        texts = item.get("tgt")
        if not isinstance(texts, dict) or not texts:
            yield f"item {number}: tgt is not an object of models and their texts."
        else:
            wrong = [model for model, text in texts.items() if not isinstance(text, str) or not model]
            yield from (f"item {number}: the text of {model!r} is not a text." for model in wrong)
        shown = [name for name in ("src", "ref") if not isinstance(item.get(name), str | None)]
        yield from (f"item {number}: {name} is not a text." for name in shown)


class _Found:
    """Gathers segments and translations; the same ones may come in many tasks."""

    def __init__(self, names: ItemNames) -> None:
        self.names = names
        self.segments: dict[str, Segment] = {}
        self.translations: dict[str, dict[str, str]] = {}
        self.problems: list[str] = []
        self.n_prefilled = 0

    def add(self, place: str, items: Sequence[Mapping[str, Any]], left_out: Counter[str]) -> None:
        """Take over the texts of one document."""
        for index, item in enumerate(items):
            segment_id, document_id = self.names.segment_and_document(items, index)
            where = f"{place}, item {index + 1}"
            segment = Segment(segment_id, document_id, item.get("src") or "", item.get("ref") or "")
            before = self.segments.setdefault(segment_id, segment)
            if (before.source, before.reference) != (segment.source, segment.reference):
                self.problems.append(f"{where}: another src or ref for {segment_id} than in an item before.")
            spoiled = base_of_spoiled(item)
            marked = item.get("error_spans")
            self.n_prefilled += isinstance(marked, dict) and any(marked.values())
            for model, text in item["tgt"].items():
                systems, kind = self.names.of_translation(item, model, spoiled)
                if kind in SUBSTITUTE_KINDS or kind == ItemKind.CALIBRATION:
                    left_out["made to check attention"] += 1
                    continue
                self._translate(where, systems, segment_id, text)

    def _translate(self, where: str, systems: Sequence[str], segment_id: str, text: str) -> None:
        for system in systems:
            before = self.translations.setdefault(system, {}).setdefault(segment_id, text)
            if before != text:
                self.problems.append(f"{where}: another text of {system} for {segment_id} than before.")
