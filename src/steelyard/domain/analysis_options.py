"""What a caller may choose in an analysis, whatever its method and check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.domain.options import option
from steelyard.domain.result import ClusterRule, Correction, ExclusionRule


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """The options of every analysis, whatever its method; those of methods are in their own settings."""

    method: str | None = option(
        None,
        help="How ratings become scores: see `steelyard methods`.",
        usual="mean-z; bradley-terry for preferences",
    )
    check: str | None = option(
        None,
        help="How workers are checked: see `steelyard checks`, or none.",
        usual="the campaign's, or paired-t",
    )
    check_attributes: tuple[str, ...] = option(
        (), help="Check workers by these attributes only.", metavar="NAME,…", usual="all"
    )
    require_consistency: bool = option(
        False, help="Workers pass only if they rate repeats as they did at first."
    )
    keep_hits: bool | None = option(
        None,
        help="Keep or leave out single HITs that were rejected or careless.",
        opposite="exclude-hits",
        usual="leave out",
    )
    keep: Literal["everyone", "passing"] | None = option(
        None, help="Whose ratings count.", usual="passing; everyone for methods that weigh workers"
    )
    exclusions: ExclusionRule = option(
        "apply", help="What becomes of workers and HITs that a person excluded: left out, or counted."
    )
    clusters: ClusterRule | None = option(None, help="Rule for borders between clusters.", usual="strict")
    correction: Correction | None = option(
        None, help="Correction of p-values for the number of pairs of systems.", usual="holm"
    )
    recipe: Literal["wmt", "wmt24", "wmt25", "wmt26"] | None = option(
        None,
        help="Make all these choices as the organisers did; wmt: WMT21 and WMT22. Other options given still "
        "win.",
    )
    attribute: str | None = option(None, help="Take one attribute of a file with several.")
    seed: int = option(7, help="Seed of everything random.", minimum=0)
