"""What an evaluation of methods is asked, and what it answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from steelyard.domain.errors import ChoiceError
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
# "Ground truth" of the published comparison: at least so many ratings of workers who passed [Mathur2018].
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

    methods: tuple[str, ...] = ()
    ratings: tuple[int, ...] = ()
    spam: tuple[float, ...] = (0.0,)
    draws: int = 30
    level: Level = "segments"
    truth: TruthName = "others"
    share: float = 0.5
    least_truth: int | None = None
    analysis: AnalysisSettings = field(default_factory=AnalysisSettings)

    def __post_init__(self) -> None:
        for name, known in (("level", get_args(Level)), ("truth", get_args(TruthName))):
            if getattr(self, name) not in known:
                raise ChoiceError(
                    f"There is no {name} {getattr(self, name)!r}. Use one of: {', '.join(known)}."
                )
        if self.level != "segments" and self.truth not in _TRUTHS_OF_SYSTEMS:
            raise ChoiceError(
                f"The truth {self.truth} is of single translations. For the level {self.level}, use "
                f"{' or '.join(_TRUTHS_OF_SYSTEMS)}."
            )
        if self.level != "segments" and self.ratings:
            raise ChoiceError(
                f"Ratings per item are drawn for the level segments only: for {self.level}, a trial takes "
                "all ratings of its workers."
            )
        for told, is_sound in (
            ("The number of draws must be 2 or more.", self.draws >= 2),
            ("The share of the workers to draw from must lie between 0 and 1.", 0 < self.share < 1),
            ("Shares of clickers must be at least 0 and below 1.", all(0 <= s < 1 for s in self.spam)),
            ("Numbers of ratings per item must be 1 or more.", all(k >= 1 for k in self.ratings)),
            ("A truth must rest on 1 rating or more.", self.least_truth is None or self.least_truth >= 1),
            ("Give one share of clickers at least; 0 is none.", bool(self.spam)),
        ):
            if not is_sound:
                raise ChoiceError(told)

    @property
    def least(self) -> int:
        """How many workers' ratings an item's truth must rest on."""
        if self.least_truth is not None:
            return self.least_truth
        return LEAST_TRUTH_OF_ALL if self.truth == "all" else LEAST_TRUTH

    @property
    def splits_workers(self) -> bool:
        """Whether the truth is of workers whom no trial draws from."""
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


def whole(number: float) -> int:
    """The nearest whole number, halves upwards.

    >>> whole(2.5), whole(2.4)
    (3, 2)
    """
    return math.floor(number + 0.5)
