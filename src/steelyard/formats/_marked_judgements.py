"""Judgements with marked errors, from files that have both in one record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import Note, counted
from steelyard.formats._judgement_table import JudgementTable, with_languages_apart
from steelyard.formats._span_marks import Counting, MarksError, read_marks_lists
from steelyard.formats.table_file import cell_of_json

Places = Callable[[Sequence[int]], list[str]]
_OF_SPANS = ("text", "source_text")


def marked_judgements(
    cells: pl.DataFrame,
    lists: Sequence[object],
    counting: Counting,
    *,
    where: str,
    places: Places,
    notes: Sequence[str] = (),
) -> JudgementTable:
    """The table of judgements under our names in which these lists of errors were marked.

    The cells have `rating` where workers gave any, `languages` where there may be several pairs, `text` and
    `source_text` where these are known. Without any rating the errors are all there is. SourceError lists
    every record whose marks cannot be read or do not fit its text.
    """
    cells, noted = with_languages_apart(cells)
    try:
        marks = read_marks_lists(lists, counting)
    except MarksError as error:
        raise _refusal(where, places, error.reasons) from None
    judged = cells.drop("rating", strict=False).with_row_index("row")
    spans = judged.join(
        marks.rows, left_on="row", right_on="number", how="left", maintain_order="left_right"
    ).with_columns(pl.col("side").fill_null("target"))
    if "text" in spans.columns:
        spans = _with_text_of_side(spans)
        if reasons := _outside(spans, counting):
            raise _refusal(where, places, reasons)
    rows = spans["row"].to_list()
    beside = JudgementTable(
        spans.drop("row"),
        lambda chosen: places([rows[row] for row in chosen]),
        (*notes, *noted, *marks.notes),
        frame="spans",
        is_named=True,
    )
    return _with_ratings(beside, cells.drop(*_OF_SPANS, strict=False), places)


def _with_ratings(spans: JudgementTable, cells: pl.DataFrame, places: Places) -> JudgementTable:
    """The ratings with the spans beside them; where nobody gave any, the spans."""
    rated = cells.with_row_index("row").drop_nulls("rating") if "rating" in cells.columns else cells.clear()
    if rated.is_empty():
        return spans
    rows = rated["row"].to_list()
    notes = spans.warnings
    if n_without := len(cells) - len(rated):
        what = counted(n_without, "judgement")
        notes = (*notes, f"{what} without a score: errors marked there are read, but no rating.")
    return JudgementTable(
        rated.drop("row"),
        lambda chosen: places([rows[row] for row in chosen]),
        notes,
        beside=spans,
        is_named=True,
    )


def _with_text_of_side(spans: pl.DataFrame) -> pl.DataFrame:
    if "source_text" not in spans.columns or not (spans["side"] == "source").any():
        return spans
    on_source = pl.col("side") == "source"
    target = pl.col("text").alias("target_text")
    return spans.with_columns(pl.when(on_source).then("source_text").otherwise("text").alias("text"), target)


def _outside(spans: pl.DataFrame, counting: Counting) -> dict[int, str]:
    """By row of the judgements, what is wrong with a mark that its text is too short for."""
    length = pl.col("text").str.len_chars().cast(pl.Int64)
    wrong = spans.filter(pl.col("end") > length).select("row", "end", length.alias("length"), "side")
    return {row: _is_outside(end, length, side, counting) for row, end, length, side in wrong.iter_rows()}


def _is_outside(end: int, length: int, side: str, counting: Counting) -> str:
    written = end - counting.end_is_marked
    text = f"the {side} has {counted(length, 'character')}"
    reason = f"a marked error has {counting.end} {written}, but {text}, counted from 0"
    if counting.end_is_marked and written == length:
        reason += "; is it one after the last, as in files with start and end?"
    return reason


def _refusal(where: str, places: Places, reasons: dict[int, str]) -> SourceError:
    rows = sorted(reasons)
    return SourceError(where, [f"{at}: {reasons[row]}." for at, row in zip(places(rows), rows, strict=True)])


def times_of(records: Sequence[object]) -> dict[str, list[float | None]]:
    """The columns `seconds` and `submitted_at` of judgements with a first and a last moment, or with none."""
    pairs = [_first_and_last(times) for times in records]
    return {
        "seconds": [
            last - first if first is not None and last is not None else None for first, last in pairs
        ],
        "submitted_at": [last for _, last in pairs],
    }


def _first_and_last(times: object) -> tuple[float | None, float | None]:
    """Two moments in Unix seconds; of a pair that runs backwards only the last."""
    if not isinstance(times, list) or len(times) != 2:
        return None, None
    first, last = map(_number, times)
    return (None if first is None or last is None or last < first else first), last


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None


def notes_of_left_out(n: int, why: str) -> tuple[str, ...]:
    """What is said about judgements that were left out."""
    return (Note(f"Left out {counted(n, 'judgement')}: {why}."),) if n else ()


def texts_column(values: Sequence[Any]) -> pl.Series:
    """JSON values as the cells of a column."""
    kinds = set(map(type, values))
    if kinds <= {str, NoneType}:
        return pl.Series(values, dtype=pl.String)
    if kinds <= {int, float}:
        return pl.Series([str(value) for value in values], dtype=pl.String)
    return pl.Series([cell_of_json(value) for value in values], dtype=pl.String)
