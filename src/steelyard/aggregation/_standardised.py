"""Ratings standardised by worker, as the settings of a method say."""

from __future__ import annotations

import polars as pl

from steelyard.domain.result import MethodSettings
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of
from steelyard.stats.standardise import standardised, worker_moments


def with_z(frame: pl.DataFrame, settings: MethodSettings) -> pl.DataFrame:
    """What scores need of the frame, with `value` (z, null if none), `defines_worker`, `n_defining`.

    A worker's mean and deviation are taken over the rows that `standardise_over` says, for all
    attributes together or each alone; `n_defining` is how many these are.
    """
    kinds = [str(kind) for kind in SCORED_KINDS]
    over = pl.col("item_kind").is_in(kinds) if settings.standardise_over == "system" else pl.lit(True)
    alone = settings.standardise_per == "attribute"
    judge = pl.concat_str(["worker_id", "attribute"], separator="\x1f") if alone else pl.col("worker_id")
    marked = frame.select(
        *("worker_id", "system_id", "segment_id", "attribute", "item_kind", "credited", "rating"),
        over.alias("defines_worker"),
    )
    _, index = index_of(marked.select(judge).to_series())
    ordered = marked.select("rating", "defines_worker", judge=pl.lit(index))
    if not (ordered["rating"] % 1 == 0).all():
        # In a fixed order the sums come out the same to the last bit; those of whole numbers do anyway.
        ordered = ordered.sort("judge", "rating")
    moments = worker_moments(
        ordered["rating"].to_numpy(), ordered["judge"].to_numpy(), over=ordered["defines_worker"].to_numpy()
    )
    value = standardised(
        marked["rating"].to_numpy(), index, moments=moments, minimum=settings.minimum_ratings
    )
    return marked.with_columns(
        pl.Series("value", value).fill_nan(None), pl.Series("n_defining", moments.n[index])
    )
