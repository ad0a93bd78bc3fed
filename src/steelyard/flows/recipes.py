"""Recipes: all choices of an analysis as the organisers of an event made them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from steelyard.domain.result import NO_CHECK, AnalysisSettings, ClusterRule, Test


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an event did. `choose` turns settings into its own; `check` is used unless the caller names one.

    `beside`: how it differs from our own ranking, which is then shown beside it; empty: it is not.
    `draws_local_lines`: it also marks neighbours that differ within a cluster.
    """

    title: str
    choose: Callable[[AnalysisSettings], AnalysisSettings]
    check: str | None = None
    beside: str = ""
    draws_local_lines: bool = False


def wmt_settings(settings: AnalysisSettings) -> AnalysisSettings:
    """The settings with the choices behind the WMT21 and WMT22 to-English results [Akhbardeh2021].

    Mean z per segment and judgement over all kinds, a worker standardised from two ratings on, a
    segment that nobody could standardise counted as 0, workers judged from two pairs on and passing at
    p of at most 0.05, no second look at single HITs, the flags of those years, the rank-sum test on
    segment scores, one-sided and not corrected for the number of pairs, and their cluster rule, for which
    a win still needs p below 0.05.
    """
    return replace(
        settings,
        method="mean-z",
        clusters="wmt21",
        threshold=0.05,
        threshold_included=True,
        correction="none",
        one_sided=True,
        least_pairs=2,
        exclude_hits=False,
        flag_rules="wmt",
        method_settings=replace(
            settings.method_settings,
            standardise_over="all",
            standardise_per="worker",
            unit="judgement",
            test="rank-sum",
            minimum_ratings=2,
            unstandardised_as_zero=True,
            # As published: the ratings of all systems define a worker's mean.
            standardise_without=(),
        ),
    )


def _of_year(
    year: str, test: Test, *, clusters: ClusterRule, one_sided: bool = False, by_domain: bool = False
) -> Callable[[AnalysisSettings], AnalysisSettings]:
    """What recent recipes share: everyone's plain ratings, of regular items only, averaged by segment.

    Nothing is corrected for the number of pairs.
    """

    def choose(settings: AnalysisSettings) -> AnalysisSettings:
        return replace(
            settings,
            recipe=year,
            method="mean-rating",
            regular_only=True,
            clusters=clusters,
            threshold=0.05,
            threshold_included=False,
            correction="none",
            one_sided=one_sided,
            exclude_hits=False,
            method_settings=replace(
                settings.method_settings,
                unit="judgement",
                test=test,
                average="domains" if by_domain else "segments",
            ),
        )

    return choose


_OURS = (
    "ours standardises each worker's ratings, takes workers and documents as the units of inference and "
    "corrects for the number of pairs"
)
RECIPES = {
    "wmt": Recipe("WMT21 and WMT22", wmt_settings),
    "wmt24": Recipe(
        "WMT24",
        _of_year("wmt24", "domain-signed-rank", clusters="strict", by_domain=True),
        check=NO_CHECK,
        beside="the recipe averages plain ratings by domain and tests segments as if they were independent, "
        "adding up two-sided p-values of domains whatever their direction, without correction for the number "
        f"of pairs; {_OURS}",
    ),
    "wmt25": Recipe(
        "WMT25",
        _of_year("wmt25", "segment-t", clusters="neighbours", one_sided=True),
        check=NO_CHECK,
        beside="the recipe averages plain ratings and draws a border wherever a system is better than the "
        "next by a one-sided t-test on segments as if they were independent, without correction for the "
        f"number of tests; {_OURS}",
    ),
    "wmt26": Recipe(
        "WMT26",
        _of_year("wmt26", "either-t", clusters="strict"),
        check=NO_CHECK,
        beside="the recipe averages plain ratings and calls two systems different if either of two t-tests "
        "on segments as if they were independent says so, without correction for the number of pairs; "
        f"{_OURS}",
        draws_local_lines=True,
    ),
}
