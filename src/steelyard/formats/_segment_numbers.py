"""Numbers for segments, for systems that know segments by number only."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def segment_numbers(names: Iterable[Name]) -> dict[Name, int]:
    """A number for each name: itself where it is one, else the next after the highest, from 1.

    >>> segment_numbers(["news-1", "news-2", "news-1"])
    {'news-1': 1, 'news-2': 2}
    >>> segment_numbers(["12", "calibration:7", "3"])
    {'12': 12, '3': 3, 'calibration:7': 13}
    """
    distinct = dict.fromkeys(names)
    numbers: dict[Name, int] = {
        name: int(name) for name in distinct if isinstance(name, str) and _is_number(name)
    }
    highest = max(numbers.values(), default=0)
    others = [name for name in distinct if name not in numbers]
    return numbers | {name: number for number, name in enumerate(others, start=highest + 1)}


def _is_number(name: str) -> bool:
    """Whether the name is a whole number, written the one way that comes back the same."""
    # The other systems keep such numbers in 32 bits.
    return name.isascii() and name.isdigit() and str(int(name)) == name and int(name) < 2**31
