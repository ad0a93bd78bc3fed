"""Axes made ready for drawing: where values lie on them, and which are marked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steelyard.domain.exhibit import (
    Axis,
    Band,
    Bars,
    Cells,
    Intervals,
    Line,
    Mark,
    Panel,
    Passage,
    Points,
    Rule,
)
from steelyard.report.drawing.ticks import Tick, linear_ticks, logarithmic_ticks
from steelyard.stats.arrays import FloatArray

IndexArray = NDArray[np.intp]
Side = Literal["x", "y"]
# Room between the outermost marks and the axes, as a share of the axis [our choice].
MARGIN = 0.04
_LARGEST = 1e300


def floats(values: Iterable[float | None]) -> FloatArray:
    """The values as an array, NaN for what is unknown."""
    return np.array(tuple(values), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class AxisScale:
    """An axis with both its ends; `is_empty` if neither data nor its maker gave them."""

    low: float
    high: float
    logarithmic: bool = False
    categories: tuple[str, ...] = ()
    is_empty: bool = False

    def share(self, values: Any) -> Any:
        """Where values lie between the ends, from 0 to 1; NaN for those that have no place."""
        array = np.asarray(values, dtype=np.float64)
        if not self.logarithmic:
            return (array - self.low) / (self.high - self.low)
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.where(array > 0, np.log(np.where(array > 0, array, 1.0)), np.nan)
        return (logs - math.log(self.low)) / (math.log(self.high) - math.log(self.low))

    def ticks(self, *, wanted: int) -> tuple[Tick, ...]:
        """About this many round values; the categories, if there are any; none on an empty axis."""
        if self.categories:
            return tuple(Tick(float(place), name) for place, name in enumerate(self.categories))
        if self.is_empty:
            return ()
        return (logarithmic_ticks if self.logarithmic else linear_ticks)(self.low, self.high, wanted=wanted)


def axis_scale_of(panel: Panel, side: Side) -> AxisScale:
    """The scale of one axis of a panel: its own ends where given, else from what is drawn."""
    axis = panel.x if side == "x" else panel.y
    if axis.categories:
        return AxisScale(-0.5, len(axis.categories) - 0.5, categories=axis.categories)
    known = _values(panel.marks, side)
    known = known[np.isfinite(known)]
    if axis.logarithmic:
        known = known[known > 0]
    low, high = _end(axis.low, axis), _end(axis.high, axis)
    is_empty = not len(known) and (low is None or high is None)
    found_low, found_high = _padded(known, axis, margin=_margin(panel, side))
    chosen = (found_low if low is None else low, found_high if high is None else high)
    return AxisScale(*_apart(*chosen, logarithmic=axis.logarithmic), axis.logarithmic, is_empty=is_empty)


def _end(end: float | None, axis: Axis) -> float | None:
    """A given end, if it can be one."""
    if end is None or not math.isfinite(end) or (axis.logarithmic and end <= 0):
        return None
    return float(end)


def _margin(panel: Panel, side: Side) -> float:
    """Lines and bars reach to the end of the level axis; dots need room."""
    reaches = side == "x" and not any(isinstance(mark, Points | Intervals) for mark in panel.marks)
    return 0.0 if reaches else MARGIN


def _padded(known: FloatArray, axis: Axis, *, margin: float) -> tuple[float, float]:
    """The range of the data with room at both ends, except across zero."""
    if not len(known):
        return (0.1, 1.0) if axis.logarithmic else (0.0, 1.0)
    # Beyond these, distances could not be computed with.
    known = np.clip(known, -_LARGEST, _LARGEST)
    low, high = float(known.min()), float(known.max())
    if axis.logarithmic:
        low = max(low, 1 / _LARGEST)
        room = math.exp(margin * (math.log(max(high, low)) - math.log(low)))
        return max(low / room, 1 / _LARGEST), min(high * room, _LARGEST)
    room = margin * (high - low)
    return (0.0 if low >= 0 > low - room else low - room), (0.0 if high <= 0 < high + room else high + room)


def _apart(low: float, high: float, *, logarithmic: bool) -> tuple[float, float]:
    """Two ends far enough apart to draw between."""
    if logarithmic:
        return (low, high) if high > low * (1 + 1e-9) else (low / 2, low * 2)
    least = max(1e-9 * max(abs(low), abs(high)), 1e-300)
    if high - low > least:
        return low, high
    half = 0.5 if abs(low) < 1e6 else abs(low) / 100
    return low - half, low + half


def _values(marks: Iterable[Mark], side: Side) -> FloatArray:
    """Everything that the marks show along one axis."""
    found = [floats(values) for mark in marks for values in _shown(mark, side)]
    return np.concatenate(found) if found else np.empty(0)


def _shown(mark: Mark, side: Side) -> tuple[tuple[float, ...], ...]:
    match mark:
        case Points() | Line():
            return (mark.x,) if side == "x" else (mark.y,)
        case Band():
            return (mark.x,) if side == "x" else (mark.lower, mark.upper)
        case Bars():
            return (mark.left, mark.right) if side == "x" else (mark.height, (0.0,) if mark.height else ())
        case Intervals():
            return (mark.low, mark.high) if side == "x" else (mark.at,)
        case Rule():
            return ((mark.at,),) if mark.of == side else ()
        case Cells() | Passage():
            return ()
