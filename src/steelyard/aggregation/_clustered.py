"""Which systems are better, when judgements of one worker or one document go together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.aggregation._units import unit_weights, with_value
from steelyard.frames import index_of
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.clustered import ClusterSums, better_p_values, clustered_errors
from steelyard.stats.rounding import TIE_DECIMALS
from steelyard.stats.system_contrasts import better_systems
from steelyard.stats.worker_trust import JudgedTexts

# What regular and repeat items are together: texts of systems.
_SCORED = "scored"


def clustered_p_values(
    units: pl.DataFrame, systems: Sequence[str], *, controls: pl.DataFrame | None
) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column. Shape (S, S).

    `units`: system_id, segment_id, attribute, worker_id, `document` (its number), value, and weight if they
    have one. `controls`: worker_id, segment_id, attribute, item_kind, value, of items that are no system's.
    What is compared is not the scores as shown but the workers' opinions of documents, weighed by what they
    are worth (`stats/system_contrasts.py`). NaN where one of the two rests on a single worker or document.
    """
    columns = [
        units.with_columns(item_kind=pl.lit(_SCORED)).cast({"item_kind": pl.String}),
        *([] if controls is None else [with_value(controls).with_columns(document=0, system_id=None)]),
    ]
    texts = _joined(columns)
    numbered = texts["system_id"].replace_strict(list(systems), range(len(systems)), default=0)
    criterion = index_of(texts["attribute"])[1]
    kinds, kind = index_of(texts["item_kind"])
    judged = JudgedTexts(
        value=texts["value"].to_numpy(),
        worker=index_of(texts["worker_id"])[1],
        document=texts["document"].to_numpy().astype(np.int64),
        segment=index_of(texts["segment_id"])[1],
        system=numbered.to_numpy().astype(np.int64),
        criterion=criterion,
        group=criterion * len(kinds) + kind,
        scored=(texts["item_kind"] == _SCORED).to_numpy(),
        weight=texts["weight"].to_numpy(),
    )
    return better_systems(judged, len(systems))


def _joined(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Units and controls as one frame of what the test needs."""
    names = ("worker_id", "segment_id", "attribute", "item_kind", "system_id")
    return pl.concat(
        part.select(
            pl.col(names).cast(pl.String),
            pl.col("document").cast(pl.Int64),
            pl.col("value").cast(pl.Float64),
            (pl.col("weight") if "weight" in part.columns else pl.lit(1.0)).alias("weight"),
        )
        for part in parts
    )


def score_p_values(units: pl.DataFrame, systems: Sequence[str], *, flat: bool) -> FloatArray:
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
