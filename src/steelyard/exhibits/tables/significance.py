"""Which systems are significantly better than which."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._significance import STARS, Matrix, p_matrix, stars
from steelyard.exhibits._sources import signature_of, title_of
from steelyard.exhibits.tables.ranking import cluster_borders


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """One-sided p-values that the system of the row is better than that of the column, best first.

    The test is the analysis' own, by default the rank-sum test on segment scores of
    [Akhbardeh2021]; clusters rest on these numbers. They are not corrected for the number of pairs:
    with 14 systems, nine of 182 p-values below 0.05 are to be expected by chance alone. The table
    of pairs in the JSON of an analysis has Holm's correction.
    """
    analysis = evidence[0].analysis
    names, p_values = p_matrix(analysis)
    columns = [
        Column("system_id", "System"),
        *(Column(f"over_{name}_p", name, 4, p_value=True) for name in names),
    ]
    rows = [(name, *row) for name, row in zip(names, p_values, strict=True)]
    return Table(
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        columns=tuple(columns),
        rows=pl.DataFrame(
            rows,
            schema={column.name: pl.Float64 if column.digits else pl.String for column in columns},
            orient="row",
        ),
        notes=("p that the system of the row is better than that of the column.", *_starred(names, p_values)),
        borders=cluster_borders(analysis.systems),
        signature=signature_of(evidence),
    )


def _starred(names: Sequence[str], p_values: Matrix) -> tuple[str, ...]:
    """For each number of stars, who earned them over whom."""
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


TABLE = Exhibit(name="significance", title="Significance of differences", cite=("Akhbardeh2021",), make=make)
