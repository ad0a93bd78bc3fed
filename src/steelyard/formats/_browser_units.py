"""Places in a text as pages in a browser count them, and as we do.

Pearmut and Appraise cut a text into the units of a JavaScript string (`text.split("")`): a character outside
the basic plane is two of them, each with a place and a mark of its own. We count whole characters. Pearmut
turns line ends into breaks that have no place; Appraise gives them one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

# The first character that takes two units.
_BEYOND_BASIC_PLANE = "\U00010000"


class MarkedPart(NamedTuple):
    """A part of a text, half open and in characters; `is_widened`: it began or ended within a character."""

    start: int
    end: int
    is_widened: bool = False


def browser_units(text: str, *, skips_line_ends: bool) -> Sequence[int]:
    """For each unit of a text in the browser, the place of the character that it belongs to.

    >>> list(browser_units("a😀\\nb", skips_line_ends=True))
    [0, 1, 1, 3]
    """
    is_plain = text.isascii() or max(text) < _BEYOND_BASIC_PLANE
    if is_plain and not (skips_line_ends and "\n" in text):
        return range(len(text))
    return [
        number
        for number, character in enumerate(text)
        if not (skips_line_ends and character == "\n")
        for _ in range(2 if character >= _BEYOND_BASIC_PLANE else 1)
    ]


def place_of_units(units: Sequence[int], first: int, last: int) -> MarkedPart:
    """The part from unit `first` to unit `last`, both in it; half a character counts as the whole.

    >>> place_of_units(browser_units("a😀b", skips_line_ends=True), 1, 2)
    MarkedPart(start=1, end=2, is_widened=False)
    """
    cut_at_start = first > 0 and units[first - 1] == units[first]
    cut_at_end = last + 1 < len(units) and units[last + 1] == units[last]
    return MarkedPart(units[first], units[last] + 1, cut_at_start or cut_at_end)


def units_of_place(units: Sequence[int], start: int, end: int) -> tuple[int, int] | None:
    """The first and the last unit of a part of the text; None if it has none in the browser.

    >>> units_of_place(browser_units("a😀b", skips_line_ends=True), 1, 2)
    (1, 2)
    """
    first, after = bisect_left(units, start), bisect_left(units, end)
    return (first, after - 1) if first < after else None
