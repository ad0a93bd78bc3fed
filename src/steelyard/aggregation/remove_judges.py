"""Scores as means of the ratings of workers who agree with others."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.aggregation._gold import (
    Crowd,
    Treatment,
    crowd_of,
    fit_treated,
    require_pairs,
    workers_left_out,
)
from steelyard.domain.plugin import Method
from steelyard.domain.result import Fit, MethodSettings
from steelyard.domain.wording import counted
from steelyard.stats.gold_agreement import pairwise_agreement, worker_threshold


def fit(frame: pl.DataFrame, settings: MethodSettings, rng: np.random.Generator) -> Fit:
    """Mean raw rating without workers who seldom agree with others [Denkowski2010].

    Agreement P(A) is the share of pairs, a rating and another worker's of the same translation, that are the
    same point of the scale, or on a line in the same fifth of it. Workers below a threshold are dropped:
    the one, among the agreements that occur, which makes those who remain agree best and leaves every
    translation a judgement. No gold is used. Agreement is not quality: workers who all click in the middle
    agree too, and someone who judges differently and better is the first to go.
    """
    crowd = crowd_of(frame, settings, method=METHOD.name)
    return fit_treated(crowd, _treatment(crowd), rng)


def _treatment(crowd: Crowd) -> Treatment:
    votes = crowd.votes
    agreement = pairwise_agreement(votes)
    require_pairs(crowd, agreement)
    found = worker_threshold(votes, agreement)
    is_dropped = agreement < found.tau
    n_alone = int(np.isnan(agreement)[np.unique(crowd.worker)].sum())
    alone = f"{counted(n_alone, 'worker')} judged no translation that others judged, and stayed."
    judged = np.bincount(crowd.worker, minlength=crowd.n_workers) > 0
    return Treatment(
        keeps=found.keeps,
        weight=np.where(judged, np.where(is_dropped, 0.0, 1.0), np.nan),
        warnings=(
            *workers_left_out(
                crowd, is_dropped, because=f"agreed with others in less than {100 * found.tau:.1f} % of pairs"
            ),
            *([alone] if n_alone else []),
        ),
    )


METHOD = Method(
    name="remove-judges",
    title="Mean rating of workers who agree",
    cite=("Denkowski2010",),
    reads=("ratings",),
    scale_free=False,
    fit=fit,
    weighs_workers=True,
    in_points=True,
    drops="workers",
)
