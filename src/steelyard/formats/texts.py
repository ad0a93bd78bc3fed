"""What every reader of texts gives: segments, who translated them, and HITs if the file has any."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from steelyard.domain.campaign import GivenItem
from steelyard.domain.text import Segment
from steelyard.domain.wording import listed


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """Which of the languages in a file or folder a campaign is about."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a file or folder, and what a reader should know about them.

    `translations` holds, by system, its text of each segment in their order; None where it has none.
    A source or reference that the file does not have is "".
    """

    segments: tuple[Segment, ...]
    translations: Mapping[str, Sequence[str | None]]
    humans: frozenset[str] = frozenset()
    """Systems that the file itself says are people."""
    on_request: frozenset[str] = frozenset()
    """Systems that take part only where a campaign names them, such as further references."""
    given: tuple[tuple[GivenItem, ...], ...] = ()
    warnings: tuple[str, ...] = field(default=())


def in_order_of_segments(
    found: Mapping[str, Mapping[str, str]], segment_ids: Iterable[str]
) -> dict[str, Sequence[str | None]]:
    """By system its text of each segment, None where it has none; `found` has them by system and segment.

    >>> in_order_of_segments({"A": {"2": "zwei"}}, ["1", "2"])
    {'A': [None, 'zwei']}
    """
    order = list(segment_ids)
    return {system: [texts.get(name) for name in order] for system, texts in found.items()}


def absent_if_blank(lines: Sequence[str | None]) -> list[str | None]:
    """The translations of a file with a line for every segment, where a blank one means there is none."""
    return [line if line and line.strip() else None for line in lines]


def choose_reference(names: list[str], wanted: str | None) -> tuple[str | None, list[str]]:
    """The name of the reference to take, None if there is none; or the problem with choosing.

    >>> choose_reference(["refA", "refB"], "B")
    ('refB', [])
    """
    if wanted is None:
        if len(names) > 1:
            hint = f'choose one: [texts] reference = "{names[0]}"'
            return None, [f"has {len(names)} references ({listed(names)}); {hint}."]
        return (names[0] if names else None), []
    for name in names:
        if _bare(name) == _bare(wanted):
            return name, []
    return None, [f'has no reference "{wanted}"; it has: {listed(names) or "none"}.']


def _bare(name: str) -> str:
    """A reference's name without the "ref" that some files put before it."""
    return re.sub(r"^ref[-_. ]?(?=.)", "", name.strip(), flags=re.IGNORECASE).lower()
