"""Scores as plain means of raw ratings."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.aggregation._segment_means import control_rows, fit_means, scored_rows, worker_table
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Mean raw rating per segment and system [Graham2013].

    Easy to explain and on the scale that workers saw. A strict worker pulls down the systems they
    happened to judge, so it needs many workers or HITs balanced over systems.
    """
    valued = frame.with_columns(value=pl.col("rating"))
    rows = scored_rows(valued, method=METHOD.name)
    return fit_means(rows, settings, rng, workers=worker_table(frame), controls=control_rows(valued))


METHOD = Method(
    name="mean-rating",
    title="Mean raw rating",
    cite=("Graham2013",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    in_points=True,
    mean_of="rating",
    links_items=True,
)
