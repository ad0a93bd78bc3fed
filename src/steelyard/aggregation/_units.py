"""The units that scores are means of, judgements or workers' means, and what each of them weighs."""

from __future__ import annotations

import polars as pl

from steelyard.aggregation._order import CELL
from steelyard.stats.arrays import FloatArray


def units_of(rows: pl.DataFrame, *, per_worker: bool) -> pl.DataFrame:
    """What a segment's mean is taken over: judgements, or each worker's mean of theirs.

    The units keep the columns `document`, the number of their segment's, `hit_id` and `domain`, where rows
    have them.
    """
    weight = weight_columns(rows)
    kept = [name for name in ("document", "hit_id", "domain") if name in rows.columns]
    if not per_worker:
        return rows.select(
            *(*CELL, "attribute", "worker_id", "value", "rating", *weight, *kept),
            pl.lit(1, pl.Int64).alias("n"),
        )
    return rows.group_by(*CELL, "attribute", "worker_id", maintain_order=True).agg(
        weighted_mean("value", rows),
        pl.col("rating", *weight).mean(),
        pl.col(kept).first(),
        pl.len().cast(pl.Int64).alias("n"),
    )


def with_value(units: pl.DataFrame) -> pl.DataFrame:
    """The units that have a value."""
    return units.filter(pl.col("value").is_not_null()) if units["value"].null_count() else units


def unit_weights(valued: pl.DataFrame, *, flat: bool) -> FloatArray:
    """What each unit weighs in its system's score: every attribute the same, within it every segment."""
    of_attribute = ("system_id", "attribute")
    own = pl.col("weight") if weight_columns(valued) else pl.lit(1.0)
    size = pl.col("weight").sum() if weight_columns(valued) else pl.len()
    in_attribute = size.over(of_attribute)
    in_cell = size.over(*CELL, "attribute")
    n_cells = pl.col("segment_id").n_unique().over(of_attribute)
    weight = own / in_attribute if flat else own / (in_cell * n_cells)
    weights: FloatArray = valued.select(weight.cast(pl.Float64)).to_series().to_numpy()
    return weights


def weight_columns(rows: pl.DataFrame) -> tuple[str, ...]:
    """The column that rows are weighted by, if they are."""
    return ("weight",) if "weight" in rows.columns else ()


def weighted_mean(name: str, rows: pl.DataFrame) -> pl.Expr:
    """The mean of a column, weighted if the rows have weights."""
    if not weight_columns(rows):
        return pl.col(name).mean()
    return (pl.col(name) * pl.col("weight")).sum() / pl.col("weight").sum()
