"""Which systems are significantly better than which, as a grid."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.domain.exhibit import Axis, Cells, Evidence, ExhibitOptions, Figure, Panel
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._significance import p_matrix, stars
from steelyard.exhibits._sources import signature_of, title_of
from steelyard.exhibits.tables import significance

# With more systems than this, numbers would not fit into the cells: stars alone are written.
_NUMBERS_UP_TO = 8


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """A cell for every ordered pair of systems, the stronger the surer the row is better than the column.

    Best systems first, so that a clear ranking fills the upper right; shaded below it is a system
    significantly better than one that scores higher, which happens because the test looks at ranks
    of segments and the score at their mean. The stars are those of WMT [Akhbardeh2021]. A blank cell
    does not say that two systems are equally good, only that the judgements cannot tell them apart;
    p-values are not corrected for their number.
    """
    analysis = evidence[0].analysis
    names, p_values = p_matrix(analysis)
    threshold = analysis.settings.threshold
    with_numbers = len(names) <= _NUMBERS_UP_TO
    cells = Cells(
        values=p_values,
        texts=tuple(tuple(_text(p_value, with_numbers) for p_value in row) for row in p_values),
        low=0.0,
        high=threshold,
    )
    return Figure(
        name=FIGURE.name,
        title=title_of(FIGURE, evidence),
        caption=f"Shaded where the system of the row is better than that of the column at p < {threshold:g}, "
        "the stronger the smaller p; * p < 0.05, ** p < 0.01, *** p < 0.001.",
        panels=(
            Panel(
                x=Axis("is better than", categories=names), y=Axis("system", categories=names), marks=(cells,)
            ),
        ),
        table=significance.make(evidence, options),
        signature=signature_of(evidence),
    )


def _text(p_value: float | None, with_numbers: bool) -> str:
    if p_value is None or not with_numbers:
        return stars(p_value)
    number = "<.001" if p_value < 0.001 else f"{p_value:.3f}".removeprefix("0")
    return number + stars(p_value)


FIGURE = Exhibit(name="significance", title="Significance of differences", cite=("Akhbardeh2021",), make=make)
