"""The ranking, as a findings paper prints it, and as a figure with intervals, clusters apart."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.aggregation import methods
from steelyard.domain.differences import differences
from steelyard.domain.exhibit import (
    Axis,
    Column,
    Evidence,
    ExhibitOptions,
    Figure,
    Intervals,
    Mark,
    Panel,
    Points,
    Rule,
    Table,
)
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.result import Analysis
from steelyard.exhibits._sources import group_borders, table_of


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Systems best first, with ranks, clusters, scores, intervals and how much they rest on.

    Systems of one cluster, between two lines, are not all significantly different [Graham2017]. A rank
    range runs from 1 + the number of significantly better systems to the number of all minus that of
    significantly worse ones; with p-values corrected for the number of pairs, all true ranks together lie in
    these ranges with 95 % confidence. Not for comparing scores between campaigns: standardised scores have no
    common zero.
    """
    analysis = evidence[0].analysis
    systems = analysis.systems
    level = f"{100 * analysis.settings.method_settings.level:g} %"
    columns = (
        Column("rank", "Rank"),
        Column("rank_low", "From"),
        Column("rank_high", "To"),
        Column("cluster", "Cluster"),
        Column("system_id", "System"),
        Column("score", "Score", 3),
        Column("lower", f"{level} from", 3),
        Column("upper", f"{level} to", 3),
        Column("mean_rating", "Mean rating", 1),
        Column("wins", "Wins"),
        Column("n_segments", "Segments"),
        Column("n_judgements", "Judgements"),
    )
    notes = (differences(analysis),) if len(systems) > 1 else ()
    return table_of(TABLE, evidence, columns, systems, notes=notes, borders=cluster_borders(systems))


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Each system's score with its interval, best at the top; lines part the clusters [Graham2017].

    Intervals are for single scores: two that overlap may still belong to systems that differ
    significantly, for the test looks at their difference, in which workers and documents that both share
    cancel.
    """
    return ranking_figure(evidence[0].analysis, _table(evidence, options))


def short_ranking_table(
    analysis: Analysis, systems: pl.DataFrame | None = None, *, attribute: str = ""
) -> Table:
    """The systems best first, rank ranges in one column: of the whole analysis, or by one attribute."""
    chosen = analysis.systems if systems is None else systems
    level = f"{100 * analysis.settings.method_settings.level:g}\N{NO-BREAK SPACE}%"
    low, high = (pl.col(f"rank_{end}").cast(pl.String) for end in ("low", "high"))
    return Table(
        name=f"ranking-{attribute}" if attribute else "ranking",
        title=f"Ranking by {attribute}" if attribute else "Ranking",
        columns=(
            Column("ranks", "Rank"),
            Column("system_id", "System"),
            Column("score", "Score", 3),
            Column("lower", f"{level} from", 3),
            Column("upper", "to", 3),
            # Preferences have none.
            *((Column("mean_rating", "Mean rating", 1),) if chosen["mean_rating"].count() else ()),
            Column("wins", "Wins"),
            Column("n_segments", "Segments"),
            Column("n_judgements", "Judgements"),
        ),
        rows=chosen.with_columns(ranks=pl.when(low == high).then(low).otherwise(low + "–" + high)),
        borders=cluster_borders(chosen),
        signature=analysis.signature,
    )


def ranking_figure(analysis: Analysis, table: Table) -> Figure:
    """The systems of an analysis with their intervals, best at the top; the table is shown as its data."""
    systems = analysis.systems
    known = systems.with_row_index("place").drop_nulls(["lower", "upper"])
    level = f"{100 * analysis.settings.method_settings.level:g} % interval"
    intervals = Intervals(
        low=tuple(known["lower"]),
        high=tuple(known["upper"]),
        at=tuple(float(place) for place in known["place"]),
        series=level,
    )
    marks: tuple[Mark, ...] = (
        *((intervals,) if len(known) else ()),
        Points(
            x=tuple(systems["score"]), y=tuple(float(place) for place in range(len(systems))), series="score"
        ),
        *(Rule(of="y", at=row - 0.5) for row in cluster_borders(systems)),
    )
    return Figure.of(
        table,
        caption=f"Score of each system{f' with its {level}' if len(known) else ''}; lines part the clusters.",
        panels=[
            Panel(
                x=Axis(methods()[analysis.settings.method].title),
                y=Axis("", categories=tuple(systems["system_id"])),
                marks=marks,
            )
        ],
    )


def cluster_borders(systems: pl.DataFrame) -> tuple[int, ...]:
    """The rows, from 0, that begin a new cluster; the first row of all is none."""
    return group_borders(systems, "cluster")


TABLE = Exhibit(name="ranking", title="Ranking", cite=("Graham2017",), make=_table)
FIGURE = Exhibit(
    name="ranking",
    title="Ranking with intervals and clusters",
    cite=("Graham2017",),
    make=_figure,
    report=ReportPlace(10, "ranking"),
)
