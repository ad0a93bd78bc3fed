"""Systems of several campaigns on one scale, as a figure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from steelyard.domain.exhibit import (
    Axis,
    Evidence,
    ExhibitOptions,
    Figure,
    Intervals,
    Mark,
    Panel,
    Points,
    Rule,
    Tone,
)
from steelyard.domain.plugin import Exhibit
from steelyard.exhibits._sources import group_borders
from steelyard.exhibits.tables import linked_systems
from steelyard.longitudinal.links import Linked

_TONES: tuple[Tone, ...] = ("main", "second", "third", "good", "bad")
# The two intervals of a system lie side by side, this far from its place.
_APART = 0.16


def make(evidence: Sequence[Evidence], options: ExhibitOptions) -> Figure:
    """Systems of all sources on one axis, each with two intervals: the link known, and the link as it is.

    Sources are given oldest first, and share the scale of the first through calibration items
    [Mathur2018]. Where the lower interval, in grey, is much the wider, more judgements of systems would not
    help; more calibration items, or more judgements of them, would.
    """
    found = linked_systems.link_sources(evidence, options)
    table = linked_systems.table_of(found, evidence, options)
    level = f"{100 * found.level:g} %"
    return Figure(
        name=FIGURE.name,
        title=table.title,
        caption=f"Linked score of each system with two {level} intervals: above as if the lines between the "
        f"campaigns were known, below (grey) with what is unsure of them. Scale: {found.scale}.",
        panels=(_panel(found, level),),
        table=table,
        signature=table.signature,
    )


def _panel(found: Linked, level: str) -> Panel:
    systems = found.systems.with_row_index("place")
    places = systems["place"].to_list()
    marks: list[Mark] = [
        Intervals(
            low=tuple(systems["lower"]),
            high=tuple(systems["upper"]),
            at=tuple(place + _APART for place in places),
            series=f"{level} with the link",
            tone="faint",
        )
    ]
    for (title, rows), tone in zip(
        systems.group_by("campaign", maintain_order=True), cycle(_TONES), strict=False
    ):
        at = tuple(float(place) for place in rows["place"])
        low, high = tuple(rows["own_lower"]), tuple(rows["own_upper"])
        marks += [
            Intervals(low=low, high=high, at=tuple(place - _APART for place in at), tone=tone),
            Points(x=tuple(rows["linked"]), y=at, series=str(title[0]), tone=tone),
        ]
    marks += [Rule(of="y", at=place - 0.5) for place in group_borders(systems, "campaign")]
    return Panel(
        x=Axis(f"Score on the scale of {found.scale}"),
        y=Axis("", categories=tuple(systems["system_id"])),
        marks=tuple(marks),
    )


FIGURE = Exhibit(
    name="linked-systems",
    title="Systems of several campaigns on one scale",
    cite=("Mathur2018",),
    make=make,
    several=True,
)
