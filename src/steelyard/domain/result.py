"""Results: what we compute from judgements. Numbers keep full precision; nothing is rounded here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from steelyard.domain.options import option, require_known_values
from steelyard.domain.scale import VAS, Scale

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

VerdictName = Literal["pass", "fail", "insufficient"]
ClusterRule = Literal["strict", "wmt21", "neighbours"]
StandardiseOver = Literal["all", "system"]
StandardisePer = Literal["worker", "attribute"]
Unit = Literal["judgement", "worker", "flat"]
Test = Literal[
    "clustered",
    "clustered-means",
    "rank-sum",
    "rank-sum-common",
    "signed-rank",
    "permutation",
    "segment-t",
    "either-t",
    "domain-signed-rank",
]
# Those that take segments as independent, no matter who judged them and which document they are of.
SEGMENT_TESTS = (
    *("rank-sum", "rank-sum-common", "signed-rank", "permutation"),
    *("segment-t", "either-t", "domain-signed-rank"),
)
# Those that say whether two systems differ, and leave it to the scores which is better.
UNDIRECTED_TESTS = ("either-t", "domain-signed-rank")
Correction = Literal["holm", "none"]
FlagRules = Literal["usual", "wmt"]
ExclusionRule = Literal["apply", "ignore"]
# The name of the check that nobody fails.
NO_CHECK = "none"
# Below five control pairs no test can decide: at four, the smallest exact p-value is 0.0625.
LEAST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """A check's finding about one worker, with the numbers that led to it."""

    worker_id: str
    verdict: VerdictName
    n_pairs: int
    mean_difference: float | None
    sd_difference: float | None
    statistic: float | None
    p_value: float | None
    reason: str
    # Chance that this worker would have passed if degraded copies were a fifth of the scale worse,
    # given how much the worker's own repeats differ; None without enough repeats to know, and for checks
    # whose power depends on more than that.
    power: float | None = None


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What a check needs to know beside the ratings."""

    threshold: float = 0.05
    threshold_included: bool = False
    scale: Scale = VAS
    least_pairs: int = LEAST_PAIRS
    # Options that only some checks have, by name.
    for_others: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        require_known_values(self)

    def passes(self, p_value: float) -> bool:
        """Whether a p-value is low enough; an undefined one never is."""
        return p_value <= self.threshold if self.threshold_included else p_value < self.threshold

    @property
    def limit(self) -> str:
        """The threshold in words: "below 0.05" or "at most 0.05"."""
        return f"{'at most' if self.threshold_included else 'below'} {self.threshold:g}"


@dataclass(frozen=True, slots=True)
class HitVerdict:
    """A HIT in which a worker who passes as a whole distinguished degraded copies far less than elsewhere."""

    worker_id: str
    hit_id: str
    n_pairs: int
    mean_difference: float
    other_mean_difference: float
    p_value: float
    p_holm: float
    reason: str


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """Choices that every method leaves to its caller. A method with more declares a subclass."""

    standardise_over: StandardiseOver = option(
        "all", help="Ratings that define a worker's mean.", signature="over", always_signed=True
    )
    standardise_per: StandardisePer = option(
        "worker",
        help="With several attributes, standardise them all together or each alone.",
        signature="per",
    )
    standardise_without: tuple[str, ...] = option(
        (),
        help="Systems whose ratings do not define a worker's mean: some workers never saw them.",
        signature="without",
        metavar="SYSTEM,…",
        usual="those added to a running campaign",
    )
    unit: Unit = option(
        "judgement", help="What a segment score averages.", signature="unit", always_signed=True
    )
    test: Test = option(
        "clustered",
        help="Test between systems: clustered by worker and document, with judgements weighed or of the "
        "scores as shown (clustered-means), or of segment scores as if independent (of common segments, but "
        "for rank-sum).",
        signature="test",
    )
    draws: int = option(
        1000,
        help="Bootstrap draws behind the intervals; 0 for none.",
        signature="boot",
        always_signed=True,
        minimum=0,
    )
    # Workers with fewer ratings are left out, and nobody's mean and deviation are drawn towards everyone's,
    # as in published results; None: nobody is left out, and those of workers with few ratings are drawn.
    minimum_ratings: int | None = None
    # A system's score is the mean of its segments' scores, or of the means of its domains, as in WMT24.
    average: Literal["segments", "domains"] = "segments"
    # WMT counts a segment that nobody could standardise as 0; we leave it out unless asked.
    unstandardised_as_zero: bool = False
    level: float = 0.95
    scale: Scale = VAS
    # The scale that gold was given on, where it is another: known ratings are on `scale` by now.
    gold_scale: Scale | None = None
    # Options that only some methods have, by name, where several methods are run.
    for_others: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        require_known_values(self)

    @property
    def fewest_ratings(self) -> int:
        """How many ratings, not all the same, somebody must have given for anybody to be standardised."""
        return self.minimum_ratings or 2


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """Everything that decides what an analysis says, apart from the data."""

    method: str = "mean-z"
    check: str = "paired-t"
    clusters: ClusterRule = "strict"
    # A worker passes, and a difference counts, at p below this; WMT took "at most".
    threshold: float = 0.05
    threshold_included: bool = False
    # What a difference between two systems must pass: its p-value, allowing for the number of pairs or not.
    correction: Correction = "holm"
    # Without correction, the one-sided p-value decides, as in WMT, not the two-sided one.
    one_sided: bool = False
    # With fewer control pairs than this a worker is not judged; WMT judged from two on.
    least_pairs: int = LEAST_PAIRS
    attribute: str | None = None
    # The attributes that degraded copies are worse in; None: all.
    check_attributes: tuple[str, ...] | None = None
    # Passing also asks that repeats do not differ from first ratings (assumption A).
    require_consistency: bool = False
    # Leave out single HITs that were rejected, or in which a worker who passes as a whole turned careless.
    exclude_hits: bool = True
    # Score everyone's ratings, whatever the check finds: for methods that weigh workers themselves.
    keep_everyone: bool = False
    # What people excluded stays out, or counts all the same.
    exclusions: ExclusionRule = "apply"
    flag_rules: FlagRules = "usual"
    # Whose choices these are; None: nobody's in particular.
    recipe: str | None = None
    # Only regular items count, and none that were there to fill up a HIT.
    regular_only: bool = False
    seed: int = 7
    method_settings: MethodSettings = MethodSettings()
    # Options that only some checks have, by name.
    check_options: tuple[tuple[str, Any], ...] = ()

    @property
    def scale(self) -> Scale:
        """The scale on which the ratings were given."""
        return self.method_settings.scale

    @property
    def check_settings(self) -> CheckSettings:
        """What the check needs of these."""
        return CheckSettings(
            self.threshold, self.threshold_included, self.scale, self.least_pairs, self.check_options
        )


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How a method came to its answer: whether it settled, after how many sweeps over the ratings.

    `seconds` is filled in by the caller, who measures the time. `notes`: further numbers by name.
    """

    converged: bool
    sweeps: int
    seconds: float = 0.0
    notes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class InferenceUnits:
    """What a test of systems counts as independent: how many workers and documents it rests on.

    Without `documents_known` each segment stands for a document of its own.
    """

    workers: int
    documents: int
    documents_known: bool


