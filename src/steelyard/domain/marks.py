"""Errors marked in one translation: by each worker, and as a manager decided."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.judgement import SpanSide

# Under whose name decisions stand in a file of spans.
ADJUDICATED = "adjudicated"


@dataclass(frozen=True, slots=True)
class ErrorMark:
    """One marked error, half-open and in code points of the text on its side.

    Without `start` and `end` it is a mark after the text: something is missing, or what `category` says.
    """

    start: int | None
    end: int | None
    severity: str
    category: str | None = None
    side: SpanSide = "target"
    marked_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class MarkedBy:
    """What one worker marked in a translation, and the score they gave it.

    `is_repeat`: they saw it a second time, as a control. `is_excluded`: a person decided that it does not
    count.
    """

    worker_id: str
    hit_id: str
    marks: tuple[ErrorMark, ...]
    rating: float | None
    seconds: float | None
    submitted_at: datetime | None
    is_repeat: bool = False
    is_excluded: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is compared with what others marked: once for each worker."""
        return not (self.is_repeat or self.is_excluded)


@dataclass(frozen=True, slots=True)
class MarksDecision:
    """The errors of a translation as a manager decided; `number`: of the action in the log."""

    number: int
    marks: tuple[ErrorMark, ...]
    note: str
    decided_at: datetime
    decided_by: str
