"""How long HITs took, as recorded beside the ratings: one value per worker and HIT."""

from __future__ import annotations

import polars as pl

from steelyard.frames import hit_times_frame

# What one row of a frame of HIT times stands for.
KEYS = ("worker_id", "hit_id")
# What Mechanical Turk says about submitted work, in lower case.
IS_REJECTED = {"rejected": True, "submitted": False, "approved": False}


def from_judgements(worker: pl.Series, hit: pl.Series, seconds: pl.Series) -> tuple[pl.DataFrame, list[str]]:
    """The frame of HIT times from the seconds on each judgement of a HIT, and what is to be said about it.

    Seconds below zero come from corrections that went too far and count as unknown. Where the rows of
    a HIT disagree the largest counts: work that reportedly took long was not done in less.
    """
    rows = pl.DataFrame(
        [worker.alias("worker_id"), hit.alias("hit_id"), seconds.alias("work_seconds")]
    ).with_columns(pl.when(pl.col("work_seconds") >= 0).then("work_seconds").alias("work_seconds"))
    hits = rows.group_by(KEYS, maintain_order=True).agg(
        pl.col("work_seconds").max(),
        (pl.col("work_seconds").min() != pl.col("work_seconds").max()).alias("differs"),
    )
    differing = hits.filter("differs")
    warnings = []
    if not differing.is_empty():
        worker_id, hit_id = differing.row(0)[:2]
        warnings.append(
            f"The rows of {len(differing):,} of {len(hits):,} HITs disagree on how long the HIT took "
            f"(HIT {hit_id!r} of worker {worker_id!r} is one): the longest time counts."
        )
    return hit_times_frame(hits), warnings


def may_be_hit_time(cells: pl.DataFrame) -> bool:
    """Whether `hit_seconds` can be that: numbers, the same on all rows of a worker's HIT.

    A column that is only called time might as well hold the time of day, or that of each judgement.
    """
    if "hit" not in cells.columns:
        return False
    column = cells["hit_seconds"]
    if column.dtype.is_nested() or column.dtype.is_temporal() or column.dtype == pl.Boolean:
        return False
    text = column.cast(pl.String).str.strip_chars()
    number = text.cast(pl.Float64, strict=False)
    if number.null_count() > (text.is_null() | (text == "")).sum():
        return False
    values = cells.select("worker", "hit", number.alias("seconds")).drop_nulls("seconds")
    return len(values.unique()) == len(values.unique(("worker", "hit")))


def combined(times: pl.DataFrame) -> pl.DataFrame:
    """The frame of HIT times with one row per worker and HIT: the longest of what its rows say."""
    return hit_times_frame(
        times.group_by(KEYS, maintain_order=True).agg(
            pl.col("work_seconds").max(),
            pl.col("accepted_at").min(),
            pl.col("submitted_at").max(),
            pl.col("is_rejected").max(),
        )
    )


def completed(times: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The frame of HIT times with those of `others` that it lacks."""
    return pl.concat([times, others.join(times, on=KEYS, how="anti", maintain_order="left")])
