"""Figures as Python objects: shown in a notebook, saved to a file, or drawn on Matplotlib axes."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.frame import Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from steelyard.domain.exhibit import Figure as FigureRecord


@dataclass(frozen=True, repr=False)
class Figure:
    """A figure of an analysis, a study or a plan. A notebook shows it when it ends a cell.

    >>> sy.plan(systems=5, budget=2000).plot()
    <Figure 'plan': What money buys>
    """

    record: FigureRecord = field(repr=False)

    @property
    def name(self) -> str:
        """Its name, by which `plot` made it.

        >>> analysis.plot().name
        'ranking'
        """
        return self.record.name

    @property
    def title(self) -> str:
        """What is above it.

        >>> sy.plan(systems=5, budget=2000).plot().title
        'What money buys'
        """
        return self.record.title

    @property
    def caption(self) -> str:
        """What is below it, ready for a paper.

        >>> "interval" in analysis.plot().caption
        True
        """
        return self.record.caption

    @property
    def data(self) -> Frame:
        """All that it shows, as a data frame.

        >>> analysis.plot("ranking").data.columns[:2]
        ['rank', 'rank_low']
        """
        return Frame(self.record.table.rows)

    @property
    def svg(self) -> str:
        """The text of an SVG file, in light colours, with heading and signature.

        >>> analysis.plot("ranking").svg.rstrip().endswith("</svg>")
        True
        """
        from steelyard.report.svg import to_svg

        return to_svg(self.record, themed=False)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a .svg, .png or .pdf file; the last two need Matplotlib (`steelyard[plots]`).

        >>> analysis.plot("ranking").save("ranking.svg")
        """
        from steelyard.report.figure_file import write_figure

        write_figure(self.record, Path(path))

    def draw(self, ax: Axes) -> Axes:
        """Draw it on Matplotlib axes, without heading and signature, as large as fits; returns the axes.

        >>> from matplotlib.figure import Figure as Canvas
        >>> axes = Canvas().add_subplot()
        >>> analysis.plot("ranking").draw(axes) is axes
        True
        """
        from steelyard.report.figure_file import draw_on

        draw_on(self.record, ax)
        return ax

    def __repr__(self) -> str:
        return f"<Figure {self.name!r}: {self.title}>"

    def _repr_html_(self) -> str:
        from steelyard.report.notebook import figure_view

        return figure_view(self.record)

    def _repr_svg_(self) -> str:
        return self.svg
