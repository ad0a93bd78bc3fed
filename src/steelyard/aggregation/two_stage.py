"""Scores as means of ratings corrected against gold and weighted by their closeness to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    workers_left_out,
)
from steelyard.domain.options import option
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.gold import GoldForm, expected_from_gold, k_delta, shift_if_closer, shrunk


@dataclass(frozen=True, slots=True)
class TwoStageSettings(MethodSettings):
    """How distance from gold becomes a weight."""

    gold_form: GoldForm = option(
        "usual",
        help="How distance from gold becomes a weight: 0 at chance on every scale (usual), or as printed.",
        signature="gold-form",
    )
    gold_expected: Literal["uniform", "gold"] = option(
        "uniform",
        help="The distance that chance gives: between two random ratings, or of one from the gold shown.",
        signature="gold-expected",
    )
    without_gold: WithoutGold = without_gold_option()


def fit(frame: pl.DataFrame, settings: TwoStageSettings, rng: np.random.Generator) -> Fit:
    """Weighted mean of ratings that were brought to the gold first [Denkowski2010].

    Stage 1 adds to a worker's ratings the mean of what is missing to the gold, if that brings them closer
    to it: someone who is always too harsh is corrected. Stage 2 weighs workers by how close they are
    then: K_Delta is 1 for the gold itself and 0 for what chance would give; who is no better has no weight.
    Workers who judged no gold are left out, or (`without_gold="shrunk"`) get the mean weight, to which all
    others are drawn as well. The same gold corrects and weighs, so a worker who judged a single gold
    item always seems perfect.
    """
    crowd = crowd_of(frame, settings, method=METHOD.name)
    return fit_treated(crowd, _treatment(crowd, gold_ratings(crowd), settings), rng)


def _treatment(crowd: Crowd, gold: Gold, settings: TwoStageSettings) -> Treatment:
    points, n_workers = crowd.points, crowd.n_workers
    shift, found = shift_if_closer(gold.rating, gold.known, gold.worker, points=points, n_workers=n_workers)
    expected = None
    if settings.gold_expected == "gold":
        expected = expected_from_gold(gold.known, gold.worker, points=points, n_workers=n_workers)
    weight = k_delta(found.distance, points, form=settings.gold_form, expected=expected)
    if settings.without_gold == "shrunk":
        weight = shrunk(weight, found.n)
    is_worthless = weight <= 0
    weight = np.where(is_worthless, 0.0, weight)
    return Treatment(
        keeps=(weight > 0)[crowd.worker],
        shift=np.nan_to_num(shift),
        # An offset is by how much a worker rates above the truth.
        offset=0.0 - shift,
        weight=weight,
        votes=True,
        warnings=(
            *without_gold(crowd, np.isnan(weight), remedy="gives them the mean weight"),
            *workers_left_out(crowd, is_worthless, because="came no closer to the gold than chance would"),
            *few_gold_items(gold),
            *shown_once(found.n, outcome="corrected by it, they seem perfect, which says nothing"),
        ),
    )


METHOD = Method(
    name="two-stage",
    title="Mean rating, corrected and weighted by gold",
    cite=("Denkowski2010",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=TwoStageSettings,
    weighs_workers=True,
    in_points=True,
    votes=True,
    shifts=True,
)
