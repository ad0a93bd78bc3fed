"""A panel laid out: how large it is, where its axes lie, and where a value is on the sheet."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from steelyard.domain.exhibit import Cells, Intervals, Panel, Passage
from steelyard.report.drawing.legend import Legend, legend_of
from steelyard.report.drawing.passage import name_room, passage_height, passage_of
from steelyard.report.drawing.scales import AxisScale, axis_scale_of
from steelyard.report.drawing.scene import FONT, HEADING, SMALL, Box
from steelyard.report.drawing.text_width import shorten, width, wrap
from steelyard.report.drawing.ticks import Tick

# A panel is drawn as wide as a phone, so that its text is readable there without scaling it up elsewhere.
WIDTH = 400.0
# Where there is room, intervals over categories are drawn so wide: 46rem at the largest size of a unit.
WIDE = 545.0
PLOT_HEIGHT = 230.0
ROW, ROW_OF_TWO_LINES, ROW_OF_MANY, MANY_ROWS = 23.0, 32.0, 19.0, 30
# Cells shrink from the first to the second width as their number grows; in tiny ones no text fits.
WIDE_CELL, CELL, TINY_CELL, MANY_CELLS = 56.0, 30.0, 14.0, 24
CELL_HEIGHT = 24.0
# The least that long names of categories may take beside the axis, and the share of a panel that they may.
SIDE_ROOM, SIDE_SHARE = 150.0, 0.38
# The most that slanted names below it take: of few words, and in a grid, which has names on both sides.
SLANTED_ROOM, GRID_SLANTED_ROOM = 110.0, 430.0
# The margins of a grid grow with its names as long as the whole is no wider than a page can show.
WIDEST_GRID = 1000.0
GAP = 8.0
HEADING_LINE, TITLE_LINE, LABEL_LINE = 17.0, 15.0, 13.5
# Sine and cosine of 45 degrees.
_SLANT = 0.7071


@dataclass(frozen=True, slots=True)
class Label:
    """A tick's words in the lines they are written in, and the whole name if that was cut."""

    value: float
    lines: tuple[str, ...]
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A panel with its scales, labels and place."""

    panel: Panel
    x: AxisScale
    y: AxisScale
    box: Box
    x_labels: tuple[Label, ...]
    y_labels: tuple[Label, ...]
    x_title: tuple[str, ...]
    y_title: tuple[str, ...]
    heading: tuple[str, ...]
    legend: Legend
    is_slanted: bool
    label_size: float
    width: float
    height: float

    def across(self, values: Any) -> Any:
        """Where values of the level axis are on the sheet."""
        return self.box.left + self.x.share(values) * self.box.width

    def down(self, values: Any) -> Any:
        """Where values of the upright axis are on the sheet: categories from the top, numbers from below."""
        share = self.y.share(values)
        return self.box.top + (share if self.y.categories else 1 - share) * self.box.height


def lay_out_panel(panel: Panel, *, room: float = WIDTH, least_top: float = 0.0) -> Plot:
    """Everything about a panel that must be known before its marks are drawn.

    The panel is as wide as `room`, unless it has cells, which have their own width. `least_top` keeps
    the plot at least that far below the top, level with its neighbours.
    """
    if (passage := passage_of(panel)) is not None:
        return _lay_out_passage(panel, passage, room=room, least_top=least_top)
    x, y = axis_scale_of(panel, "x"), axis_scale_of(panel, "y")
    cell = _cell_width(panel)
    y_labels, label_size = _labels_beside(
        y, room=_side_room(panel, cell=cell, room=room), is_grid=_has_cells(panel)
    )
    left = max([width(line, label_size) for label in y_labels for line in label.lines], default=0.0) + GAP
    left, right, x_labels, is_slanted = _labels_below(x, left=max(left, 18.0), cell=cell, room=room)
    inner = cell * len(panel.x.categories) if cell else room - left - right
    whole = left + inner + right
    heading = wrap(panel.title, HEADING, whole - 4, bold=True)
    y_title = wrap(panel.y.title, FONT, whole - 4, lines=2)
    legend = legend_of(panel, room=whole)
    top = len(heading) * HEADING_LINE + legend.height + len(y_title) * TITLE_LINE + 10.0
    box = Box(left, max(top, least_top), inner, _plot_height(panel, y_labels))
    x_title = wrap(panel.x.title, FONT, whole - 4, lines=2)
    bottom = _room_below(x_labels, is_slanted=is_slanted) + len(x_title) * TITLE_LINE + 8.0
    return Plot(
        panel=panel,
        x=x,
        y=y,
        box=box,
        x_labels=x_labels,
        y_labels=y_labels,
        x_title=x_title,
        y_title=y_title,
        heading=heading,
        legend=legend,
        is_slanted=is_slanted,
        label_size=label_size,
        width=round(whole, 1),
        height=round(box.bottom + bottom, 1),
    )


def _lay_out_passage(panel: Panel, passage: Passage, *, room: float, least_top: float) -> Plot:
    """A panel of running text: no axes, and as high as the text needs."""
    heading = wrap(panel.title, HEADING, room - 4, bold=True)
    legend = legend_of(panel, room=room)
    top = max(len(heading) * HEADING_LINE + legend.height + 6.0, least_top)
    left = name_room(passage)
    inner = room - left - 4.0
    box = Box(left, top, inner, passage_height(passage, inner))
    return Plot(
        panel=panel,
        x=axis_scale_of(panel, "x"),
        y=axis_scale_of(panel, "y"),
        box=box,
        x_labels=(),
        y_labels=(),
        x_title=(),
        y_title=(),
        heading=heading,
        legend=legend,
        is_slanted=False,
        label_size=FONT,
        width=room,
        height=round(box.bottom + 8.0, 1),
    )


def is_level(panel: Panel) -> bool:
    """Whether the panel shows intervals over categories or running text, which gain from all width."""
    if passage_of(panel) is not None:
        return True
    has_intervals = any(isinstance(mark, Intervals) for mark in panel.marks)
    return has_intervals and bool(panel.y.categories) and not _has_cells(panel)


def _has_cells(panel: Panel) -> bool:
    return any(isinstance(mark, Cells) for mark in panel.marks)


def _cell_width(panel: Panel) -> float | None:
    """The width of a cell where there are any."""
    if not _has_cells(panel) or not panel.x.categories:
        return None
    n_columns = len(panel.x.categories)
    if n_columns > MANY_CELLS:
        return TINY_CELL
    return min(WIDE_CELL, max(CELL, (WIDTH - SIDE_ROOM) / n_columns))


def _side_room(panel: Panel, *, cell: float | None, room: float) -> float:
    """The most that names beside the axis may take: what a grid leaves, or a share of the room."""
    if cell is None:
        return max(SIDE_ROOM, SIDE_SHARE * room)
    return max(SIDE_ROOM, WIDEST_GRID - cell * len(panel.x.categories) - GAP - 14.0)


def _plot_height(panel: Panel, labels: tuple[Label, ...]) -> float:
    n_rows = len(panel.y.categories)
    if not n_rows:
        return PLOT_HEIGHT
    if _has_cells(panel):
        return n_rows * (TINY_CELL if n_rows > MANY_CELLS else CELL_HEIGHT)
    if any(len(label.lines) > 1 for label in labels):
        return n_rows * ROW_OF_TWO_LINES
    return n_rows * (ROW_OF_MANY if n_rows > MANY_ROWS else ROW)


def _labels_beside(y: AxisScale, *, room: float, is_grid: bool) -> tuple[tuple[Label, ...], float]:
    """The labels of the upright axis and their size: names without room in two lines, or cut in a grid."""
    ticks = y.ticks(wanted=5)
    if not y.categories:
        return tuple(Label(tick.value, (tick.label,)) for tick in ticks), FONT
    fits = all(width(tick.label, FONT) <= room for tick in ticks)
    if is_grid or fits:
        size = SMALL if len(ticks) > MANY_CELLS or not fits else FONT
        return tuple(_label(tick, (shorten(tick.label, size, room),)) for tick in ticks), size
    return tuple(_label(tick, wrap(tick.label, FONT, room, lines=2)) for tick in ticks), FONT


def _label(tick: Tick, lines: tuple[str, ...]) -> Label:
    cut = any("…" in line for line in lines) and "…" not in tick.label
    return Label(tick.value, lines, whole=tick.label if cut else "")


def _labels_below(
    x: AxisScale, *, left: float, cell: float | None, room: float
) -> tuple[float, float, tuple[Label, ...], bool]:
    """Left and right margin, the labels of the level axis, and whether they are slanted."""
    if x.categories:
        return _names_below(x, left=left, cell=cell, room=room)
    best: tuple[Tick, ...] = ()
    right = 14.0
    for wanted in (7, 6, 5, 4, 3):
        ticks = x.ticks(wanted=wanted)
        if not ticks:
            return left, right, (), False
        best = ticks if not best or len(ticks) < len(best) else best
        ends = [width(tick.label, FONT) / 2 + 2 for tick in (best[0], best[-1])]
        left, right = max(left, ends[0]), max(14.0, ends[1])
        if _fit(best, x, room - left - right):
            break
    while len(best) > 1 and not _fit(best, x, room - left - right):
        best = best[::2]
    return left, right, tuple(Label(tick.value, (tick.label,)) for tick in best), False


def _fit(ticks: tuple[Tick, ...], x: AxisScale, room: float) -> bool:
    """Whether labels keep apart."""
    return all(
        (x.share(tick.value) - x.share(before.value)) * room
        >= (width(before.label, FONT) + width(tick.label, FONT)) / 2 + GAP
        for before, tick in pairwise(ticks)
    )


def _names_below(
    x: AxisScale, *, left: float, cell: float | None, room: float
) -> tuple[float, float, tuple[Label, ...], bool]:
    """Names of categories: level if they fit in a few lines, else slanted and cut."""
    ticks, right = x.ticks(wanted=0), 14.0
    slot = cell or (room - left - right) / len(ticks)
    level = [_label(tick, wrap(tick.label, FONT, slot - 4, lines=2 if cell else 3)) for tick in ticks]
    if not any(label.whole for label in level):
        return left, right, tuple(level), False
    most = GRID_SLANTED_ROOM if cell else SLANTED_ROOM
    slanted = tuple(_label(tick, (shorten(tick.label, SMALL, most),)) for tick in ticks)
    # A slanted name hangs to the left of its place: the first must not leave the sheet.
    reach = max(
        width(label.lines[0], SMALL) * _SLANT - (place + 0.5) * slot for place, label in enumerate(slanted)
    )
    return max(left, reach + 6.0), right, slanted, True


def _room_below(labels: tuple[Label, ...], *, is_slanted: bool) -> float:
    if not labels:
        return 4.0
    if is_slanted:
        return max(width(label.lines[0], SMALL) for label in labels) * _SLANT + 14.0
    return max(len(label.lines) for label in labels) * LABEL_LINE + 8.0
