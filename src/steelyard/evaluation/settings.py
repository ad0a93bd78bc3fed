"""What an evaluation of methods is asked, and what it answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from steelyard.domain.errors import ChoiceError
from steelyard.domain.options import option, require_known_values
from steelyard.domain.result import AnalysisSettings

if TYPE_CHECKING:
    import polars as pl

Level = Literal["segments", "systems", "cells"]
TruthName = Literal["others", "passing", "rest", "gold", "all"]
# Every method is compared with this one.
YARDSTICK = "mean-z"
# A method under this ending sees the ratings of workers who pass the check only.
PASSING = "-passing"
# A mean of fewer workers' ratings is no truth to speak of [our choice].
LEAST_TRUTH = 3
# "Ground truth" of the published comparison: at least this many ratings of workers who passed [Mathur2018].
LEAST_TRUTH_OF_ALL = 15
# Systems are judged by everything there is, so there is nothing to draw and no rest of it.
_TRUTHS_OF_SYSTEMS: tuple[TruthName, ...] = ("others", "passing")


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """Everything that decides what an evaluation of methods says, apart from the data.

    `ratings`: how many workers' ratings of each item a trial draws; empty: as the data allow.
    `spam`: shares of the trial's workers who are replaced by clickers. `share`: the part of the workers
    that trials draw from, where the truth is of the others. `analysis` says by which check workers pass,
    on which scale ratings are, how they are standardised, and the seed.
    """

    methods: tuple[str, ...] = option(
        (),
        help="Methods to compare: see `steelyard methods`. NAME-passing takes only workers who pass the "
        "check.",
        metavar="NAME,…",
        usual="mean-rating, mean-z, mean-z-passing, worker-model",
    )
    ratings: tuple[int, ...] = option(
        (),
        help="Ratings per translation that a trial draws.",
        metavar="N,…",
        minimum=1,
        usual="1,2,3,5,8 as far as there are",
    )
    spam: tuple[float, ...] = option(
        (0.0,),
        help="Shares of a trial's workers to replace by clickers, e.g. 0,0.2,0.5.",
        metavar="SHARE,…",
        minimum=0,
    )
    draws: int = option(30, help="Number of trials.", minimum=2)
    level: Level = option("segments", help="What is scored; cells are systems by attribute.")
    truth: TruthName = option(
        "others",
        help="What scores are compared with: other workers, those of them who pass, ratings not drawn, known "
        "quality, or all good ratings.",
    )
    share: float = option(
        0.5, help="Share of the workers that trials draw from, where others make the truth.", metavar="SHARE"
    )
    least_truth: int | None = option(
        None,
        help="Workers that a translation's truth must rest on.",
        metavar="N",
        minimum=1,
        usual="3; for all, 15",
    )
    analysis: AnalysisSettings = field(default_factory=AnalysisSettings)

    def __post_init__(self) -> None:
        require_known_values(self)
        if self.level != "segments" and self.truth not in _TRUTHS_OF_SYSTEMS:
            raise ChoiceError(
                f"The truth {self.truth} is for single translations. For {{level={self.level}}}, use "
                f"{' or '.join(_TRUTHS_OF_SYSTEMS)}."
            )
        if self.level != "segments" and self.ratings:
            raise ChoiceError(
                f"{{ratings}} per item are for the level segments only: for {self.level}, a trial takes all "
                "ratings of its workers."
            )
        for problem, is_sound in (
            ("The {share} of the workers to draw from must lie between 0 and 1.", 0 < self.share < 1),
            ("Shares of clickers ({spam}) must be below 1.", all(share < 1 for share in self.spam)),
            ("Give at least one share of clickers ({spam}); 0 is none.", bool(self.spam)),
        ):
            if not is_sound:
                raise ChoiceError(problem)

    @property
    def least(self) -> int:
        """How many workers' ratings an item's truth must rest on."""
        if self.least_truth is not None:
            return self.least_truth
        return LEAST_TRUTH_OF_ALL if self.truth == "all" else LEAST_TRUTH

    @property
    def splits_workers(self) -> bool:
        """Whether the truth comes from workers that no trial draws from."""
        return self.truth in ("others", "passing")


@dataclass(frozen=True)
class Evaluation:
    """How close each method comes to a truth it has not seen.

    `rows`, one per level, number of ratings, share of clickers and method: level, ratings (null where all
    are taken), spam, method, draws (in which the method had an answer), n_items (mean number of items
    correlated), r (mean), r_se, difference (to mean z, mean over the same draws), difference_se, wins
    (share of the draws in which it is better than mean z; null for mean z itself), scored (share of
    the items that got a score), coverage (share of the items whose truth lies within the 90 % interval;
    null for methods that give none); r_within, difference_within, difference_within_se: of segments of
    several systems, the same with every system's mean taken off, since by knowing which system is better
    alone a method may come close to the truth of all. Errors are those of drawing again from the same
    judgements; other judgements may differ more.

    For the level cells there are two rows each: `cells` correlates all systems and attributes together,
    `cells_within` systems within each attribute, averaged over the attributes.
    """

    settings: EvaluationSettings
    rows: pl.DataFrame
    conclusion: str
    title: str = ""
    signature: str = ""
    warnings: tuple[str, ...] = ()


def nearest_whole(number: float) -> int:
    """The nearest whole number, halves upwards.

    >>> nearest_whole(2.5), nearest_whole(2.4)
    (3, 2)
    """
    return math.floor(number + 0.5)
