"""Results: what we compute from judgements. Numbers keep full precision; nothing is rounded here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

VerdictName = Literal["pass", "fail", "insufficient"]
ClusterRule = Literal["strict", "wmt21"]
StandardiseOver = Literal["all", "system"]
Unit = Literal["judgement", "worker", "flat"]


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


@dataclass(frozen=True, slots=True)
class MethodSettings:
    """Choices a method leaves to its caller."""

    standardise_over: StandardiseOver = "all"
    unit: Unit = "judgement"
    # Fewer ratings than this and a worker's mean and deviation mean little [our choice].
    minimum_ratings: int = 10
    # WMT counts a segment that nobody could standardise as 0; we leave it out unless asked.
    unstandardised_as_zero: bool = False
    draws: int = 1000
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """Everything that decides what an analysis says, apart from the data."""

    method: str = "mean-z"
    check: str = "paired-t"
    clusters: ClusterRule = "strict"
    # A worker passes, and a difference counts, at p below this; WMT took "at most".
    threshold: float = 0.05
    threshold_included: bool = False
    attribute: str | None = None
    seed: int = 7
    method_settings: MethodSettings = MethodSettings()


@dataclass(frozen=True, slots=True)
class Fit:
    """What a method makes of the ratings it is given.

    `segments`: system_id, segment_id, score, sd, mean_rating, n.
    `systems`, best first: system_id, score, lower, upper, mean_rating, n_segments, n_judgements.
    `p_values[i, j]`: one-sided p that system i of `systems` is better than system j; NaN on the diagonal.
    `workers`: worker_id, mean, sd, offset, slope, precision, weight (null where the method has none).
    """

    segments: pl.DataFrame
    systems: pl.DataFrame
    p_values: np.ndarray
    workers: pl.DataFrame
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there was, and how much of it the scores rest on."""

    judgements: int
    workers: int
    hits: int
    systems: int
    kept_judgements: int
    kept_workers: int


@dataclass(frozen=True)
class Analysis:
    """Everything a report shows. Renderers read it; they compute nothing.

    `workers`: worker_id, n_judgements, n_pairs, mean_difference, statistic, p_value, verdict, flags, mean,
    sd, offset, slope, precision, weight, reason.
    `systems`, best first: system_id, rank, rank_low, rank_high, cluster, score, lower, upper, mean_rating,
    n_segments, n_judgements, wins.
    `pairs`, every ordered pair: better, worse, p_value, p_holm.
    `segments`: system_id, segment_id, score, sd, mean_rating, n.
    """

    title: str
    signature: str
    settings: AnalysisSettings
    counts: Counts
    workers: pl.DataFrame
    systems: pl.DataFrame
    pairs: pl.DataFrame
    segments: pl.DataFrame
    warnings: tuple[str, ...] = field(default=())
