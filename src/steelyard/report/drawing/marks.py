"""Marks as shapes within the axes; what has no place there (NaN, beyond the ends) is left out."""

from __future__ import annotations

import math

import numpy as np

from steelyard.domain.exhibit import Band, Bars, Cells, Intervals, Line, Mark, Passage, Points, Rule
from steelyard.domain.wording import MINUS
from steelyard.report.drawing.clipping import clip_area, clip_line
from steelyard.report.drawing.hatching import hatched
from steelyard.report.drawing.palette import LOOKS, STRONGEST
from steelyard.report.drawing.passage import draw_passage
from steelyard.report.drawing.plot import Plot
from steelyard.report.drawing.scales import IndexArray, floats
from steelyard.report.drawing.scene import (
    Box,
    MarkerStyle,
    Path,
    Place,
    Shape,
    Stroke,
    Text,
    line,
    markers,
    rectangle,
)
from steelyard.report.drawing.text_width import width
from steelyard.report.drawing.thinning import density_shades, thin_line
from steelyard.stats.arrays import FloatArray

# A dot may stand on the axis, and rounding must not push it off.
_SLACK = 1e-9
# Beyond these numbers single shapes are not named on pointing, to keep files small.
MOST_NAMED_BARS, MOST_NAMED_CELLS = 200, 600
INTERVAL, LEAST_INTERVAL = 7.0, 1.5
# How much of a row a thick bar takes.
THICK_SHARE = 0.72
# Smaller text in cells could not be read: it is shown on pointing only.
LEAST_TEXT = 7.0


def draw_mark(mark: Mark, plot: Plot, *, is_crowd: bool, is_labelled: bool) -> list[Shape]:
    """The shapes of one mark, without the words beside dots and lines."""
    match mark:
        case Points():
            return _crowd(mark, plot) if is_crowd else _dots(mark, plot, is_labelled=is_labelled)
        case Line():
            return _line(mark, plot)
        case Band():
            return _band(mark, plot)
        case Bars():
            return _bars(mark, plot)
        case Intervals():
            return _intervals(mark, plot, is_labelled=is_labelled)
        case Rule():
            return _rule(mark, plot)
        case Cells():
            return _cells(mark, plot)
        case Passage():
            return draw_passage(mark, plot.box)


