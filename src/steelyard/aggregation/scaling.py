"""Scores as means of ratings, each worker's shifted to the mean of the gold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.aggregation._gold import (
    Crowd,
    Gold,
    Treatment,
    WithoutGold,
    crowd_of,
    few_gold_items,
    fit_treated,
    gold_ratings,
    shown_once,
    without_gold,
    without_gold_option,
)
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.gold import gold_differences, shrunk


@dataclass(frozen=True, slots=True)
class ScalingSettings(MethodSettings):
    """Which workers to leave out."""

    without_gold: WithoutGold = without_gold_option()


def fit(frame: pl.DataFrame, settings: ScalingSettings, rng: np.random.Generator) -> Fit:
    """Mean of ratings to which each worker's mean signed distance from gold was added [Denkowski2010].

    A harsh worker's ratings go up, a generous one's down, neither rounded nor cut off at the ends of the
    scale. Everyone counts the same, however far from the gold. Workers who judged no gold are left out; with
    `without_gold="shrunk"` they are shifted as the others on average, to which these are drawn as well.
    """
    crowd = crowd_of(frame, settings, method=METHOD.name)
    return fit_treated(crowd, _treatment(crowd, gold_ratings(crowd), settings), rng)


def _treatment(crowd: Crowd, gold: Gold, settings: ScalingSettings) -> Treatment:
    found = gold_differences(gold.rating, gold.known, gold.worker, n_workers=crowd.n_workers)
    shift = shrunk(found.shift, found.n) if settings.without_gold == "shrunk" else found.shift
    is_unknown = np.isnan(shift)
    return Treatment(
        keeps=~is_unknown[crowd.worker],
        shift=shift,
        # An offset is by how much a worker rates above the truth.
        offset=0.0 - shift,
        warnings=(
            *without_gold(crowd, is_unknown, remedy="shifts them as the others on average"),
            *few_gold_items(gold),
            *shown_once(found.n, outcome="all their ratings are shifted by that one's difference"),
        ),
    )


METHOD = Method(
    name="scaling",
    title="Mean rating, shifted to gold",
    cite=("Denkowski2010",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=ScalingSettings,
    weighs_workers=True,
    in_points=True,
    shifts=True,
)
