"""One trial: a part of the ratings, and the truth of the others that methods are held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.result import Fit
from steelyard.evaluation.closeness import Closeness, cell_closeness, segment_closeness, system_closeness
from steelyard.evaluation.entries import Asked, Entry, answer, attribute_fits, can_check, passing_workers
from steelyard.evaluation.judged import Judged
from steelyard.evaluation.settings import EvaluationSettings, Level
from steelyard.evaluation.trial_draws import TrialDraw, draw_trial
from steelyard.evaluation.truth import ItemTruth, gold_truth, item_truth, system_truth, trial_settings
from steelyard.stats.arrays import BoolArray


@dataclass(frozen=True)
class Trial:
    """The ratings that methods see, and what they are held against.

    `draw` is its number; `ratings` per item, None where all were taken; `spam`: the share of clickers.
    `asked`: what methods are told beside. `truth`: of items, of which those marked by `over` are
    correlated, or of systems.
    """

    judged: Judged
    level: Level
    draw: int
    ratings: int | None
    spam: float
    frame: pl.DataFrame
    asked: Asked
    truth: ItemTruth | Fit
    over: BoolArray


def each_trial(judged: Judged, settings: EvaluationSettings, number: int, *, checks: bool) -> Iterator[Trial]:
    """All trials of one draw: every share of clickers and every number of ratings.

    With `checks`, workers are checked by all their control pairs, clicked where they click: a campaign
    would know as much of them, however few ratings of an item it had.
    """
    seed = (settings.analysis.seed, number)
    draw = draw_trial(judged, settings, np.random.default_rng(seed))
    lasting = _lasting_truth(judged, settings, draw)
    of_method = trial_settings(settings.analysis)
    part = pl.Series(draw.in_part[judged.worker])
    for spam in settings.spam:
        frame = draw.frame(judged, spam)
        passed = passing_workers(frame.filter(part), settings.analysis) if checks else []
        for ratings in settings.ratings or (None,):
            rows = draw.rows(judged, ratings)
            truth = item_truth(judged, ~rows) if lasting is None else lasting
            enough = isinstance(truth, ItemTruth) and truth.n >= settings.least
            yield Trial(
                judged=judged,
                level=settings.level,
                draw=number,
                ratings=ratings,
                spam=spam,
                # What is known beforehand may be the truth, which no method may see.
                frame=frame.filter(pl.Series(rows)).with_columns(
                    pl.lit(None, pl.Float64).alias(name) for name in ("known", "known_sd")
                ),
                asked=Asked(of_method, tuple(passed), seed),
                truth=truth,
                over=_has_drawn(judged, draw, ratings) & enough,
            )


def closeness(trial: Trial, entry: Entry) -> Closeness | str:
    """How close a method comes in a trial, or why it has no answer."""
    fit = answer(entry, trial.frame, trial.asked)
    if isinstance(fit, str):
        return fit
    if isinstance(trial.truth, ItemTruth):
        return segment_closeness(
            fit, trial.judged, trial.truth, over=trial.over, has_intervals=entry.has_intervals
        )
    if trial.level == "systems":
        return system_closeness(fit, trial.truth)
    fits = attribute_fits(entry, trial.frame, trial.asked, fit=fit)
    return cell_closeness(fits, dict(trial.truth.attributes))


def _lasting_truth(judged: Judged, settings: EvaluationSettings, draw: TrialDraw) -> ItemTruth | Fit | None:
    """The truth for all trials of a draw; None if each has its own."""
    if settings.truth == "rest":
        return None
    if settings.truth == "gold":
        return gold_truth(judged, least=settings.least)
    rows = _truth_rows(judged, settings, draw)
    if settings.level == "segments":
        return item_truth(judged, rows)
    return system_truth(judged, rows, settings.analysis)


def _truth_rows(judged: Judged, settings: EvaluationSettings, draw: TrialDraw) -> BoolArray:
    """The rows of those who make the truth: whom no trial draws from, or everybody; of these, who pass."""
    everyone = np.ones(judged.n_workers, dtype=np.bool_)
    rows: BoolArray = (~draw.in_part if settings.splits_workers else everyone)[judged.worker]
    if settings.truth == "others" or not can_check(judged.frame, settings.analysis):
        return rows
    passed = passing_workers(judged.frame.filter(pl.Series(rows)), settings.analysis)
    has_passed = judged.frame.select(pl.col("worker_id").is_in(passed)).to_series()
    chosen: BoolArray = rows & has_passed.to_numpy()
    return chosen


def _has_drawn(judged: Judged, draw: TrialDraw, ratings: int | None) -> BoolArray:
    """The items of which so many opinions were drawn; the ratings of others only inform methods."""
    if ratings is None:
        return np.ones(judged.n_items, dtype=np.bool_)
    drawn = (draw.place >= 0) & (draw.place < ratings)
    n_drawn = np.bincount(judged.opinion_item[drawn], minlength=judged.n_items)
    has_drawn: BoolArray = n_drawn == ratings
    return has_drawn
