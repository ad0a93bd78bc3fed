"""Flags raised by the ratings themselves: worker_id and detail of the workers that each concerns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from steelyard.domain.result import LEAST_PAIRS
from steelyard.domain.scale import Scale
from steelyard.domain.work import ItemKind
from steelyard.frames import has_few_points, in_order_of
from steelyard.stats.runs import chance_of_run

# This many equal ratings in a row are too many: the public code of 2016 allows 8, WMT21 10.
_LONG_RUN, _LONG_RUN_IN_WMT = 9, 11
# Our choices: a run that random order gives so rarely, or that is more than this share of a HIT.
_RARE_RUN, _MOST_OF_HIT = 0.001, 0.5
# Our choices: nearly all ratings at the ends, or hardly any variety, in no fewer ratings than this.
_SHARE_AT_ENDS, _VARIETY, _ENOUGH_RATINGS = 0.8, 5, 10
# Our choices: a HIT's mean away from the others' by this many standard errors and this share of the scale.
_SHIFT_ERRORS, _SHIFT_SHARE = 3.0, 1 / 3
# Fewer ratings of a HIT, such as of one just begun or given back, say nothing of its level [our choice].
_ENOUGH_OF_HIT = 5


def scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Degraded copies rated no worse than translations on average, of five degraded copies or more.

    How references compare with translations, and whether they get nearly the whole scale, depends more on
    the systems and on how harsh a worker is than on care: see docs/explanation/quality-control.md.
    """
    degraded = pl.col("rating").filter(pl.col("item_kind") == str(ItemKind.DEGRADED))
    means = frame.group_by("worker_id").agg(
        degraded=degraded.mean(), regular=_mean(ItemKind.REGULAR), n_degraded=degraded.count()
    )
    return _with_details(means.filter(pl.col("n_degraded") >= LEAST_PAIRS), [_degraded_not_worse()])


def scores_in_wmt(frame: pl.DataFrame) -> pl.DataFrame:
    """Degraded copies rated no worse than translations on average: all that WMT21 looked at."""
    means = frame.group_by("worker_id").agg(
        degraded=_mean(ItemKind.DEGRADED), regular=_mean(ItemKind.REGULAR)
    )
    return _with_details(means, [_degraded_not_worse()])


def sequence(frame: pl.DataFrame, scale: Scale) -> pl.DataFrame:
    """Nine or more equal ratings in a row within one HIT, for any one attribute, that are hardly chance.

    Somebody who gives half of all texts the highest rating has long runs of it without doing anything odd. So
    the run must be more than half of the HIT, or one that the same ratings in random order would have with
    a probability below 0.001, over all HITs of the worker. Rows are in order of position; where a HIT's
    positions are not all known, its rows are taken as they stand. On a scale of few points (see
    `has_few_points`) nobody is flagged: there such runs come by chance.
    """
    if _is_of_few_points(frame, scale):
        return pl.DataFrame(schema={"worker_id": frame["worker_id"].dtype, "detail": pl.String})
    # HITs first, as most files have them.
    in_hit = ["hit_id", "worker_id", "attribute"]
    if frame["position"].null_count() == len(frame):
        return _unlikely_runs(in_order_of(frame.select(*in_hit, "rating"), *in_hit), in_hit)
    place = pl.col("position")
    if frame["position"].null_count():
        row = pl.int_range(pl.len(), dtype=pl.Int64)
        place = pl.when(place.null_count().over(in_hit) == 0).then(place).otherwise(row)
    ordered = in_order_of(frame.select(*in_hit, "rating", place.alias("place")), *in_hit, then=["place"])
    return _unlikely_runs(ordered, in_hit)


def sequence_in_wmt(frame: pl.DataFrame) -> pl.DataFrame:
    """More than ten equal ratings in a row, over the borders of HITs: the count of WMT21.

    The published counts follow from the order of rows, not from times or names of HITs.
    """
    together = ["worker_id", "attribute"]
    ordered = in_order_of(frame.select(*together, "rating"), *together)
    return _longest(_runs(ordered, together, least=_LONG_RUN_IN_WMT))


def endpoints(frame: pl.DataFrame, scale: Scale) -> pl.DataFrame:
    """More than 80 % of ratings at the ends of the scale, or fewer than five different ratings.

    Only of workers with at least ten ratings, and nobody's on a scale of few points (see
    `has_few_points`), where that is how one answers.
    """
    rating = pl.col("rating")
    counts = (
        frame.group_by("worker_id")
        .agg(
            n=pl.len(),
            share=((rating == scale.minimum) | (rating == scale.maximum)).mean(),
            variety=rating.n_unique(),
        )
        .filter(pl.col("n") >= _ENOUGH_RATINGS, pl.lit(not _is_of_few_points(frame, scale)))
    )
    parts = [
        pl.when(pl.col("share") > _SHARE_AT_ENDS).then(
            pl.format("{} % of {} ratings are at the ends of the scale", _shown(pl.col("share") * 100), "n")
        ),
        pl.when(pl.col("variety") < _VARIETY).then(
            pl.format("{} ratings take only {} different values", "n", "variety")
        ),
    ]
    return _with_details(counts, parts)


