"""What kinds of errors each system makes."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Column, Evidence, ExhibitOptions, Figure, Panel, Table, Tone
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits._sources import group_borders, table_of
from steelyard.exhibits._spans import ALL, error_rates, fewest_first, scored_spans, stacked

# As many kinds as can be told apart; the rest is one.
_TONES: tuple[Tone, ...] = ("bad", "second", "third", "good", "unsure")
_OTHER, _NONE = "other kinds", "no category"


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Errors per judged translation of each system, by main category, with intervals for other documents.

    A category is what comes before the stroke in "main/sub" [Freitag2021]. The rates are means over
    judgements: a translation that two workers judged counts twice. Errors in the source count as they were
    marked, whatever their weight.
    """
    return _as_table(TABLE, evidence, _rates(evidence[0]))


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """The same as bars, system by system, one kind after another; the thin bar is the interval of all.

    Short bars are good. Kinds beyond the five most frequent are together. Workers differ far more in how much
    they mark than systems do in how much is wrong, so compare systems that the same workers judged
    [Freitag2021].
    """
    rates = _rates(evidence[0])
    systems = fewest_first(rates)
    table = _as_table(FIGURE, evidence, rates)
    kinds = _shown(rates)
    grouped = rates.with_columns(
        error=pl.when(pl.col("error").is_in([ALL, *kinds])).then("error").otherwise(pl.lit(_OTHER))
    )
    summed = grouped.group_by("system_id", "error", maintain_order=True).agg(
        pl.col("rate").sum(), pl.col("lower", "upper").first()
    )
    tones: list[tuple[str, Tone]] = list(zip(kinds, _TONES, strict=False))
    if (summed["error"] == _OTHER).any():
        tones.append((_OTHER, "faint"))
    panel = Panel(
        x=Axis("errors per judged translation", low=0.0),
        y=Axis("", categories=tuple(systems)),
        marks=stacked(summed, systems, tones),
    )
    caption = "Errors per judged translation by main category. The thin bar is the interval of all errors."
    return Figure.of(table, caption=caption, panels=[panel])


def _rates(source: Evidence) -> pl.DataFrame:
    spans = scored_spans(source)
    if not spans.filter(pl.col("severity").is_not_null())["category"].count():
        raise NotEnoughData("No marked error has a category, so there are no kinds to count.")
    main = pl.col("category").str.split("/").list.first().fill_null(_NONE)
    return error_rates(spans, main, level=source.analysis.settings.method_settings.level)


def _shown(rates: pl.DataFrame) -> list[str]:
    """The most frequent kinds, the most frequent first."""
    counts = rates.filter(pl.col("error") != ALL).group_by("error").agg(pl.col("n").sum())
    found: list[str] = counts.sort(-pl.col("n"), "error")["error"].head(len(_TONES)).to_list()
    return found


def _as_table(exhibit: Exhibit, evidence: Sequence[Evidence], rates: pl.DataFrame) -> Table:
    level = f"{100 * evidence[0].analysis.settings.method_settings.level:g}\N{NO-BREAK SPACE}%"
    order = {system: place for place, system in enumerate(fewest_first(rates))}
    rows = rates.sort(
        pl.col("system_id").replace_strict(order),
        pl.col("error") != ALL,
        -pl.col("rate"),
        maintain_order=True,
    )
    columns = (
        Column("system_id", "System"),
        Column("error", "Errors"),
        Column("n", "Number"),
        Column("n_translations", "Judged translations"),
        Column("rate", "Per translation", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", "to", 3),
    )
    notes = ("Intervals are for other documents.",)
    return table_of(exhibit, evidence, columns, rows, notes=notes, borders=group_borders(rows, "system_id"))


TABLE = Exhibit(
    name="errors-by-category",
    title="Errors by category",
    cite=("Freitag2021",),
    make=_table,
    of_spans=True,
)
FIGURE = Exhibit(
    name="errors-by-category",
    title="Errors by category",
    cite=("Freitag2021",),
    make=_figure,
    of_spans=True,
    report=ReportPlace(32, "errors"),
)
