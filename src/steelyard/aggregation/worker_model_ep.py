"""Scores from the published worker model, by expectation propagation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from steelyard.aggregation._common_scale import (
    HIT_SD,
    CommonScale,
    CommonScaleSettings,
    mostly_random,
    moved_qualities,
    on_common_scale,
    worker_columns,
)
from steelyard.aggregation._judged_items import OffsetPer, judged_items
from steelyard.aggregation._worker_fit import Believed, fit_believed, with_learnt
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.plugin import Method
from steelyard.domain.result import Diagnostics, Fit
from steelyard.stats.arrays import FloatArray
from steelyard.stats.clustered import ClusterSums
from steelyard.stats.worker_model.ep import expectation_propagation
from steelyard.stats.worker_model.ep_bounds import Bounds
from steelyard.stats.worker_model.ep_options import Contamination, EpOptions
from steelyard.stats.worker_model.problem import Posterior
from steelyard.stats.worker_model.published import NotConverged, PublishedPriors


def fit(frame: pl.DataFrame, settings: CommonScaleSettings, rng: np.random.Generator) -> Fit:
    """Quality of every text, offset and precision of every worker, as published [Mathur2018].

    All ratings are standardised together. A rating is the quality of the text plus the worker's offset plus
    noise of the worker's precision; a degraded copy is worse than its base, a repeat nearly as good. Nobody
    is left out. Ends of the scale and random clicks are extensions, off unless asked for. A worker who always
    gives the same rating looks precise to this model.
    """
    offset_per: OffsetPer = "hit" if settings.offset_per == "hit" else "worker"
    items = judged_items(frame, method=METHOD.name, offset_per=offset_per, repeats_apart=True)
    scale = on_common_scale(items, with_order=True)
    posterior = _posterior(scale, settings)
    workers = with_learnt(frame, worker_columns(items, scale, posterior))
    fitted = fit_believed(frame, items, _believed(scale, posterior), settings, rng, workers=workers)
    return replace(
        fitted,
        diagnostics=Diagnostics(
            posterior.converged, posterior.sweeps, notes=(("skipped", float(posterior.skipped)),)
        ),
        warnings=(*fitted.warnings, *_skipped(posterior), *mostly_random(items, posterior)),
    )


def _posterior(scale: CommonScale, settings: CommonScaleSettings) -> Posterior:
    low, high = scale.ends(settings.scale)
    options = EpOptions(
        bounds=None if settings.ends == "open" else Bounds(low, high, settings.ends),
        contamination=Contamination(low, high) if settings.random_clicks else None,
        hit_sd=HIT_SD if scale.ratings.hit is not None else None,
    )
    try:
        return expectation_propagation(scale.ratings, PublishedPriors(quality=scale.quality), options)
    except NotConverged as problem:
        raise NotEnoughData(
            f"{METHOD.name}: {problem} It has no answer for these ratings; use {{method=worker-model}}, or "
            "{method=worker-model-gibbs}."
        ) from problem


def _believed(scale: CommonScale, posterior: Posterior) -> Believed:
    unit, level = scale.unit, scale.level

    def of_sums(weights: csr_array) -> tuple[FloatArray, ClusterSums]:
        judged = weights.sum(axis=1) > 0
        score = unit * (weights @ posterior.quality.mean) + level * judged
        return score, moved_qualities(scale, posterior, weights)

    return Believed(
        score=unit * posterior.quality.mean + level, sd=unit * posterior.quality.sd, of_sums=of_sums
    )


def _skipped(posterior: Posterior) -> tuple[str, ...]:
    if not posterior.skipped:
        return ()
    return (
        f"{posterior.skipped} updates made no sense on their way and were skipped; the answer settled all "
        "the same.",
    )


METHOD = Method(
    name="worker-model-ep",
    title="Score of the published worker model",
    cite=("Mathur2018",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=CommonScaleSettings,
    own_test="errors",
    weighs_workers=True,
)
