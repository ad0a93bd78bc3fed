"""What chance decides in a trial: who is drawn from, which ratings come first, who clicks and what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from steelyard.domain.scale import Scale
from steelyard.evaluation.judged import Judged
from steelyard.evaluation.settings import EvaluationSettings, whole
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray

# A third of the clickers each: any point of the scale, always the same point, one of its ends.
_ANYWHERE, _CONSTANT, _ENDS = 0, 1, 2
_N_HABITS = 3


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
        """The rows of a trial with so many opinions per item, or with all; controls go with their bases."""
        of_part: BoolArray = self.in_part[judged.worker]
        if ratings is None:
            return of_part
        # The last place is that of controls without a base: they always go along.
        is_drawn = np.append((self.place >= 0) & (self.place < ratings), True)
        rows: BoolArray = of_part & is_drawn[judged.opinion]
        return rows

    def is_clicker(self, share: float) -> BoolArray:
        """Which workers are clickers if so large a share of those drawn from are."""
        n_clickers = whole(share * int(self.in_part.sum()))
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
        n_part = min(max(whole(settings.share * judged.n_workers), 1), judged.n_workers - 1)
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
