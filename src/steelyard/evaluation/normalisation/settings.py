"""What a study of normalisation is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from steelyard.domain.options import option, require_known_values
from steelyard.domain.result import AnalysisSettings

if TYPE_CHECKING:
    import polars as pl

# Every method is compared with this one; [Denkowski2010] calls it the straight average.
STRAIGHT_AVERAGE = "mean-rating"
# Compared unless others are named: the methods of [Denkowski2010, table 1] in its order, and two more.
USUAL_METHODS = (
    *(STRAIGHT_AVERAGE, "remove-judges", "remove-judgements", "weighted-vote", "scaling", "two-stage"),
    *("mean-z", "worker-model"),
)


@dataclass(frozen=True, slots=True)
class NormalisationSettings:
    """Everything that decides what a study of normalisation says, apart from the data.

    `methods`: those to compare; empty: the usual ones. `folds`: the parts into which the gold translations
    are cut, each to be hidden in turn. `random_workers`: whether the study is run again with five workers
    who click at random. `analysis` says on which scale ratings are, how they are weighed, and the seed.
    """

    methods: tuple[str, ...] = option(
        (),
        help="Methods to compare: see `steelyard methods`.",
        metavar="NAME,…",
        usual=", ".join(USUAL_METHODS),
    )
    folds: int = option(10, help="Parts of the gold, each hidden in turn.", minimum=2)
    random_workers: bool = option(
        True,
        help="Also try what five workers who click at random would do to the scores.",
        opposite="no-random-workers",
        usual="random-workers",
    )
    analysis: AnalysisSettings = field(default_factory=AnalysisSettings)

    def __post_init__(self) -> None:
        require_known_values(self)


@dataclass(frozen=True)
class Normalisation:
    """How close the scores of each method come to an expert's.

    `rows`, one per method: method; uses_gold (whether its scores change with what the expert said); retained
    (judgements that its scores rest on); over the gold translations: n_scored, n_unscored, r and rho
    (Pearson's and Spearman's correlation with the expert), delta (mean distance from the expert, in points),
    agreement and kappa (of scores rounded to points of the scale); worker_agreement, worker_kappa (of all
    pairs of judgements retained of one translation). The same with `held_out_` before the name where the
    method did not know what the expert said of the translation (held_out_r and held_out_rho are of scores
    taken off the mean of their fit); difference, lower, upper: held_out_r less that of the straight average
    over the translations that both score, and its 95 % interval; sure_lower: the lower end of the interval
    of level 1 - .05 / (methods - 1), by which the conclusion is drawn. Null: not defined, or the method has
    no such figure.

    `random_workers`, one row per worker who clicks at random: worker, delta, k_delta, and a column with the
    weight under each method that weighs workers. `resistance`, one row per method: method, change (mean
    distance of the final scores with and without those workers), r_scores (their correlation), r_before and
    r_after (with the expert). Both empty where no such workers were asked for.

    `n_gold` translations were cut into `n_folds`. Agreement is over `n_categories`: points of the scale if it
    is `on_points`, else equal parts of it.
    """

    settings: NormalisationSettings
    rows: pl.DataFrame
    random_workers: pl.DataFrame
    resistance: pl.DataFrame
    n_gold: int
    n_folds: int
    n_categories: int
    on_points: bool
    conclusion: str
    title: str = ""
    signature: str = ""
    warnings: tuple[str, ...] = ()


def shown_name(method: str) -> str:
    """What a method is called in tables.

    >>> shown_name("mean-rating"), shown_name("two-stage")
    ('straight average', 'two-stage')
    """
    return "straight average" if method == STRAIGHT_AVERAGE else method
