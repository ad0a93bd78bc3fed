"""The ranking as a figure: scores with intervals, clusters apart."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.aggregation import methods
from steelyard.domain.exhibit import Axis, Evidence, ExhibitOptions, Figure, Intervals, Panel, Points, Rule
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits.tables import ranking


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Each system's score with its interval, best at the top; lines part the clusters [Graham2017].

    Intervals are for single scores: two that overlap may still belong to systems that differ
    significantly, for the test looks at segments, which systems share.
    """
    analysis = evidence[0].analysis
    systems = analysis.systems
    names = tuple(systems["system_id"].to_list())
    places = tuple(float(place) for place in range(len(names)))
    known = systems.with_row_index("place").drop_nulls(["lower", "upper"])
    level = f"{100 * analysis.settings.method_settings.level:g} % interval"
    intervals = Intervals(
        low=tuple(known["lower"].to_list()),
        high=tuple(known["upper"].to_list()),
        at=tuple(float(place) for place in known["place"]),
        series=level,
    )
    marks: tuple[Intervals | Points | Rule, ...] = (
        *((intervals,) if len(known) else ()),
        Points(x=tuple(systems["score"].to_list()), y=places, series="score"),
        *(Rule(of="y", at=row - 0.5) for row in ranking.cluster_borders(systems)),
    )
    table = ranking.make(evidence, options)
    return Figure(
        name=FIGURE.name,
        title=table.title,
        caption=f"Score of each system{f' with its {level}' if len(known) else ''}; lines part the clusters.",
        panels=(
            Panel(
                x=Axis(methods()[analysis.settings.method].title), y=Axis("", categories=names), marks=marks
            ),
        ),
        table=table,
        signature=table.signature,
    )


FIGURE = Exhibit(name="ranking", title="Ranking with intervals and clusters", cite=("Graham2017",), make=make)
