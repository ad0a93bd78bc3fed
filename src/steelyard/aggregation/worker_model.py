"""Scores from a Bayesian model of who judges how: every worker's offset, slope and precision are learned."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._judged_items import JudgedItems, WorkerModelSettings, judged_items
from steelyard.aggregation._worker_fit import Believed, fit_believed, with_learnt
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.plugin import Method
from steelyard.domain.result import Diagnostics, Fit
from steelyard.domain.wording import counted
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clustered import ClusterSums
from steelyard.stats.worker_model.effects import ItemOrigin
from steelyard.stats.worker_model.influence import RatingOrigin, moved_sums
from steelyard.stats.worker_model.linear import learned_model
from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.spread import Spread, spread
from steelyard.stats.worker_model.sums import RatingSums
from steelyard.stats.worker_model.texts import alone_variance, text_quality
from steelyard.stats.worker_model.units import OwnUnits, in_own_units
from steelyard.stats.worker_model.variational import Learned, Workers, learn

# Keeps what rests on no rating of one's own finite.
_LEAST_OWN = 1e-9


def fit(frame: pl.DataFrame, settings: WorkerModelSettings, rng: np.random.Generator) -> Fit:
    """Quality of every text from all ratings, each weighed by how its worker proved to judge [Mathur2018].

    Ratings are first put in each worker's own units, drawn towards everyone's where a worker gave few. Each
    is then the worker's offset, plus the worker's slope times the quality of the text, plus noise. A slope
    is never below 0 and follows from all that a worker judged, degraded copies, repeats and references
    included; quality is expected to lie where kind, system and segment of the text lead to. How
    much workers, systems and texts vary is learned from the ratings too. Nobody is left out; a worker who
    always gives the same rating weighs the less, the more of them there are. The score of a segment is the
    mean of what the model says of it and of what it would say without its system; that of a system the mean
    of what the model says and of the plain mean of its ratings in these units. Scores are in deviations of
    the ratings of trusted workers.
    """
    items = judged_items(frame, method=METHOD.name, offset_per=settings.offset_per)
    model = learn_workers(items)
    workers = with_learnt(frame, learned_columns(model))
    fitted = fit_believed(frame, items, _believed(model), settings, rng, workers=workers)
    return replace(
        fitted, diagnostics=_diagnostics(model), warnings=(*fitted.warnings, *_without_weight(model))
    )


@dataclass(frozen=True)
class LearnedWorkers:
    """A fitted model and all it was fitted to: `ratings` are those in own units of workers who vary."""

    items: JudgedItems
    units: OwnUnits
    ratings: WorkerRatings
    learned: Learned
    spread: Spread
    rated: RatingOrigin
    unit: float
    level: FloatArray
    """Scores are `unit` times quality, plus the level of the attribute."""


def learn_workers(items: JudgedItems) -> LearnedWorkers:
    """The model learned from the ratings; raises NotEnoughData if nobody's vary, or if it did not settle."""
    origin = items.origin
    units = in_own_units(
        items.rating,
        items.worker,
        origin.criterion[items.item],
        n_workers=items.n_workers,
        n_criteria=origin.n_criteria,
    )
    ratings, rated = _in_units(items, units)
    learned = learn(ratings, origin)
    if not learned.reached.converged:
        raise NotEnoughData(
            f"worker-model: the model had not converged after {learned.reached.turns} sweeps (last change "
            f"{learned.reached.change:.2g}), so it has no answer. Use {{method=worker-model-gibbs}} or "
            "{method=mean-z}, and please report the case."
        )
    unit, level = score_units(units, ratings, learned.workers)
    return LearnedWorkers(
        items=items,
        units=units,
        ratings=ratings,
        learned=learned,
        spread=spread(learned, RatingSums(ratings), origin),
        rated=rated,
        unit=unit,
        level=level,
    )


def score_units(units: OwnUnits, ratings: WorkerRatings, workers: Workers) -> tuple[float, FloatArray]:
    """What a score is per unit of quality, and the level of each criterion, in trusted workers' ratings."""
    n_ratings = np.bincount(ratings.worker, minlength=ratings.n_workers)
    trust = n_ratings * workers.precision * workers.slope
    centre = units.centre - units.centre.mean(axis=1, keepdims=True)
    level: FloatArray = trust @ (centre / units.deviation[:, None]) / trust.sum()
    return float(trust @ workers.slope / trust.sum()), level


def _in_units(items: JudgedItems, units: OwnUnits) -> tuple[WorkerRatings, RatingOrigin]:
    if not units.varied.any():
        raise NotEnoughData(
            "worker-model: every worker always gave the same rating, so nothing can be learned from "
            "them. Use {method=mean-rating}."
        )
    # In one order sums come out the same to the last bit, however the ratings came.
    order = np.lexsort((items.rating, items.document, items.worker, items.item))
    ratings = WorkerRatings(
        item=items.item[order],
        worker=items.worker[order],
        value=units.value[order],
        n_items=items.n_items,
        n_workers=items.n_workers,
        hit=None if items.part is None else items.part[order],
    )
    centre = ratings.worker * items.origin.n_criteria + items.origin.criterion[ratings.item]
    n_ratings = np.bincount(centre)
    own = np.maximum(units.own.ravel()[: len(n_ratings)], _LEAST_OWN)
    return ratings, RatingOrigin(
        items.group, items.document[order], centre, pseudo=np.maximum(n_ratings, 1) / own - n_ratings
    )


