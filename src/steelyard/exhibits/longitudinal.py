"""Test sets of two years: how much harder the new one is, and how much translation gained."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.domain.exhibit import Evidence, ExhibitOptions, Figure, Table
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._sources import signature_of, title_of
from steelyard.exhibits.studies.longitudinal import longitudinal_figure, longitudinal_table
from steelyard.longitudinal.signing import years_line
from steelyard.longitudinal.study import Longitudinal, PairRatings, StudySettings, compare_cells


def _table(evidence: Sequence[Evidence], options: ExhibitOptions) -> Table:
    """Mean ratings of four cells, the new test set's difficulty and the gain, by pair and attribute.

    As [Graham2014, tables 3 to 5] in one: a present-day system (CURR) and each year's best (BEST) on both
    years' test sets. Delta = CURR old - CURR new is how much harder the new set is; the gain is BEST new -
    BEST old + Delta. Sources are language pairs, or attributes of one. The row over all pairs is their plain
    mean. A star marks the cell that is significantly larger than its neighbour, on standardised ratings
    clustered by worker and document; which test the paper took it leaves open. Delta assumes that the new
    set is as much harder for the best systems as for the present one. Gains on z hold within one collection
    only.
    """
    found = _compared(evidence, options)
    signature = _signature(evidence, options)
    return longitudinal_table(found, title=title_of(TABLE, evidence), signature=signature)


def _figure(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """What the best systems gained on their own test sets against how much harder the new one is.

    As [Graham2014, figure 1]: a point for fluency, adequacy and F1 of every language pair, on points of the
    scale. To the right, the best system of the new year is rated higher than the old one's; upwards, the
    new test set is harder for the same present-day system. Both count: points on one slanting line
    have the same gain. A point to the left of 0 and above it is a gain that ratings of the two years
    alone would have hidden. How sure a gain is stands in the table, not in the picture.
    """
    found = _compared(evidence, options)
    signature = _signature(evidence, options)
    return longitudinal_figure(found, title=title_of(FIGURE, evidence), signature=signature)


def _signature(evidence: Sequence[Evidence], options: ExhibitOptions) -> str:
    """As `steelyard longitudinal` signs the same comparison."""
    pairs = list(dict.fromkeys(source.title for source in evidence))
    return signature_of(evidence, study=years_line(pairs, options.cells))


def _compared(evidence: Sequence[Evidence], options: ExhibitOptions) -> Longitudinal:
    """The comparison of years that the sources support; each source's title names its language pair."""
    sources = [
        PairRatings(source.title, source.kept, source.analysis.settings.method_settings)
        for source in evidence
    ]
    settings = StudySettings(
        cells=options.cells,
        metrics=options.cell_metrics,
        level=evidence[0].analysis.settings.method_settings.level,
    )
    return compare_cells(sources, settings)


TABLE = Exhibit(
    name="longitudinal", title="Change over years", cite=("Graham2014",), make=_table, several=True
)
FIGURE = Exhibit(
    name="longitudinal", title="Gain against difficulty", cite=("Graham2014",), make=_figure, several=True
)
