"""Scores as abilities in the model of Hopkins and May."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.aggregation._comparison_fit import fit_comparisons, score_counts
from steelyard.aggregation._comparisons import Comparisons, compare_systems
from steelyard.aggregation._segment_draws import SegmentDraws
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.arrays import FloatArray
from steelyard.stats.hopkins_may import hopkins_may_abilities


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Most probable abilities under normal noise with a radius for ties [Hopkins2013].

    Takes account of how good each opponent was. The noise and the radius are those of the published
    comparison of rankings, not fitted: scores of campaigns with finer or coarser scales, and so with
    fewer or more ties, keep their order but not their spacing.
    """
    compared = compare_systems(frame, settings, method=METHOD.name)
    return fit_comparisons(compared, settings, rng, score=_score)


def _score(comparisons: Comparisons, draws: SegmentDraws, n_systems: int) -> FloatArray:
    return score_counts(comparisons, draws, n_systems, score=hopkins_may_abilities)


METHOD = Method(
    name="hopkins-may",
    title="Hopkins-May abilities",
    cite=("Hopkins2013",),
    reads=("preferences", "ratings"),
    scale_free=True,
    least_systems=2,
    fit=fit,
    own_test="draws",
)
