"""Metrics whose scores come as a table, one row per translation, beside those there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.meta.scores import ScoredPair, ScoreSet

# Our names for the columns, each with others that stand for it.
_COLUMNS = {
    "metric": ("metric",),
    "system": ("system", "system_id"),
    "segment": ("segment", "segment_id"),
    "score": ("score",),
}
# What a file may say for no score.
_ABSENT = ("", "None")


@dataclass(frozen=True)
class MetricTable:
    """Scores of metrics as read from a file, checked as far as they can be alone.

    `rows`: metric, system, segment (null: the score is of a whole system), score, and row, the number in
    the file from 0, which `place` puts into words.
    """

    where: str
    rows: pl.DataFrame
    place: Callable[[int], str]

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics, in the order of the file."""
        return self.rows["metric"].unique(maintain_order=True).to_list()

    def only(self, names: Sequence[str] | None) -> MetricTable:
        """The rows of these metrics alone; of all if None."""
        return self if names is None else replace(self, rows=self.rows.filter(pl.col("metric").is_in(names)))


def metric_table(
    columns: Mapping[str, Sequence[str | None]], place: Callable[[int], str], *, where: str
) -> MetricTable:
    """The table from its cells; SourceError lists missing columns, or all cells that cannot be used."""
    taken = {
        ours: next((name for name in names if name in columns), None) for ours, names in _COLUMNS.items()
    }
    problems = [
        f"there is no column {ours}. Needed are metric, system, segment and score; an empty segment stands "
        "for the whole system."
        for ours, name in taken.items()
        if name is None
    ]
    if problems:
        raise SourceError(where, problems)
    cells = pl.DataFrame(
        {ours: pl.Series(columns[str(name)], dtype=pl.String) for ours, name in taken.items()}
    ).with_columns(pl.all().str.strip_chars().fill_null(""))
    rows = cells.with_columns(
        pl.col("segment").replace("", None),
        pl.col("score").cast(pl.Float64, strict=False),
        is_absent=pl.col("score").is_in(_ABSENT),
        text=pl.col("score"),
    ).with_row_index("row")
    for name in ("metric", "system"):
        problems += [
            f"{place(row)}: the cell {name} is empty." for row in rows.filter(pl.col(name) == "")["row"]
        ]
    odd = ~pl.col("is_absent") & ~pl.col("score").is_finite().fill_null(value=False)
    problems += [
        f"{place(row)}: {text!r} is no score: write a number, or nothing where there is none."
        for row, text in rows.filter(odd).select("row", "text").iter_rows()
    ]
    if problems:
        raise SourceError(where, problems)
    return MetricTable(where, rows.filter(~pl.col("is_absent")).drop("is_absent", "text"), place)


def add_metrics(scored: ScoredPair, table: MetricTable, segments: Sequence[str]) -> ScoredPair:
    """The same pair with the metrics of a table after its own; `segments` names the pair's segments in order.

    A metric has no score of what it has no row for. SourceError with all rows about segments that there
    are not, about the same as another row, or by a metric that is there already.
    """
    places = {name: number for number, name in enumerate(segments)}
    rows = table.rows.with_columns(
        at=pl.col("segment").replace_strict(places, default=None, return_dtype=pl.Int64)
    )
    unknown = rows.filter(pl.col("segment").is_not_null() & pl.col("at").is_null())
    problems = [
        f"{table.place(row)}: there is no segment {segment!r}; there are {len(segments):,}, from "
        f"{segments[0]!r} to {segments[-1]!r}."
        for row, segment in unknown.select("row", "segment").iter_rows()
    ]
    same = pl.struct("metric", "system", "segment")
    problems += [
        f"{table.place(row)}: scores what another row has scored before by {metric}."
        for row, metric in rows.filter(~same.is_first_distinct()).select("row", "metric").iter_rows()
    ]
    taken = {metric.name for metric in scored.metrics}
    problems += [
        f"the metric {name!r} is known already: give the one in the table another name."
        for name in table.metrics
        if name in taken
    ]
    if problems:
        raise SourceError(table.where, problems)
    found = [
        _scores(str(name), of_metric, scored.n_segments)
        for (name,), of_metric in rows.group_by("metric", maintain_order=True)
    ]
    return replace(scored, metrics=(*scored.metrics, *found))


def _scores(name: str, rows: pl.DataFrame, n_segments: int) -> ScoreSet:
    systems = rows["system"].unique(maintain_order=True).to_list()
    number = {system: row for row, system in enumerate(systems)}
    row = rows["system"].replace_strict(number, return_dtype=pl.Int64).to_numpy()
    score = rows["score"].to_numpy()
    is_whole = rows["at"].is_null().to_numpy()
    overall = segments = None
    if is_whole.any():
        overall = np.full(len(systems), np.nan)
        overall[row[is_whole]] = score[is_whole]
    if not is_whole.all():
        segments = np.full((len(systems), n_segments), np.nan)
        segments[row[~is_whole], rows["at"].drop_nulls().to_numpy()] = score[~is_whole]
    return ScoreSet(name, tuple(systems), segments, overall)
