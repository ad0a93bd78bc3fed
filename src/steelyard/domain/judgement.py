"""Judgements: what workers answered. They are only ever appended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

# An answer in the protocol's own shape, as parsed from JSON. Only the protocol looks inside.
AnswerValue = str | int | float | bool | None
Answer = Mapping[str, AnswerValue]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A checked, stored answer: who, which item, when, how long it was on screen."""

    judgement_id: str
    assignment_id: str
    item_id: str
    position: int
    answer: Answer
    shown_ms: int
    submitted_at: datetime