def _believed(model: LearnedWorkers) -> Believed:
    origin, learned = model.items.origin, model.learned
    level = model.level[origin.criterion]

    def of_sums(weights: csr_array) -> tuple[FloatArray, ClusterSums]:
        score = model.unit * (weights @ learned.quality)
        if origin.n_segments:
            score = score + model.unit * (to_all_segments(weights, origin) @ learned.effects.segment)
        both = (score + weights @ _plain_means(model.ratings)) / 2
        return both + weights @ level, moved_scores(model, weights, with_plain=True)

    # Errors of the two qualities that a text's is the mean of are taken to go together.
    sd = (np.sqrt(model.spread.quality_variance) + np.sqrt(alone_variance(learned, origin))) / 2
    return Believed(
        score=model.unit * text_quality(learned, origin) + level,
        sd=model.unit * sd,
        of_sums=of_sums,
    )


def _plain_means(ratings: WorkerRatings) -> FloatArray:
    """The mean of each item's ratings in own units, all alike."""
    n = np.bincount(ratings.item, minlength=ratings.n_items)
    means: FloatArray = np.bincount(ratings.item, ratings.value, ratings.n_items) / np.maximum(n, 1)
    return means


def moved_scores(model: LearnedWorkers, weights: csr_array, *, with_plain: bool = False) -> ClusterSums:
    """How far ratings moved scores, a row of weights each; `with_plain`: the mean of model and plain mean."""
    origin = model.items.origin
    linear = learned_model(model.learned, model.ratings, origin)
    sums = np.zeros((linear.beliefs.shape[1], weights.shape[0]))
    sums[: model.items.n_items] = weights.toarray().T
    if origin.n_segments:
        sums[-origin.n_segments :] = to_all_segments(weights, origin).T
    if not with_plain:
        return moved_sums(linear, model.unit * sums, model.rated)
    return moved_sums(linear, model.unit * sums / 2, model.rated, means=weights.toarray().T / 2)


def to_all_segments(weights: csr_array, origin: ItemOrigin) -> FloatArray:
    """What to add of each segment's effect (sums, segments), so that systems compare as if judged on all.

    Without it, a system would gain from having been judged on easy segments.
    """
    has = np.flatnonzero(origin.segment >= 0)
    by_segment = csr_array(
        (np.ones(len(has)), (has, origin.segment[has])), shape=(len(origin.segment), origin.n_segments)
    )
    seen = np.zeros(origin.n_segments)
    seen[origin.segment[has][origin.kind[has] == 0]] = 1
    judged = (weights.sum(axis=1) > 0)[:, None]
    adjustment: FloatArray = judged * (seen / seen.sum()) - (weights @ by_segment).toarray()
    return adjustment


def learned_columns(model: LearnedWorkers) -> pl.DataFrame:
    """Offset in points, slope and weight relative to the average worker, precision of usual ratings.

    An offset is how far above the average worker's a worker's rating of an average text would be.
    """
    learned, units, varied = model.learned, model.units, model.units.varied
    workers = learned.workers
    origin = model.items.origin
    usual = float(learned.quality[origin.kind == 0].mean())
    rating = units.centre.mean(axis=1) + units.deviation * (workers.offset + workers.slope * usual)
    slope = units.pooled * workers.slope
    precision = workers.precision * (units.typical / units.pooled) ** 2
    n_ratings = np.bincount(model.ratings.worker, minlength=len(varied))
    weight = workers.slope**2 * workers.precision
    mean_slope, mean_weight = slope[varied].mean(), weight[varied].mean()
    unknown = np.where(varied, 1.0, np.nan)
    # A worker's units themselves rest on this many ratings only.
    n_behind = n_ratings / np.maximum(units.own.mean(axis=1), _LEAST_OWN)
    slope_variance = model.spread.slope_variance + workers.slope**2 / (2 * n_behind)
    columns = {
        "offset": rating - rating.mean(),
        "slope": slope / mean_slope,
        "precision": precision * unknown,
        "weight": weight / mean_weight,
        "offset_sd": units.pooled * np.sqrt(workers.offset_variance + 1 / n_behind) * unknown,
        "slope_sd": units.pooled * np.sqrt(slope_variance) / mean_slope * unknown,
        "precision_sd": precision
        * np.sqrt(1 / (learned.priors.shape + n_ratings / 2) + 2 / n_behind)
        * unknown,
    }
    return pl.DataFrame({"worker_id": model.items.workers, **columns}).with_columns(
        pl.col(*columns).fill_nan(None)
    )


def _diagnostics(model: LearnedWorkers) -> Diagnostics:
    learned, regular = model.learned, model.items.origin.kind == 0
    known = float(np.var(learned.quality[regular]))
    open_ = float(model.spread.quality_variance[regular].mean())
    return Diagnostics(
        converged=learned.reached.converged,
        sweeps=learned.reached.turns,
        notes=(
            ("expected_correlation", float(np.sqrt(known / (known + open_))) if known + open_ else 0.0),
            ("offset_sd", learned.priors.offset_sd),
            ("slope_sd", learned.priors.slope_sd),
            ("precision", learned.priors.precision),
            ("item_variance", float(learned.effects.item_variance[0])),
        ),
    )


def _without_weight(model: LearnedWorkers) -> tuple[str, ...]:
    constant = int((~model.units.varied).sum())
    if not constant:
        return ()
    return (
        f"{counted(constant, 'worker')} always gave the same rating: the more ratings such a worker "
        "gave, the less they weigh.",
    )


METHOD = Method(
    name="worker-model",
    title="Score of the worker model",
    cite=("Mathur2018",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=WorkerModelSettings,
    own_test="errors",
    weighs_workers=True,
    links_items=True,
)
