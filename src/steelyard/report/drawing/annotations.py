"""Words inside a plot: beside dots and rules, where they cover neither each other nor the edge."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.domain.exhibit import Points, Rule
from steelyard.report.drawing.marks import places_of, rule_place
from steelyard.report.drawing.plot import Plot
from steelyard.report.drawing.scene import SMALL, Anchor, Box, Shape, Text
from steelyard.report.drawing.text_width import shorten, width

# More names than this would find no room anyway.
MOST_NAMES = 150
_DOT = 5.0


@dataclass
class _Taken:
    """The places already used."""

    boxes: list[Box] = field(default_factory=list)

    def has(self, box: Box) -> bool:
        return any(
            box.left < other.right
            and other.left < box.right
            and box.top < other.bottom
            and other.top < box.bottom
            for other in self.boxes
        )


def annotate(plot: Plot) -> list[Shape]:
    """The words of rules, then the names of dots as far as there is room; the rest is shown on pointing."""
    taken = _Taken()
    shapes = [
        text
        for mark in plot.panel.marks
        if isinstance(mark, Rule) and mark.label
        for text in _rule_words(mark, plot, taken)
    ]
    named = [mark for mark in plot.panel.marks if isinstance(mark, Points) and mark.named and mark.labels]
    for mark in named:
        _, x, y = places_of(mark, plot)
        taken.boxes += [
            Box(x_dot - _DOT, y_dot - _DOT, 2 * _DOT, 2 * _DOT) for x_dot, y_dot in zip(x, y, strict=True)
        ]
    for mark in named:
        shapes += _names(mark, plot, taken)
    return shapes


def _rule_words(mark: Rule, plot: Plot, taken: _Taken) -> list[Shape]:
    place = rule_place(mark, plot)
    if place is None:
        return []
    box = plot.box
    words = shorten(mark.label, SMALL, box.width - 8)
    wide = width(words, SMALL)
    if mark.of == "x":
        anchor: Anchor = "start" if place + 4 + wide <= box.right else "end"
        x = max(place + 4, box.left) if anchor == "start" else max(place - 4, box.left + wide)
        spots = [(x, box.top + 10 + 13 * row, anchor) for row in range(int(box.height // 13))]
    else:
        above, below = place - 4, place + 11
        heights = (above, below) if above - SMALL >= box.top else (below, above)
        spots = [(box.right - 2, y, "end") for y in heights] + [(box.left + 3, y, "start") for y in heights]
    for x, y, side in spots:
        area = _area(x, y, wide, side)
        if not taken.has(area):
            taken.boxes.append(area)
            colour = f"{mark.tone}-edge"
            return [Text(x, y, words, SMALL, colour, side, has_halo=True, title=_whole(words, mark.label))]
    return []


def _names(mark: Points, plot: Plot, taken: _Taken) -> list[Shape]:
    kept, x, y = places_of(mark, plot)
    shapes: list[Shape] = []
    for k, x_dot, y_dot in list(zip(kept.tolist(), x.tolist(), y.tolist(), strict=True))[:MOST_NAMES]:
        words = shorten(mark.labels[k], SMALL, plot.box.width / 2)
        wide = width(words, SMALL)
        spots: list[tuple[float, float, Anchor]] = [
            (x_dot + 7, y_dot + 3.5, "start"),
            (x_dot - 7, y_dot + 3.5, "end"),
            (x_dot, y_dot - 8, "middle"),
            (x_dot, y_dot + 15, "middle"),
            (x_dot + 5, y_dot - 7, "start"),
            (x_dot + 5, y_dot + 14, "start"),
            (x_dot - 5, y_dot - 7, "end"),
            (x_dot - 5, y_dot + 14, "end"),
        ]
        for x_text, y_text, side in spots:
            area = _area(x_text, y_text, wide, side)
            if _is_inside(area, plot) and not taken.has(area):
                taken.boxes.append(area)
                shapes.append(
                    Text(
                        x_text,
                        y_text,
                        words,
                        SMALL,
                        anchor=side,
                        has_halo=True,
                        title=_whole(words, mark.labels[k]),
                    )
                )
                break
    return shapes


def _area(x: float, y: float, wide: float, anchor: Anchor) -> Box:
    left = {"start": x, "middle": x - wide / 2, "end": x - wide}[anchor]
    return Box(left, y - SMALL + 1, wide, SMALL + 1)


def _is_inside(area: Box, plot: Plot) -> bool:
    box = plot.box
    return (
        area.left >= box.left
        and area.right <= box.right
        and area.top >= box.top
        and area.bottom <= box.bottom
    )


def _whole(words: str, label: str) -> str:
    return "" if words == label else label
