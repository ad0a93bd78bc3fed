"""The campaigns of a series side by side: how much each rests on, and how far it tells systems apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from steelyard.domain.exhibit import Column, Table
from steelyard.domain.series import AnalysedCampaign

_COLUMNS = (
    Column("campaign", "Campaign"),
    Column("state", "State"),
    Column("judgements", "Judgements"),
    Column("kept_judgements", "Kept"),
    Column("workers", "Workers"),
    Column("kept_workers", "Kept"),
    Column("systems", "Systems"),
    Column("clusters", "Clusters"),
    Column("first", "First"),
)
_PROGRESS_COLUMNS = (
    Column("campaign", "Campaign"),
    Column("state", "State"),
    Column("judged", "Judged, %", 0, per_cent=True),
    Column("n_judgements", "Judgements"),
    Column("n_idle", "Idle HITs"),
    Column("n_workers", "Workers"),
    Column("money", "Spent"),
    Column("end", "End"),
    Column("last", "Last answer"),
)
_WORDS = ("campaign", "state", "first", "money", "end", "last")
# More systems than this are counted rather than named [our choice].
_MOST_NAMED = 3


def series_table(name: str, campaigns: Sequence[AnalysedCampaign]) -> Table:
    """One row per campaign. Systems in the first cluster are named: no other is significantly better.

    Not for comparing scores between campaigns: each has its own workers, texts and zero.
    """
    rows = pl.DataFrame(
        [_row(campaign) for campaign in campaigns],
        schema={column.name: pl.String if column.name in _WORDS else pl.Int64 for column in _COLUMNS},
    )
    problems = [f"{one.name} could not be analysed: {one.problem}" for one in campaigns if one.problem]
    return Table("series", f"Series {name}", _COLUMNS, rows, notes=tuple(problems))


def series_progress_table(name: str, rows: Sequence[Mapping[str, Any]], problems: Sequence[str]) -> Table:
    """One row per campaign: how far it is, what it costs, when it ends."""
    schema = {
        column.name: pl.String if column.name in _WORDS else pl.Float64 if column.per_cent else pl.Int64
        for column in _PROGRESS_COLUMNS
    }
    frame = pl.DataFrame(list(rows), schema=schema)
    return Table("series-progress", f"Series {name}", _PROGRESS_COLUMNS, frame, notes=tuple(problems))


def _row(campaign: AnalysedCampaign) -> dict[str, Any]:
    known = {"campaign": campaign.name, "state": campaign.state and campaign.state.value}
    analysis = campaign.analysis
    if analysis is None:
        return known
    counts, systems = analysis.counts, analysis.systems
    first = systems.filter(pl.col("cluster") == 1)["system_id"].cast(pl.String).to_list()
    return known | {
        "judgements": counts.judgements,
        "kept_judgements": counts.kept_judgements,
        "workers": counts.workers,
        "kept_workers": counts.kept_workers,
        "systems": len(systems),
        "clusters": systems["cluster"].n_unique(),
        "first": ", ".join(first) if len(first) <= _MOST_NAMED else f"{len(first)} systems",
    }
