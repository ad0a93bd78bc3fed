"""What every reader of texts gives: segments, who translated them, and HITs if the file has any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from steelyard.domain.campaign import GivenItem
from steelyard.domain.text import Segment


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a file or folder, and what a reader should know about them.

    `translations` holds, by system, its text of each segment in their order; None where it has none.
    """

    segments: tuple[Segment, ...]
    translations: Mapping[str, Sequence[str | None]]
    humans: frozenset[str] = frozenset()
    """Systems that the file itself says are people."""
    given: tuple[tuple[GivenItem, ...], ...] = ()
    warnings: tuple[str, ...] = field(default=())
