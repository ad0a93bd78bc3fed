"""What a study of metrics is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from steelyard.domain.errors import ChoiceError
from steelyard.domain.options import option, require_known_values

if TYPE_CHECKING:
    import polars as pl

    from steelyard.stats.arrays import FloatArray, IntArray

Level = Literal["segment", "document"]
Part = Literal["domain", "document"]
PearsonTest = Literal["jackknife", "williams", "permutation"]
# What tests of statistics within systems take to be independent.
Unit = Literal["document", "segment"]
# What two metrics exchange where their accuracies are tested: scores, or what they say of single pairs.
AccuracyTest = Literal["scores", "verdicts"]
# Statistics over systems, of which each has one score.
SYSTEM_STATISTICS = ("sys_pearson", "sys_spearman", "sys_kendall_b", "sys_pairwise_accuracy", "spa")
# Over all judged translations together, whichever system and segment they are of.
POOLED_STATISTICS = ("seg_pearson_none", "seg_spearman_none", "seg_kendall_b_none")
# Over the segments of each system, and the mean of that over systems.
BY_SYSTEM_STATISTICS = ("seg_pearson_sys", "seg_spearman_sys", "seg_kendall_b_sys")
# Over the systems' translations of each segment, and the mean of that over segments.
BY_ITEM_STATISTICS = (
    *("seg_pearson_item", "seg_spearman_item", "seg_kendall_b_item"),
    *("seg_acc23_eps0_item", "seg_tau23_eps0_item", "seg_acc23_opt_item", "seg_tau23_opt_item"),
)
# Shares of pairs on which a metric and people say the same.
ACCURACIES = (
    "sys_pairwise_accuracy",
    *(name for name in BY_ITEM_STATISTICS if name.startswith(("seg_acc23", "seg_tau23"))),
)
# Statistics by which metrics can be compared.
TESTED = (*SYSTEM_STATISTICS, *POOLED_STATISTICS, *BY_SYSTEM_STATISTICS, *BY_ITEM_STATISTICS)
# One of each kind: linear and by pairs, over systems and over segments [our choice].
USUAL_TESTS = ("sys_pearson", "seg_pearson_none", "seg_acc23_opt_item", "sys_pairwise_accuracy")
# Differences of direct assessments that count as a preference in WMT17-20 [Bojar2017].
LEAST_DIFFERENCE = 25.0
# Our choice: the error of a p near 0.05 is below 0.007.
DRAWS = 1000
# Draws and seed behind published soft pairwise accuracies: with others they differ in the third or fourth
# digit, so neither changes with those of the tests [Thompson2024].
SOFT_DRAWS, SOFT_SEED = 1000, 4


@dataclass(frozen=True, slots=True)
class MetaSettings:
    """Everything that decides what a study of metrics says, apart from the scores.

    `exclude`: systems to leave out. `with_references`: people's translations are systems too, save those
    that a metric compares others with. `flip`: metrics, or the gold, for which lower is better.
    `level` document: the scores of a document are the means of its segments', and take their place. `by`: the
    same numbers for each domain or document too. `tests`: statistics by which metrics are compared.
    `unit`: what tests of translations take to be independent; None for documents where there are two or
    more, else segments. `pearson_test` williams and permutation take single translations to be independent,
    as published; None for the jackknife over units, and Williams' test over systems, of which each is one.
    `accuracy_test` verdicts: accuracies are tested as in published comparisons, which takes pairs of systems
    or translations to be independent, and so finds more differences than there are.
    `least_difference`: below it, two ratings by people make no pair.
    """

    exclude: tuple[str, ...] = option((), help="Systems to leave out.", metavar="SYSTEM,…")
    with_references: bool = option(
        False,
        help="Keep human translations that no metric compares others with.",
    )
    flip: tuple[str, ...] = option((), help="Metrics, or the gold, where lower is better.", metavar="NAME,…")
    level: Level = option("segment", help="What is scored within a system.")
    by: Part | None = option(None, help="Also give the numbers of each of these.")
    tests: tuple[str, ...] = USUAL_TESTS
    unit: Unit | None = option(
        None,
        help="What tests of translations take to be independent.",
        usual="document if there are several, else segment",
    )
    pearson_test: PearsonTest | None = option(
        None,
        help="How Pearson's correlations are compared; williams, permutation of translations as published.",
        usual="jackknife; williams over systems",
    )
    accuracy_test: AccuracyTest = option(
        "scores",
        help="What is exchanged to compare pairwise accuracies; verdicts on pairs as published.",
    )
    draws: int = option(DRAWS, help="Draws of permutation tests.", minimum=1)
    seed: int = option(7, help="Seed of everything random.", minimum=0)
    soft_seed: int = SOFT_SEED
    least_difference: float = LEAST_DIFFERENCE
    threshold: float = 0.05

    def __post_init__(self) -> None:
        require_known_values(self)
        unknown = [name for name in self.tests if name not in TESTED]
        if unknown:
            raise ChoiceError(
                f"Metrics cannot be tested by {', '.join(map(repr, unknown))}. "
                f"Use any of: {', '.join(TESTED)}."
            )
        for problem, is_sound in (
            ("The least difference between ratings must not be negative.", self.least_difference >= 0),
            ("The threshold must lie between 0 and 1.", 0 < self.threshold < 1),
            (
                "Within single documents none can be averaged: leave out {level}, or use {by=domain}.",
                not (self.level == "document" and self.by == "document"),
            ),
        ):
            if not is_sound:
                raise ChoiceError(problem)


@dataclass(frozen=True)
class Significance:
    """How sure it is that one metric agrees better with people than another, by one statistic.

    `metrics` with their `values`, best first; `p_values[i, j]`: one-sided, that metric i is better than j;
    NaN on the diagonal and where two could not be compared. `holm`: the same, corrected for their number.
    `clusters`: from 1; every metric of a cluster is significantly better than all of later ones. `test` is
    the name of the test, `unit` says what it takes to be independent, and `n_units` how many there are.
    """

    statistic: str
    test: str
    unit: str
    n_units: int
    metrics: tuple[str, ...]
    values: tuple[float, ...]
    p_values: FloatArray
    holm: FloatArray
    clusters: IntArray


@dataclass(frozen=True)
class MetaEvaluation:
    """How well each metric agrees with people about the same translations.

    `rows`: one per metric, in the order given, under the names that the field's tables use (`lp`, `gold`,
    `metric`, `n_sys`, ...): see `meta.statistics`; with `by`, first of everything, and then one per
    metric and `group`. NaN is never in them, null is what could not be computed.
    `notes` say what the numbers rest on, `warnings` what a reader must know before trusting them.
    """

    pair: str
    gold: str
    settings: MetaSettings
    systems: tuple[str, ...]
    rows: pl.DataFrame
    significance: tuple[Significance, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    title: str = ""
    signature: str = ""
