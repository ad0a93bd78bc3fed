"""The ranking as a table: what a findings paper prints."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from steelyard.domain.exhibit import Column, Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._sources import group_borders, in_columns, signature_of, title_of


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Systems best first, with ranks, clusters, scores, intervals and how much they rest on.

    Systems of one cluster, between two lines, are not all significantly different [Graham2017]. A rank
    range runs from 1 + the number of significantly better systems to the number of all minus that of
    significantly worse ones. Not for comparing scores between campaigns: standardised scores have no
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
    return Table(
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        columns=columns,
        rows=in_columns(systems, columns),
        borders=cluster_borders(systems),
        signature=signature_of(evidence),
    )


def cluster_borders(systems: pl.DataFrame) -> tuple[int, ...]:
    """The rows, from 0, that begin a new cluster; the first row of all is none."""
    return group_borders(systems, "cluster")


TABLE = Exhibit(name="ranking", title="Ranking", cite=("Graham2017",), make=make)
