"""Scores as means of ratings, each worker's weighted by agreement with gold or with other workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from steelyard.aggregation._gold import (
    Crowd,
    Treatment,
    WithoutGold,
    crowd_of,
    few_gold_items,
    fit_treated,
    gold_ratings,
    require_pairs,
    shown_once,
    without_gold,
    without_gold_option,
    workers_left_out,
)
from steelyard.domain.options import option
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.stats.gold import agreement_with_gold, shrunk
from steelyard.stats.gold_agreement import pairwise_agreement


@dataclass(frozen=True, slots=True)
class WeightedVoteSettings(MethodSettings):
    """Who a worker must agree with to have weight."""

    vote_by: Literal["gold", "others"] = option(
        "gold", help="Who a worker must agree with to have weight.", signature="vote-by"
    )
    without_gold: WithoutGold = without_gold_option()


def fit(frame: pl.DataFrame, settings: WeightedVoteSettings, rng: np.random.Generator) -> Fit:
    """Weighted mean of raw ratings, a worker's weight being the agreement P(A) with gold [Denkowski2010].

    With `vote_by="others"` it is the agreement with all other workers on the translations they have in
    common, which needs no gold. Ratings agree that are the same point of the scale, or on a line in
    the same fifth of it. Chance agrees too, so that even random clickers have some weight. Workers who never
    agree, and unknown ones, are left out; the latter, if by gold, may have the mean weight
    instead (`without_gold="shrunk"`), to which all others are then drawn as well.
    """
    crowd = crowd_of(frame, settings, method=METHOD.name)
    by_gold = settings.vote_by == "gold"
    return fit_treated(crowd, _by_gold(crowd, settings) if by_gold else _by_others(crowd), rng)


def _by_gold(crowd: Crowd, settings: WeightedVoteSettings) -> Treatment:
    gold = gold_ratings(crowd)
    weight = agreement_with_gold(
        gold.rating, gold.known, gold.worker, points=crowd.points, n_workers=crowd.n_workers
    )
    n = np.bincount(gold.worker, minlength=crowd.n_workers)
    if settings.without_gold == "shrunk":
        weight = shrunk(weight, n)
    return Treatment(
        keeps=(weight > 0)[crowd.worker],
        weight=weight,
        votes=True,
        warnings=(
            *without_gold(crowd, np.isnan(weight), remedy="gives them the mean weight"),
            *workers_left_out(crowd, weight == 0, because="never agreed with the gold"),
            *few_gold_items(gold),
            *shown_once(n, outcome="their weight rests on one rating"),
        ),
    )


def _by_others(crowd: Crowd) -> Treatment:
    weight = pairwise_agreement(crowd.votes)
    require_pairs(crowd, weight)
    return Treatment(
        keeps=(weight > 0)[crowd.worker],
        weight=weight,
        votes=True,
        warnings=(
            *workers_left_out(crowd, np.isnan(weight), because="judged no translation that others judged"),
            *workers_left_out(crowd, weight == 0, because="never agreed with anyone"),
        ),
    )


METHOD = Method(
    name="weighted-vote",
    title="Mean rating, weighted by agreement",
    cite=("Denkowski2010",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    settings=WeightedVoteSettings,
    weighs_workers=True,
    in_points=True,
    votes=True,
)
