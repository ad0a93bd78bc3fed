"""Pearmut's log as judgements: ratings, the errors marked, and the texts they were marked in.

The keys that our own campaigns carry (see `pearmut`) lead back to HIT, item, segment, kind and system. In
others the segment is `item_id`, the HIT all that one person did, and a translation is degraded where a rule
of its document says that another must score higher (`score_greaterthan`): it is filed under the system of
that other one, its base.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import Note, counted
from steelyard.domain.work import ItemKind
from steelyard.formats._judgement_columns import shown
from steelyard.formats._judgement_table import JudgementTable
from steelyard.formats._pearmut_lines import (
    LogReading,
    LogRow,
    SubmittedDocument,
    read_lines_of_log,
    rows_of_cells,
    rows_of_records,
)
from steelyard.formats._pearmut_marks import (
    PearmutCampaign,
    campaign_marks,
    origins_of,
    read_pearmut_marks,
)
from steelyard.formats._pearmut_names import ItemNames, base_of_spoiled, names_of_items
from steelyard.formats.text_file import read_text

_JUDGED: dict[str, pl.DataType] = {
    **dict.fromkeys(
        ("worker", "segment", "system", "kind", "hit", "document", "judgement_id", "item_id"), pl.String()
    ),
    "position": pl.Int64(),
    "seconds": pl.Float64(),
    "submitted_at": pl.Float64(),
}
_RATINGS = {
    **_JUDGED,
    "attribute": pl.String(),
    **dict.fromkeys(("rating", "known", "known_sd"), pl.Float64()),
    "row": pl.Int64(),
}
# What all rows of one translation have in common, and what is told of each error.
_MARKED: dict[str, pl.DataType] = {
    **_JUDGED,
    **dict.fromkeys(("n_removed", "injected_start", "injected_end", "row"), pl.Int64()),
    **dict.fromkeys(("credited", "text"), pl.String()),
}
_MARKS: dict[str, pl.DataType] = {
    "number": pl.UInt32(),
    **dict.fromkeys(("start", "end"), pl.Int64()),
    **dict.fromkeys(("severity", "category", "origin"), pl.String()),
    "marked_seconds": pl.Float64(),
}
_Row = tuple[object, ...]
_NEITHER: Sequence[Any] = (None, None)
_OPTIONAL = (
    "attribute",
    "known",
    "known_sd",
    "origin",
    "n_removed",
    "injected_start",
    "injected_end",
    "credited",
)


@dataclass(slots=True)
class _Counts:
    """What was read otherwise than it stands."""

    n_widened: int = 0
    n_bases: int = 0


def from_pearmut_log(table: JudgementTable, path: Path | None) -> JudgementTable:
    """The judgements of a log that was read as a table, under our names."""
    return _judgements(rows_of_cells(table.cells), table.places, path)


def from_pearmut_lines(
    records: Sequence[Mapping[str, Any]], places: Callable[[Sequence[int]], list[str]], path: Path
) -> JudgementTable:
    """The judgements of a log that was read as JSON, under our names."""
    found = _judgements(rows_of_records(records), places, path)
    beside = None if found.beside is None else replace(found.beside, is_named=True)
    return replace(found, beside=beside, is_named=True)


def _judgements(
    rows: Iterable[LogRow], places: Callable[[Sequence[int]], list[str]], path: Path | None
) -> JudgementTable:
    """The judgements of a log; SourceError lists every line that cannot be understood."""
    reading, counts = read_lines_of_log(rows), _Counts()
    names, campaign = names_of_items(document.items for document in reading.documents), _campaign_beside(path)
    ratings: list[dict[str, object]] = []
    marked: list[dict[str, object]] = []
    marks: list[_Row] = []
    for document in reading.documents:
        for judged in _read_document(document, names, reading):
            ratings += _ratings_of(judged, reading)
            rules = _own_marks(judged.item, campaign)
            found, about = _spans_of(judged, rules, reading, counts)
            marks += [(len(marked), *mark) for mark in found]
            marked.append(about)
            counts.n_bases += document.is_random and judged.columns["kind"] == ItemKind.REGULAR
    if reading.problems:
        problems = sorted(reading.problems, key=lambda problem: problem[0])
        where = places([row for row, _ in problems])
        listed = [f"{place}: {text}." for place, (_, text) in zip(where, problems, strict=True)]
        raise SourceError(str(path or "table"), listed)
    each = pl.DataFrame(marked, schema=_MARKED).with_row_index("number")
    errors = pl.DataFrame(marks, schema=_MARKS, orient="row")
    spans = each.join(errors, on="number", how="left", maintain_order="left_right").drop("number")
    notes = (*reading.notes(), *names.notes, *_notes(counts, each))
    if marked and not ratings:
        return replace(_table(spans, places), frame="spans", warnings=notes)
    rated = replace(_table(pl.DataFrame(ratings, schema=_RATINGS), places), warnings=notes)
    # Where scores alone were asked for, no error could be marked.
    return replace(rated, beside=replace(_table(spans, places), frame="spans")) if marks else rated


def _table(cells: pl.DataFrame, places: Callable[[Sequence[int]], list[str]]) -> JudgementTable:
    lines = cells["row"].to_list()
    empty = [name for name in _OPTIONAL if name in cells.columns and not cells[name].count()]
    return JudgementTable(cells.drop("row", *empty), lambda rows: places([lines[row] for row in rows]))


def _campaign_beside(path: Path | None) -> PearmutCampaign:
    """What the campaign file of a log says, NAME.json beside NAME.jsonl, if it is there."""
    if path is None:
        return PearmutCampaign()
    file = path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.jsonl')}.json")
    if file == path or not file.is_file():
        return PearmutCampaign()
    try:
        content = json.loads(read_text(file))
    except ValueError:
        return PearmutCampaign()
    info = content.get("info") if isinstance(content, dict) else None
    return campaign_marks(info) if isinstance(info, dict) else PearmutCampaign()


class _Judged(NamedTuple):
    """One translation and the answer to it; `columns` are those that ratings and spans share."""

    document: SubmittedDocument
    number: int
    model: str
    item: Mapping[str, Any]
    text: str
    answer: Mapping[str, Any]
    systems: tuple[str, ...]
    columns: Mapping[str, object]
    times_of_marks: Mapping[tuple[Any, Any], float]

    def problem(self, said: str) -> tuple[int, str]:
        return self.document.row, f"item {self.number}, {shown(self.model)}: {said}"


def _read_document(document: SubmittedDocument, names: ItemNames, reading: LogReading) -> list[_Judged]:
    """The translations of a document that count."""
    spoiled = [base_of_spoiled(item) for item in document.items]
    if document.is_random and not any(spoiled):
        reading.left_out["random"] += 1
        return []
    loaded, sent = document.time_of("load"), document.time_of("submit", "submit_skip", last=True)
    elapsed = None if loaded is None or sent is None or sent < loaded else sent - loaded
    found, marked = [], document.times_of_marks()
    for index, (item, answers) in enumerate(zip(document.items, document.answers, strict=True)):
        of_item = names.of_item(document, index) if answers else {}
        for place, model in enumerate(item["tgt"], start=1):
            if model not in answers:
                continue
            systems, kind = names.of_translation(item, model, spoiled[index])
            several = f"/{place}" if len(item["tgt"]) > 1 else ""
            columns = {
                "row": document.row,
                "worker": document.worker,
                "system": systems[0],
                "kind": kind,
                "seconds": None if elapsed is None else elapsed / len(document.items),
                "submitted_at": sent,
                "judgement_id": f"{document.worker}:{document.row + 1}.{index + 1}{several}",
                **of_item,
            }
            times = marked.get((index, model), {})
            said = (item, item["tgt"][model], answers[model])
            found.append(_Judged(document, index + 1, model, *said, systems, columns, times))
    return found


def _ratings_of(judged: _Judged, reading: LogReading) -> Iterator[dict[str, object]]:
    """A row for each score and each system that it counts for."""
    sliders = judged.answer.get("sliders")
    scores = {None: judged.answer.get("score"), **(sliders if isinstance(sliders, dict) else {})}
    known = _by_model(judged, "_known") if "_known" in judged.item else _NEITHER
    for attribute, score in scores.items():
        if score is None:
            continue
        if type(score) not in (int, float):
            said = f"{shown(attribute or 'score')} is {shown(json.dumps(score))}, not a number"
            reading.problems.append(judged.problem(said))
            continue
        rated = {"attribute": attribute, "rating": float(score), "known": known[0], "known_sd": known[1]}
        for system in judged.systems:
            yield {**judged.columns, **rated, "system": system}


def _spans_of(
    judged: _Judged, campaign: PearmutCampaign, reading: LogReading, counts: _Counts
) -> tuple[list[_Row], dict[str, object]]:
    """A row for each error marked in a translation, and what they have in common."""
    given = judged.item.get("error_spans")
    before = given.get(judged.model) if isinstance(given, dict) else None
    marks = read_pearmut_marks(judged.answer.get("error_spans"), judged.text, campaign)
    prefilled = read_pearmut_marks(before, judged.text, campaign)
    reading.problems += map(judged.problem, marks.problems)
    reading.problems += [judged.problem(f"marked beforehand: {said}") for said in prefilled.problems]
    origin, n_removed = origins_of(marks.found, prefilled.found)
    counts.n_widened += sum(mark.is_widened for mark in marks.found)
    injected = _by_model(judged, "_injected") if "_injected" in judged.item else _NEITHER
    common = {
        **judged.columns,
        "credited": json.dumps(list(judged.systems[1:])) if judged.systems[1:] else None,
        "n_removed": n_removed if before else None,
        "injected_start": injected[0],
        "injected_end": injected[1],
        "text": judged.text,
    }
    rows: list[_Row] = [
        (*mark[:4], came, judged.times_of_marks.get(mark.key))
        for mark, came in zip(marks.found, origin, strict=True)
    ]
    return rows, common


def _by_model(judged: _Judged, key: str) -> Sequence[Any]:
    """The two numbers that an item of ours has for a translation; nothing twice where it has none."""
    found = judged.item.get(key)
    pair = found.get(judged.model) if isinstance(found, dict) else None
    return pair if isinstance(pair, list) and len(pair) == 2 else _NEITHER


def _own_marks(item: Mapping[str, Any], campaign: PearmutCampaign) -> PearmutCampaign:
    """What an item of ours says of its campaign's marks; else what is known of them anyway."""
    own = item.get("_spans")
    return campaign_marks(own) if isinstance(own, dict) else campaign


def _notes(counts: _Counts, spans: pl.DataFrame) -> Iterator[str]:
    if counts.n_widened:
        yield Note(
            f"{counted(counts.n_widened, 'marked error')} began or ended within a character that the page "
            "shows in two halves: the whole character was taken."
        )
    if counts.n_bases:
        yield (
            f"{counted(counts.n_bases, 'answer')} to translations beside a spoiled one, in documents that "
            "check attention (random_N), count for their systems like any others."
        )
    differing = (
        spans.group_by("system", "segment", "kind").agg(n=pl.col("text").n_unique()).filter(pl.col("n") > 1)
    )
    if len(differing):
        yield (
            f"Of {counted(len(differing), 'translation')} people saw different texts, so what they marked "
            "there cannot be compared."
        )
