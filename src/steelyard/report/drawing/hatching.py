"""Filled boxes that can be distinguished in grey print: hatched by tone."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.domain.exhibit import Tone
from steelyard.report.drawing.clipping import clip_line
from steelyard.report.drawing.palette import LOOKS, Hatch
from steelyard.report.drawing.scene import Box, Path, Place, Shape, Stroke, rectangle

STEP = 6.0


def hatched(boxes: Sequence[Box], tone: Tone, *, opacity: float, titles: Sequence[str] = ()) -> list[Shape]:
    """The boxes in a tone, with its edge and its hatch; with titles each can be pointed at."""
    edge = Stroke(f"{tone}-edge", 0.8)
    outlines = [rectangle(box.left, box.top, box.right, box.bottom) for box in boxes]
    shapes: list[Shape]
    if titles:
        shapes = [
            Path((outline,), edge, tone, opacity, title)
            for outline, title in zip(outlines, titles, strict=True)
        ]
    else:
        shapes = [Path(tuple(outlines), edge, tone, opacity)]
    lines = [part for box in boxes for part in _lines(box, LOOKS[tone].hatch)]
    # The hatch lies below the boxes, which would otherwise not be pointed at.
    return [Path(tuple(lines), Stroke(f"{tone}-edge", 0.7)), *shapes] if lines else shapes


def _lines(box: Box, hatch: Hatch) -> list[tuple[Place, ...]]:
    """Parallel lines across a box, on one grid for the whole drawing so that neighbours match."""
    match hatch:
        case "":
            return []
        case "|":
            return [((x, box.top), (x, box.bottom)) for x in _grid(box.left, box.right)]
        case "-":
            return [((box.left, y), (box.right, y)) for y in _grid(box.top, box.bottom)]
        case "/":
            whole = [((k - box.bottom, box.bottom), (k - box.top, box.top)) for k in _grid(*_sums(box))]
        case "\\":
            whole = [
                ((k + box.top, box.top), (k + box.bottom, box.bottom)) for k in _grid(*_differences(box))
            ]
    return [part for places in whole for part in clip_line(places, box)]


def _grid(low: float, high: float) -> list[float]:
    return [k * STEP for k in range(int(low // STEP) + 1, int(high // STEP) + 1)]


def _sums(box: Box) -> tuple[float, float]:
    return box.left + box.top, box.right + box.bottom


def _differences(box: Box) -> tuple[float, float]:
    return box.left - box.bottom, box.right - box.top
