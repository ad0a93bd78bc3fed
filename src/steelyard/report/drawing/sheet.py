"""A whole figure on one sheet: heading, panels in a grid, notes and signature in small print."""

from __future__ import annotations

from dataclasses import dataclass, replace

from steelyard.domain.exhibit import Figure, Points
from steelyard.report.drawing.chart import draw_panel
from steelyard.report.drawing.plot import WIDTH, lay_out_panel
from steelyard.report.drawing.scene import Drawing, Shape, Text, moved
from steelyard.report.drawing.text_width import wrap
from steelyard.report.drawing.thinning import crowd_note, crowds, dots_allowed

MARGIN, GUTTER = 14.0, 28.0
TITLE_SIZE, TITLE_LINE = 15.0, 20.0
NOTE_SIZE, NOTE_LINE = 8.5, 12.0
# Plots side by side are level, unless that would leave more space than this above one.
MOST_SPACE = 42.0


@dataclass(frozen=True, slots=True)
class _Row:
    panels: tuple[Drawing, ...]
    height: float


def draw_panels(figure: Figure, *, room: float = WIDTH) -> list[Drawing]:
    """Each panel as a separate drawing, as wide as `room` unless its cells decide that.

    Dots bear their labels as long as there are not too many.
    """
    most = dots_allowed(figure)
    n_dots = sum(len(mark.x) for panel in figure.panels for mark in panel.marks if isinstance(mark, Points))
    is_labelled = n_dots <= most
    plots = [lay_out_panel(panel, room=room) for panel in figure.panels]
    tops = [plot.box.top for plot in plots]
    level = [
        lay_out_panel(plot.panel, room=room, least_top=min(max(tops), plot.box.top + MOST_SPACE))
        for plot in plots
    ]
    drawings = [
        draw_panel(plot, crowded=crowded, is_labelled=is_labelled)
        for plot, crowded in zip(level, crowds(figure), strict=True)
    ]
    return [
        replace(drawing, title=f"{figure.title}: {drawing.title}" if drawing.title else figure.title)
        for drawing in drawings
    ]


def draw_sheet(figure: Figure, *, has_words: bool = True) -> Drawing:
    """The figure as one drawing; without words, heading, notes and signature are left to a caption."""
    panels = draw_panels(figure)
    columns = n_columns(len(panels))
    column_width = max((panel.width for panel in panels), default=400.0)
    rows = [
        _Row(tuple(panels[k : k + columns]), max(panel.height for panel in panels[k : k + columns]))
        for k in range(0, len(panels), columns)
    ]
    across = min(columns, max(1, len(panels)))
    width = 2 * MARGIN + across * column_width + (across - 1) * GUTTER
    shapes: list[Shape] = []
    y = MARGIN
    if has_words:
        lines = wrap(figure.title, TITLE_SIZE, width - 2 * MARGIN, bold=True)
        for words in lines:
            y += TITLE_LINE
            shapes.append(Text(MARGIN, y - 5, words, TITLE_SIZE, is_bold=True))
        y += 8.0 if lines else 0.0
    for row in rows:
        for k, panel in enumerate(row.panels):
            shapes += moved(panel.shapes, (MARGIN + k * (column_width + GUTTER), y))
        y += row.height + (GUTTER / 2 if has_words or row is not rows[-1] else 0.0)
    if has_words:
        for note in (crowd_note(figure), *figure.signature.split("\n")):
            for words in wrap(note, NOTE_SIZE, width - 2 * MARGIN, lines=4):
                y += NOTE_LINE
                shapes.append(Text(MARGIN, y - 3, words, NOTE_SIZE, "soft"))
    return Drawing(round(width, 1), round(y + MARGIN, 1), tuple(shapes), figure.title, figure.caption)


def n_columns(n_panels: int) -> int:
    """How many panels stand side by side: one, two, or three where there are many."""
    return 1 if n_panels <= 1 else 2 if n_panels <= 8 else 3
