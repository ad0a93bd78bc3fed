"""Judgements between a file and the ratings frame: cells under our names, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import FrameName
from steelyard.domain.running import Exclusion
from steelyard.domain.scale import Scale
from steelyard.formats._column_reader import ColumnReader
from steelyard.formats._hit_times import completed
from steelyard.formats._judgement_columns import DEFAULT_SCALE, named, shown
from steelyard.formats._mark_columns import Marks, read_marks
from steelyard.formats._preference_columns import read_preferences
from steelyard.formats._rating_columns import read_ratings
from steelyard.formats._span_columns import marked_texts, read_spans
from steelyard.frames import hit_times_frame, preferences_frame, ratings_frame, spans_frame, texts_frame


@dataclass(frozen=True, slots=True)
class JudgementsFile:
    """What a judgements file says: ratings, how long HITs took, and what a reader should know.

    `frame` holds the ratings; a file of preferences or spans has none. `exclusions` are what people decided
    not to count, `simulated` the workers who are no people, `joined` the systems that were added later.
    """

    frame: pl.DataFrame
    warnings: tuple[str, ...]
    hit_times: pl.DataFrame = field(default_factory=hit_times_frame)
    preferences: pl.DataFrame = field(default_factory=preferences_frame)
    spans: pl.DataFrame = field(default_factory=spans_frame)
    texts: pl.DataFrame = field(default_factory=texts_frame)
    exclusions: tuple[Exclusion, ...] = ()
    simulated: frozenset[str] = frozenset()
    joined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgementTable:
    """A table as read, and how to say where its rows (from 0) are.

    `hit_times` is what is known about them beyond the table's own column, `frame` what the rows become,
    `separator` what stands between the cells. `beside`: the spans of the same judgements, if the
    file has them too. `is_named`: the columns have our names already.
    """

    cells: pl.DataFrame
    places: Callable[[Sequence[int]], list[str]]
    warnings: tuple[str, ...] = ()
    hit_times: pl.DataFrame = field(default_factory=hit_times_frame)
    frame: FrameName = "ratings"
    separator: str = ","
    beside: JudgementTable | None = None
    is_named: bool = False


def row_numbers(rows: Sequence[int]) -> list[str]:
    """The places of rows in a table that has no lines."""
    return [f"row {row + 1}" for row in rows]


def line_numbers(lines: Sequence[int] | pl.Series) -> Callable[[Sequence[int]], list[str]]:
    """The places of rows in a file, given the line on which each begins."""
    return lambda rows: [f"line {lines[row]}" for row in rows]


def checked(
    table: JudgementTable, where: str, *, scale: Scale | None, gold_scale: Scale | None = None
) -> JudgementsFile:
    """What a table says whose columns have our names; SourceError lists every bad cell."""
    _refuse_nested(table.cells, where)
    # Spans of time are numbers of seconds.
    cells = table.cells.with_columns(pl.col(pl.Duration).dt.total_microseconds() / 1e6)
    reader = ColumnReader(cells, separator=table.separator)
    found: dict[str, pl.DataFrame | None] = {}
    match table.frame:
        case "ratings":
            found["frame"] = read_ratings(reader, scale=scale or DEFAULT_SCALE, gold_scale=gold_scale)
        case "preferences":
            found["preferences"] = read_preferences(reader)
        case "spans":
            found["spans"] = spans = read_spans(reader)
            found["texts"] = None if spans is None else marked_texts(reader, spans)
    frames = {name: frame for name, frame in found.items() if frame is not None}
    marks = read_marks(reader, next(iter(frames.values()))) if frames else Marks()
    if reader.problems:
        problems = sorted(reader.problems, key=lambda problem: problem[0])
        places = table.places([row for row, _ in problems])
        listed = [f"{place}: {text}." for place, (_, text) in zip(places, problems, strict=True)]
        raise SourceError(where, listed + ["there are more of the same below."] * reader.n_untold)
    warnings = (*table.warnings, *reader.warnings)
    if table.beside is not None:
        beside = checked(table.beside, where, scale=scale)
        frames |= {"spans": beside.spans, "texts": beside.texts}
        warnings = tuple(dict.fromkeys((*warnings, *beside.warnings)))
    return JudgementsFile(
        frames.get("frame", ratings_frame()),
        warnings=warnings,
        hit_times=completed(table.hit_times, reader.hit_times),
        preferences=frames.get("preferences", preferences_frame()),
        spans=frames.get("spans", spans_frame()),
        texts=frames.get("texts", texts_frame()),
        exclusions=marks.exclusions,
        simulated=marks.simulated,
        joined=marks.joined,
    )


def _refuse_nested(cells: pl.DataFrame, where: str) -> None:
    """SourceError if a column holds something that is neither a number, a text nor a time."""
    problems = [
        f"the column {shown(column.name)!r} holds {str(column.dtype.base_type()).lower()} values; "
        "a cell must be a number, a text or a time."
        for column in cells
        if is_nested(column.dtype)
    ]
    if problems:
        raise SourceError(where, problems)


def is_nested(dtype: pl.DataType) -> bool:
    """Whether the cells of a column are no single values."""
    return dtype.is_nested() or dtype in (pl.Object, pl.Binary)


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
        f"There are {len(pairs)} language pairs ({named(pairs)}): a system's score covers all of them. "
        "For one pair, put its rows into a separate file."
    )
    return cells.drop("languages"), [warning] if len(pairs) > 1 else []
