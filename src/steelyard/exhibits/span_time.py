"""How long workers take, by how many errors they mark."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import (
    Axis,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Line,
    Panel,
    Points,
    Table,
)
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits._sources import table_of
from steelyard.span_ratings import judged_translations

# A median of fewer translations is drawn nowhere [our choice].
LEAST_TRANSLATIONS = 5
# Shorter times, of items sent together with others, are not drawn [our choice].
SHORTEST = 0.1


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Each worker's time: per translation, per translation without error, and per marked error.

    `per_mark` is the median, over translations with errors, of the time divided by their number: reading
    is part of it. Medians, since a break in the middle of an item counts as time. Everyone is listed,
    whatever a check found. Prefilled errors cut the time per error by half [Zouhar2025].
    """
    rows = _by_worker(_timed(evidence[0]))
    columns = (
        Column("worker_id", "Worker"),
        Column("n_translations", "Translations"),
        Column("n_marks", "Errors marked"),
        Column("seconds", "Median seconds", 1),
        Column("seconds_clean", "Without error", 1),
        Column("per_mark", "Per error", 1),
    )
    notes = ("Times are medians, in seconds; per error: the time of a translation divided by its errors.",)
    return table_of(TABLE, evidence, columns, rows, notes=notes)


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Seconds per judged translation against the number of errors marked in it, and their median.

    A line that hardly rises says that time goes into reading; what a further error costs is its slope.
    Somebody far below the line marks many errors in no time, which deserves a look [Zouhar2025].
    """
    timed = _timed(evidence[0])
    rows = (
        timed.group_by("n_marks")
        .agg(
            n_translations=pl.len().cast(pl.Int64),
            seconds=pl.col("seconds").median(),
            lower=pl.col("seconds").quantile(0.25, "linear"),
            upper=pl.col("seconds").quantile(0.75, "linear"),
        )
        .sort("n_marks")
    )
    columns = (
        Column("n_marks", "Errors marked"),
        Column("n_translations", "Translations"),
        Column("seconds", "Median seconds", 1),
        Column("lower", "A quarter below", 1),
        Column("upper", "A quarter above", 1),
    )
    enough = rows.filter(pl.col("n_translations") >= LEAST_TRANSLATIONS)
    x, y = (tuple(timed[name].cast(pl.Float64).to_list()) for name in ("n_marks", "seconds"))
    marks: list[Points | Line] = [Points(x, y, series="one translation", tone="faint")]
    if len(enough) > 1:
        number, median = (tuple(enough[name].cast(pl.Float64).to_list()) for name in ("n_marks", "seconds"))
        marks.append(Line(number, median, series="median"))
    has_marks = timed.filter(pl.col("n_marks") > 0)
    per_mark = has_marks.select((pl.col("seconds") / pl.col("n_marks")).median()).item()
    said = f" Where errors were marked, the median is {per_mark:.3g} s per error." if len(has_marks) else ""
    return Figure.of(
        table_of(FIGURE, evidence, columns, rows),
        caption=f"Seconds per judged translation by the number of errors marked in it.{said}",
        panels=[
            Panel(
                x=Axis("errors marked", low=-0.5),
                y=Axis("seconds", low=_power_below(min(y)), logarithmic=True),
                marks=tuple(marks),
            )
        ],
    )


def _power_below(seconds: float) -> float:
    """Where an axis begins that shows this time: at a power of ten, and not below the shortest drawn."""
    return max(SHORTEST, 10.0 ** floor(log10(seconds)))


def _timed(source: Evidence) -> pl.DataFrame:
    judged = judged_translations(source.marked).with_columns(
        n_marks=pl.col("severities").list.len().cast(pl.Int64)
    )
    timed = judged.filter(pl.col("seconds") > 0)
    if timed.is_empty():
        raise NotEnoughData("It is not known how long any translation took.")
    return timed.select(pl.col("worker_id").cast(pl.String), "n_marks", "seconds")


def _by_worker(timed: pl.DataFrame) -> pl.DataFrame:
    has_marks = pl.col("n_marks") > 0
    return (
        timed.group_by("worker_id")
        .agg(
            n_translations=pl.len().cast(pl.Int64),
            n_marks=pl.col("n_marks").sum(),
            seconds=pl.col("seconds").median(),
            seconds_clean=pl.col("seconds").filter(~has_marks).median(),
            per_mark=(pl.col("seconds") / pl.col("n_marks")).filter(has_marks).median(),
        )
        .sort("worker_id")
    )


TABLE = Exhibit(
    name="span-time",
    title="Time per marked error",
    cite=("Zouhar2025",),
    make=_table,
    of_everyone=True,
    of_spans=True,
)
FIGURE = Exhibit(
    name="span-time",
    title="Time by number of marked errors",
    cite=("Zouhar2025",),
    make=_figure,
    of_everyone=True,
    of_spans=True,
    report=ReportPlace(38, "errors"),
)
