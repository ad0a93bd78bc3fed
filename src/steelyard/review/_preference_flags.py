"""Flags raised by preferences: worker_id and detail of the workers that each concerns."""

from __future__ import annotations

import polars as pl

from steelyard.stats.sign_test import two_sided_sign_test

# Our choices: the most uneven share of one side, the smallest p, the fewest decided preferences; and the
# largest share of preferences for neither, of no fewer.
_ONE_SIDED, _SIDE_P, _ENOUGH = 0.8, 0.001, 10
_UNDECIDED = 0.8


def side(frame: pl.DataFrame) -> pl.DataFrame:
    """Nearly always the side that was shown first, or nearly always the other.

    Sides are shown in random order, so that someone who reads prefers both about equally often: 80 % or more
    for one side, and p below 0.001 in a sign test, among ten or more preferences for either.
    """
    said = pl.col("preference").cast(pl.String)
    counts = (
        frame.group_by("worker_id")
        .agg(a=(said == "a").sum().cast(pl.Int64), b=(said == "b").sum().cast(pl.Int64))
        .with_columns(n=pl.col("a") + pl.col("b"))
        .filter(pl.col("n") >= _ENOUGH)
    )
    p_value = two_sided_sign_test(counts["a"].to_numpy(), counts["b"].to_numpy())
    most = pl.max_horizontal("a", "b")
    flagged = counts.filter(pl.Series(p_value < _SIDE_P, dtype=pl.Boolean), most / pl.col("n") >= _ONE_SIDED)
    which = pl.when(pl.col("a") > pl.col("b")).then(pl.lit("first")).otherwise(pl.lit("second"))
    detail = pl.format("Of {} preferences, {} are for the translation shown {}.", "n", most, which)
    return flagged.select("worker_id", detail=detail)


def ties(frame: pl.DataFrame) -> pl.DataFrame:
    """More than 80 % of ten or more preferences for neither translation."""
    neither = pl.col("preference").cast(pl.String).is_in(["tie", "both_bad"])
    counts = (
        frame.group_by("worker_id")
        .agg(n=pl.len(), neither=neither.sum())
        .filter(pl.col("n") >= _ENOUGH, pl.col("neither") / pl.col("n") > _UNDECIDED)
    )
    share = (100 * pl.col("neither") / pl.col("n")).round(0).cast(pl.Int64)
    return counts.select(
        "worker_id", detail=pl.format("{} % of {} preferences are for neither translation.", share, "n")
    )
