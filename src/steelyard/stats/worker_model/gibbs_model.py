"""The family of worker models that the Gibbs sampler knows: what is believed beforehand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.worker_model.problem import Normal, WorkerRatings


@dataclass(frozen=True, slots=True)
class GibbsPriors:
    """What is believed before the ratings are seen; the defaults are the published model [Mathur2018].

        rating ~ N(offset + HIT offset + slope * quality, 1 / precision)
        quality ~ N(mean + effects of the item's groups, sd²)

    Numbers stand for all items or workers alike, arrays give each its own; the arrays of a `Normal`
    may also hold one number. `quality`: None is N(0, 1); items known from earlier campaigns have a mean
    and a small sd of their own. `offset_sd`: 0 for workers without offset. `slope`: None is 1 for
    everybody; an sd of 0 fixes a worker's slope at its mean; `positive` leaves only slopes of at least 0.
    `shape` and `rate`: of the Gamma distribution of precisions.

    `groups` (n_items, G): for each item the numbers 0, 1, 2, ... of its groups, such as its system and
    its segment, -1 for none; each number appears in one column only. `effect`: of the groups, None is
    N(0, 1). `hit_sd`: deviation of the HITs' offsets; None leaves HITs out. `repeat_sd` and `margin`:
    the difference between items of a repeat pair is N(0, repeat_sd²), that of an order pair above
    `margin`.

    `bounds`: ends of the rating scale. `censored`: a rating at an end may stand for anything beyond it.
    `contamination`: the (a, b) of the Beta distribution of each worker's share of clicks at random,
    uniform between the bounds. A click at an end counts with the same density 1 / (high - low), beside
    the censored rating's probability: as if the scale's unit were the width of the end.
    """

    quality: Normal | None = None
    offset_sd: float | FloatArray = 1.0
    slope: Normal | None = None
    positive: bool = False
    shape: float | FloatArray = 2.0
    rate: float | FloatArray = 1.0
    groups: IntArray | None = None
    effect: Normal | None = None
    hit_sd: float | None = None
    repeat_sd: float = 0.1
    margin: float = 0.0
    bounds: tuple[float, float] | None = None
    censored: bool = False
    contamination: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class GibbsModel:
    """The priors with every number spread over its items, workers and groups."""

    quality: Normal
    quality_weight: FloatArray
    offset_sd: FloatArray
    offset_weight: FloatArray
    slope: Normal
    slope_weight: FloatArray
    free_offset: BoolArray
    free_slope: BoolArray
    positive: bool
    shape: FloatArray
    rate: FloatArray
    groups: IntArray
    effect: Normal
    hit_sd: float | None
    repeat_sd: float
    margin: float
    bounds: tuple[float, float] | None
    censored: bool
    contamination: tuple[float, float] | None


def model_of(priors: GibbsPriors, ratings: WorkerRatings) -> GibbsModel:
    """The priors spread over these ratings' items and workers; ValueError where they make no sense."""
    groups = np.zeros((ratings.n_items, 0), dtype=np.int64) if priors.groups is None else priors.groups
    n_groups = int(groups.max(initial=-1)) + 1
    slope = priors.slope or Normal(np.array(1.0), np.array(0.0))
    standard = Normal(np.array(0.0), np.array(1.0))
    offset_sd = _spread(priors.offset_sd, ratings.n_workers)
    slope = _spread_normal(slope, ratings.n_workers)
    quality = _spread_normal(priors.quality or standard, ratings.n_items)
    model = GibbsModel(
        quality=quality,
        quality_weight=_weight(quality.sd),
        offset_sd=offset_sd,
        offset_weight=_weight(offset_sd),
        slope=slope,
        slope_weight=_weight(slope.sd),
        free_offset=offset_sd > 0,
        free_slope=slope.sd > 0,
        positive=priors.positive,
        shape=_spread(priors.shape, ratings.n_workers),
        rate=_spread(priors.rate, ratings.n_workers),
        groups=groups,
        effect=_spread_normal(priors.effect or standard, n_groups),
        hit_sd=priors.hit_sd,
        repeat_sd=priors.repeat_sd,
        margin=priors.margin,
        bounds=priors.bounds,
        censored=priors.censored,
        contamination=priors.contamination,
    )
    problems = [sentence for wrong, sentence in _faults(model, ratings) if wrong]
    if problems:
        raise ValueError(" ".join(problems))
    return model


def _spread(value: float | FloatArray, size: int) -> FloatArray:
    return np.broadcast_to(np.asarray(value, dtype=np.float64), (size,))


def _spread_normal(normal: Normal, size: int) -> Normal:
    return Normal(_spread(normal.mean, size), _spread(normal.sd, size))


def _weight(sd: FloatArray) -> FloatArray:
    """Precisions; 0 for what is fixed and hence never drawn."""
    return np.divide(1.0, sd**2, out=np.zeros_like(sd), where=sd > 0)


def _faults(model: GibbsModel, ratings: WorkerRatings) -> list[tuple[bool, str]]:
    """What may be wrong with the priors, and whether it is."""
    groups = model.groups
    columns_of = np.concatenate([np.unique(column[column >= 0]) for column in groups.T] or [groups[:0, 0:0]])
    bounds = model.bounds
    return [
        (
            bool(np.any(model.quality.sd <= 0)),
            "quality: sds must be above 0; for a known item give a small one.",
        ),
        (bool(np.any(model.offset_sd < 0)), "offset_sd must not be negative."),
        (bool(np.any(model.slope.sd < 0)), "slope: sds must not be negative."),
        (
            model.positive and bool(np.any(~model.free_slope & (model.slope.mean < 0))),
            "slope: positive slopes cannot be fixed below 0.",
        ),
        (bool(np.any(model.shape <= 0) or np.any(model.rate <= 0)), "shape and rate must be above 0."),
        (len(groups) != ratings.n_items, "groups needs one row for each item."),
        (len(np.unique(columns_of)) < columns_of.size, "groups: a number appears in one column only."),
        (bool(np.any(model.effect.sd <= 0)), "effect: sds must be above 0."),
        (model.hit_sd is not None and ratings.hit is None, "hit_sd is given but the ratings have no hit."),
        (
            model.hit_sd is not None and model.hit_sd <= 0,
            "hit_sd must be above 0, or None to leave HITs out.",
        ),
        (
            model.repeat_sd <= 0 and len(ratings.repeat) > 0,
            "repeat_sd must be above 0; items of exactly equal quality are one item.",
        ),
        (model.margin < 0, "margin must not be negative."),
        (
            bounds is None and (model.censored or model.contamination is not None),
            "censored and contamination need bounds.",
        ),
        (bounds is not None and not bounds[0] < bounds[1], "bounds: the lower comes first."),
        (
            model.contamination is not None and min(model.contamination) <= 0,
            "contamination: both numbers of the Beta distribution must be above 0.",
        ),
    ]
