"""Which judgements the scores of a method rest on, and what each weighs."""

from __future__ import annotations

import numpy as np
import polars as pl

from steelyard.aggregation.remove_judgements import without_outliers
from steelyard.evaluation.normalisation.fits import Fitted
from steelyard.evaluation.normalisation.gold import GoldStudy
from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.gold import RatingPoints, categories
from steelyard.stats.gold_agreement import Votes


def vote_weights(fitted: Fitted, study: GoldStudy) -> FloatArray:
    """What the vote of each row's worker weighs; NaN where nothing is known of them. Shape (rows,)."""
    assert fitted.fit is not None
    of_row = study.frame.select(pl.col("worker_id").cast(pl.String)).join(
        fitted.fit.workers.select("worker_id", "weight"), on="worker_id", how="left", maintain_order="left"
    )
    weights: FloatArray = of_row["weight"].cast(pl.Float64).fill_null(np.nan).to_numpy()
    return weights


def votes_of(study: GoldStudy, rows: BoolArray, points: RatingPoints) -> Votes:
    """The categories that workers put translations in, by these rows, none of them a control's."""
    return Votes(
        category=categories(study.judged.rating[rows], points) - 1,
        item=study.cell[rows],
        worker=study.judged.worker[rows],
        n_workers=study.judged.n_workers,
    )


def retained_rows(fitted: Fitted, study: GoldStudy, points: RatingPoints) -> BoolArray:
    """The rows that the scores of a method rest on: no controls, no outliers, nobody without weight.

    A method that gives no worker any weight lets everybody count. Shape (rows,).
    """
    assert fitted.fit is not None
    is_scored = study.cell >= 0
    if fitted.entry.method.drops == "judgements":
        votes = votes_of(study, is_scored, points)
        near = is_scored.copy()
        near[is_scored] = without_outliers(votes, study.judged.rating[is_scored]).keeps
        return near
    if fitted.fit.workers["weight"].count() == 0:
        return is_scored
    keeps: BoolArray = is_scored & (vote_weights(fitted, study) > 0)
    return keeps
