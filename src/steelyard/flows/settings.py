"""What a caller wished for, as complete settings; recipes fill in what was left open."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict, Unpack

from steelyard.domain.result import AnalysisSettings, ClusterRule, StandardiseOver, Unit
from steelyard.flows.analyse import wmt_settings


class Choices(TypedDict, total=False):
    """The options of an analysis; None and absent both mean "as usual"."""

    method: str | None
    clusters: ClusterRule | None
    standardise_over: StandardiseOver | None
    unit: Unit | None
    recipe: str | None
    attribute: str | None
    seed: int


RECIPES = {"wmt": wmt_settings}


def settings_from(**choices: Unpack[Choices]) -> AnalysisSettings:
    """Settings from the choices given; one given beside a recipe wins over it."""
    settings = AnalysisSettings(seed=choices.get("seed", 7), attribute=choices.get("attribute"))
    recipe = choices.get("recipe")
    if recipe is not None:
        settings = RECIPES[recipe](settings)
    of_method = settings.method_settings
    return replace(
        settings,
        method=choices.get("method") or settings.method,
        clusters=choices.get("clusters") or settings.clusters,
        method_settings=replace(
            of_method,
            standardise_over=choices.get("standardise_over") or of_method.standardise_over,
            unit=choices.get("unit") or of_method.unit,
        ),
    )
