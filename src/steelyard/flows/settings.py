"""What a caller wished for, as complete settings; recipes fill in what was left open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypedDict, Unpack, get_args

from steelyard.aggregation import methods
from steelyard.domain.errors import ChoiceError
from steelyard.domain.result import (
    AnalysisSettings,
    ClusterRule,
    Ends,
    GoldExpected,
    GoldForm,
    MethodSettings,
    OffsetPer,
    StandardiseOver,
    StandardisePer,
    Test,
    Unit,
    VoteBy,
    WithoutGold,
)
from steelyard.flows.source import Source

# Whose ratings are scored: everybody's, or those of workers who pass the check.
Keep = Literal["everyone", "passing"]


class Choices(TypedDict, total=False):
    """The options of an analysis; None and absent both mean "as usual"."""

    method: str | None
    check: str | None
    check_attributes: str | Sequence[str] | None
    require_consistency: bool | None
    keep_hits: bool | None
    keep: Keep | None
    clusters: ClusterRule | None
    standardise_over: StandardiseOver | None
    standardise_per: StandardisePer | None
    unit: Unit | None
    test: Test | None
    offset_per: OffsetPer | None
    ends: Ends | None
    random_clicks: bool | None
    gold_form: GoldForm | None
    gold_expected: GoldExpected | None
    vote_by: VoteBy | None
    without_gold: WithoutGold | None
    recipe: str | None
    attribute: str | None
    draws: int | None
    seed: int


def wmt_settings(settings: AnalysisSettings) -> AnalysisSettings:
    """The settings with the choices behind the WMT21 and WMT22 to-English results [Akhbardeh2021].

    Mean z per segment and judgement over all kinds, a worker standardised from two ratings on, a
    segment that nobody could standardise counted as 0, workers judged from two pairs on and passing at
    p of at most 0.05, no second look at single HITs, the flags of those years, and their cluster
    rule, for which a win still needs p below 0.05.
    """
    return replace(
        settings,
        method="mean-z",
        clusters="wmt21",
        threshold=0.05,
        threshold_included=True,
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
        ),
    )


RECIPES = {"wmt": wmt_settings}
# What choices of a fixed set may be.
_KNOWN: dict[str, tuple[str, ...]] = {
    "clusters": get_args(ClusterRule),
    "standardise_over": get_args(StandardiseOver),
    "standardise_per": get_args(StandardisePer),
    "unit": get_args(Unit),
    "test": get_args(Test),
    "keep": get_args(Keep),
    "offset_per": get_args(OffsetPer),
    "ends": get_args(Ends),
    "gold_form": get_args(GoldForm),
    "gold_expected": get_args(GoldExpected),
    "vote_by": get_args(VoteBy),
    "without_gold": get_args(WithoutGold),
    "recipe": tuple(RECIPES),
}


# Fewer draws have no 2.5th percentile to speak of [our choice].
LEAST_DRAWS = 40


def _require_sense(choices: Choices) -> None:
    """Raises ChoiceError for a choice or a value that does not exist, and for useless numbers of draws."""
    for name in choices:
        if name not in Choices.__annotations__:
            known = ", ".join(Choices.__annotations__)
            raise ChoiceError(f"There is no choice {name!r} in an analysis. Use any of: {known}.")
    for name, known_values in _KNOWN.items():
        value = choices.get(name)
        if value is not None and value not in known_values:
            raise ChoiceError(f"There is no {name} {value!r}. Use one of: {', '.join(known_values)}.")
    draws = choices.get("draws")
    if draws is not None and draws != 0 and draws < LEAST_DRAWS:
        raise ChoiceError(
            f"{draws} draws cannot give an interval. Use at least {LEAST_DRAWS}, or 0 for no intervals."
        )


def _listed(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Names given as a list, or as one string with commas."""
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
    return tuple(names) if names else None


def settings_from(source: Source, **choices: Unpack[Choices]) -> AnalysisSettings:
    """Settings for a source from the choices given; one given beside a recipe wins over it.

    Without a wish of the caller, the campaign's own check is used, and nobody is left out of a method
    that weighs workers by itself.
    """
    _require_sense(choices)
    settings = AnalysisSettings(
        seed=choices.get("seed", 7),
        attribute=choices.get("attribute"),
        method_settings=MethodSettings(scale=source.scale, gold_scale=source.gold_scale),
    )
    recipe = choices.get("recipe")
    if recipe is not None:
        settings = RECIPES[recipe](settings)
    keep_hits = choices.get("keep_hits")
    method = choices.get("method") or settings.method
    keep = choices.get("keep") or ("everyone" if _weighs_workers(method) else "passing")
    of_method = settings.method_settings
    return replace(
        settings,
        method=method,
        check=choices.get("check") or source.check or settings.check,
        check_attributes=_listed(choices.get("check_attributes")),
        require_consistency=bool(choices.get("require_consistency")),
        exclude_hits=settings.exclude_hits if keep_hits is None else not keep_hits,
        keep_everyone=keep == "everyone",
        clusters=choices.get("clusters") or settings.clusters,
        method_settings=replace(
            of_method,
            standardise_over=choices.get("standardise_over") or of_method.standardise_over,
            standardise_per=choices.get("standardise_per") or of_method.standardise_per,
            unit=choices.get("unit") or of_method.unit,
            test=choices.get("test") or of_method.test,
            offset_per=choices.get("offset_per") or of_method.offset_per,
            ends=choices.get("ends") or of_method.ends,
            random_clicks=bool(choices.get("random_clicks")),
            gold_form=choices.get("gold_form") or of_method.gold_form,
            gold_expected=choices.get("gold_expected") or of_method.gold_expected,
            vote_by=choices.get("vote_by") or of_method.vote_by,
            without_gold=choices.get("without_gold") or of_method.without_gold,
            draws=of_method.draws if (draws := choices.get("draws")) is None else draws,
        ),
    )


def _weighs_workers(name: str) -> bool:
    # Whether there is such a method at all is told when it is used.
    return name in methods() and methods()[name].weighs_workers
