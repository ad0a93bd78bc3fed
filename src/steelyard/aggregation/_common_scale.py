"""Shared by the published worker model and its variants: ratings on one scale for all workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._judged_items import JudgedItems, WorkerModelSettings
from steelyard.domain.options import option
from steelyard.domain.scale import Scale
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clustered import ClusterSums
from steelyard.stats.worker_model.influence import RatingOrigin, moved_sums
from steelyard.stats.worker_model.linear import published_model
from steelyard.stats.worker_model.problem import Normal, Posterior, WorkerRatings
from steelyard.stats.worker_model.published import PublishedPriors

# How far a worker's offset in one HIT lies from the worker's own (section 4 of the paper names the trouble).
HIT_SD = 0.5
# A worker of whose ratings more than this share seem random is worth a warning.
MOSTLY_RANDOM = 0.5


@dataclass(frozen=True, slots=True)
class CommonScaleSettings(WorkerModelSettings):
    """Choices of the published worker model and its variants."""

    ends: Literal["open", "censored", "truncated"] = option(
        "open",
        help="What a rating at an end of the scale says: itself, at least that much (censored), or that no "
        "rating could lie beyond (truncated).",
        signature="ends",
    )
    random_clicks: bool = option(
        False, help="Allow for any rating being a click at random.", signature="clicks:random"
    )


@dataclass(frozen=True)
class CommonScale:
    """All ratings together standardised: (rating - mean) / sd. `origin`: where they come from.

    `quality`: what is known of items beforehand; None where of no item. Scores are then in points, which is
    how they compare with the campaign that the items come from; otherwise in deviations.
    """

    ratings: WorkerRatings
    mean: float
    sd: float
    quality: Normal | None
    origin: RatingOrigin

    def standardised(self, points: FloatArray | float) -> FloatArray:
        """Points of the scale as deviations from the mean."""
        return (np.asarray(points, dtype=np.float64) - self.mean) / self.sd

    @property
    def unit(self) -> float:
        """What a score is per deviation."""
        return 1.0 if self.quality is None else self.sd

    @property
    def level(self) -> float:
        """The score of an average rating."""
        return 0.0 if self.quality is None else self.mean

    def ends(self, scale: Scale) -> tuple[float, float]:
        """The ends of the scale."""
        return float(self.standardised(scale.minimum)), float(self.standardised(scale.maximum))


def on_common_scale(items: JudgedItems, *, with_order: bool) -> CommonScale:
    """The ratings of everybody standardised by one mean and one deviation.

    With `with_order`, degraded copies are known to be worse than their bases; items of known quality bring
    it along, in points of the scale.
    """
    # In one order sums come out the same to the last bit, however the ratings came.
    order = np.lexsort((items.rating, items.document, items.worker, items.item))
    rating = items.rating[order]
    mean, sd = float(rating.mean()), float(rating.std()) or 1.0
    ratings = WorkerRatings(
        item=items.item[order],
        worker=items.worker[order],
        value=(rating - mean) / sd,
        n_items=items.n_items,
        n_workers=items.n_workers,
        order=items.degraded if with_order else np.zeros((0, 2), dtype=np.int64),
        repeat=items.repeated,
        hit=None if items.part is None else items.part[order],
    )
    known = np.isfinite(items.known)
    quality = None
    if known.any():
        # Nothing is known to the last digit.
        deviation = np.where(np.isfinite(items.known_sd), items.known_sd, 0.0) / sd
        quality = Normal(
            mean=np.where(known, (items.known - mean) / sd, 0.0),
            sd=np.where(known, np.maximum(deviation, 0.05), 1.0),
        )
    origin = RatingOrigin(items.group, items.document[order], centre=np.zeros_like(order))
    return CommonScale(ratings, mean, sd, quality, origin)


def worker_columns(items: JudgedItems, scale: CommonScale, posterior: Posterior) -> pl.DataFrame:
    """What the model learned of each worker, in the columns of `Fit.workers`."""
    honest = 1.0 if posterior.contamination is None else 1 - posterior.contamination
    weight = honest * posterior.slope.mean**2 * posterior.precision.mean
    columns = {
        "offset": posterior.offset.mean * scale.sd,
        "slope": posterior.slope.mean / posterior.slope.mean.mean(),
        "precision": posterior.precision.mean,
        "weight": weight / weight.mean(),
        "offset_sd": posterior.offset.sd * scale.sd,
        "slope_sd": posterior.slope.sd / posterior.slope.mean.mean(),
        "precision_sd": posterior.precision.sd,
    }
    return pl.DataFrame({"worker_id": items.workers, **columns})


def mostly_random(items: JudgedItems, posterior: Posterior) -> tuple[str, ...]:
    """A warning that names workers most of whose ratings seem to be clicks at random."""
    if posterior.contamination is None:
        return ()
    found = [
        f"{items.workers[place]} ({posterior.contamination[place]:.0%})"
        for place in np.flatnonzero(posterior.contamination > MOSTLY_RANDOM)
    ]
    if not found:
        return ()
    more = f" and {len(found) - 10} more" if len(found) > 10 else ""
    return (f"Most ratings of these workers seem to be clicks at random: {', '.join(found[:10])}{more}.",)


def moved_qualities(scale: CommonScale, posterior: Posterior, weights: csr_array) -> ClusterSums:
    """How far ratings moved sums of qualities, in the units of scores: a row of weights each."""
    priors = PublishedPriors(quality=scale.quality)
    linear = published_model(scale.ratings, posterior, priors, hit_sd=HIT_SD)
    sums = np.zeros((linear.beliefs.shape[1], weights.shape[0]))
    sums[: scale.ratings.n_items] = scale.unit * weights.toarray().T
    return moved_sums(linear, sums, scale.origin)
