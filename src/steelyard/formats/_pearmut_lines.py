"""The lines of a Pearmut log, and which of them count.

A line holds what somebody submitted for one document: `annotation` (for each item an object: model, answer),
`item` (the items as they were shown), `actions` (what was done, and when), `user_id` and `item_i` (the number
of the document, or `welcome_N`, `random_N`). A line whose `annotation` is "__RESET__" takes back what the
same person submitted for the same document before; of several submissions the last counts, model by model,
since a document may come back with other models.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from steelyard.domain.wording import Note, counted
from steelyard.formats._judgement_columns import shown
from steelyard.formats.table_file import cell_of_json

# What was said, the number of the document, the worker, the items, and what was done.
LogRow = tuple[Any, str | None, str | None, Any, Any]
NEEDED = ("annotation", "item_i", "user_id")
_COLUMNS = (*NEEDED, "item", "actions")
_RESET = "__RESET__"
_SKIP = "submit_skip"
_WELCOME, _RANDOM = "welcome_", "random_"
# Why documents or answers are left out, in the order told.
_LEFT_OUT = {
    "welcome": ("document", "shown to everybody before the work (welcome_N)"),
    "form": ("document", "a form, not translations"),
    "reset": ("submission", "taken back later (__RESET__)"),
    "superseded": ("answer", "the translation was submitted again later, which counts"),
    "random": ("document", "shown at random to check attention (random_N), without a rule that says which "
    "translation was spoiled"),
    "skipped": ("answer", "skipped, so there is neither a score nor a marked error"),
}  # fmt: skip


@dataclass(slots=True, eq=False)
class SubmittedDocument:
    """One line that counts: items with their answers, by model; and when what was done."""

    row: int
    worker: str
    number: str
    items: list[dict[str, Any]]
    answers: list[dict[str, Any]]
    actions: list[dict[str, Any]]

    @property
    def is_random(self) -> bool:
        return self.number.startswith(_RANDOM)

    def time_of(self, *names: str, last: bool = False) -> float | None:
        """When the first action of some name was done, or the last; in Unix seconds."""
        times = [action["time"] for action in self.actions if action.get("action") in names]
        return (times[-1] if last else times[0]) if times else None

    def times_of_marks(self) -> Mapping[tuple[Any, Any], Mapping[tuple[Any, Any], float]]:
        """By item and model, by the place of a mark: how long the document had been shown, at last."""
        loaded = self.time_of("load")
        found: dict[tuple[Any, Any], dict[tuple[Any, Any], float]] = {}
        for action in self.actions if loaded is not None else ():
            if action.get("action") != "create_span":
                continue
            of_text, place = (
                (action.get("index"), action.get("model")),
                (action.get("start_i"), action.get("end_i")),
            )
            try:
                found.setdefault(of_text, {})[place] = max(action["time"] - loaded, 0.0)
            except TypeError:  # A list or an object in place of a number: no mark has that place.
                continue
        return found


@dataclass(slots=True)
class LogReading:
    """What was read, left out and refused. Problems have the row they are in."""

    documents: list[SubmittedDocument] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def notes(self) -> list[str]:
        """What was left out, counted."""
        return [
            Note(f"Left out {counted(self.left_out[name], noun)}: {why}.")
            for name, (noun, why) in _LEFT_OUT.items()
            if self.left_out[name]
        ]


def is_pearmut_log(columns: Sequence[str]) -> bool:
    """Whether these are the keys of a log's lines."""
    return set(NEEDED) <= set(columns)


def lines_of_download(content: object) -> tuple[list[Mapping[str, Any]], list[str]] | None:
    """The lines of what Pearmut gives to download, and what to call them; None if it is no such.

    It holds campaigns, each with its lines.
    """
    if not isinstance(content, dict) or not content:
        return None
    lines = [(name, line) for name, found in content.items() if isinstance(found, list) for line in found]
    if not lines or not all(isinstance(line, dict) and set(NEEDED) <= set(line) for _, line in lines):
        return None
    numbers: Counter[str] = Counter()
    places = []
    for name, _ in lines:
        numbers[name] += 1
        places.append(f"{name}, submission {numbers[name]}")
    return [line for _, line in lines], places


def rows_of_cells(cells: pl.DataFrame) -> Iterator[LogRow]:
    """The lines of a log that was read as a table, whose cells are texts."""
    columns = [cells[name] if name in cells.columns else [None] * len(cells) for name in _COLUMNS]
    for said, number, worker, items, actions in zip(*columns, strict=True):
        yield _parsed(said), number, worker, _parsed(items), _parsed(actions)


