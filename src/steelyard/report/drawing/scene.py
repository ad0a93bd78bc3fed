"""Shapes in units of a drawing, y downwards: all that a writer of SVG, PNG or PDF must know how to draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from steelyard.report.drawing.palette import MarkerShape

Place = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
# Sizes of text, in units.
FONT, SMALL, HEADING = 12.0, 10.5, 13.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """How a line is drawn; `colour` is a role of the palette."""

    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """One or more lines or areas in one style; `title` is shown on pointing."""

    parts: tuple[tuple[Place, ...], ...]
    stroke: Stroke | None = None
    fill: str | None = None
    opacity: float = 1.0
    """Of the fill alone."""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Circles:
    """Equal circles; `titles`, if any, has one for each."""

    centres: tuple[Place, ...]
    radius: float
    fill: str
    stroke: Stroke
    opacity: float = 1.0
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; (x, y) is on its baseline, at its start, middle or end."""

    x: float
    y: float
    text: str
    size: float = FONT
    colour: str = "ink"
    anchor: Anchor = "start"
    is_bold: bool = False
    angle: float = 0.0
    """Degrees, clockwise, about (x, y)."""
    has_halo: bool = False
    """On its own background, so that it stays readable over marks."""
    title: str = ""


Shape = Path | Circles | Text


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a sheet from (0, 0) to (width, height), and what they show in words."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle within the axes."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height


def line(start: Place, end: Place, stroke: Stroke) -> Path:
    """A straight line."""
    return Path(((start, end),), stroke=stroke)


def rectangle(left: float, top: float, right: float, bottom: float) -> tuple[Place, ...]:
    """The closed outline of a rectangle."""
    return ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))


# Outlines about (0, 0) for a radius of 1, of about the same area as the circle.
_OUTLINES: dict[MarkerShape, tuple[Place, ...]] = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9), (-0.9, -0.9)),
    "diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0), (0, -1.25)),
    "triangle": ((0, -1.25), (1.2, 0.85), (-1.2, 0.85), (0, -1.25)),
    "wedge": ((0, 1.25), (-1.2, -0.85), (1.2, -0.85), (0, 1.25)),
    "cross": (
        *((0, -0.45), (0.75, -1.2), (1.2, -0.75), (0.45, 0), (1.2, 0.75), (0.75, 1.2), (0, 0.45)),
        *((-0.75, 1.2), (-1.2, 0.75), (-0.45, 0), (-1.2, -0.75), (-0.75, -1.2), (0, -0.45)),
    ),
}


@dataclass(frozen=True, slots=True)
class MarkerStyle:
    """How the dots of one series look."""

    shape: MarkerShape
    radius: float
    fill: str
    edge: str
    opacity: float = 1.0


def markers(places: Sequence[Place], style: MarkerStyle, titles: Sequence[str] = ()) -> list[Shape]:
    """A marker at each place; with titles each can be pointed at."""
    # Where dots are small because they are many, thick edges would hide how many.
    stroke = Stroke(style.edge, style.radius / 5)
    outline = _OUTLINES.get(style.shape)
    if outline is None:
        radius = style.radius * (0.7 if style.shape == "dot" else 1.0)
        return [Circles(tuple(places), radius, style.fill, stroke, style.opacity, tuple(titles))]
    parts = [tuple((x + style.radius * dx, y + style.radius * dy) for dx, dy in outline) for x, y in places]
    if not titles:
        return [Path(tuple(parts), stroke, style.fill, style.opacity)]
    return [
        Path((part,), stroke, style.fill, style.opacity, title)
        for part, title in zip(parts, titles, strict=True)
    ]


def moved(shapes: Iterable[Shape], by: Place) -> list[Shape]:
    """The shapes at another place."""
    return [_moved(shape, *by) for shape in shapes]


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    match shape:
        case Text():
            return replace(shape, x=shape.x + dx, y=shape.y + dy)
        case Circles():
            return replace(shape, centres=tuple((x + dx, y + dy) for x, y in shape.centres))
        case Path():
            return replace(
                shape, parts=tuple(tuple((x + dx, y + dy) for x, y in part) for part in shape.parts)
            )
