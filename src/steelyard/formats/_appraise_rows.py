"""Rows of an Appraise export that are not judgements, or no longer count. All are counted in warnings."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.wording import Note, counted
from steelyard.formats._appraise_names import is_tutorial

# What is judged in one place of a HIT.
_ITEM = ("worker", "batch", "source", "target", "system", "document", "item")


def without_documents(rows: pl.DataFrame, warnings: list[str]) -> pl.DataFrame:
    """The rows that are ratings of segments to be judged."""
    whole = rows["is_document"].str.to_lowercase().is_in(["true", "1"])
    rows = _without(rows, whole, warnings, "scores of whole documents")
    names = rows["document"].unique().drop_nulls()
    tutorials = [name for name in names if is_tutorial(name)]
    return _without(rows, rows["document"].is_in(tutorials), warnings, "ratings in tutorials")


def without_second_rows(rows: pl.DataFrame, submission: Sequence[str], warnings: list[str]) -> pl.DataFrame:
    """The rows without repetitions of earlier ones, to the millisecond."""
    again = rows.select(
        pl.struct(*submission, "system").is_first_distinct().not_() & pl.col("end").is_not_null()
    ).to_series()
    return _without(rows, again, warnings, "the same row appears before")


def without_superseded(rows: pl.DataFrame, warnings: list[str]) -> pl.DataFrame:
    """The last submission of each item; for where items are numbered through, so that none appears twice.

    The last by its end, then by its start. Where times do not decide, the file's order does, which
    Appraise may write newest first.
    """
    step = pl.col("end_number").diff().over("worker").sign()
    newest_first = rows.select(step.sum() < 0).item()
    turn = pl.int_range(pl.len()) * (-1 if newest_first else 1)
    numbered = rows.select(*_ITEM, "start_number", "end_number", turn=turn).with_row_index("place")
    last = numbered.sort("end_number", "start_number", "turn").filter(pl.struct(_ITEM).is_last_distinct())
    earlier = ~numbered["place"].is_in(last["place"].implode())
    return _without(rows, earlier, warnings, "the item was submitted again later, which counts")


def _without(rows: pl.DataFrame, where: pl.Series, warnings: list[str], why: str) -> pl.DataFrame:
    """The rows except those where `where` holds; these are counted in a warning."""
    n = int(where.fill_null(False).sum())
    if n:
        warnings.append(Note(f"Left out {counted(n, 'row')}: {why}."))
    return rows.filter(~where.fill_null(False))
