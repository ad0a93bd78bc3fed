"""A panel as a drawing: heading, legend, axes, marks, words."""

from __future__ import annotations

from collections.abc import Container

from steelyard.domain.exhibit import Cells, Panel, Passage, Rule
from steelyard.report.drawing.annotations import annotate
from steelyard.report.drawing.legend import draw_legend
from steelyard.report.drawing.marks import draw_mark
from steelyard.report.drawing.passage import passage_of
from steelyard.report.drawing.plot import (
    GAP,
    HEADING_LINE,
    LABEL_LINE,
    TITLE_LINE,
    Label,
    Plot,
)
from steelyard.report.drawing.scene import FONT, HEADING, SMALL, Drawing, Shape, Stroke, Text, line
from steelyard.report.drawing.text_width import width

NOTHING = "nothing to show"
_GRID, _AXIS = Stroke("line", 1.0), Stroke("soft", 1.0)


def draw_panel(plot: Plot, *, crowded: Container[int] = (), is_labelled: bool = True) -> Drawing:
    """The panel as a separate drawing; the marks at the places `crowded` are drawn as squares."""
    panel = plot.panel
    marks: list[Shape] = []
    is_empty = True
    for k, mark in enumerate(panel.marks):
        shapes = draw_mark(mark, plot, is_crowd=k in crowded, is_labelled=is_labelled)
        is_empty = is_empty and (not shapes or isinstance(mark, Rule))
        marks += shapes
    if is_empty:
        marks.append(_nothing(plot))
    if passage_of(panel) is not None:
        shapes = [*_head(plot), *marks]
    else:
        shapes = [*_head(plot), *_grid(plot), *marks, *_axes(plot), *annotate(plot)]
    return Drawing(plot.width, plot.height, tuple(shapes), panel.title, _description(panel))


def _nothing(plot: Plot) -> Text:
    box = plot.box
    middle = (box.left + box.width / 2, box.top + box.height / 2 + 4)
    return Text(*middle, NOTHING, colour="soft", anchor="middle", has_halo=True)


def _head(plot: Plot) -> list[Shape]:
    shapes: list[Shape] = [
        Text(0, HEADING_LINE * (k + 1) - 4, words, HEADING, is_bold=True)
        for k, words in enumerate(plot.heading)
    ]
    shapes += draw_legend(plot.legend, top=len(plot.heading) * HEADING_LINE)
    top = plot.box.top - 10.0 - len(plot.y_title) * TITLE_LINE
    return shapes + [
        Text(0, top + TITLE_LINE * (k + 1) - 3, words, colour="soft") for k, words in enumerate(plot.y_title)
    ]


def _grid(plot: Plot) -> list[Shape]:
    """Lines at the ticks of numbers; categories need none."""
    box = plot.box
    shapes: list[Shape] = []
    if not plot.x.categories:
        for label in plot.x_labels:
            x = float(plot.across(label.value))
            shapes.append(line((x, box.top), (x, box.bottom), _GRID))
    if not plot.y.categories:
        for label in plot.y_labels:
            y = float(plot.down(label.value))
            shapes.append(line((box.left, y), (box.right, y), _GRID))
    return shapes


def _axes(plot: Plot) -> list[Shape]:
    box = plot.box
    shapes: list[Shape] = []
    if not (plot.x.categories and plot.y.categories):
        shapes.append(line((box.left, box.bottom), (box.right, box.bottom), _AXIS))
    for label in plot.y_labels:
        shapes += _beside(label, plot)
    for label in plot.x_labels:
        shapes += _below(label, plot)
    top = plot.height - len(plot.x_title) * TITLE_LINE - 4
    for k, words in enumerate(plot.x_title):
        # Centred below the plot, unless it would then leave the sheet.
        half = width(words, FONT) / 2
        middle = max(half, min(box.left + box.width / 2, plot.width - half))
        shapes.append(Text(middle, top + TITLE_LINE * (k + 1) - 3, words, colour="soft", anchor="middle"))
    return shapes


def _beside(label: Label, plot: Plot) -> list[Shape]:
    size, colour = plot.label_size, "ink" if plot.y.categories else "soft"
    middle = float(plot.down(label.value)) + 0.35 * size - (len(label.lines) - 1) * LABEL_LINE / 2
    return [
        Text(
            plot.box.left - GAP,
            middle + k * LABEL_LINE,
            words,
            size,
            colour,
            anchor="end",
            title=label.whole,
        )
        for k, words in enumerate(label.lines)
    ]


def _below(label: Label, plot: Plot) -> list[Shape]:
    x, bottom = float(plot.across(label.value)), plot.box.bottom
    colour = "ink" if plot.x.categories else "soft"
    if plot.is_slanted:
        return [Text(x + 4, bottom + 12, label.lines[0], SMALL, colour, "end", angle=-45, title=label.whole)]
    return [
        Text(x, bottom + 16 + k * LABEL_LINE, words, FONT, colour, "middle", title=label.whole)
        for k, words in enumerate(label.lines)
    ]


def _description(panel: Panel) -> str:
    """The axes and series in words, for those who cannot see them."""
    axes = [
        f"{side}: {axis.title}"
        for side, axis in (("level axis", panel.x), ("upright axis", panel.y))
        if axis.title
    ]
    series = list(
        dict.fromkeys(
            mark.series
            for mark in panel.marks
            if not isinstance(mark, Rule | Cells | Passage) and mark.series
        )
    )
    return "; ".join([*axes, *([f"series: {', '.join(series)}"] if series else [])])
