"""The worker model by sampling: slower, without the normal approximation, and with every extension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._common_scale import (
    HIT_SD,
    CommonScaleSettings,
    mostly_random,
    moved_qualities,
    on_common_scale,
    worker_columns,
)
from steelyard.aggregation._judged_items import OffsetPer, has_known_items, judged_items
from steelyard.aggregation._worker_fit import Believed, fit_believed, with_learnt
from steelyard.aggregation.worker_model import (
    LearnedWorkers,
    learn_workers,
    learned_columns,
    moved_scores,
    score_units,
    to_all_segments,
)
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.options import option
from steelyard.domain.plugin import Method
from steelyard.domain.result import Diagnostics, Fit
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.clustered import ClusterSums
from steelyard.stats.worker_model.effects import KIND_VARIANCE, ItemOrigin
from steelyard.stats.worker_model.gibbs import (
    GibbsOptions,
    GibbsPriors,
    PosteriorDraws,
    posterior_summary,
    sample,
    sampling_quality,
)
from steelyard.stats.worker_model.problem import Normal

# Slopes on one scale for all are an extension of the published model.
SLOPE_SD = 0.25
OPTIONS = GibbsOptions(sweeps=2000, warm_up=500, chains=2)
# Random clicks mix slowly.
PATIENT = GibbsOptions(sweeps=6000, warm_up=2000, chains=2)


@dataclass(frozen=True, slots=True)
class SampledModelSettings(CommonScaleSettings):
    """Those of the published worker model, as far as they can be sampled."""

    ends: Literal["open", "censored"] = option(
        "open",
        help="What a rating at an end of the scale says: itself, or at least that much (censored).",
        signature="ends",
    )


def fit(frame: pl.DataFrame, settings: SampledModelSettings, rng: np.random.Generator) -> Fit:
    """The same model as `worker-model`, sampled instead of approximated [Mathur2018].

    Priors are those that `worker-model` learns. With ends of the scale, random clicks or items of known
    quality, all ratings are instead standardised together as published, each worker with a slope around 1.
    Two chains must agree, otherwise there is no answer.
    """
    if settings.ends != "open" or settings.random_clicks or has_known_items(frame):
        return _on_common_scale(frame, settings, rng)
    items = judged_items(frame, method=METHOD.name, offset_per=settings.offset_per)
    model = learn_workers(items)
    draws = sample(model.ratings, _priors(model), OPTIONS, rng)
    # Slopes and precisions as sampled, in the words of the model they were sampled from.
    sampled = posterior_summary(draws)
    workers = replace(
        model.learned.workers,
        offset=sampled.offset.mean,
        offset_variance=sampled.offset.sd**2,
        slope=sampled.slope.mean,
        slope_variance=sampled.slope.sd**2,
        precision=sampled.precision.mean,
    )
    # Sampled slopes need not be 1 on average: quality is in other units then, and scores are not.
    unit, level = score_units(model.units, model.ratings, workers)
    sampled_model = replace(model, learned=replace(model.learned, workers=workers), unit=unit)
    columns = learned_columns(sampled_model)
    believed = _believed(
        draws,
        lambda weights: moved_scores(sampled_model, weights),
        unit=unit,
        level=level[items.origin.criterion],
        origin=items.origin,
    )
    fitted = fit_believed(frame, items, believed, settings, rng, workers=with_learnt(frame, columns))
    return _with_diagnostics(fitted, draws)


def _on_common_scale(frame: pl.DataFrame, settings: SampledModelSettings, rng: np.random.Generator) -> Fit:
    offset_per: OffsetPer = "hit" if settings.offset_per == "hit" else "worker"
    items = judged_items(frame, method=METHOD.name, offset_per=offset_per)
    scale = on_common_scale(items, with_order=True)
    priors = GibbsPriors(
        quality=scale.quality,
        slope=Normal(np.ones(1), np.full(1, SLOPE_SD)),
        positive=True,
        hit_sd=HIT_SD if scale.ratings.hit is not None else None,
        bounds=scale.ends(settings.scale) if settings.ends == "censored" or settings.random_clicks else None,
        censored=settings.ends == "censored",
        contamination=(1.0, 9.0) if settings.random_clicks else None,
    )
    draws = sample(scale.ratings, priors, PATIENT if settings.random_clicks else OPTIONS, rng)
    posterior = posterior_summary(draws)
    believed = _believed(
        draws,
        lambda weights: moved_qualities(scale, posterior, weights),
        unit=scale.unit,
        level=np.full(items.n_items, scale.level),
    )
    columns = worker_columns(items, scale, posterior)
    fitted = fit_believed(frame, items, believed, settings, rng, workers=with_learnt(frame, columns))
    fitted = replace(fitted, warnings=(*fitted.warnings, *mostly_random(items, posterior)))
    return _with_diagnostics(fitted, draws)


def _priors(model: LearnedWorkers) -> GibbsPriors:
    """What `worker-model` learned of how workers, systems, segments and texts vary, as fixed priors."""
    origin, effects, priors = model.items.origin, model.learned.effects, model.learned.priors
    groups, deviations = _effects(model)
    return GibbsPriors(
        quality=Normal(np.zeros(len(origin.kind)), np.sqrt(effects.item_variance[origin.kind])),
        offset_sd=priors.offset_sd,
        slope=Normal(np.ones(1), np.full(1, priors.slope_sd)),
        positive=True,
        shape=priors.shape,
        rate=priors.shape / priors.precision,
        groups=groups,
        effect=Normal(np.zeros(len(deviations)), deviations),
        hit_sd=priors.part_sd if model.ratings.hit is not None else None,
    )


def _effects(model: LearnedWorkers) -> tuple[IntArray, FloatArray]:
    """The numbers of the effects on each item, and how far each effect may lie from 0."""
    origin, effects = model.items.origin, model.learned.effects
    n_kinds, n_systems = origin.n_kinds * origin.n_criteria, origin.n_systems * origin.n_criteria
    columns = [origin.kind * origin.n_criteria + origin.criterion]
    place = n_kinds + origin.system * origin.n_criteria + origin.criterion
    columns.append(np.where(origin.system >= 0, place, -1))
    columns.append(np.where(origin.segment >= 0, n_kinds + n_systems + origin.segment, -1))
    of_systems = np.tile(np.sqrt(effects.system_covariance.diagonal()), origin.n_systems)
    deviations = [
        np.full(n_kinds, np.sqrt(KIND_VARIANCE)),
        of_systems,
        np.full(origin.n_segments, np.sqrt(effects.segment_variance)),
    ]
    return np.stack(columns, axis=1), np.concatenate(deviations)


def _believed(
    draws: PosteriorDraws,
    moved: Callable[[csr_array], ClusterSums],
    *,
    unit: float,
    level: FloatArray,
    origin: ItemOrigin | None = None,
) -> Believed:
    """What the draws say; with `origin`, systems are corrected for the segments they were judged on."""

    def of_sums(weights: csr_array) -> tuple[FloatArray, ClusterSums]:
        drawn = (weights @ draws.quality.T.astype(np.float64)).T
        if origin is not None and origin.n_segments:
            of_segments = draws.effect[:, -origin.n_segments :].astype(np.float64)
            drawn = drawn + of_segments @ to_all_segments(weights, origin).T
        return unit * drawn.mean(axis=0) + weights @ level, moved(weights)

    moments = draws.quality_moments
    return Believed(score=unit * moments.mean + level, sd=unit * moments.sd, of_sums=of_sums)


def _with_diagnostics(fitted: Fit, draws: PosteriorDraws) -> Fit:
    quality = sampling_quality(draws)
    posterior = posterior_summary(draws)
    if not posterior.converged:
        raise NotEnoughData(
            f"{METHOD.name}: the two chains do not agree (R-hat {quality.largest_rhat:.2f}), so there is no "
            "answer. Use {method=worker-model}, or leave out what makes the chains slow ({random_clicks})."
        )
    notes = (("largest_rhat", quality.largest_rhat), ("smallest_ess", quality.smallest_ess))
    return replace(fitted, diagnostics=Diagnostics(True, posterior.sweeps, notes=notes))


METHOD = Method(
    name="worker-model-gibbs",
    title="Score of the worker model, by sampling",
    cite=("Mathur2018",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=SampledModelSettings,
    own_test="errors",
    weighs_workers=True,
    samples=True,
)