def shift(frame: pl.DataFrame, scale: Scale) -> pl.DataFrame:
    """A HIT of five ratings or more whose mean is far from the worker's other HITs, in errors and in points.

    The standard error of the difference pools the deviations within the HIT and within the others;
    where neither has any, a difference in points is enough.
    """
    rating = pl.col("rating")
    # Distances from the worker's mean, for sums of squares that do not cancel.
    hits = (
        frame.select("worker_id", "hit_id", (rating - rating.mean().over("worker_id")).alias("distance"))
        .group_by("worker_id", "hit_id")
        .agg(
            n=pl.len().cast(pl.Int64), total=pl.col("distance").sum(), squares=(pl.col("distance") ** 2).sum()
        )
        .join(frame.group_by("worker_id").agg(worker_mean=rating.mean()), on="worker_id")
    )
    others = hits.with_columns(
        (pl.col(name).sum().over("worker_id") - pl.col(name)).alias(f"other_{name}")
        for name in ("n", "total", "squares")
    ).filter(pl.min_horizontal("n", "other_n") >= _ENOUGH_OF_HIT)
    mean, other_mean = pl.col("total") / pl.col("n"), pl.col("other_total") / pl.col("other_n")
    within = (
        pl.col("squares")
        + pl.col("other_squares")
        - pl.col("n") * mean**2
        - pl.col("other_n") * other_mean**2
    ).clip(0)
    error = (
        within / (pl.col("n") + pl.col("other_n") - 2) * (1 / pl.col("n") + 1 / pl.col("other_n"))
    ).sqrt()
    largest = (
        others.with_columns(
            distance=(mean - other_mean).abs(),
            error=error,
            mean=pl.col("worker_mean") + mean,
            other_mean=pl.col("worker_mean") + other_mean,
        )
        .filter(
            pl.col("distance") > _SHIFT_ERRORS * pl.col("error"),
            pl.col("distance") > _SHIFT_SHARE * scale.width,
        )
        .sort("worker_id", "distance", "hit_id", descending=[False, True, False])
        .unique("worker_id", keep="first", maintain_order=True)
    )
    found = pl.format(
        "the mean rating is {} in HIT {} and {} in the others", _shown("mean"), "hit_id", _shown("other_mean")
    )
    return _with_details(largest, [found])


def _is_of_few_points(frame: pl.DataFrame, scale: Scale) -> bool:
    return has_few_points(frame["rating"].to_numpy(), scale, n_workers=frame["worker_id"].n_unique())


def _mean(kind: ItemKind) -> pl.Expr:
    return pl.col("rating").filter(pl.col("item_kind") == str(kind)).mean()


def _degraded_not_worse() -> pl.Expr:
    return pl.when(pl.col("degraded") >= pl.col("regular")).then(
        pl.format("degraded copies got {} on average, translations {}", _shown("degraded"), _shown("regular"))
    )


def _runs(ordered: pl.DataFrame, within: list[str], *, least: int) -> pl.DataFrame:
    """Runs of equal ratings at least this long: the columns of `within`, rating, length, run (its row)."""
    columns = [*within, "rating"]
    starts = pl.any_horizontal(pl.col(name) != pl.col(name).shift(1) for name in columns).fill_null(True)
    first = ordered.select(starts).to_series().arg_true().to_numpy()
    length = np.diff(np.append(first, len(ordered)))
    is_long = length >= least
    return ordered[first[is_long]].with_columns(
        pl.Series("length", length[is_long], pl.Int64), pl.Series("run", first[is_long], pl.Int64)
    )


def _unlikely_runs(ordered: pl.DataFrame, within: list[str]) -> pl.DataFrame:
    """The long runs of each worker that chance hardly makes; the longest of each worker."""
    runs = _runs(ordered, within, least=_LONG_RUN)
    if runs.is_empty():
        return _longest(runs)
    sizes = ordered.group_by(within).agg(n=pl.len().cast(pl.Int64))
    counted = (
        runs.join(sizes, on=within, how="left", maintain_order="left")
        .join(
            ordered.group_by(*within, "rating").agg(equal=pl.len().cast(pl.Int64)),
            on=[*within, "rating"],
            how="left",
            maintain_order="left",
        )
        .join(
            sizes.group_by("worker_id").agg(n_hits=pl.len()),
            on="worker_id",
            how="left",
            maintain_order="left",
        )
    )
    chance = chance_of_run(*(counted[name].to_numpy() for name in ("n", "equal", "length")))
    is_rare = pl.Series(chance) * counted["n_hits"] < _RARE_RUN
    return _longest(counted.filter(is_rare | (counted["length"] > _MOST_OF_HIT * counted["n"])))


def _longest(runs: pl.DataFrame) -> pl.DataFrame:
    """The longest run of each worker, in words."""
    longest = runs.sort("worker_id", "length", "run", descending=[False, True, False]).unique(
        "worker_id", keep="first", maintain_order=True
    )
    found = pl.format("{} ratings in a row are {}", "length", _shown("rating"))
    return _with_details(longest, [found])


def _with_details(found: pl.DataFrame, parts: Sequence[pl.Expr]) -> pl.DataFrame:
    """worker_id and a sentence of the parts that are not null, for workers who have any."""
    text = pl.concat_str(parts, separator="; ", ignore_nulls=True)
    sentence = text.str.head(1).str.to_uppercase() + text.str.slice(1) + pl.lit(".")
    return found.filter(pl.any_horizontal(part.is_not_null() for part in parts)).select(
        "worker_id", sentence.alias("detail")
    )


def _shown(number: str | pl.Expr) -> pl.Expr:
    known = pl.col(number) if isinstance(number, str) else number
    return known.round(1).cast(pl.String).str.strip_suffix(".0")
