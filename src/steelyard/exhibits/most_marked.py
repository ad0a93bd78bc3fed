"""The translations in which most errors were marked, and where."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Column, Evidence, ExhibitOptions, Figure, Panel, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits._passages import KEYS, passage_of_readings, readings_of, target_texts
from steelyard.exhibits._sources import table_of
from steelyard.exhibits._spans import scored_spans
from steelyard.span_ratings import judged_translations

# How many are listed, how many are shown in full, and how much of a text is listed [our choices].
MOST_LISTED, MOST_SHOWN, OPENING = 20, 4, 60
_COLUMNS = (
    Column("system_id", "System"),
    Column("segment_id", "Segment"),
    Column("n_workers", "Workers"),
    Column("n_marks", "Errors marked"),
    Column("per_worker", "Per worker", 2),
)


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """The translations with most marked errors per worker who judged them, and how they begin where known.

    Of equally many, those first that more workers judged: one worker alone may be wrong. Errors are those
    that workers mark in a text [Kocmi2024].
    """
    rows = _most_marked(evidence[0]).head(MOST_LISTED)
    try:
        texts = target_texts(evidence[0])
    except NotEnoughData:
        return table_of(TABLE, evidence, _COLUMNS, rows)
    known = [texts.get((system, segment)) for system, segment in rows.select(KEYS).iter_rows()]
    opening = pl.Series("text", known, pl.String).str.head(OPENING)
    return table_of(TABLE, evidence, (*_COLUMNS, Column("text", "Begins")), rows.with_columns(opening))


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """The most marked translations, shaded by the share of their workers who marked each character.

    Of each segment one translation. A strong shade says that nearly everybody who judged the translation
    sees an error just there [Kocmi2024].
    """
    source = evidence[0]
    texts = target_texts(source)
    rows = _most_marked(source)
    known = [(system, segment) in texts for system, segment in rows.select(KEYS).iter_rows()]
    of_known = rows.filter(pl.Series(known, dtype=pl.Boolean))
    shown = of_known.unique("segment_id", keep="first", maintain_order=True).head(MOST_SHOWN)
    if shown.is_empty():
        raise NotEnoughData("The texts of marked translations are not known, so marks cannot be shown.")
    spans = scored_spans(source)
    panels = []
    for system, segment, n_workers, n_marks, _ in shown.iter_rows():
        text = texts[system, segment]
        readings = readings_of(spans.filter(system_id=system, segment_id=segment), length=len(text))
        passage = passage_of_readings(text, readings, with_lanes=False)
        title = f"{system}, {segment}: {n_marks} marked by {n_workers}"
        panels.append(Panel(x=Axis(""), y=Axis(""), marks=(passage,), title=title))
    return Figure.of(
        table_of(FIGURE, evidence, _COLUMNS, shown),
        caption="Translations with most marked errors per worker; the shade is the share of workers who "
        "marked each character.",
        panels=panels,
    )


def _most_marked(source: Evidence) -> pl.DataFrame:
    judged = judged_translations(scored_spans(source))
    found = (
        judged.group_by(pl.col(KEYS).cast(pl.String))
        .agg(
            n_workers=pl.col("worker_id").n_unique().cast(pl.Int64),
            n_marks=pl.col("severities").list.len().sum().cast(pl.Int64),
        )
        .with_columns(per_worker=pl.col("n_marks") / pl.col("n_workers"))
        .filter(pl.col("n_marks") > 0)
        .sort(-pl.col("per_worker"), -pl.col("n_workers"), *KEYS)
    )
    if found.is_empty():
        raise NotEnoughData("Nobody whose judgements were kept marked an error in a system's translation.")
    return found


TABLE = Exhibit(
    name="most-marked",
    title="Most marked translations",
    cite=("Kocmi2024",),
    make=_table,
    of_spans=True,
)
FIGURE = Exhibit(
    name="most-marked",
    title="Most marked translations",
    cite=("Kocmi2024",),
    make=_figure,
    of_spans=True,
    report=ReportPlace(36, "errors"),
)
