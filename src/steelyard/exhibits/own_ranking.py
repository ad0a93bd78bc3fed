"""Our own ranking, where systems are ranked by the recipe of an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.domain.differences import differences
from steelyard.domain.exhibit import Evidence, ExhibitOptions, Table
from steelyard.domain.plugin import Exhibit, ReportPlace
from steelyard.exhibits._sources import in_columns, title_of
from steelyard.exhibits.ranking import short_ranking_table


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """The systems by our usual method, test and correction, beside the ranking of a recipe [Kocmi2024].

    The note says where the two differ, and why. Without a recipe it is the ranking itself.

    Not for comparing scores with those of the recipe, which may be in other units.
    """
    analysis = evidence[0].analysis
    own = analysis if analysis.recipe is None else analysis.recipe.own
    said = "No recipe was asked for." if analysis.recipe is None else analysis.recipe.comparison
    table = short_ranking_table(own)
    return replace(
        table,
        rows=in_columns(table.rows, table.columns),
        name=TABLE.name,
        title=title_of(TABLE, evidence),
        notes=(*((differences(own),) if len(own.systems) > 1 else ()), said),
    )


TABLE = Exhibit(
    name="own-ranking",
    title="Our own ranking beside a recipe",
    cite=("Kocmi2024",),
    make=_table,
    report=ReportPlace(12, "ranking", wanted=lambda analysis: analysis.recipe is not None),
)
