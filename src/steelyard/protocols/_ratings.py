"""Answers that are one number on a scale: what may come back, its rating, a plausible one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from steelyard.domain.judgement import Answer, RatingRow, Said
from steelyard.domain.scale import Scale
from steelyard.domain.work import ShownItem
from steelyard.protocols._answers import LARGEST_WHOLE, AnswerCheck, answer_object

if TYPE_CHECKING:
    import numpy as np

# How the answer came about: when the worker first touched the scale, and how often the answer changed.
HANDLING: Mapping[str, Any] = {
    name: {"type": "integer", "minimum": 0, "maximum": LARGEST_WHOLE}
    for name in ("first_touch_ms", "n_moves")
}

# Every text stands below its name, and no word of the protocol speaks of colours. Campaigns that record no
# look tell their texts apart by black and grey.
LOOK: Mapping[str, str | int] = {"look": "labelled"}

# 10 points were 60 px in the first study [Graham2013]; on a narrower screen the line shrinks with it.
# No handle is shown before the first touch, so that nothing is suggested; nor do keys begin in the middle.
LINE_PRESENTATION: Mapping[str, str | int] = {
    "line_width_px": 600,
    "start": "none",
    "keyboard": "row",
    **LOOK,
}

# Our choices. The hand misses the intended place on a line of 100 points by a dozen pixels of 600.
HAND_SD = 2.0
# Half of all first touches come within eight seconds, the slow tenth after twenty.
MEDIAN_FIRST_TOUCH_MS = 8_000
LOG_SD_FIRST_TOUCH = 0.7
# Two of three workers leave the answer as they first gave it.
STOPS_MOVING = 0.65


@dataclass(frozen=True)
class RatingLine:
    """Any number of the scale, whole or real, marked as a place on a line."""

    scale: Scale

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """What an answer looks like. `first_rating`: where the mark stood first."""
        return _schema(self.scale, "number", places=("rating", "first_rating"))

    @cached_property
    def _fits(self) -> AnswerCheck:
        return AnswerCheck(self.schema, {"rating": "mark a place on the line"})

    def check(self, _item: ShownItem, answer: Answer) -> Answer:
        """The answer with exactly the known fields; raises AnswerError naming the first wrong one."""
        return self._fits(answer)

    def simulate(self, _item: ShownItem, qualities: Sequence[float], rng: np.random.Generator) -> Answer:
        """An answer that `check` accepts, its rating near where the perceived quality lies.

        The quality runs from 0 (nothing is right) to 1 and already reflects the worker: strictness and
        inattention belong to the simulated crowd. Only the hand's small error and
        the handling of the line are drawn here. Errors that would leave the line stop at its
        ends, so near the ends the mean rating lies slightly inside.
        """
        quality = _only(qualities)
        low, high = self.scale.minimum, self.scale.maximum
        aimed = low + quality * (high - low)
        placed = min(max(rng.normal(aimed, HAND_SD * (high - low) / 100), low), high)
        return {"rating": round(placed), **handling(rng)}


@dataclass(frozen=True)
class RatingChoices:
    """One of the whole numbers of the scale, each offered as a choice."""

    scale: Scale

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """What an answer looks like."""
        return _schema(self.scale, "integer", places=("rating",))

    @cached_property
    def _fits(self) -> AnswerCheck:
        return AnswerCheck(self.schema, {"rating": "choose one of the answers"})

    def check(self, _item: ShownItem, answer: Answer) -> Answer:
        """The answer with exactly the known fields; raises AnswerError naming the first wrong one."""
        return self._fits(answer)

    def simulate(self, _item: ShownItem, qualities: Sequence[float], rng: np.random.Generator) -> Answer:
        """An answer that `check` accepts: the choice in whose share of 0 to 1 the quality lies.

        All choices have equal shares. As for a line, only the handling is drawn here.
        """
        quality = _only(qualities)
        low, high = round(self.scale.minimum), round(self.scale.maximum)
        chosen = min(low + int(quality * (high - low + 1)), high)
        return {"rating": chosen, **handling(rng)}


def one_rating(item: ShownItem, answer: Answer) -> Said:
    """The rating of a checked answer, for the attribute that was asked for."""
    value = answer["rating"]
    assert isinstance(value, int | float), "answers are checked before they are stored"
    return Said(ratings=(RatingRow(0, item.attribute, float(value)),))


def _schema(scale: Scale, kind: str, *, places: Sequence[str]) -> Mapping[str, Any]:
    place = {"type": kind, "minimum": _plain(scale.minimum), "maximum": _plain(scale.maximum)}
    return answer_object({**dict.fromkeys(places, place), **HANDLING}, required=["rating"])


def _plain(limit: float) -> float:
    """A limit of a scale as people write it: 100, not 100.0."""
    return int(limit) if limit == int(limit) else limit


def _only(qualities: Sequence[float]) -> float:
    [quality] = qualities
    if not 0.0 <= quality <= 1.0:
        raise ValueError(f"quality must lie between 0 and 1, not {quality}")
    return quality


def handling(rng: np.random.Generator) -> dict[str, int]:
    """How a simulated worker came to an answer: the fields of HANDLING."""
    first_touch_ms = MEDIAN_FIRST_TOUCH_MS * rng.lognormal(0.0, LOG_SD_FIRST_TOUCH)
    return {"first_touch_ms": round(first_touch_ms), "n_moves": int(rng.geometric(STOPS_MOVING))}
