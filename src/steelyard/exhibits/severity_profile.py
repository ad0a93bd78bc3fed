"""How severe the errors of each system are."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Axis, Column, Evidence, ExhibitOptions, Figure, Panel, Table, Tone
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.work import SCORED_KINDS
from steelyard.exhibits._sources import group_borders, table_of
from steelyard.exhibits._spans import ALL, SEVERITY_TONES, error_rates, fewest_first, scored_spans, stacked
from steelyard.span_ratings import judged_translations

_OTHER_TONES: tuple[Tone, ...] = ("unsure", "good")
# Rates by length are per this many characters, which every script has.
CHARACTERS = 1000


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Errors of each severity per judged translation, of each system, with intervals for other documents.

    Where the texts are known, also per 1,000 characters of translation: systems that write more can
    be wrong more often. `clean` is the share of judgements without any error. Severities are those that
    workers chose from, such as minor and major [Freitag2021] [Kocmi2024].
    """
    return _as_table(TABLE, evidence, _rates(evidence[0]))


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """The same as bars: the worst severity first, then milder ones; the thin bar is the interval of all.

    Severities as in [Freitag2021] and [Kocmi2024]. Where few errors are major, systems that differ in minor
    ones alone may be equally good in the eyes of readers.
    """
    rates = _rates(evidence[0])
    systems = fewest_first(rates)
    kinds = [kind for kind in _in_order(rates) if kind != ALL]
    others = iter(_OTHER_TONES * len(kinds))
    tones = [(kind, SEVERITY_TONES[kind] if kind in SEVERITY_TONES else next(others)) for kind in kinds]
    panel = Panel(
        x=Axis("errors per judged translation", low=0.0),
        y=Axis("", categories=tuple(systems)),
        marks=stacked(rates, systems, tones),
    )
    caption = "Errors per judged translation by severity. The thin bar is the interval of all errors."
    return Figure.of(_as_table(FIGURE, evidence, rates), caption=caption, panels=[panel])


def _rates(source: Evidence) -> pl.DataFrame:
    spans = scored_spans(source)
    if not spans["severity"].count():
        raise NotEnoughData("Nobody whose judgements were kept marked an error in a system's translation.")
    rates = error_rates(spans, pl.col("severity"), level=source.analysis.settings.method_settings.level)
    judged = judged_translations(spans)
    clean = judged.group_by("system_id").agg(clean=(pl.col("severities").list.len() == 0).mean())
    rates = rates.join(clean, on="system_id", how="left", maintain_order="left")
    return rates.join(_characters(source, judged), on="system_id", how="left", maintain_order="left").select(
        *rates.columns, per_length=CHARACTERS * pl.col("n") / pl.col("characters")
    )


def _characters(source: Evidence, judged: pl.DataFrame) -> pl.DataFrame:
    """How many characters were judged of each system; null unless the texts of all are known."""
    texts = source.texts
    nothing = pl.DataFrame(schema={"system_id": pl.String, "characters": pl.Int64})
    if texts is None or texts.is_empty():
        return nothing
    keys = ["system_id", "segment_id"]
    kinds = [str(kind) for kind in SCORED_KINDS]
    known = (
        texts.filter(pl.col("side") == "target", pl.col("item_kind").is_in(kinds))
        .unique(keys, keep="first", maintain_order=True)
        .select(*keys, length=pl.col("text").str.len_chars().cast(pl.Int64))
    )
    joined = judged.select(pl.col(keys).cast(pl.String)).join(known, on=keys, how="left")
    if joined["length"].null_count():
        return nothing
    return joined.group_by("system_id").agg(characters=pl.col("length").sum())


def _in_order(rates: pl.DataFrame) -> list[str]:
    """All together, then the known severities from the worst on, then others by name."""
    present = set(rates["error"])
    known = [kind for kind in SEVERITY_TONES if kind in present]
    return [ALL, *known, *sorted(present - {ALL, *known})]


def _as_table(exhibit: Exhibit, evidence: Sequence[Evidence], rates: pl.DataFrame) -> Table:
    level = f"{100 * evidence[0].analysis.settings.method_settings.level:g}\N{NO-BREAK SPACE}%"
    order = {system: place for place, system in enumerate(fewest_first(rates))}
    severities = {kind: place for place, kind in enumerate(_in_order(rates))}
    rows = rates.sort(
        pl.col("system_id").replace_strict(order), pl.col("error").replace_strict(severities)
    ).with_columns(clean=pl.when(pl.col("error") == ALL).then("clean"))
    columns = [
        Column("system_id", "System"),
        Column("error", "Severity"),
        Column("n", "Number"),
        Column("rate", "Per translation", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", "to", 3),
        Column("clean", "Without error, %", 1, per_cent=True),
    ]
    if rows["per_length"].count():
        columns.append(Column("per_length", f"Per {CHARACTERS:,} characters", 2))
    notes = ("Rates are per judged translation. Intervals are for other documents.",)
    return table_of(exhibit, evidence, columns, rows, notes=notes, borders=group_borders(rows, "system_id"))


TABLE = Exhibit(
    name="severity-profile",
    title="Errors by severity",
    cite=("Freitag2021", "Kocmi2024"),
    make=_table,
    of_spans=True,
)
FIGURE = Exhibit(
    name="severity-profile",
    title="Errors by severity",
    cite=("Freitag2021", "Kocmi2024"),
    make=_figure,
    of_spans=True,
    report=ReportPlace(34, "errors"),
)
