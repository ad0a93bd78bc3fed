"""Fewer shapes for the same picture: squares for crowds of dots, and lines without what no eye could see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.domain.exhibit import Figure, Panel, Points
from steelyard.report.drawing.scene import Box, Place, rectangle
from steelyard.stats.arrays import FloatArray

# A panel with more dots than this shows where they are dense instead [our choice].
MOST_DOTS = 2_000
# And all panels of a figure together have no more, to keep files small [our choice].
MOST_DOTS_OF_FIGURE = 6_000
# Side of a square, in units, and how many shades there are [our choice].
SIDE, SHADES = 8.0, 8
# Longer lines are thinned to what a column of this many units shows.
LONG_LINE, LINE_STEP = 2_000, 0.5


@dataclass(frozen=True, slots=True)
class Shade:
    """Squares of one strength between 0 and 1."""

    strength: float
    squares: tuple[tuple[Place, ...], ...]


def dots_allowed(figure: Figure) -> int:
    """How many dots each panel of the figure may show singly."""
    return min(MOST_DOTS, MOST_DOTS_OF_FIGURE // max(1, len(figure.panels)))


def crowds(figure: Figure) -> tuple[frozenset[int], ...]:
    """Which marks of each panel are drawn as squares, by their places.

    In a panel the largest sets of dots, while too many are left; and in the others of the same axes what
    answers to them, for panels that are set side by side must be drawn alike.
    """
    most = dots_allowed(figure)
    found = {_kind(panel, k) for panel in figure.panels for k in _crowded(panel, most=most)}
    return tuple(
        frozenset(
            k for k, mark in enumerate(panel.marks) if isinstance(mark, Points) and _kind(panel, k) in found
        )
        for panel in figure.panels
    )


def _kind(panel: Panel, place: int) -> tuple[str, str, int]:
    """What the dots at a place among the marks have in common with those of other panels."""
    return panel.x.title, panel.y.title, place


def _crowded(panel: Panel, *, most: int) -> set[int]:
    """The largest sets of dots of a panel, as many as must go for no more than `most` dots to be left."""
    sizes = {k: len(mark.x) for k, mark in enumerate(panel.marks) if isinstance(mark, Points)}
    chosen: set[int] = set()
    for k in sorted(sizes, key=lambda k: (-sizes[k], k)):
        if sum(sizes.values()) - sum(sizes[j] for j in chosen) <= most:
            break
        chosen.add(k)
    return chosen


def crowd_note(figure: Figure) -> str:
    """A sentence for the caption if any dots are drawn as squares, else nothing."""
    n_dots = sum(
        len(mark.x)
        for panel, crowded in zip(figure.panels, crowds(figure), strict=True)
        for k, mark in enumerate(panel.marks)
        if isinstance(mark, Points) and k in crowded
    )
    if not n_dots:
        return ""
    return f"{n_dots:,} points are shown as squares: the more of them lie in one, the stronger its colour."


def density_shades(x: FloatArray, y: FloatArray, box: Box) -> list[Shade]:
    """Squares over a box, stronger where more of the places lie: strength is as the root of their number."""
    columns, rows = max(1, round(box.width / SIDE)), max(1, round(box.height / SIDE))
    wide, high = box.width / columns, box.height / rows
    column = np.clip(((x - box.left) / wide).astype(np.int64), 0, columns - 1)
    row = np.clip(((y - box.top) / high).astype(np.int64), 0, rows - 1)
    counts = np.bincount(row * columns + column, minlength=rows * columns)
    # The least shade is visible, the fullest square has the strongest.
    level = np.ceil(SHADES * np.sqrt(counts / max(1, int(counts.max())))).astype(np.int64)
    shades = []
    for strength in range(1, SHADES + 1):
        places = [divmod(int(k), columns) for k in np.flatnonzero(level == strength)]
        squares = [
            rectangle(
                box.left + c * wide, box.top + r * high, box.left + (c + 1) * wide, box.top + (r + 1) * high
            )
            for r, c in places
        ]
        if squares:
            shades.append(Shade(strength / SHADES, tuple(squares)))
    return shades


def thin_line(places: list[Place]) -> list[Place]:
    """A long line reduced to first, lowest, highest and last place of each run within half a unit."""
    if len(places) <= LONG_LINE:
        return places
    array = np.array(places)
    column = np.floor(array[:, 0] / LINE_STEP)
    starts = np.flatnonzero(np.diff(column, prepend=np.inf))
    ends = np.append(starts[1:], len(array))
    kept: set[int] = set()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        run = array[start:end, 1]
        kept |= {start, start + int(run.argmin()), start + int(run.argmax()), end - 1}
    return [places[k] for k in sorted(kept)]
