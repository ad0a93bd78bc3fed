"""Each worker beside the truth about the translations they judged, as the others see it."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence
from steelyard.domain.work import SCORED_KINDS
from steelyard.frames import index_of
from steelyard.stats.arrays import FloatArray, IntArray

# A correlation over fewer common translations says little [Mathur2018].
LEAST_ITEMS = 10
# Fewer other workers' ratings than this are no truth [our choice].
LEAST_OTHERS = 3
_ITEM = ("system_id", "segment_id", "attribute")


def beside_truth(source: Evidence) -> pl.DataFrame:
    """How each worker's ratings compare with the truth, one row each in order of worker_id.

    The truth of a translation is the mean z of the other workers' ratings that the scores rest on, each
    worker counting once; nobody is compared with their own rating. z is the distance from a worker's mean
    in that worker's deviations. Left out are translations with fewer than 3 others, then workers
    with fewer than 10 translations; NotEnoughData if nobody is left.

    Columns: worker_id, n_items, n_others (median), r (Pearson's, of ratings and truth), distance (mean of
    rating less truth, the ratings standardised by the mean and deviation of all of them), precision (1 /
    variance of that distance), offset (the distance in points). r is null for those whose ratings are
    all the same.
    """
    rating = source.frame["rating"]
    middle, spread = rating.mean(), rating.std()
    items = _with_truth(source)
    distance = (pl.col("rating") - middle) / spread - pl.col("truth")
    found = (
        items.group_by("worker_id", maintain_order=True)
        .agg(
            n_items=pl.len().cast(pl.Int64),
            n_others=pl.col("n_others").median(),
            r=pl.corr("rating", "truth"),
            distance=distance.mean(),
            precision=1 / distance.var(),
        )
        .filter(pl.col("n_items") >= LEAST_ITEMS)
        .with_columns(offset=pl.col("distance") * spread)
    )
    if found.is_empty() or not spread:
        raise NotEnoughData(
            f"No worker judged {LEAST_ITEMS} translations that {LEAST_OTHERS} others, whose ratings are "
            "kept, judged too, so there is no truth to compare anybody with."
        )
    numbers = pl.col(pl.Float64)
    return found.with_columns(pl.when(numbers.is_finite()).then(numbers)).sort("worker_id")


def _with_truth(source: Evidence) -> pl.DataFrame:
    """Every worker's mean rating of each translation beside the truth and on how many others it rests."""
    is_scored = source.frame["item_kind"].is_in([str(kind) for kind in SCORED_KINDS])
    frame, keeps = source.frame.filter(is_scored), source.keeps.filter(is_scored).to_numpy()
    names, worker = index_of(frame["worker_id"])
    item = _numbers(frame)
    rating = frame["rating"].to_numpy()
    z = _standardised(source, names, rating, worker)
    is_known = keeps & np.isfinite(z)
    # A repeat is the same translation once more: a cell is all that one worker rated of one translation.
    n_items = int(item.max(initial=0)) + 1
    cells, cell = np.unique(worker * n_items + item, return_inverse=True)
    of_worker, of_item = cells // n_items, cells % n_items
    n_own = np.bincount(cell, is_known, len(cells))
    own = np.bincount(cell, np.where(is_known, z, 0.0), len(cells)) / np.maximum(n_own, 1)
    total, n_all = np.bincount(of_item, own, n_items), np.bincount(of_item, n_own > 0, n_items)
    n_others = n_all[of_item] - (n_own > 0)
    rated = pl.DataFrame(
        {
            "worker_id": pl.Series(names, dtype=pl.String).gather(of_worker),
            "rating": np.bincount(cell, rating, len(cells)) / np.bincount(cell, minlength=len(cells)),
            "truth": (total[of_item] - own) / np.maximum(n_others, 1),
            "n_others": n_others,
        }
    )
    return rated.filter(pl.col("n_others") >= LEAST_OTHERS)


def _numbers(frame: pl.DataFrame) -> IntArray:
    """A number from 0 for each translation, the same for all rows that are of it."""
    code = np.zeros(len(frame), dtype=np.int64)
    for name in _ITEM:
        names, place = index_of(frame[name])
        code = code * len(names) + place
    return np.unique(code, return_inverse=True)[1]


def _standardised(source: Evidence, names: list[str], rating: FloatArray, worker: IntArray) -> FloatArray:
    """z of each rating; NaN of workers with too few ratings, or with the same ones throughout."""
    settings = source.analysis.settings
    # A mean of equal ratings may be off by rounding, so that they deviate from it.
    is_usable = (pl.col("sd") > 1e-9 * settings.scale.width) & (
        pl.col("n_judgements") >= settings.method_settings.fewest_ratings
    )
    moments = pl.DataFrame({"worker_id": names}, schema={"worker_id": pl.String}).join(
        source.analysis.workers.filter(is_usable).select("worker_id", "mean", "sd"),
        on="worker_id",
        how="left",
        maintain_order="left",
    )
    mean, sd = (moments[name].cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("mean", "sd"))
    z: FloatArray = (rating - mean[worker]) / sd[worker]
    return z
