"""Marked errors as files have them, lists of JSON objects, and what they are as rows of spans.

Two ways of counting are in use. Appraise, Pearmut and WMT give the first and the last marked character
(start_i, end_i), mt-metrics-eval the first and the one after the last (start, end), as we do. A file has one
of them; nothing but the names of the keys tells which.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.span_weights import SEVERITIES
from steelyard.domain.wording import Note, counted
from steelyard.formats._judgement_columns import shown

# Where rows are, for people.
Places = Callable[[Sequence[int]], list[str]]
# Stands for both ends of something that the translation lacks.
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Counting:
    """The keys of a mark, and what its end is: the last marked character, or the one after."""

    start: str
    end: str
    category: str
    end_is_marked: bool


LAST_MARKED = Counting("start_i", "end_i", "error_type", end_is_marked=True)
ONE_AFTER = Counting("start", "end", "category", end_is_marked=False)
_OTHER = {LAST_MARKED: ONE_AFTER, ONE_AFTER: LAST_MARKED}
_SOURCE = "is_source_error"
# More characters than any text has, and few enough to be counted.
_MOST_PLACES = 2**40
_MARKS_SCHEMA = {
    "number": pl.UInt32(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "severity": pl.String(),
    "category": pl.String(),
    "side": pl.String(),
}


class MarksError(Exception):
    """Some lists of marks cannot be read: by the number of the list, why."""

    def __init__(self, reasons: dict[int, str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


class MarkRows(NamedTuple):
    """A row for each mark, half open, `number` being that of its list; and what was read otherwise."""

    rows: pl.DataFrame
    notes: tuple[str, ...] = ()

    def of_judgements(self, judged: pl.DataFrame) -> pl.DataFrame:
        """The marks of judgements, `number` being their place in the frame: the column `row` of the result.

        A judgement without marks has one row, of the target and without severity.
        """
        rows = judged.with_row_index("row").join(
            self.rows, left_on="row", right_on="number", how="left", maintain_order="left_right"
        )
        return rows.with_columns(pl.col("side").fill_null("target"))


def unreadable(where: str, places: Places, reasons: dict[int, str]) -> SourceError:
    """The error that tells of every judgement whose marks cannot be read, in their order."""
    rows = sorted(reasons)
    return SourceError(where, [f"{at}: {reasons[row]}." for at, row in zip(places(rows), rows, strict=True)])


class _Mark(NamedTuple):
    """A marked error, half open; without start and end something is missing."""

    start: int | None
    end: int | None
    severity: str
    category: str | None
    side: str


def read_marks_lists(lists: Sequence[object], counting: Counting) -> MarkRows:
    """The marks in all lists. Raises MarksError with every list that cannot be read."""
    rows = _regular(lists, counting)
    if rows is None:
        rows = _one_by_one(lists, counting)
    notes: list[str] = []
    empty = rows.select((pl.col("start") == pl.col("end")).fill_null(False)).to_series()
    if n_empty := int(empty.sum()):
        place = pl.when(~empty).then(pl.col("start", "end"))
        rows = rows.with_columns(place)
        notes.append(
            Note(f"Marked around nothing, so read as something missing: {counted(n_empty, 'mark')}.")
        )
    return MarkRows(rows, tuple(notes))


def _regular(lists: Sequence[object], counting: Counting) -> pl.DataFrame | None:
    """All marks, read at once; None if something about any of them needs a closer look."""
    try:
        number = np.repeat(np.arange(len(lists)), [len(marks) for marks in lists])  # type: ignore[arg-type]
        flat: list[dict[str, Any]] = [mark for marks in lists for mark in marks]  # type: ignore[attr-defined]
        start = [mark[counting.start] for mark in flat]
        end = [mark[counting.end] for mark in flat]
        severity = [mark["severity"] for mark in flat]
        category = [_category(mark.get(counting.category)) for mark in flat]
        on_source = [mark.get(_SOURCE, False) for mark in flat]
        other = _OTHER[counting]
        is_mixed = any(other.start in mark or other.end in mark for mark in flat)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    kinds = {type(value) for value in (*start, *end)} <= ({int, str} if counting.end_is_marked else {int})
    are_plain = kinds and set(map(type, severity)) <= {str} and set(map(type, on_source)) <= {bool}
    named = {value for value in (*start, *end) if type(value) is str}
    if is_mixed or not are_plain or named - {MISSING}:
        return None
    try:
        places = [
            pl.Series([at if type(at) is int else None for at in each], dtype=pl.Int64)
            for each in (start, end)
        ]
    except (TypeError, OverflowError):  # A number too large for the type.
        return None
    rows = pl.DataFrame(
        {
            "number": number,
            "start": places[0],
            "end": places[1] + counting.end_is_marked,
            "severity": pl.Series(severity, dtype=pl.String).str.strip_chars().str.to_lowercase(),
            "category": pl.Series(category, dtype=pl.String),
            "side": pl.Series(on_source, dtype=pl.Boolean),
        }
    ).with_columns(pl.when("side").then(pl.lit("source")).otherwise(pl.lit("target")).alias("side"))
    halves = pl.col("start").is_null() != pl.col("end").is_null()
    backwards = (pl.col("start") < 0) | (pl.col("end") - counting.end_is_marked < pl.col("start"))
    odd = halves | backwards.fill_null(False) | ~pl.col("severity").is_in(SEVERITIES)
    return None if rows.select(odd.any()).item() else rows.cast(pl.Schema(_MARKS_SCHEMA))


def _one_by_one(lists: Sequence[object], counting: Counting) -> pl.DataFrame:
    flat: list[tuple[Any, ...]] = []
    reasons: dict[int, str] = {}
    for number, marks in enumerate(lists):
        try:
            flat += [(number, *_mark(mark, counting)) for mark in _objects(marks)]
        except ValueError as error:
            reasons[number] = str(error)
    if reasons:
        raise MarksError(reasons)
    return pl.DataFrame(flat, schema=_MARKS_SCHEMA, orient="row")


def _objects(marks: object) -> list[dict[str, Any]]:
    if marks is None:
        return []
    if not isinstance(marks, list) or not all(isinstance(mark, dict) for mark in marks):
        raise ValueError(f"the marked errors {shown(json.dumps(marks))} are not a list of objects")
    return marks


def _mark(mark: dict[str, Any], counting: Counting) -> _Mark:
    start, end, severity = mark.get(counting.start), mark.get(counting.end), mark.get("severity")
    other = _OTHER[counting]
    if other.start in mark or other.end in mark:
        raise ValueError(
            f"a marked error has {other.start} and {other.end}, though this kind of file has "
            f"{counting.start} and {counting.end}; they count characters in two ways"
        )
    word = severity.strip().lower() if isinstance(severity, str) else None
    if word not in SEVERITIES:
        known = ", ".join(SEVERITIES)
        raise ValueError(f"severity {shown(json.dumps(severity))} is unknown; use one of {known}")
    category = _category(mark.get(counting.category))
    on_source = mark.get(_SOURCE, False)
    if not isinstance(on_source, bool):
        raise ValueError(f"{_SOURCE} {shown(json.dumps(on_source))} is neither true nor false")
    side = "source" if on_source else "target"
    if counting.end_is_marked and start == end == MISSING:
        return _Mark(None, None, word, category, side)
    if not (_is_index(start) and _is_index(end)):
        raise ValueError(_no_numbers(start, end, counting))
    if end < start:
        ends = f"{counting.start} {start}, {counting.end} {end}"
        raise ValueError(f"a marked error ends before it starts ({ends})")
    return _Mark(start, end + counting.end_is_marked, word, category, side)


def _no_numbers(start: object, end: object, counting: Counting) -> str:
    given = f"{counting.start} {shown(json.dumps(start))} and {counting.end} {shown(json.dumps(end))}"
    numbers = f"{given} must be two whole numbers from 0 on"
    return f'{numbers}, or both "{MISSING}"' if counting.end_is_marked else numbers


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_PLACES


def _category(given: object) -> str | None:
    """Main and subordinate category with a stroke between them."""
    if given is None or given == "" or given == []:
        return None
    if isinstance(given, str):
        return given
    parts: list[object] = given if isinstance(given, list) else [given]
    names = [part for part in parts if isinstance(part, str)]
    if len(names) < len(parts):
        raise ValueError(f"error_type {shown(json.dumps(given))} is not a list of names")
    return "/".join(names)


def with_prefilled(marks: MarkRows, lists: Sequence[object]) -> MarkRows:
    """Marks of Appraise, with those that were there before the worker came read as the batch counted them.

    Appraise gives every mark that a worker makes an error_type, if an empty one; marks that came with the
    batch have none. In the published campaigns these end one after their last character, unlike workers'
    marks: in the ESA-AI campaigns for WMT23 none of 3,963 such marks has start_i = end_i, but 662 of 3,098
    workers' marks, and read so both give whole words (tests/formats/test_esa.py). A file in which some such
    mark has equal ends counts them as it counts the others, and so does one without any error_type.
    """
    typed = pl.Series(
        [LAST_MARKED.category in mark for marks in lists if marks for mark in marks],  # type: ignore[attr-defined]
        dtype=pl.Boolean,
    )
    rows = marks.rows
    if typed.all() or not typed.any():
        return marks
    came = ~typed & rows["start"].is_not_null()
    if rows.filter(came).select((pl.col("end") - pl.col("start") == 1).any()).item():
        return marks
    n = int(came.sum())
    note = Note(
        f"{counted(n, 'mark')} without error_type came with the batch: taken to end one after the last "
        "character, unlike those of workers."
    )
    return MarkRows(
        rows.with_columns(pl.col("end") - came.cast(pl.Int64)), (*marks.notes, *([note] if n else []))
    )
