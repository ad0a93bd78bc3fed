"""What a notebook shows first of an analysis, of judgements and of a campaign, in the shape of a study."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import polars as pl

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.differences import differences
from steelyard.domain.exhibit import Axis, Column, Figure, Line, Panel, Rule, Table
from steelyard.domain.result import Analysis
from steelyard.domain.study import StudyResult
from steelyard.domain.wording import counted
from steelyard.exhibits.ranking import ranking_figure, short_ranking_table
from steelyard.frames import spread_credit

_SYSTEM_COLUMNS = (
    Column("system_id", "System"),
    Column("n_judgements", "Judgements"),
    Column("n_segments", "Segments"),
    Column("n_workers", "Workers"),
    Column("mean_rating", "Mean rating", 1),
    Column("sd_rating", "Deviation", 1),
)
_KIND_COLUMNS = (
    Column("item_kind", "Kind of item"),
    Column("n_judgements", "Judgements"),
    Column("n_workers", "Workers"),
    Column("mean_rating", "Mean rating", 1),
    Column("sd_rating", "Deviation", 1),
)
_PAIR_COLUMNS = (
    Column("system_a", "System"),
    Column("system_b", "against"),
    Column("n_judgements", "Judgements"),
    Column("n_segments", "Segments"),
    Column("n_workers", "Workers"),
)
_PROGRESS_COLUMNS = (
    Column("state", "State"),
    Column("judged", "Judged, %", 0, per_cent=True),
    Column("n_judgements", "Judgements"),
    Column("n_wanted", "Wanted"),
    Column("n_workers", "Workers"),
    Column("n_submitted", "HITs done"),
    Column("n_open", "in work"),
    Column("n_free", "free"),
)


class CampaignCounts(NamedTuple):
    """How far a campaign is: judgements there are and wanted, workers, and places by what became of them.

    `history`: end of a stretch of time, judgements until then.
    """

    n_judgements: int
    n_wanted: int
    n_workers: int
    n_submitted: int
    n_open: int
    n_free: int
    history: Sequence[tuple[datetime, int]] = ()


def analysis_overview(analysis: Analysis) -> StudyResult:
    """The ranking as a table and a figure, how much it rests on, and how systems were compared."""
    counts, table = analysis.counts, short_ranking_table(analysis)
    n_clusters = analysis.systems["cluster"].n_unique()
    return StudyResult(
        name="analysis",
        title=f"Analysis: {analysis.title}",
        settings={},
        tables=(table,),
        figures=(ranking_figure(analysis, table),) if len(analysis.systems) else (),
        lead=f"{counted(counts.systems, 'system')} in {counted(n_clusters, 'cluster')}, by "
        f"{analysis.settings.method}; {counts.kept_workers:,} of {counted(counts.workers, 'worker')} and "
        f"{counts.kept_judgements:,} of {counted(counts.judgements, 'judgement')} kept.",
        notes=((differences(analysis),) if len(analysis.systems) > 1 else ()) + analysis.notes,
        warnings=analysis.warnings,
        signature=analysis.signature,
    )


def judgements_overview(
    title: str,
    *,
    ratings: pl.DataFrame,
    preferences: pl.DataFrame,
    spans: pl.DataFrame,
    warnings: Sequence[str] = (),
) -> StudyResult:
    """How many judgements there are of each system, and of each kind of item."""
    are_pairs = ratings.is_empty() and not preferences.is_empty()
    given = preferences if are_pairs else ratings
    parts = [
        counted(len(given), "judgement"),
        counted(given["worker_id"].n_unique(), "worker"),
        counted(given["segment_id"].n_unique(), "segment"),
    ]
    if len(spans):
        parts.append(counted(len(spans), "marked error"))
    return StudyResult(
        name="judgements",
        title=f"Judgements: {title}",
        settings={},
        tables=(_pairs_judged(preferences),) if are_pairs else _ratings_given(ratings),
        lead=", ".join(parts) + ".",
        warnings=tuple(warnings),
    )


def campaign_overview(
    settings: CampaignSettings, state: str, counts: CampaignCounts, warnings: Sequence[str] = ()
) -> StudyResult:
    """How far a campaign is, as a table and as judgements over time."""
    judged = min(1.0, counts.n_judgements / counts.n_wanted) if counts.n_wanted else None
    row = {"state": state, "judged": judged} | counts._asdict()
    del row["history"]
    names = [column.name for column in _PROGRESS_COLUMNS]
    table = Table("progress", "Progress", _PROGRESS_COLUMNS, pl.DataFrame([row]).select(names))
    return StudyResult(
        name="campaign",
        title=f"Campaign: {settings.title}",
        settings={},
        tables=(table,),
        figures=(_arrivals(counts),) if len(counts.history) > 1 else (),
        lead=f"{settings.protocol}, {settings.attribute}; {settings.source_language} to "
        f"{settings.target_language}.",
        warnings=tuple(warnings),
    )


def _ratings_given(ratings: pl.DataFrame) -> tuple[Table, ...]:
    described = [
        pl.len().alias("n_judgements"),
        pl.col("segment_id").n_unique().alias("n_segments"),
        pl.col("worker_id").n_unique().alias("n_workers"),
        pl.col("rating").mean().alias("mean_rating"),
        pl.col("rating").std().alias("sd_rating"),
    ]
    systems = spread_credit(ratings).filter(item_kind="regular")
    of_systems = systems.group_by("system_id").agg(described).sort("system_id")
    of_kinds = ratings.group_by("item_kind").agg(described).sort("n_judgements", descending=True)
    tables = [_described("systems", "Ratings of regular items by system", _SYSTEM_COLUMNS, of_systems)]
    if len(of_kinds) > 1:
        tables.append(_described("kinds", "Ratings by kind of item", _KIND_COLUMNS, of_kinds))
    return tuple(tables)


def _pairs_judged(preferences: pl.DataFrame) -> Table:
    # Which of the two is on the left is a matter of chance.
    both = ("system_a", "system_b")
    pairs = preferences.filter(item_kind="regular").with_columns(
        pl.min_horizontal(both).alias("system_a"), pl.max_horizontal(both).alias("system_b")
    )
    rows = pairs.group_by(both).agg(
        pl.len().alias("n_judgements"),
        pl.col("segment_id").n_unique().alias("n_segments"),
        pl.col("worker_id").n_unique().alias("n_workers"),
    )
    title = "Preferences on regular items by pair of systems"
    return _described("pairs", title, _PAIR_COLUMNS, rows.sort(both))


def _described(name: str, title: str, columns: tuple[Column, ...], rows: pl.DataFrame) -> Table:
    return Table(name, title, columns, rows.select(column.name for column in columns))


def _arrivals(counts: CampaignCounts) -> Figure:
    """Judgements over the hours since the first stretch ended."""
    first = counts.history[0][0]
    hours = [(end - first).total_seconds() / 3600 for end, _ in counts.history]
    table = Table(
        "arrivals",
        "Judgements over time",
        (Column("hours", "Hours", 1), Column("n_judgements", "Judgements")),
        pl.DataFrame({"hours": hours, "n_judgements": [n for _, n in counts.history]}),
    )
    line = Line(tuple(hours), tuple(float(n) for _, n in counts.history))
    wanted = Rule("y", float(counts.n_wanted), label="wanted")
    return Figure.of(
        table,
        caption="Judgements given so far, by hours since the first.",
        panels=[Panel(Axis("Hours"), Axis("Judgements", low=0), (line, wanted))],
    )
