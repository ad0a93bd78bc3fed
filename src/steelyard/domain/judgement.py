"""Judgements: what workers answered, and what their answers say. They are only ever appended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
# An answer in the protocol's own shape, as parsed from JSON. Only the protocol looks inside.
Answer = Mapping[str, JsonValue]

# The frames that judgements are analysed from: see `frames.py`.
FrameName = Literal["ratings", "preferences", "spans"]
FRAME_NAMES: tuple[FrameName, ...] = ("ratings", "preferences", "spans")
# Which of two translations is better: the one shown first (a), the other (b), neither, or neither because
# both are bad.
Preference = Literal["a", "b", "tie", "both_bad"]
# Which text a span is marked in.
SpanSide = Literal["target", "source"]
# What a worker did with an error that was marked before they came.
SpanOrigin = Literal["accepted", "changed"]

# A judgement of several translations has an id for each in the frames: its own, a stroke, the place.
PLACE_OF_JUDGEMENT = r"/[0-9]+$"
PREFERENCES: tuple[Preference, ...] = ("a", "b", "tie", "both_bad")
SPAN_SIDES: tuple[SpanSide, ...] = ("target", "source")
SPAN_ORIGINS: tuple[SpanOrigin, ...] = ("accepted", "changed")


class RatingRow(NamedTuple):
    """One number for one translation. A `place` is an index, from 0, into the translations as shown."""

    place: int
    attribute: str
    rating: float


class PreferenceRow(NamedTuple):
    """Which of two translations is better. `place_a` is the one shown first."""

    place_a: int
    place_b: int
    preference: Preference
    attribute: str


class Span(NamedTuple):
    """A marked error, half-open and in Unicode code points of the text on its `side`.

    Without `start` and `end` something is missing from the translation, or `category` is the token after the
    text that says what is wrong. A translation judged to have no error has one span without `severity`.
    `marked_ms`: how long the item had been on the screen when the span was marked. `origin`: None for an
    error that the worker found, with nobody's help.
    """

    place: int
    start: int | None = None
    end: int | None = None
    severity: str | None = None
    category: str | None = None
    side: SpanSide = "target"
    marked_ms: int | None = None
    origin: SpanOrigin | None = None


class Said(NamedTuple):
    """What one answer says, in the rows of the frames that the protocol gives."""

    ratings: tuple[RatingRow, ...] = ()
    preferences: tuple[PreferenceRow, ...] = ()
    spans: tuple[Span, ...] = ()
    n_removed: tuple[int, ...] = ()
    """By place, how many of the errors marked beforehand the worker removed; empty where none were."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a worker handled the page while an item was open: a summary, recorded only with their consent.

    `straightness` is the distance between the ends of the pointer's strokes as a share of their length; None
    if the pointer hardly moved. `is_automated`: the browser says that a program controls it.
    """

    hidden_ms: int
    n_pastes: int
    straightness: float | None
    is_automated: bool


@dataclass(frozen=True, slots=True)
class Judgement:
    """A checked, stored answer: who, which item, when, how long it was on screen.

    `shown_order` lists the places of the item's translations, from 1, as the worker saw them; None: as
    stored. `revision` is that of the campaign's words on the worker's page, `item_hash` that of the item as
    it was shown (`domain/chain.py`).
    """

    judgement_id: str
    assignment_id: str
    item_id: str
    position: int
    answer: Answer
    shown_ms: int
    submitted_at: datetime
    shown_order: tuple[int, ...] | None = None
    revision: int = 1
    item_hash: str = ""
    behaviour: Behaviour | None = None
