"""Our own ranking beside that of a recipe, and where and why they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.result import NO_CHECK, Analysis, AnalysisSettings, RecipeRanking
from steelyard.domain.wording import Note, alarms_of, counted, told_of
from steelyard.flows.recipes import RECIPES
from steelyard.flows.settings import settings_from
from steelyard.flows.source import Source

Analyse = Callable[[Source, AnalysisSettings], Analysis]


def with_own_ranking(analysis: Analysis, source: Source, analyse: Analyse) -> Analysis:
    """The analysis by a recipe together with our usual one of the same judgements; any other as it is."""
    name = analysis.settings.recipe
    if name is None or not RECIPES[name].beside:
        return analysis
    settings = analysis.settings
    usual = settings_from(
        source, seed=settings.seed, attribute=settings.attribute, draws=settings.method_settings.draws
    )
    unchecked: list[str] = []
    try:
        own = analyse(source, usual)
    except NotEnoughData:
        own = analyse(source, replace(usual, check=NO_CHECK))
        unchecked.append(
            f"nobody was checked, for {usual.check} needs controls that some worker passes, so everyone's "
            "judgements count."
        )
    comparison = _comparison(analysis, own, name)
    new = [warning for warning in alarms_of(own.warnings) if warning not in analysis.warnings]
    return replace(
        analysis,
        recipe=RecipeRanking(
            name=name,
            title=RECIPES[name].title,
            local=_local_lines(analysis) if RECIPES[name].draws_local_lines else (),
            own=own,
            comparison=comparison,
        ),
        warnings=(
            *analysis.warnings,
            *(told_of("Our own ranking", warning) for warning in (*unchecked, *new)),
            Note(comparison),
        ),
    )


def _local_lines(analysis: Analysis) -> tuple[str, ...]:
    """The systems that differ from the next one without a border between clusters after them."""
    systems = analysis.systems.select("system_id", "cluster").rows()
    decisive = analysis.pairs.filter(pl.col(analysis.test.deciding) < analysis.test.level)
    differ = set(decisive.select("better", "worse").iter_rows())
    return tuple(
        name
        for (name, cluster), (below, next_cluster) in pairwise(systems)
        if cluster == next_cluster and (name, below) in differ
    )


def _comparison(theirs: Analysis, ours: Analysis, name: str) -> str:
    """One sentence: where the two rankings differ, and why."""
    order, own_order = (found.systems["system_id"].to_list() for found in (theirs, ours))
    same = sum(one == other for one, other in zip(order, own_order, strict=False))
    places = f"put {same} of {counted(len(order), 'system')} in the same place"
    n_pairs = len(theirs.pairs) // 2
    claims, own_claims = (int(found.systems["wins"].sum()) for found in (theirs, ours))
    n_clusters, own_clusters = (found.systems["cluster"].n_unique() for found in (theirs, ours))
    if order == own_order:
        places = f"have the same order of {counted(len(order), 'system')}"
    title = RECIPES[name].title
    return (
        f"The recipe of {title} and our own ranking {places}; the recipe calls {claims} of "
        f"{counted(n_pairs, 'difference')} significant and has {counted(n_clusters, 'cluster')}, ours "
        f"{own_claims} and {own_clusters}: {RECIPES[name].beside}."
    )
