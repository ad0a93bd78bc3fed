"""Scores as expected wins against a random opponent."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.aggregation._comparison_fit import fit_comparisons, score_counts
from steelyard.aggregation._comparisons import Comparisons, compare_systems
from steelyard.aggregation._segment_draws import SegmentDraws
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.arrays import FloatArray
from steelyard.stats.expected_wins import expected_wins


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Chance of winning against an opponent drawn at random [Koehn2012].

    Ratings count only for which of two translations of a segment they put first, so no worker needs to be
    standardised where workers rated both. A narrow win counts as much as a clear one.
    """
    compared = compare_systems(frame, settings, method=METHOD.name)
    return fit_comparisons(compared, settings, rng, score=_score)


def _score(comparisons: Comparisons, draws: SegmentDraws, n_systems: int) -> FloatArray:
    return score_counts(comparisons, draws, n_systems, score=expected_wins)


METHOD = Method(
    name="expected-wins",
    title="Expected wins",
    cite=("Koehn2012",),
    reads=("preferences", "ratings"),
    scale_free=True,
    least_systems=2,
    fit=fit,
    own_test="draws",
)
