"""Judgements between a file and the ratings frame: cells under our names, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.plugin import Scale
from steelyard.formats._judgement_columns import DEFAULT_SCALE, ColumnReader

# Our choice: enough to find them again, few enough to read.
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class JudgementsFile:
    """What a judgements file says: a ratings frame, and what a reader should know about it."""

    frame: pl.DataFrame
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgementTable:
    """A table as read, and how to say where its rows (from 0) are."""

    cells: pl.DataFrame
    places: Callable[[Sequence[int]], list[str]]
    warnings: tuple[str, ...] = ()


def row_numbers(rows: Sequence[int]) -> list[str]:
    """The places of rows in a table that has no lines."""
    return [f"row {row + 1}" for row in rows]


def line_numbers(lines: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
    """The places of rows in a file, given the line on which each begins."""
    return lambda rows: [f"line {lines[row]}" for row in rows]


def named(names: Sequence[str]) -> str:
    """A list for a warning, cut where it gets too long.

    >>> named(["a", "b"])
    'a, b'
    """
    hidden = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {hidden} more" if hidden > 0 else "")


def checked(table: JudgementTable, where: str, *, scale: Scale | None) -> JudgementsFile:
    """The ratings of a table whose columns have our names; SourceError lists every bad cell."""
    reader = ColumnReader(table.cells)
    frame = reader.ratings(scale=scale or DEFAULT_SCALE)
    if frame is None:
        problems = sorted(reader.problems, key=lambda problem: problem[0])
        places = table.places([row for row, _ in problems])
        raise SourceError(
            where, [f"{place}: {text}." for place, (_, text) in zip(places, problems, strict=True)]
        )
    return JudgementsFile(frame=frame, warnings=table.warnings)


def with_languages_apart(cells: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The cells without their column `languages`, which goes into the segments if there are several.

    Segment 12 of one language pair is not segment 12 of another.
    """
    if "languages" not in cells.columns:
        return cells, []
    pairs = cells["languages"].drop_nulls().unique().sort().to_list()
    if len(pairs) > 1:
        apart = pl.concat_str("languages", "segment", separator=":", ignore_nulls=True)
        has_segment = pl.col("segment").fill_null("") != ""
        cells = cells.with_columns(pl.when(has_segment).then(apart).otherwise("segment").alias("segment"))
    warning = (
        f"There are {len(pairs)} language pairs ({named(pairs)}): a system's score is over all it has. "
        "For one pair, take its rows into a file of their own."
    )
    return cells.drop("languages"), [warning] if len(pairs) > 1 else []
