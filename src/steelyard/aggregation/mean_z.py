"""Scores as means of ratings standardised by worker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from steelyard.aggregation._segment_means import control_rows, fit_means, scored_rows, worker_table
from steelyard.aggregation._standardised import with_z
from steelyard.domain.errors import NotEnoughData
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.wording import Note, counted

# Below this a worker's mean and deviation are rough: worth a warning [our choice].
FEW_RATINGS = 30


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Mean standardised rating per segment and system [Graham2017].

    Every rating becomes its distance from the worker's mean in that worker's deviations, mean and
    deviation taken over all kinds of items or over those of systems only, and where ratings are of
    several attributes over all of them or for each alone. It assumes
    that workers saw about the same mix of systems. Of workers with few ratings, mean and deviation are drawn
    towards everyone's, and ratings that are always the same come close to 0 as they grow in number. With
    `minimum_ratings`, as published, both kinds of workers leave the analysis with a warning instead.
    """
    valued = with_z(frame, settings)
    rows = scored_rows(valued, method=METHOD.name)
    if rows["value"].null_count() == len(rows):
        raise NotEnoughData(
            f"{METHOD.name}: no worker has given {settings.fewest_ratings} ratings yet that are not all "
            "the same, so none can be standardised. Use {method=mean-rating}, or wait for more judgements."
        )
    over = valued.filter("defines_worker")
    means = fit_means(rows, settings, rng, workers=worker_table(over), controls=control_rows(valued))
    return replace(means, warnings=(*means.warnings, *_warnings(valued, rows, settings)))


def _warnings(frame: pl.DataFrame, rows: pl.DataFrame, settings: MethodSettings) -> tuple[str, ...]:
    found = []
    without = rows.filter(pl.col("value").is_null())
    if len(without):
        fate = (
            "they count in the raw means, and as 0 where nobody else judged the segment"
            if settings.unstandardised_as_zero
            else "they are left out of the scores"
        )
        found.append(
            f"{counted(without['worker_id'].n_unique(), 'worker')} gave fewer than "
            f"{settings.fewest_ratings} ratings or always the same one, so "
            f"{counted(len(without), 'judgement')} could not be standardised: {fate}."
        )
    few = frame.filter(pl.col("value").is_not_null() & (pl.col("n_defining") < FEW_RATINGS))
    if len(few):
        fate = (
            "are drawn towards everyone's"
            if settings.minimum_ratings is None
            else "are rough, and so are their standardised ratings"
        )
        found.append(
            f"{counted(few['worker_id'].n_unique(), 'worker')} gave fewer than {FEW_RATINGS} ratings: "
            f"their means and deviations {fate}."
        )
    return tuple(map(Note, found))


METHOD = Method(
    name="mean-z",
    title="Mean standardised rating",
    cite=("Graham2017",),
    reads=("ratings",),
    scale_free=True,
    fit=fit,
    mean_of="z",
    links_items=True,
    usual_for="ratings",
)
