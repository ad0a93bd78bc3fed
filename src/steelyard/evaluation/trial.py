"""One trial: a part of the ratings, and the truth from the others that methods are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.result import Fit
from steelyard.domain.scale import Scale
from steelyard.evaluation.closeness import Closeness, cell_closeness, segment_closeness, system_closeness
from steelyard.evaluation.entries import Asked, Entry, answer, attribute_fits, can_check, passing_workers
from steelyard.evaluation.judged import Judged
from steelyard.evaluation.settings import EvaluationSettings, Level, nearest_whole
from steelyard.evaluation.truth import ItemTruth, gold_truth, item_truth, system_truth, trial_settings
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# A third of the clickers each: any point of the scale, always the same point, one of its ends.
_ANYWHERE, _CONSTANT, _ENDS = 0, 1, 2
_N_HABITS = 3


@dataclass(frozen=True)
class Trial:
    """The ratings that methods see, and what they are compared with.

    `draw` is its number; `ratings` per item, None where all were taken; `spam`: the share of clickers.
    `asked`: what methods get beside. `truth`: of items, of which those marked by `over` are
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
    """The rows that make the truth: of workers no trial draws from, or of everybody; of these, who pass."""
    everyone = np.ones(judged.n_workers, dtype=np.bool_)
    rows: BoolArray = (~draw.in_part if settings.splits_workers else everyone)[judged.worker]
    if settings.truth == "others" or not can_check(judged.frame, settings.analysis):
        return rows
    passed = passing_workers(judged.frame.filter(pl.Series(rows)), settings.analysis)
    has_passed = judged.frame.select(pl.col("worker_id").is_in(passed)).to_series()
    chosen: BoolArray = rows & has_passed.to_numpy()
    return chosen


def _has_drawn(judged: Judged, draw: TrialDraw, ratings: int | None) -> BoolArray:
    """The items of which this many opinions were drawn; the ratings of others only inform methods."""
    if ratings is None:
        return np.ones(judged.n_items, dtype=np.bool_)
    drawn = (draw.place >= 0) & (draw.place < ratings)
    n_drawn = np.bincount(judged.opinion_item[drawn], minlength=judged.n_items)
    has_drawn: BoolArray = n_drawn == ratings
    return has_drawn


@dataclass(frozen=True)
class TrialDraw:
    """One throw of the dice, from which trials of all sizes and shares of clickers are taken.

    Larger trials contain the smaller ones and more clickers the fewer, so that what differs between them is
    not chance. `in_part` (workers,): who is drawn from. `place` (opinions,): the opinion's turn among its
    item's, in random order; -1 for those of other workers. `turn` (workers,): when a worker becomes a
    clicker; -1 for others. `clicks` (rows,): what each row would be if its worker clicked.
    """

    in_part: BoolArray
    place: IntArray
    turn: IntArray
    clicks: FloatArray

    def rows(self, judged: Judged, ratings: int | None) -> BoolArray:
        """The rows of a trial with this many opinions per item, or with all; controls go with their bases."""
        of_part: BoolArray = self.in_part[judged.worker]
        if ratings is None:
            return of_part
        # The last place is that of controls without a base: they always go along.
        is_drawn = np.append((self.place >= 0) & (self.place < ratings), True)
        rows: BoolArray = of_part & is_drawn[judged.opinion]
        return rows

    def is_clicker(self, share: float) -> BoolArray:
        """Which workers are clickers if so large a share of those drawn from are."""
        n_clickers = nearest_whole(share * int(self.in_part.sum()))
        return (self.turn >= 0) & (self.turn < n_clickers)

    def frame(self, judged: Judged, share: float) -> pl.DataFrame:
        """All ratings, those of clickers replaced by their clicks."""
        if not share:
            return judged.frame
        clicked = self.is_clicker(share)[judged.worker]
        return judged.frame.with_columns(rating=pl.Series(np.where(clicked, self.clicks, judged.rating)))


def draw_trial(judged: Judged, settings: EvaluationSettings, rng: np.random.Generator) -> TrialDraw:
    """Throw the dice once."""
    order = rng.permutation(judged.n_workers)
    n_part = judged.n_workers
    if settings.splits_workers:
        n_part = min(max(nearest_whole(settings.share * judged.n_workers), 1), judged.n_workers - 1)
    turn = np.full(judged.n_workers, -1, dtype=np.int64)
    turn[order[:n_part]] = np.arange(n_part)
    in_part = turn >= 0
    return TrialDraw(
        in_part=in_part,
        place=_places(judged, in_part, rng),
        turn=turn,
        clicks=_clicks(judged, turn, settings.analysis.scale, rng),
    )


def _places(judged: Judged, in_part: BoolArray, rng: np.random.Generator) -> IntArray:
    """Each opinion's place in a random order of its item's, only those of the part being counted."""
    opinion = np.flatnonzero(in_part[judged.opinion_worker])
    shuffled = opinion[rng.permutation(len(opinion))]
    by_item = shuffled[np.argsort(judged.opinion_item[shuffled], kind="stable")]
    item = judged.opinion_item[by_item]
    start = np.searchsorted(item, item, side="left")
    place = np.full(len(judged.opinion_item), -1, dtype=np.int64)
    place[by_item] = np.arange(len(by_item)) - start
    return place


def _clicks(judged: Judged, turn: IntArray, scale: Scale, rng: np.random.Generator) -> FloatArray:
    """What everyone would give as a clicker, to the point if all ratings are."""
    habit = ((turn + int(rng.integers(_N_HABITS))) % _N_HABITS)[judged.worker]
    anywhere = rng.random(len(judged.worker))
    constant = rng.random(judged.n_workers)[judged.worker]
    where = np.choose(habit, [anywhere, constant, (rng.random(len(judged.worker)) < 0.5).astype(np.float64)])
    clicks: FloatArray = scale.minimum + scale.width * where
    is_whole = bool(np.all(judged.rating == np.rint(judged.rating)))
    return np.rint(clicks) if is_whole else clicks
