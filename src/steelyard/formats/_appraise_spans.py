"""Errors that were marked in Appraise, as rows of spans.

Each answer has a JSON list: start_i and end_i, the first and the last marked character, or both "missing" for
something that the translation lacks; severity; in MQM error_type, a list such as ["Accuracy", "Omission"].
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats._judgement_columns import shown

# "undecided" is what Appraise stores of a mark whose severity was never chosen.
SEVERITIES = ("neutral", "trivial", "minor", "major", "critical", "undecided")
_MISSING = "missing"
_MARKS_SCHEMA = {
    "errors": pl.String(),
    "start": pl.Int64(),
    "end": pl.Int64(),
    "severity": pl.String(),
    "category": pl.String(),
}
# Where rows are, for people.
_Places = Callable[[Sequence[int]], list[str]]
_NOTHING = ("", "[]", "null")
_OF_RATINGS = ("rating", "known", "known_sd")


class _Mark(NamedTuple):
    """A marked error, half open; without start and end something is missing."""

    start: int | None
    end: int | None
    severity: str
    category: str | None


def spans_table(cells: pl.DataFrame, errors: pl.Series, where: str, places: _Places) -> pl.DataFrame:
    """The cells of a spans file: a row for each error marked, one without severity where there is none.

    `cells` are judgements under our names, `errors` what was marked in each; the column `row` says which of
    them a row is of. SourceError lists every answer that cannot be read.
    """
    texts = errors.drop_nulls().unique().to_list()
    marks = _regular_marks(texts)
    if marks is None:
        marks = _any_marks(texts, errors, where, places)
    judged = cells.drop(*_OF_RATINGS, strict=False).with_row_index("row").with_columns(errors.alias("errors"))
    return judged.join(marks, on="errors", how="left", maintain_order="left_right").drop("errors")


def _regular_marks(texts: list[str]) -> pl.DataFrame | None:
    """The errors in all cells, read at once; None if something about any of them needs a closer look."""
    try:
        found = json.loads(f"[{','.join(texts)}]")
        flat = [mark for marks in found for mark in marks]
        columns = [[mark[name] for mark in flat] for name in ("start_i", "end_i", "severity")]
        kinds = [mark.get("error_type") for mark in flat]
        number = np.repeat(np.arange(len(found)), [len(marks) for marks in found])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    start, end, severity = columns
    are_plain = {type(value) for value in (*start, *end)} <= {int, str} and set(map(type, severity)) <= {str}
    if len(found) != len(texts) or not are_plain or any(kind is not None for kind in kinds):
        return None
    marks = pl.DataFrame(
        {
            "errors": pl.Series(texts, dtype=pl.String).gather(number),
            "start": pl.Series([value if type(value) is int else None for value in start], dtype=pl.Int64),
            "end": pl.Series([value if type(value) is int else None for value in end], dtype=pl.Int64) + 1,
            "severity": pl.Series(severity, dtype=pl.String).str.strip_chars().str.to_lowercase(),
            "category": pl.Series([None] * len(flat), dtype=pl.String),
        }
    )
    named = {value for value in (*start, *end) if type(value) is str}
    halves = pl.col("start").is_null() != pl.col("end").is_null()
    backwards = (pl.col("start") < 0) | (pl.col("end") <= pl.col("start"))
    odd = halves | backwards.fill_null(False) | ~pl.col("severity").is_in(SEVERITIES)
    return None if named - {_MISSING} or marks.select(odd.any()).item() else marks


def _any_marks(texts: list[str], errors: pl.Series, where: str, places: _Places) -> pl.DataFrame:
    """The errors in all cells, read one by one; SourceError says which cannot be."""
    found: dict[str, list[_Mark]] = {}
    wrong: dict[str, str] = {}
    for text in texts:
        try:
            found[text] = _marks(text)
        except ValueError as error:
            wrong[text] = str(error)
    if wrong:
        rows = [row for row, text in enumerate(errors) if text in wrong]
        said = [f"{place}: {wrong[errors[row]]}." for place, row in zip(places(rows), rows, strict=True)]
        raise SourceError(where, said)
    flat = [(text, *mark) for text, marks in found.items() for mark in marks]
    return pl.DataFrame(flat, schema=_MARKS_SCHEMA, orient="row")


def _marks(text: str) -> list[_Mark]:
    """The errors in one cell; ValueError says what is wrong with it."""
    if text.strip() in _NOTHING:
        return []
    try:
        found = json.loads(text)
    except ValueError:
        raise ValueError(f"the marked errors {shown(text)} are not JSON") from None
    if not isinstance(found, list) or not all(isinstance(mark, dict) for mark in found):
        raise ValueError(f"the marked errors {shown(text)} are not a list of objects")
    return [_mark(mark) for mark in found]


def _mark(mark: dict[str, Any]) -> _Mark:
    start, end, severity = (mark.get(name) for name in ("start_i", "end_i", "severity"))
    word = severity.strip().lower() if isinstance(severity, str) else None
    if word not in SEVERITIES:
        known = ", ".join(SEVERITIES)
        raise ValueError(f"severity {shown(json.dumps(severity))} is unknown; use one of {known}")
    category = _category(mark.get("error_type"))
    if start == end == _MISSING:
        return _Mark(None, None, word, category)
    if not (_is_index(start) and _is_index(end)):
        given = f"start_i {shown(json.dumps(start))} and end_i {shown(json.dumps(end))}"
        raise ValueError(f'{given} must be two whole numbers from 0 on, or both "missing"')
    if end < start:
        raise ValueError(f"a marked error ends before it starts (start_i {start}, end_i {end})")
    return _Mark(start, end + 1, word, category)


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _category(given: object) -> str | None:
    """Main and subordinate category with a stroke between them."""
    if given is None or given == "" or given == []:
        return None
    parts: list[object] = given if isinstance(given, list) else [given]
    names = [part for part in parts if isinstance(part, str)]
    if len(names) < len(parts):
        raise ValueError(f"error_type {shown(json.dumps(given))} is not a list of names")
    return "/".join(names)