@dataclass(frozen=True, slots=True)
class Fit:
    """What a method makes of the ratings it is given.

    `segments`: system_id, segment_id, score, sd, mean_rating, n.
    `systems`, best first: system_id, score, lower, upper, mean_rating, n_segments, n_judgements.
    `p_values[i, j]`: one-sided p that system i of `systems` is better than system j; NaN on the diagonal.
    `workers`: worker_id, mean, sd, offset, slope, precision, weight (null where the method has none); a
    method that knows how sure it is of them may add offset_sd, slope_sd and precision_sd. An offset is in
    points of the scale, a slope relative to the average worker's, a precision that of ratings divided by
    the deviation of them all, a weight relative to the average worker's (for a method with `own_test`; else
    what the method multiplies ratings by, 0 for workers it leaves out).
    `draws` (draws, systems): what the scores of `systems` may be, where the method believes in more than
    one answer. `diagnostics`: of a method that comes to its answer step by step.
    `warnings`: what to know before trusting the scores; `notes`: what else to know of the judgements.
    `attributes`: where the ratings are of several, what the method makes of each, by name; a method that
    looks at the ratings of one attribute alone for that may leave it to the caller.
    `units`: what intervals, and p-values of tests that cluster, count as independent; None if unknown.
    `undirected`: p-values are two-sided, the same in both directions.
    """

    segments: pl.DataFrame
    systems: pl.DataFrame
    p_values: np.ndarray
    workers: pl.DataFrame
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    attributes: tuple[tuple[str, Fit], ...] = ()
    draws: np.ndarray | None = None
    diagnostics: Diagnostics | None = None
    units: InferenceUnits | None = None
    undirected: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there was, and how much of it the scores rest on.

    `excluded_judgements`: how many a person excluded, whether or not that is applied.
    """

    judgements: int
    workers: int
    hits: int
    systems: int
    kept_judgements: int
    kept_workers: int
    excluded_judgements: int = 0
    simulated_workers: int = 0


@dataclass(frozen=True, slots=True)
class PairTest:
    """How two systems were compared: the test's name, and what its p-value must be below to count.

    `name`: a test of `MethodSettings`, or what a method with a test of its own goes by: "errors" or "draws".
    `units`: see `Fit`; the test need not make use of them.
    """

    name: str = "clustered"
    level: float = 0.05
    correction: Correction = "holm"
    one_sided: bool = False
    units: InferenceUnits | None = None

    @property
    def deciding(self) -> Literal["p_holm", "p_two_sided", "p_value"]:
        """The column of `Analysis.pairs` that decides whether a difference counts."""
        if self.correction == "holm":
            return "p_holm"
        return "p_value" if self.one_sided else "p_two_sided"

    @property
    def rests_on(self) -> InferenceUnits | None:
        """The units, if the test clusters by them; None of one that takes segments as independent."""
        return None if self.name in SEGMENT_TESTS else self.units


@dataclass(frozen=True)
class AttributeRanking:
    """The ranking by one attribute alone, of an analysis over several; `systems` and `pairs` as there."""

    attribute: str
    systems: pl.DataFrame
    pairs: pl.DataFrame


@dataclass(frozen=True)
class RecipeRanking:
    """What stands beside a ranking by a recipe: our `own` of the same judgements, and a sentence on both.

    `local`: the systems that differ from the next one inside a cluster, where the recipe marks these.
    """

    name: str
    title: str
    local: tuple[str, ...]
    own: Analysis
    comparison: str


@dataclass(frozen=True)
class Analysis:
    """Everything a report shows. Renderers read it; they compute nothing.

    `workers`: worker_id, n_judgements, n_pairs, mean_difference, sd_difference, statistic, p_value, power,
    verdict, flags, mean, sd, offset, slope, precision, weight, offset_sd, slope_sd, precision_sd, n_repeats,
    consistency_p, equivalence_p, seconds_per_judgement, suggestion, reason, remarks (a sentence for each
    flag), portrait (offset, slope and weight in words; null where the method knows none), excluded (why a
    person excluded the worker; null if nobody did).
    `hits`, one row per worker and HIT: worker_id, hit_id, n_judgements, seconds, concurrent, excluded (why
    it was left out; null if it was not).
    `systems`, best first: system_id, rank, rank_low, rank_high, cluster, score, lower, upper, mean_rating,
    n_segments, n_judgements, wins.
    `pairs`, every ordered pair: better, worse, p_value (one-sided), p_two_sided and p_holm (the same in both
    directions). `test`: how they were compared, and when a difference counts.
    `segments`: system_id, segment_id, score, sd, mean_rating, n.
    `attributes`: the rankings by each attribute, if the ratings are of several.
    `agreement`: of, scale, categories, n_pairs, agreement, chance, coefficient, value, lower, upper.
    `draws` (draws, systems), `diagnostics` and `notes`: see `Fit`.
    `recipe`: what stands beside the ranking of a recipe that shows ours too.
    `contamination`: share of random clickers to be expected among those who passed; None if unknown.
    """

    title: str
    signature: str
    settings: AnalysisSettings
    counts: Counts
    workers: pl.DataFrame
    hits: pl.DataFrame
    systems: pl.DataFrame
    pairs: pl.DataFrame
    segments: pl.DataFrame
    agreement: pl.DataFrame
    test: PairTest = PairTest()
    attributes: tuple[AttributeRanking, ...] = ()
    contamination: float | None = None
    draws: np.ndarray | None = None
    diagnostics: Diagnostics | None = None
    warnings: tuple[str, ...] = field(default=())
    notes: tuple[str, ...] = ()
    recipe: RecipeRanking | None = None