def rows_of_records(records: Iterable[Mapping[str, Any]]) -> Iterator[LogRow]:
    """The lines of a log that was read as JSON."""
    for record in records:
        said, number, worker, items, actions = map(record.get, _COLUMNS)
        yield said, cell_of_json(number), cell_of_json(worker), items, actions


def read_lines_of_log(rows: Iterable[LogRow]) -> LogReading:
    """The documents whose answers count, in the order of the log."""
    reading = LogReading()
    current: dict[tuple[str, str], dict[str, SubmittedDocument]] = {}
    for row, (said, number, worker, items, actions) in enumerate(rows):
        if not worker or not number:
            reading.problems.append((row, f"{'user_id' if not worker else 'item_i'} is empty"))
            continue
        before = current.setdefault((worker, number), {})
        if said == _RESET:
            reading.left_out["reset"] += len({id(each) for each in before.values()})
            before.clear()
            continue
        document = _document(row, worker, number, (said, items, actions), reading)
        if document is not None:
            reading.left_out["superseded"] += sum(
                len(document.items) for name in _models(document) if name in before
            )
            before.update(dict.fromkeys(_models(document), document))
    kept = {id(document): document for found in current.values() for document in found.values()}
    for document in sorted(kept.values(), key=lambda each: each.row):
        own = current[document.worker, document.number]
        document.answers = [
            {model: answer for model, answer in answers.items() if own.get(model) is document}
            for answers in document.answers
        ]
        reading.documents.append(document)
    return reading


def _models(document: SubmittedDocument) -> list[str]:
    return list(dict.fromkeys(model for answers in document.answers for model in answers))


def _document(
    row: int, worker: str, number: str, said: tuple[Any, Any, Any], reading: LogReading
) -> SubmittedDocument | None:
    """The document of a line; None if it is no judgement of translations, or cannot be read."""
    if number.startswith(_WELCOME):
        reading.left_out["welcome"] += 1
        return None
    answers, items, actions = said
    if isinstance(items, list) and items and all(isinstance(item, dict) and "form" in item for item in items):
        reading.left_out["form"] += 1
        return None
    problems = list(_line_problems(answers, items))
    if problems:
        reading.problems += [(row, problem) for problem in problems]
        return None
    timed = list(_timed(actions))
    is_skipped = any(action.get("action") == _SKIP for action in timed)
    own = [
        {model: answer for model, answer in (each or {}).items() if _says_anything(answer, is_skipped)}
        for each in answers
    ]
    reading.left_out["skipped"] += sum(map(_n_models, items)) - sum(map(len, own))
    return SubmittedDocument(row, worker, number, items, own, timed)


def _n_models(item: Mapping[str, Any]) -> int:
    return len(item["tgt"])


def _says_anything(answer: Mapping[str, Any] | None, is_skipped: bool) -> bool:
    """Whether an answer has content; without scores and errors it may, unless the document was skipped."""
    if not answer or not is_skipped:
        return bool(answer)
    scores = [answer.get("score"), *(answer.get("sliders") or {}).values()]
    return bool(answer.get("error_spans")) or any(score is not None for score in scores)


def _parsed(cell: str | None) -> Any:
    """What a cell says in JSON; None if it is empty or says nothing."""
    try:
        return json.loads(cell) if cell else None
    except ValueError:
        return cell


def _timed(actions: object) -> Iterator[dict[str, Any]]:
    for action in actions if isinstance(actions, list) else []:
        if isinstance(action, dict) and type(action.get("time")) in (int, float):
            yield action


def _line_problems(answers: object, items: object) -> Iterator[str]:
    if not isinstance(answers, list) or not all(isinstance(each, dict | None) for each in answers):
        yield "annotation is not a list with an object of models for each item"
        return
    if not isinstance(items, list):
        yield "there is no list item with the texts that were shown, in which the marks have their places"
        return
    if len(items) != len(answers):
        yield f"there are {counted(len(items), 'item')}, but answers to {len(answers)}"
        return
    for number, (item, each) in enumerate(zip(items, answers, strict=True), start=1):
        texts = item.get("tgt") if isinstance(item, dict) else None
        if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
            yield f"item {number}: tgt is not an object of models and their texts"
            continue
        for model, answer in (each or {}).items():
            if model not in texts:
                yield f"item {number}: there is an answer to {shown(model)!r}, but no text of it"
            elif not isinstance(answer, Mapping | None):
                yield f"item {number}: the answer to {shown(model)!r} is not an object"
