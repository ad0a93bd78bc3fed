"""Which systems are better, judged by their scores, when judgements of a worker or a document go together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.aggregation._units import unit_weights
from steelyard.frames import index_of
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.clustered import ClusterSums, better_p_values, clustered_errors
from steelyard.stats.rounding import TIE_DECIMALS


def clustered_p_values(units: pl.DataFrame, systems: Sequence[str], *, flat: bool) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column. Shape (S, S).

    `units`: system_id, segment_id, attribute, worker_id, `document` (its number), value, and weight if they
    have one. What is tested is the difference of scores as they are shown, each the mean of its attributes'
    means over segments or, if `flat`, over units; its error lets workers and documents be others. NaN
    where one of the two rests on a single worker or document.
    """
    numbered = units.with_columns(
        system=units["system_id"].cast(pl.String).replace_strict(list(systems), range(len(systems))),
        share=pl.Series(unit_weights(units, flat=flat)),
    )
    # Every attribute has a mean of its own; each system's score is the mean of those it was judged in.
    of_attribute = ("system_id", "attribute")
    own_mean = (pl.col("share") * pl.col("value")).sum().over(of_attribute)
    n_attributes = pl.col("attribute").n_unique().over("system_id")
    parts = numbered.select(
        moved=pl.col("share") * (pl.col("value") - own_mean) / n_attributes,
        part=pl.col("share") * pl.col("value") / n_attributes,
    )
    system: IntArray = numbered["system"].to_numpy().astype(np.int64)
    moved: FloatArray = parts["moved"].to_numpy()
    part: FloatArray = parts["part"].to_numpy()
    scores = np.bincount(system, part, len(systems)).astype(np.float64).round(TIE_DECIMALS)
    errors = clustered_errors(_cells(numbered, system, moved, len(systems)))
    p_values = better_p_values(scores, errors)
    # Systems with the same judgements do not differ at all.
    same = (scores[:, None] == scores[None, :]) & ~np.isnan(errors.difference_df)
    p_values[same] = 0.5
    np.fill_diagonal(p_values, np.nan)
    return p_values


def _cells(units: pl.DataFrame, system: IntArray, moved: FloatArray, n_systems: int) -> ClusterSums:
    """How far the units of one worker on one document moved each score."""
    _, worker = index_of(units["worker_id"])
    document = units["document"].to_numpy()
    width = int(document.max()) + 1
    codes, cell = np.unique(worker * width + document, return_inverse=True)
    sums = np.bincount(cell * n_systems + system, moved, len(codes) * n_systems).astype(np.float64)
    return ClusterSums(sums.reshape(len(codes), n_systems), codes // width, codes % width)
