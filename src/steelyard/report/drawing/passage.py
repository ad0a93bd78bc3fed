"""A running text with shaded parts and lanes of marks below its lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from steelyard.domain.exhibit import Panel, Passage, Tone
from steelyard.report.drawing.hatching import hatched
from steelyard.report.drawing.palette import STRONGEST
from steelyard.report.drawing.scene import FONT, Box, Path, Shape, Text, rectangle
from steelyard.report.drawing.text_width import shorten, width

# From one baseline to the next, and from one lane to the next.
LINE, LANE = 21.0, 11.0
LANE_FONT = 9.0
# The most that names of lanes take, and how much of a lane is bar.
NAME_ROOM, BAR = 96.0, 7.0
GAP = 6.0
# Widths are estimated on the safe side; in running text that would leave gaps.
TIGHT = 0.95


@dataclass(frozen=True, slots=True)
class _Piece:
    """Where a piece of text lies: its line, and its ends along it."""

    line: int
    start: float
    end: float


def passage_of(panel: Panel) -> Passage | None:
    """The running text of a panel, if that is what it shows."""
    return next((mark for mark in panel.marks if isinstance(mark, Passage)), None)


def name_room(passage: Passage) -> float:
    """How much room the names of lanes take at the left."""
    widest = max((width(lane.name, LANE_FONT) for lane in passage.lanes), default=0.0)
    return min(widest, NAME_ROOM) + GAP if passage.lanes else 0.0


def passage_height(passage: Passage, room: float) -> float:
    """How high the text is with its lanes, if its lines may be this wide."""
    return _tops(passage, _laid_out(passage, room))[-1] + 4.0


def draw_passage(passage: Passage, box: Box) -> list[Shape]:
    """The text within the box, names of lanes at its left."""
    places = _laid_out(passage, box.width)
    tops = [box.top + top for top in _tops(passage, places)]
    shades: list[Shape] = []
    texts: list[Shape] = []
    for piece, text, heat in zip(places, passage.pieces, passage.heat, strict=True):
        left, right = _across(piece.start, piece.end, passage, box)
        top = tops[piece.line]
        if heat > 0:
            strength = round(STRONGEST * (0.15 + 0.85 * math.ceil(10 * min(heat, 1.0)) / 10), 3)
            part = rectangle(left, top + 1.5, right, top + LINE - 2.5)
            shades.append(Path((part,), fill=f"{passage.tone}-shade", opacity=strength))
        if text.strip():
            texts.append(Text((left + right) / 2, top + FONT + 2.5, text.strip(), anchor="middle"))
    return [*shades, *texts, *_lanes(passage, places, tops, box)]


def _tops(passage: Passage, places: list[_Piece]) -> list[float]:
    """Where each line begins, and where the last one ends; a line without marks has no lanes."""
    marked = {
        piece.line
        for lane in passage.lanes
        for first, after, _ in lane.marks
        for piece in places[first:after]
    }
    tops = [0.0]
    for line in range(max((piece.line for piece in places), default=0) + 1):
        tops.append(tops[-1] + LINE + (len(passage.lanes) * LANE + 8.0 if line in marked else 0.0))
    return tops


def _laid_out(passage: Passage, room: float) -> list[_Piece]:
    """The pieces in lines; a line breaks before a piece that does not fit, unless it is white space."""
    places: list[_Piece] = []
    line, x = 0, 0.0
    for text in passage.pieces:
        wide = TIGHT * width(text.strip("\n"), FONT)
        if x > 0 and x + TIGHT * width(text.rstrip(), FONT) > room:
            line, x = line + 1, 0.0
        places.append(_Piece(line, x, min(x + wide, room)))
        x = min(x + wide, room)
        if "\n" in text:
            line, x = line + 1, 0.0
    return places


def _across(start: float, end: float, passage: Passage, box: Box) -> tuple[float, float]:
    if passage.right_to_left:
        return box.right - end, box.right - start
    return box.left + start, box.left + end


def _lanes(passage: Passage, places: list[_Piece], tops: list[float], box: Box) -> list[Shape]:
    shapes: list[Shape] = []
    for number, lane in enumerate(passage.lanes):
        for line, (top, after_line) in enumerate(pairwise(tops)):
            if after_line - top == LINE:
                continue
            middle = top + LINE + (number + 0.5) * LANE
            name = shorten(lane.name, LANE_FONT, NAME_ROOM)
            shapes.append(
                Text(
                    *(box.left - GAP, middle + 0.35 * LANE_FONT, name, LANE_FONT, "soft", "end"),
                    title=lane.name if name != lane.name else "",
                )
            )
            boxes: dict[Tone, list[Box]] = {}
            for first, after, tone in lane.marks:
                covered = [piece for piece in places[first:after] if piece.line == line]
                if covered:
                    left, right = _across(covered[0].start, covered[-1].end, passage, box)
                    found = Box(left, middle - BAR / 2, max(right - left, 1.5), BAR)
                    boxes.setdefault(tone, []).append(found)
            for tone, found_boxes in boxes.items():
                shapes += hatched(found_boxes, tone, opacity=0.55)
    return shapes
