"""The legend of a panel: one key for each named series, in rows above the plot."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.domain.exhibit import Band, Bars, Intervals, Line, Panel, Passage, Points, Tone
from steelyard.report.drawing.hatching import hatched
from steelyard.report.drawing.palette import LOOKS
from steelyard.report.drawing.scene import (
    FONT,
    Box,
    MarkerStyle,
    Path,
    Shape,
    Stroke,
    Text,
    line,
    markers,
    rectangle,
)
from steelyard.report.drawing.text_width import shorten, width

Named = Points | Line | Band | Bars | Intervals
KEY, GAP, SPACE, ROW = 22.0, 5.0, 14.0, 18.0


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A series in the legend: one mark of each kind it is drawn with, and where in the legend."""

    marks: tuple[Named, ...]
    words: str
    x: float
    row: int


@dataclass(frozen=True, slots=True)
class Legend:
    """The entries, and how high they are together."""

    entries: tuple[LegendEntry, ...]
    height: float


def legend_of(panel: Panel, *, room: float) -> Legend:
    """The named series of a panel, each once, set into rows."""
    series: dict[tuple[str, Tone], dict[tuple[type[Named], bool], Named]] = {}
    for mark in panel.marks:
        if isinstance(mark, Passage):
            for name, tone in mark.keys:
                bar = Intervals((), (), (), name, tone, thick=True)
                series.setdefault((name, tone), {})[Intervals, False] = bar
        if isinstance(mark, Named) and mark.series:
            kind = (type(mark), isinstance(mark, Line) and mark.dashed)
            series.setdefault((mark.series, mark.tone), {}).setdefault(kind, mark)
    entries: list[LegendEntry] = []
    x, row = 0.0, 0
    for (name, _), marks in series.items():
        words = shorten(name, FONT, room - KEY - GAP)
        taken = KEY + GAP + width(words, FONT)
        if entries and x + taken > room:
            x, row = 0.0, row + 1
        entries.append(LegendEntry(tuple(marks.values()), words, x, row))
        x += taken + SPACE
    return Legend(tuple(entries), (row + 1) * ROW + 2.0 if entries else 0.0)


def draw_legend(legend: Legend, *, top: float) -> list[Shape]:
    """The keys with their words; a series drawn as line and band has both in one key."""
    shapes: list[Shape] = []
    for entry in legend.entries:
        middle = top + entry.row * ROW + ROW / 2
        for mark in entry.marks:
            shapes += _key(mark, entry.x, middle)
        shapes.append(Text(entry.x + KEY + GAP, middle + 4.2, entry.words))
    return shapes


def _key(mark: Named, x: float, middle: float) -> list[Shape]:
    look, tone = LOOKS[mark.tone], mark.tone
    match mark:
        case Points():
            style = MarkerStyle(look.marker, 4.0, tone, f"{tone}-edge")
            return markers([(x + KEY / 2, middle)], style)
        case Line():
            dash = look.dashed if mark.dashed else look.dash
            return [line((x, middle), (x + KEY, middle), Stroke(f"{tone}-edge", 2.0, dash))]
        case Band():
            return [Path((rectangle(x, middle - 5, x + KEY, middle + 5),), fill=tone, opacity=0.25)]
        case Bars():
            return hatched([Box(x, middle - 5, KEY, 10)], tone, opacity=0.55)
        case Intervals(thick=True):
            return hatched([Box(x, middle - 5, KEY, 10)], tone, opacity=0.55)
        case Intervals():
            return [Path((rectangle(x, middle - 3, x + KEY, middle + 3),), fill=tone, opacity=0.45)]
