"""Errors that were marked in Appraise, as rows of spans.

Each answer has a JSON list: start_i and end_i, the first and the last marked character, or both "missing" for
something that the translation lacks; severity; in MQM error_type, a list such as ["Accuracy", "Omission"].
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats._judgement_columns import shown
from steelyard.formats._span_marks import LAST_MARKED, MarksError, read_marks_lists, with_prefilled

# Where rows are, for people.
_Places = Callable[[Sequence[int]], list[str]]
_NOTHING = ("", "[]", "null")
_OF_RATINGS = ("rating", "known", "known_sd")


class AppraiseSpans(NamedTuple):
    """The cells of a spans file, the column `row` saying of which judgement, and what is said about them."""

    cells: pl.DataFrame
    notes: tuple[str, ...]


def spans_table(cells: pl.DataFrame, errors: pl.Series, where: str, places: _Places) -> AppraiseSpans:
    """A row for each error marked, one without severity where there is none.

    `cells` are judgements under our names, `errors` what was marked in each. SourceError lists every answer
    that cannot be read.
    """
    texts = errors.fill_null("[]")
    texts = texts.set(texts.str.strip_chars().is_in(_NOTHING), "[]")
    found, wrong = _lists(texts.to_list())
    try:
        marks = with_prefilled(read_marks_lists(found, LAST_MARKED), found)
    except MarksError as unreadable:
        wrong |= unreadable.reasons
    if wrong:
        rows = sorted(wrong)
        raise SourceError(where, [f"{at}: {wrong[row]}." for at, row in zip(places(rows), rows, strict=True)])
    judged = cells.drop(*_OF_RATINGS, strict=False).with_row_index("row")
    spans = judged.join(
        marks.rows, left_on="row", right_on="number", how="left", maintain_order="left_right"
    ).with_columns(pl.col("side").fill_null("target"))
    return AppraiseSpans(spans, marks.notes)


def _lists(texts: list[str]) -> tuple[list[object], dict[int, str]]:
    """What the cells hold; and by row, what is wrong with it."""
    try:
        found = json.loads(f"[{','.join(texts)}]")
        if len(found) == len(texts):
            return found, {}
    except ValueError:
        pass
    lists: list[object] = []
    wrong: dict[int, str] = {}
    for row, text in enumerate(texts):
        try:
            lists.append(json.loads(text))
        except ValueError:
            lists.append(None)
            wrong[row] = f"the marked errors {shown(text)} are not JSON"
    return lists, wrong