def places_of(mark: Points, plot: Plot) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Which dots have a place within the axes, and where they are on the sheet."""
    x, y = floats(mark.x), floats(mark.y)
    with np.errstate(invalid="ignore"):
        within = np.isfinite(x) & np.isfinite(y)
        for scale, values in ((plot.x, x), (plot.y, y)):
            share = scale.share(values)
            within &= (share >= -_SLACK) & (share <= 1 + _SLACK)
    kept = np.flatnonzero(within)
    return kept, plot.across(x[kept]), plot.down(y[kept])


def _dots(mark: Points, plot: Plot, *, is_labelled: bool) -> list[Shape]:
    kept, x, y = places_of(mark, plot)
    if not len(kept):
        return []
    look = LOOKS[mark.tone]
    radius = 4.0 if len(kept) <= 60 else 3.0 if len(kept) <= 400 else 2.2
    style = MarkerStyle(look.marker, radius, mark.tone, f"{mark.tone}-edge", 1.0 if len(kept) <= 60 else 0.6)
    titles = _dot_titles(mark, plot, kept) if is_labelled else []
    return markers(list(zip(x.tolist(), y.tolist(), strict=True)), style, titles)


def _dot_titles(mark: Points, plot: Plot, kept: IndexArray) -> list[str]:
    if mark.labels:
        return [mark.labels[k] for k in kept]
    if plot.y.categories:
        return [f"{_category(plot, mark.y[k])}: {_short(mark.x[k])}" for k in kept]
    return []


def _category(plot: Plot, at: float) -> str:
    place = min(max(round(at), 0), len(plot.y.categories) - 1)
    return plot.y.categories[place]


def _short(value: float) -> str:
    return f"{value:.4g}".replace("-", MINUS)


def _crowd(mark: Points, plot: Plot) -> list[Shape]:
    _, x, y = places_of(mark, plot)
    if not len(x):
        return []
    return [
        Path(shade.squares, fill=f"{mark.tone}-shade", opacity=round(shade.strength, 3))
        for shade in density_shades(x, y, plot.box)
    ]


def _runs(*columns: FloatArray) -> list[slice]:
    """Stretches in which everything is known."""
    known = np.isfinite(np.vstack(columns)).all(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], known, [False])).astype(np.int8)))
    return [slice(start, end) for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]


def _line(mark: Line, plot: Plot) -> list[Shape]:
    x, y = plot.across(floats(mark.x)), plot.down(floats(mark.y))
    parts: list[tuple[Place, ...]] = []
    for run in _runs(x, y):
        places = list(zip(x[run].tolist(), y[run].tolist(), strict=True))
        parts += clip_line(thin_line(places), plot.box)
    if not parts:
        return []
    look = LOOKS[mark.tone]
    stroke = Stroke(f"{mark.tone}-edge", 2.0, look.dashed if mark.dashed else look.dash)
    return [Path(tuple(parts), stroke)]


def _band(mark: Band, plot: Plot) -> list[Shape]:
    x = plot.across(floats(mark.x))
    low, high = plot.down(floats(mark.lower)), plot.down(floats(mark.upper))
    parts = []
    for run in _runs(x, low, high):
        there = thin_line(list(zip(x[run].tolist(), high[run].tolist(), strict=True)))
        back = thin_line(list(zip(x[run].tolist(), low[run].tolist(), strict=True)))
        parts.append(clip_area([*there, *reversed(back)], plot.box))
    found = tuple(part for part in parts if part)
    return [Path(found, fill=mark.tone, opacity=0.25)] if found else []


def _within(left: float, right: float, top: float, bottom: float, box: Box) -> Box | None:
    """The part of a rectangle within a box."""
    left, right = max(left, box.left), min(right, box.right)
    top, bottom = max(top, box.top), min(bottom, box.bottom)
    return Box(left, top, right - left, bottom - top) if right >= left and bottom >= top else None


def _bars(mark: Bars, plot: Plot) -> list[Shape]:
    left, right = plot.across(floats(mark.left)), plot.across(floats(mark.right))
    top, base = plot.down(floats(mark.height)), float(plot.down(max(0.0, plot.y.low)))
    base = base if math.isfinite(base) else plot.box.bottom
    boxes, titles = [], []
    for k in range(len(left)):
        if not np.isfinite([left[k], right[k], top[k]]).all() or mark.height[k] == 0:
            continue
        box = _within(
            min(left[k], right[k]), max(left[k], right[k]), min(top[k], base), max(top[k], base), plot.box
        )
        if box is not None:
            boxes.append(box)
            ends = f"{_short(mark.left[k])} to {_short(mark.right[k])}"
            titles.append(f"{ends}: {_short(mark.height[k])}")
    if not boxes:
        return []
    return hatched(boxes, mark.tone, opacity=0.55, titles=titles if len(boxes) <= MOST_NAMED_BARS else ())


def _amounts(mark: Intervals, plot: Plot, *, is_labelled: bool) -> list[Shape]:
    """Thick bars, most of a row high; those of no length are left out."""
    low, high = plot.across(floats(mark.low)), plot.across(floats(mark.high))
    middle = plot.down(floats(mark.at))
    row = plot.box.height / max(len(plot.y.categories), 1)
    boxes, titles = [], []
    for k in range(len(low)):
        if not np.isfinite([low[k], high[k], middle[k]]).all() or low[k] == high[k]:
            continue
        half = THICK_SHARE * row / 2
        box = _within(
            min(low[k], high[k]), max(low[k], high[k]), middle[k] - half, middle[k] + half, plot.box
        )
        if box is not None:
            boxes.append(box)
            name = f"{_category(plot, mark.at[k])}, {mark.series}" if plot.y.categories else mark.series
            titles.append(f"{name}: {_short(mark.high[k] - mark.low[k])}")
    if not boxes:
        return []
    is_named = is_labelled and len(boxes) <= MOST_NAMED_BARS
    return hatched(boxes, mark.tone, opacity=0.55, titles=titles if is_named else ())


def _intervals(mark: Intervals, plot: Plot, *, is_labelled: bool) -> list[Shape]:
    if mark.thick:
        return _amounts(mark, plot, is_labelled=is_labelled)
    low, high = plot.across(floats(mark.low)), plot.across(floats(mark.high))
    middle = plot.down(floats(mark.at))
    shapes: list[Shape] = []
    parts: list[tuple[Place, ...]] = []
    for k in range(len(low)):
        if not np.isfinite([low[k], high[k], middle[k]]).all():
            continue
        short = max(0.0, LEAST_INTERVAL - abs(high[k] - low[k])) / 2
        ends = (min(low[k], high[k]) - short, max(low[k], high[k]) + short)
        box = _within(*ends, middle[k] - INTERVAL / 2, middle[k] + INTERVAL / 2, plot.box)
        if box is None:
            continue
        part = rectangle(box.left, box.top, box.right, box.bottom)
        if is_labelled and plot.y.categories:
            title = f"{_category(plot, mark.at[k])}: {_short(mark.low[k])} to {_short(mark.high[k])}"
            shapes.append(Path((part,), fill=mark.tone, opacity=0.45, title=title))
        else:
            parts.append(part)
    return [*shapes, Path(tuple(parts), fill=mark.tone, opacity=0.45)] if parts else shapes


def _rule(mark: Rule, plot: Plot) -> list[Shape]:
    place = rule_place(mark, plot)
    if place is None:
        return []
    box, stroke = plot.box, Stroke(f"{mark.tone}-edge", 1.2, (5, 3))
    if mark.of == "x":
        return [line((place, box.top), (place, box.bottom), stroke)]
    return [line((box.left, place), (box.right, place), stroke)]


def rule_place(mark: Rule, plot: Plot) -> float | None:
    """Where a rule crosses its axis on the sheet, if it does."""
    scale = plot.x if mark.of == "x" else plot.y
    share = float(scale.share(mark.at if mark.at is not None else math.nan))
    if not -_SLACK <= share <= 1 + _SLACK:
        return None
    return float((plot.across if mark.of == "x" else plot.down)(mark.at))


def _cells(mark: Cells, plot: Plot) -> list[Shape]:
    n_rows, n_columns = len(plot.y.categories), len(plot.x.categories)
    if not n_rows or not n_columns:
        return []
    wide, high = plot.box.width / n_columns, plot.box.height / n_rows
    size = _text_size(mark, room=min(wide - 3, 2 * high))
    is_named = n_rows * n_columns <= MOST_NAMED_CELLS
    tiles: dict[float, list[tuple[Place, ...]]] = {}
    shapes: list[Shape] = []
    texts: list[Shape] = []
    for r, row in enumerate(mark.values[:n_rows]):
        for c, value in enumerate(row[:n_columns]):
            left, top = plot.box.left + c * wide, plot.box.top + r * high
            text = mark.texts[r][c] if r < len(mark.texts) and c < len(mark.texts[r]) else ""
            if value is not None and math.isfinite(value):
                tile = rectangle(left + 0.75, top + 0.75, left + wide - 0.75, top + high - 0.75)
                strength = _strength(value, mark)
                tiles.setdefault(strength, []).append(tile)
                if is_named:
                    title = f"{plot.y.categories[r]}, {plot.x.categories[c]}: {text or _short(value)}"
                    shapes.append(Path((tile,), fill="paper", opacity=0.0, title=title))
            if text and size >= LEAST_TEXT:
                texts.append(
                    Text(left + wide / 2, top + high / 2 + size * 0.36, text, round(size, 1), anchor="middle")
                )
    shades = [
        Path(tuple(parts), fill=f"{mark.tone}-shade" if strength else "line", opacity=strength or 0.6)
        for strength, parts in sorted(tiles.items())
    ]
    return [*shades, *texts, *shapes]


def _strength(value: float, mark: Cells) -> float:
    """How strong a cell's shade is, in twenty steps; the weakest can still be distinguished from none."""
    if mark.high == mark.low:
        return 0.0
    share = min(max((mark.high - value) / (mark.high - mark.low), 0.0), 1.0)
    return round(STRONGEST * (0.2 + 0.8 * math.ceil(20 * share - 1e-9) / 20), 3) if share else 0.0


def _text_size(mark: Cells, *, room: float) -> float:
    """The size at which the longest text of any cell fits: all have the same."""
    longest = max((width(text, 1.0) for row in mark.texts for text in row), default=0.0)
    return min(11.0, room / longest) if longest else 11.0
