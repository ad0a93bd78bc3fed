"""What a study of replication is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from steelyard.domain.draws import LEAST_FOR_CURVES
from steelyard.domain.errors import ChoiceError
from steelyard.domain.options import option, require_known_values
from steelyard.domain.result import AnalysisSettings
from steelyard.planning.cost import Outlay
from steelyard.planning.plan import Plan

if TYPE_CHECKING:
    import polars as pl

# Draws behind curve and band, as published [Graham2015]; of a single collection two for each split.
DRAWS = 200
# What published segment scores reach with about 15 ratings [Graham2015].
RELIABILITY = 0.9
# A correlation over fewer items says nothing [our choice].
LEAST_ITEMS = 10
# The numbers of ratings of which there is a scatter plot [Graham2015, figure 2].
SCATTER_NUMBERS = (1, 2, 5, 10, 15, 40)
# The numbers of ratings that tables show, and the last one [our choice].
SHOWN_NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)


@dataclass(frozen=True, slots=True)
class ReplicationSettings:
    """Everything that decides what a study of replication says, apart from the data.

    `reliability`: what scores of single translations shall reach. `analysis` says whose ratings are good,
    how they are standardised, and the seed.
    """

    reliability: tuple[float, ...] = option(
        (RELIABILITY,),
        help="Target reliability of the scores of single translations.",
        metavar="R,…",
        minimum=0.01,
        maximum=0.999,
    )
    draws: int = option(DRAWS, help="Number of draws.", minimum=LEAST_FOR_CURVES)
    analysis: AnalysisSettings = field(default_factory=AnalysisSettings)

    def __post_init__(self) -> None:
        require_known_values(self)
        if not self.reliability:
            raise ChoiceError("Give at least one {reliability} to reach, such as 0.9.")


@dataclass(frozen=True, slots=True)
class CollectionCounts:
    """How much a collection has on the items that the study rests on. A worker counts once per item."""

    title: str
    workers: int
    ratings: int
    ratings_per_item: float


@dataclass(frozen=True, slots=True)
class Requirement:
    """Ratings per item that reach a reliability, and the ends of a 95 % interval; None: no number does."""

    reliability: float
    ratings: int | None
    fewest: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What a requirement costs, and what it would at the ends of its interval; None: nobody could pay it."""

    plan: Plan
    at_fewest: Outlay | None
    at_most: Outlay | None


@dataclass(frozen=True)
class Replication:
    """How well mean ratings are replicated, and how many ratings per item that takes.

    `collections`: two that were compared with each other, or one whose workers were split in two halves
    (`is_split`). `n_items`: the items that there are, in both; of very many some are drawn.
    `rho`, the reliability of one rating: of (a collection, or "" for all together), scale (rating or z), rho,
    lower, upper. `fitted_rho`: the one whose Spearman-Brown curve comes closest to the observed correlations
    of z; None if there is none.
    `rows`, one per kind of comparison, scale and number of ratings: against ("full": the mean of N ratings
    in the first collection against that of all in the second; "same": of N in both), scale, ratings,
    n_items and r (means over draws), lower, upper (of 95 % of the draws), expected (by Spearman and Brown).
    `scatter`, of one draw: ratings, system_id, segment_id, first, second: mean z in the two.
    `costs`: what each of `needed` costs; None where no number of ratings does.
    """

    settings: ReplicationSettings
    title: str
    is_split: bool
    collections: tuple[CollectionCounts, ...]
    n_items: int
    rho: pl.DataFrame
    fitted_rho: float | None
    rows: pl.DataFrame
    scatter: pl.DataFrame
    needed: tuple[Requirement, ...]
    conclusion: str
    warnings: tuple[str, ...] = ()
    costs: tuple[Cost | None, ...] = ()
    signature: str = ""


def shown_numbers(most: int) -> list[int]:
    """The numbers of ratings that a table shows, of all up to `most`.

    >>> shown_numbers(7), shown_numbers(1)
    ([1, 2, 3, 4, 5, 6, 7], [1])
    """
    return sorted({*(number for number in SHOWN_NUMBERS if number < most), most})
