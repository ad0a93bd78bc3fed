"""Shared by the methods that average: values of judgements to segment scores to system scores."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import Fit, MethodSettings
from steelyard.frames import scored
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.bootstrap import CrossedRatings, two_way_bootstrap
from steelyard.stats.rank_sum import rank_sum_matrix
from steelyard.stats.standardise import worker_moments

CELL = ("system_id", "segment_id")
# Rows in this order give the same sums, to the last bit, however the file was sorted.
CANONICAL_ORDER = (*CELL, "worker_id", "attribute", "item_kind", "rating")

# Equal means of different ratings may differ in their last bits; the rank-sum test must see a tie.
_TIE_DECIMALS = 10


def index_of(column: pl.Series) -> tuple[list[str], IntArray]:
    """The distinct values in order, and for each row the place of its value among them."""
    names = column.unique().sort().to_list()
    return names, column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def worker_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Each worker's mean and deviation over all rows given, in the columns of Fit.workers."""
    names, index = index_of(frame["worker_id"])
    moments = worker_moments(frame["rating"].to_numpy(), index)
    unknown = [pl.lit(None, pl.Float64).alias(name) for name in ("offset", "slope", "precision", "weight")]
    return pl.DataFrame(
        {"worker_id": names, "mean": moments.mean, "sd": moments.sd},
        schema={"worker_id": pl.String, "mean": pl.Float64, "sd": pl.Float64},
    ).with_columns(pl.col("mean", "sd").fill_nan(None), *unknown)


def scored_rows(frame: pl.DataFrame, *, method: str) -> pl.DataFrame:
    """The rows that belong to a system; raises NotEnoughData if there are none."""
    rows = scored(frame)
    if rows.is_empty():
        raise NotEnoughData(
            f"{method}: there is no rating of a regular or repeat item, so no system can be scored. "
            "Wait for judgements, or check the kinds in the file: controls alone score nobody."
        )
    return rows


def fit_means(
    rows: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator, *, workers: pl.DataFrame
) -> Fit:
    """Scores from scored rows with a column `value`, null where a judgement has none.

    A segment's score is the mean of its judgements' values, or of its workers' means (`unit`); a
    system's score the unweighted mean of its segment scores, or with `flat` of all its values.
    Judgements without value are left out, unless `unstandardised_as_zero`: then they count in
    `mean_rating` and `n`, and a segment without any value scores 0. Significance is by the
    rank-sum test on segment scores, intervals by resampling workers and segments.
    """
    if settings.unstandardised_as_zero:
        nobody = pl.col("value").is_null().all().over(CELL)
        rows = rows.with_columns(pl.when(nobody).then(0.0).otherwise(pl.col("value")).alias("value"))
    else:
        rows = rows.filter(pl.col("value").is_not_null())
    units = _units(rows.sort(CANONICAL_ORDER), per_worker=settings.unit == "worker")
    segments = units.group_by(CELL, maintain_order=True).agg(
        score=pl.col("value").mean(),
        sd=pl.col("value").std(ddof=1),
        mean_rating=pl.col("rating").mean(),
        n=pl.col("n").sum(),
    )
    systems = _systems(units, segments, flat=settings.unit == "flat")
    systems = systems.join(_intervals(units, settings, rng), on="system_id", how="left")
    systems = systems.sort(["score", "system_id"], descending=[True, False]).select(
        "system_id", "score", "lower", "upper", "mean_rating", "n_segments", "n_judgements"
    )
    scores = dict(segments.group_by("system_id").agg("score").iter_rows())
    groups = [
        np.array(scores[system_id], dtype=np.float64).round(_TIE_DECIMALS)
        for system_id in systems["system_id"]
    ]
    return Fit(segments=segments, systems=systems, p_values=rank_sum_matrix(groups), workers=workers)


def _units(rows: pl.DataFrame, *, per_worker: bool) -> pl.DataFrame:
    """What a segment's mean is taken over: judgements, or each worker's mean of theirs."""
    if not per_worker:
        return rows.select(*CELL, "worker_id", "value", "rating", pl.lit(1, pl.Int64).alias("n"))
    return rows.group_by(*CELL, "worker_id", maintain_order=True).agg(
        pl.col("value").mean(), pl.col("rating").mean(), pl.len().cast(pl.Int64).alias("n")
    )


def _systems(units: pl.DataFrame, segments: pl.DataFrame, *, flat: bool) -> pl.DataFrame:
    averaged = units.rename({"value": "score", "rating": "mean_rating"}) if flat else segments
    means = averaged.group_by("system_id").agg(pl.col("score", "mean_rating").mean())
    counts = segments.group_by("system_id").agg(
        n_segments=pl.len().cast(pl.Int64), n_judgements=pl.col("n").sum()
    )
    return means.join(counts, on="system_id")


def _intervals(units: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> pl.DataFrame:
    """Lower and upper bound of each system's score at the wanted level; null without draws."""
    valued = units.filter(pl.col("value").is_not_null())
    systems, system = index_of(valued["system_id"])
    bounds: FloatArray = np.full((2, len(systems)), np.nan)
    if settings.draws:
        in_cell = valued.select(pl.len().over(CELL)).to_series().to_numpy()
        ratings = CrossedRatings(
            value=valued["value"].to_numpy(),
            weight=np.ones(len(valued)) if settings.unit == "flat" else 1.0 / in_cell,
            worker=index_of(valued["worker_id"])[1],
            segment=index_of(valued["segment_id"])[1],
            system=system,
        )
        tail = (1 - settings.level) / 2
        drawn = two_way_bootstrap(ratings, draws=settings.draws, rng=rng)
        bounds = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return pl.DataFrame({"system_id": systems, "lower": bounds[0], "upper": bounds[1]}).with_columns(
        pl.col("lower", "upper").fill_nan(None)
    )
