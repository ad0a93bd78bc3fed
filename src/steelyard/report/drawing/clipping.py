"""What of a line or an area lies within a box."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from steelyard.report.drawing.scene import Box, Place


def clip_line(places: Sequence[Place], box: Box) -> list[tuple[Place, ...]]:
    """The parts of a line within the box, in order; where it leaves the box it is cut."""
    parts: list[list[Place]] = []
    for start, end in pairwise(places):
        cut = _clip_segment(start, end, box)
        if cut is None:
            continue
        if parts and parts[-1][-1] == cut[0]:
            parts[-1].append(cut[1])
        else:
            parts.append(list(cut))
    return [tuple(part) for part in parts]


def _clip_segment(start: Place, end: Place, box: Box) -> tuple[Place, Place] | None:
    """The part of a segment within the box, by the method of Liang and Barsky."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    enters, leaves = 0.0, 1.0
    for step, room in (
        (-dx, x - box.left),
        (dx, box.right - x),
        (-dy, y - box.top),
        (dy, box.bottom - y),
    ):
        if step == 0:
            if room < 0:
                return None
        elif step < 0:
            enters = max(enters, room / step)
        else:
            leaves = min(leaves, room / step)
    if enters > leaves:
        return None
    # Ends that need no cut stay exactly what they are, so that parts join.
    first = start if enters == 0 else (x + enters * dx, y + enters * dy)
    last = end if leaves == 1 else (x + leaves * dx, y + leaves * dy)
    return first, last


def clip_area(outline: Sequence[Place], box: Box) -> tuple[Place, ...]:
    """The part of an area within the box, by the method of Sutherland and Hodgman; closed, or empty."""
    places = list(outline)
    edges: tuple[tuple[int, float, Callable[[float, float], bool]], ...] = (
        (0, box.left, float.__ge__),
        (0, box.right, float.__le__),
        (1, box.top, float.__ge__),
        (1, box.bottom, float.__le__),
    )
    for axis, limit, is_within in edges:
        places = _clip_at(places, axis, limit, is_within)
    return (*places, places[0]) if places else ()


def _clip_at(
    places: list[Place], axis: int, limit: float, is_within: Callable[[float, float], bool]
) -> list[Place]:
    kept: list[Place] = []
    for previous, place in zip(places[-1:] + places[:-1], places, strict=True):
        was, is_ = is_within(float(previous[axis]), limit), is_within(float(place[axis]), limit)
        if was != is_:
            share = (limit - previous[axis]) / (place[axis] - previous[axis])
            other = previous[1 - axis] + share * (place[1 - axis] - previous[1 - axis])
            kept.append((limit, other) if axis == 0 else (other, limit))
        if is_:
            kept.append(place)
    return kept
