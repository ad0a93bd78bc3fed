"""Scores as means of ratings that lie near the mean of their translation."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.aggregation._gold import Crowd, Treatment, crowd_of, fit_treated, require_pairs
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.scale import points
from steelyard.domain.wording import Note, counted
from steelyard.stats.arrays import FloatArray
from steelyard.stats.gold_agreement import Threshold, Votes, pairwise_agreement, rating_threshold


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Mean raw rating without outlying judgements [Denkowski2010].

    A judgement is dropped if it is further from the mean of all judgements of its translation than a
    threshold: the one, among the distances that occur, with which the judgements that remain agree best
    (in points of the scale, or fifths of a line), every translation keeping at least one. No gold is used.
    Scores move towards the middle: translations may become hard to tell apart, which a warning says.
    """
    crowd = crowd_of(frame, settings, method=METHOD.name)
    return fit_treated(crowd, _treatment(crowd), rng)


def without_outliers(votes: Votes, rating: FloatArray) -> Threshold:
    """How far ratings may be from the mean of their item, and which of them (n,) are no further."""
    n = np.bincount(votes.item)
    # Numbers of items need not be in use.
    mean = np.bincount(votes.item, rating) / np.maximum(n, 1)
    return rating_threshold(votes, np.abs(rating - mean[votes.item]))


def _treatment(crowd: Crowd) -> Treatment:
    votes = crowd.votes
    require_pairs(crowd, pairwise_agreement(votes))
    found = without_outliers(votes, crowd.rating)
    dropped = int((~found.keeps).sum())
    limit = points(found.tau, crowd.settings.scale)
    warning = (
        f"{counted(dropped, 'judgement')} further than {limit} points from the mean of the translation "
        f"{'is' if dropped == 1 else 'are'} left out."
    )
    return Treatment(keeps=found.keeps, warnings=(Note(warning),) if dropped else ())


METHOD = Method(
    name="remove-judgements",
    title="Mean rating without outlying judgements",
    cite=("Denkowski2010",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    weighs_workers=True,
    in_points=True,
    drops="judgements",
)
