"""HITs in which a worker who passes as a whole no longer recognises degraded copies."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtr

from steelyard.control_pairs import text_pairs
from steelyard.domain.result import HitVerdict
from steelyard.domain.scale import VAS, Scale, drop_in_points
from steelyard.domain.work import ItemKind
from steelyard.frames import in_order_of

# Below this a HIT is left out; strict, because it is looked for in every HIT of everyone [our choice].
HIT_THRESHOLD = 0.01
# A HIT that would pass a paired t-test at this by itself stays [our choice].
PASS_THRESHOLD = 0.05
# A deviation of fewer differences than this means nothing [our choice].
_LEAST_OTHERS = 5
_LEAST_PAIRS = 2


def changed_hits(frame: pl.DataFrame, worker_ids: Collection[str], *, scale: Scale = VAS) -> list[HitVerdict]:
    """HITs in which these workers recognised degraded copies far less than in their others.

    Pooling over HITs hides somebody who starts with care and ends without: the early HITs pay for
    the late ones. So each HIT's mean difference, base less degraded, is compared with that of the
    worker's other HITs by a one-sided t-test, and p is corrected for the number of that worker's
    HITs [Holm1979]. Only those with a corrected p below 0.01 come back, in order of worker and HIT, and
    only if they would not pass by themselves: less of a drop than usual is still attention.

    The scatter is taken from the other HITs alone: somebody who clicks at random scatters so much
    that an error which contains it hides what is looked for. Of random HITs of ten pairs beside two
    honest ones (a drop of 25 points) it finds seven in ten with a noise of 10 and four in ten with 15;
    Welch's test with 10 one in ten. Of honest HITs it finds hardly any, and one in twenty-five of those with
    twice the noise. A HIT needs two pairs, the others together five; what is not found is not thereby
    proved honest. Where texts have several attributes, a pair is one of means over these; `scale` serves
    the words of reasons only.
    """
    hits = _compared(frame, worker_ids)
    suspects = hits.filter((pl.col("p_value") < HIT_THRESHOLD).any().over("worker_id"))
    changed = _with_holm(suspects).filter(pl.col("p_holm") < HIT_THRESHOLD, ~pl.col("tells_apart"))
    return [_verdict(hit, scale) for hit in changed.iter_rows(named=True)]


def _compared(frame: pl.DataFrame, worker_ids: Collection[str]) -> pl.DataFrame:
    """Every HIT beside the worker's others.

    Columns: worker_id, hit_id, n, mean, other_mean, p_value (NaN if untested), tells_apart.
    """
    wanted = pl.Series("worker_id", list(worker_ids), frame["worker_id"].dtype).to_frame()
    pairs = (
        text_pairs(frame, ItemKind.DEGRADED)
        .select("worker_id", "hit_id", difference=pl.col("base_rating") - pl.col("control_rating"))
        .join(wanted, on="worker_id", how="semi")
    )
    # Distances from the worker's mean, for sums of squares that do not cancel.
    middle = pl.col("difference").mean().over("worker_id")
    measured = pairs.with_columns(middle=middle, distance=pl.col("difference") - middle)
    hits = (
        in_order_of(measured, "worker_id", "hit_id", then=["difference"])
        .group_by("worker_id", "hit_id", maintain_order=True)
        .agg(
            pl.col("middle").first(),
            n=pl.len().cast(pl.Int64),
            total=pl.col("distance").sum(),
            squares=(pl.col("distance") ** 2).sum(),
        )
        .with_columns(
            (pl.col(name).sum().over("worker_id") - pl.col(name)).alias(f"other_{name}")
            for name in ("n", "total", "squares")
        )
    )
    n, other_n, total, other_total, own_squares, squares, middles = (
        hits[name].to_numpy().astype(np.float64)
        for name in ("n", "other_n", "total", "other_total", "squares", "other_squares", "middle")
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, other_mean = total / n, other_total / other_n
        variance = np.maximum(squares - other_total * other_mean, 0) / (other_n - 1)
        statistic = (other_mean - mean) / np.sqrt(variance * (1 / n + 1 / other_n))
        own_variance = np.maximum(own_squares - total * mean, 0) / (n - 1)
        own_statistic = (middles + mean) / np.sqrt(own_variance / n)
    # Equal differences above 0 leave a statistic of infinity, and a p of 0.
    own_p = np.where(n > 1, stdtr(np.maximum(n - 1, 1), -own_statistic), 1.0)
    tested = (n >= _LEAST_PAIRS) & (other_n >= _LEAST_OTHERS) & (variance > 0)
    return hits.select("worker_id", "hit_id", "n", "middle").with_columns(
        mean=pl.col("middle") + pl.lit(mean),
        other_mean=pl.col("middle") + pl.lit(other_mean),
        p_value=pl.lit(np.where(tested, stdtr(np.maximum(other_n - 1, 1), -statistic), np.nan)),
        tells_apart=pl.lit(own_p < PASS_THRESHOLD),
    )


def _with_holm(hits: pl.DataFrame) -> pl.DataFrame:
    """The tested HITs with p_holm: as `stats.multiplicity.holm`, for every worker's HITs at once."""
    tested = in_order_of(hits.filter(pl.col("p_value").is_not_nan()), "worker_id", then=["p_value"])
    left = (pl.len() - pl.int_range(pl.len())).over("worker_id")
    stepped = tested.with_columns(p_holm=pl.col("p_value") * left).with_columns(
        pl.col("p_holm").cum_max().over("worker_id").clip(upper_bound=1.0)
    )
    return in_order_of(stepped, "worker_id", "hit_id")


def _verdict(hit: dict[str, Any], scale: Scale) -> HitVerdict:
    here, elsewhere = (drop_in_points(hit[name], scale) for name in ("mean", "other_mean"))
    return HitVerdict(
        worker_id=hit["worker_id"],
        hit_id=hit["hit_id"],
        n_pairs=hit["n"],
        mean_difference=hit["mean"],
        other_mean_difference=hit["other_mean"],
        p_value=hit["p_value"],
        p_holm=hit["p_holm"],
        reason=(
            f"Over {hit['n']} pairs of this HIT, degraded copies were rated {here} on average, "
            f"in the worker's other HITs {elsewhere} (p = {hit['p_holm']:.2g}, below {HIT_THRESHOLD:g})."
        ),
    )
