"""Scores attribute by attribute."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.domain.result import AttributeRanking
from steelyard.exhibits._sources import table_of
from steelyard.exhibits.ranking import cluster_borders


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Each system's score and rank over all attributes and in each, best over all first.

    Attributes such as adequacy and fluency were judged apart [Graham2014] because a system may gain in
    one and lose in the other; this shows where. The score over all is the plain mean of the attributes
    and means something only if they are about equally important. Scores of two attributes have no
    common zero: compare their orders, not their numbers.
    """
    analysis = evidence[0].analysis
    if len(analysis.attributes) < 2:
        raise NotEnoughData(
            "There are ratings of only one attribute, so there is nothing to set side by side."
        )
    rows = analysis.systems
    for ranking in analysis.attributes:
        rows = rows.join(_of_attribute(ranking), on="system_id", how="left", maintain_order="left")
    columns = [Column("rank", "Rank"), Column("system_id", "System"), Column("score", "Score", 3)]
    for ranking in analysis.attributes:
        columns.append(Column(f"{ranking.attribute}_score", ranking.attribute, 3))
        columns.append(Column(f"{ranking.attribute}_rank", "rank"))
    return table_of(
        TABLE,
        evidence,
        tuple(columns),
        rows,
        notes=("Lines part the clusters over all attributes.",),
        borders=cluster_borders(analysis.systems),
    )


def _of_attribute(ranking: AttributeRanking) -> pl.DataFrame:
    return ranking.systems.select(
        "system_id",
        pl.col("score").alias(f"{ranking.attribute}_score"),
        pl.col("rank").alias(f"{ranking.attribute}_rank"),
    )


TABLE = Exhibit(name="attributes", title="Scores by attribute", cite=("Graham2014",), make=make)
