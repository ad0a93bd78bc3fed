"""Which systems are significantly better than which, as a table and as a grid."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Axis, Cells, Column, Evidence, ExhibitOptions, Figure, Panel, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.domain.result import Analysis
from steelyard.exhibits._significance import STARS, Matrix, cell_text, p_matrix, star_caption, stars
from steelyard.exhibits._sources import in_columns, table_of
from steelyard.exhibits.ranking import cluster_borders

# With more systems than this, numbers would not fit into the cells: only stars are written.
_NUMBERS_UP_TO = 8


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """p-values that decide whether the system of the row is better than that of the column, best first.

    Clusters, rank ranges and wins rest on these numbers. By default they are two-sided and Holm-corrected
    for the number of pairs, from ranked ratings, weighed by worker and clustered by worker and
    document; a pair's number stands in the row of the better system. With the recipe of WMT they are those
    of [Akhbardeh2021]: one-sided rank-sum tests on segment scores, each on its own.
    """
    analysis = evidence[0].analysis
    names, p_values = p_matrix(analysis)
    columns = [
        Column("system_id", "System"),
        *(Column(f"over_{name}_p", name, 4, p_value=True) for name in names),
    ]
    rows = pl.DataFrame(
        [(name, *row) for name, row in zip(names, p_values, strict=True)],
        schema={column.name: pl.Float64 if column.digits else pl.String for column in columns},
        orient="row",
    )
    notes = (f"{_meaning(analysis)}.", *_starred(names, p_values))
    return table_of(TABLE, evidence, columns, rows, notes=notes, borders=cluster_borders(analysis.systems))


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """A cell for every ordered pair of systems, the stronger the surer the row is better than the column.

    Best systems first, so that a clear ranking fills the upper right. The numbers are those of the table of
    this name, the stars those of WMT [Akhbardeh2021]. A grey cell does not say that two systems are
    equally good, only that the judgements cannot distinguish them.
    """
    analysis = evidence[0].analysis
    names, p_values = p_matrix(analysis)
    threshold = analysis.settings.threshold
    with_numbers = len(names) <= _NUMBERS_UP_TO
    cells = Cells(
        values=p_values,
        texts=tuple(tuple(cell_text(p_value, with_numbers) for p_value in row) for row in p_values),
        low=0.0,
        high=threshold,
    )
    # One line over the grid: parted between two axes, the words would not be read together.
    x, y = Axis("", categories=names), Axis("Is the row better than the column?", categories=names)
    return Figure.of(
        _table(evidence, options),
        caption="Shaded where the system of the row is better than that of the column at "
        f"{star_caption(threshold)} Grey: better in these judgements, but not significantly. "
        f"{_meaning(analysis)}.",
        panels=[Panel(x=x, y=y, marks=(cells,))],
    )


def pairs_table(analysis: Analysis) -> Table:
    """The p-values of all pairs, the higher ranked system first."""
    ranks = analysis.systems.select("system_id", "rank")
    pairs = (
        analysis.pairs.join(ranks.rename({"system_id": "better"}), on="better", maintain_order="left")
        .join(ranks.rename({"system_id": "worse"}), on="worse", suffix="_worse", maintain_order="left")
        .filter(pl.col("rank") < pl.col("rank_worse"))
        .sort("rank", "rank_worse")
    )
    columns = (
        Column("better", "System"),
        Column("worse", "better than"),
        Column("p_value", "p, one-sided", 4, p_value=True),
        Column("p_two_sided", "p, two-sided", 4, p_value=True),
        Column("p_holm", "p, Holm", 4, p_value=True),
    )
    return Table(
        name="pairs",
        title="Differences between systems",
        columns=columns,
        rows=in_columns(pairs, columns),
        notes=("Holm's correction, of the two-sided p, allows for the number of pairs.",),
        signature=analysis.signature,
    )


def _meaning(analysis: Analysis) -> str:
    """What the numbers of the grid are."""
    return {
        "p_holm": "p two-sided, Holm-corrected for the number of pairs",
        "p_two_sided": "p two-sided, not corrected for the number of pairs",
        "p_value": "p one-sided, not corrected for the number of pairs",
    }[analysis.test.deciding]


def _starred(names: Sequence[str], p_values: Matrix) -> tuple[str, ...]:
    """For each number of stars, which systems earned them over which."""
    notes = []
    for mark, bound in STARS.items():
        winners = []
        for name, row in zip(names, p_values, strict=True):
            beaten = [other for other, p_value in zip(names, row, strict=True) if stars(p_value) == mark]
            if beaten:
                winners.append(f"{name} over {', '.join(beaten)}")
        if winners:
            notes.append(f"{mark} p < {bound:g}: {'; '.join(winners)}.")
    return tuple(notes)


TABLE = Exhibit(
    name="significance", title="Significance of differences", cite=("Akhbardeh2021",), make=_table
)
FIGURE = Exhibit(
    name="significance",
    title="Significance of differences",
    cite=("Akhbardeh2021",),
    make=_figure,
    report=ReportPlace(20, "significance"),
)
