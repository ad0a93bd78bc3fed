"""What results do in a notebook: print a summary, show their table and figure, give all their exhibits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, overload

from steelyard.api.figure import Figure
from steelyard.api.frame import Frame, framed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from steelyard.domain.exhibit import Figure as FigureRecord
    from steelyard.domain.exhibit import Table
    from steelyard.domain.study import StudyResult


class Displayed(ABC):
    """Something that shows itself through the one shape that all results have."""

    @abstractmethod
    def _result(self) -> StudyResult:
        """What there is to show, made anew each time."""

    def __repr__(self) -> str:
        from steelyard.report.notebook import brief_text

        return brief_text(self._result())

    def _repr_html_(self) -> str:
        from steelyard.report.notebook import result_view

        return result_view(self._result())


class Exhibiting(Displayed):
    """A result with tables and figures by name."""

    @classmethod
    def _of(cls, record: Any, **further: Any) -> Self:
        """The face of what a flow found, with the same fields."""
        known = {each.name: framed(getattr(record, each.name)) for each in fields(record)}
        return cls(**known, **further)

    @abstractmethod
    def _make_table(self, name: str | None, options: Mapping[str, Any]) -> Table:
        """The table of this name, with these options."""

    @abstractmethod
    def _make_figure(self, name: str | None, options: Mapping[str, Any]) -> FigureRecord:
        """The figure of this name, with these options."""

    def table(self, name: str | None = None, **options: Any) -> Frame:
        """One of its tables as a data frame in full precision; without a name the first.

        Of an analysis these are the tables that `steelyard exhibits` lists, and the options those of such
        tables: categories, chance, weight, worker and so on. A name that does not exist is answered with
        those that do.

        >>> analysis.table("ranking")["rank"].to_list()
        [1, 2, 3, 4, 5]
        >>> sy.replicate("years.csv", check="none", draws=50).table("needed").columns[:2]
        ['reliability', 'ratings']
        """
        return Frame(self._make_table(name, options).rows)

    @overload
    def plot(
        self,
        name: str | None = None,
        path: str | PathLike[str] | None = None,
        *,
        ax: None = None,
        **options: Any,
    ) -> Figure: ...

    @overload
    def plot(
        self,
        name: str | None = None,
        path: str | PathLike[str] | None = None,
        *,
        ax: Axes,
        **options: Any,
    ) -> Axes: ...

    def plot(
        self,
        name: str | None = None,
        path: str | PathLike[str] | None = None,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> Figure | Axes:
        """One of its figures, which a notebook shows and `save` writes; without a name the first.

        `path`: write it to this .svg, .png or .pdf file as well. `ax`: draw it on these Matplotlib axes
        instead, and return them. Of an analysis these are the figures that `steelyard exhibits` lists, and
        the options those of such figures.

        >>> analysis.plot("ranking").save("ranking.svg")
        >>> analysis.plot("rating-histograms", "ratings.svg").name
        'rating-histograms'
        """
        figure = Figure(self._make_figure(name, options))
        if path is not None:
            figure.save(path)
        return figure if ax is None else figure.draw(ax)
