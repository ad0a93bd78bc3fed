"""Trials summed up: means over draws, their errors, and paired differences to mean z."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from steelyard.evaluation.closeness import Closeness
from steelyard.evaluation.settings import YARDSTICK, EvaluationSettings
from steelyard.evaluation.trial import Trial

_SETTING = ("level", "ratings", "spam")
_RECORD: dict[str, pl.DataType] = {
    "level": pl.String(),
    "ratings": pl.Int64(),
    "spam": pl.Float64(),
    "method": pl.String(),
    "draw": pl.Int64(),
    "n_items": pl.Float64(),
    "r": pl.Float64(),
    "scored": pl.Float64(),
    "coverage": pl.Float64(),
    "r_within": pl.Float64(),
}
Record = tuple[str, int | None, float, str, int, float, float, float, float, float]


def records(closeness: Closeness, trial: Trial, method: str) -> list[Record]:
    """What one method did in one trial, a record for each level."""
    return [
        (
            *(level, trial.ratings, trial.spam, method, trial.draw),
            *(closeness.n_points, r, closeness.scored, closeness.coverage, closeness.r_within),
        )
        for level, r in closeness.r.items()
    ]


def summary(found: Iterable[Record], settings: EvaluationSettings) -> pl.DataFrame:
    """The rows of an evaluation: see `Evaluation`. A trial without correlation counts for nothing."""
    table = pl.DataFrame(list(found), schema=_RECORD, orient="row").with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )
    told = table.filter(pl.col("r").is_not_null())
    yardstick = told.filter(pl.col("method") == YARDSTICK).select(
        *_SETTING, "draw", of_yardstick="r", of_yardstick_within="r_within"
    )
    paired = told.join(yardstick, on=[*_SETTING, "draw"], how="left", nulls_equal=True, maintain_order="left")
    paired = paired.with_columns(
        difference=pl.col("r") - pl.col("of_yardstick"),
        difference_within=pl.col("r_within") - pl.col("of_yardstick_within"),
    )
    is_other = pl.col("method") != YARDSTICK
    order = {name: place for place, name in enumerate(settings.methods)}
    return (
        paired.group_by(*_SETTING, "method", maintain_order=True)
        .agg(
            draws=pl.len().cast(pl.Int64),
            n_items=pl.col("n_items").mean(),
            r=pl.col("r").mean(),
            r_se=_error("r"),
            difference=pl.col("difference").mean(),
            difference_se=_error("difference"),
            wins=pl.when(is_other.first()).then((pl.col("difference") > 0).mean()),
            scored=pl.col("scored").mean(),
            coverage=pl.col("coverage").mean(),
            r_within=pl.col("r_within").mean(),
            difference_within=pl.col("difference_within").mean(),
            difference_within_se=_error("difference_within"),
        )
        .sort(
            "level",
            "ratings",
            "spam",
            pl.col("method").replace_strict(order, default=None, return_dtype=pl.Int64),
        )
    )


def _error(name: str) -> pl.Expr:
    """The standard error of a mean over draws; null for a single one."""
    return pl.col(name).std(ddof=1) / pl.col(name).count().sqrt()
