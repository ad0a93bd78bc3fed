"""Answers that are one number on a scale: what may come back, its rating, a plausible one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import Answer, AnswerValue
from steelyard.domain.scale import Scale

if TYPE_CHECKING:
    import numpy as np

COUNTS = ("first_touch_ms", "n_moves")
# Whole numbers beyond this are no longer exact in a browser, so no honest page sends them.
LARGEST_COUNT = 2**53 - 1

# 10 points were 60 px in the first study [Graham2013]; on a narrower screen the line shrinks with it.
# No handle is shown before the first touch, so that nothing is suggested.
LINE_PRESENTATION: Mapping[str, str | int] = {"line_width_px": 600, "start": "none"}

# Our choices. The hand misses the intended place on a line of 100 points by a dozen pixels of 600.
HAND_SD = 2.0
# Half of all first touches come within eight seconds, the slow tenth after twenty.
MEDIAN_FIRST_TOUCH_MS = 8_000
LOG_SD_FIRST_TOUCH = 0.7
# Two of three workers leave the answer as they first gave it.
STOPS_MOVING = 0.65


@dataclass(frozen=True, slots=True)
class Line:
    """Any number of the scale, whole or real, marked as a place on a line."""

    scale: Scale

    def check(self, answer: Answer) -> Answer:
        """The answer with exactly the known fields; raises AnswerError naming the first wrong one.

        >>> Line(Scale(0, 100)).check({"rating": 73, "n_moves": 2})
        {'rating': 73, 'n_moves': 2}
        """
        return _check(answer, self.scale, is_whole=False, remedy="mark a place on the line")

    def simulate(self, quality: float, rng: np.random.Generator) -> Answer:
        """An answer that `check` accepts, its rating near where the perceived quality lies.

        `quality` runs from 0 (nothing is right) to 1 and already holds what the worker is like:
        strictness and inattention belong to the simulated crowd. Only the hand's small error and
        the handling of the line are drawn here. Errors that would leave the line stop at its
        ends, so near the ends the mean rating lies slightly inside.
        """
        _require_quality(quality)
        low, high = self.scale.minimum, self.scale.maximum
        aimed = low + quality * (high - low)
        placed = min(max(rng.normal(aimed, HAND_SD * (high - low) / 100), low), high)
        return {"rating": round(placed), **_handling(rng)}


@dataclass(frozen=True, slots=True)
class Choices:
    """One of the whole numbers of the scale, each a choice of its own."""

    scale: Scale

    def check(self, answer: Answer) -> Answer:
        """The answer with exactly the known fields; raises AnswerError naming the first wrong one.

        >>> Choices(Scale(1, 5)).check({"rating": 4})
        {'rating': 4}
        """
        return _check(answer, self.scale, is_whole=True, remedy="choose one of the answers")

    def simulate(self, quality: float, rng: np.random.Generator) -> Answer:
        """An answer that `check` accepts: the choice in whose share of 0 to 1 the quality lies.

        All choices have equal shares. As for a line, only the handling is drawn here.
        """
        _require_quality(quality)
        low, high = round(self.scale.minimum), round(self.scale.maximum)
        chosen = min(low + int(quality * (high - low + 1)), high)
        return {"rating": chosen, **_handling(rng)}


def rating(answer: Answer) -> float:
    """The rating of a checked answer."""
    value = answer["rating"]
    assert isinstance(value, int | float), "answers are checked before they are stored"
    return float(value)


def _check(answer: Answer, scale: Scale, *, is_whole: bool, remedy: str) -> Answer:
    known = ("rating", *COUNTS)
    for name in answer:
        if name not in known:
            raise AnswerError(f"{name!r} is not a field of this answer: send only {', '.join(known)}.", name)
    if "rating" not in answer:
        raise AnswerError(f"The rating is missing: {remedy} before sending.", "rating")
    if not _lies_on(scale, answer["rating"], is_whole=is_whole):
        number = "a whole number" if is_whole else "a number"
        raise AnswerError(
            f"The rating must be {number} from {scale.minimum:g} to {scale.maximum:g}: "
            f"{remedy} and send again.",
            "rating",
        )
    for name in COUNTS:
        if name in answer:
            _check_count(name, answer[name])
    return {name: answer[name] for name in known if name in answer}


def _lies_on(scale: Scale, value: AnswerValue, *, is_whole: bool) -> bool:
    # bool is an int to Python but not to the worker; NaN fails both comparisons.
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return scale.minimum <= value <= scale.maximum and not (is_whole and value % 1)


def _check_count(name: str, value: AnswerValue) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not 0 <= value <= LARGEST_COUNT:  # type: ignore[operator]
        raise AnswerError(f"{name} must be a whole number, 0 or more: correct it or leave it out.", name)


def _require_quality(quality: float) -> None:
    if not 0.0 <= quality <= 1.0:
        raise ValueError(f"quality must lie between 0 and 1, not {quality}")


def _handling(rng: np.random.Generator) -> Answer:
    first_touch_ms = MEDIAN_FIRST_TOUCH_MS * rng.lognormal(0.0, LOG_SD_FIRST_TOUCH)
    return {"first_touch_ms": round(first_touch_ms), "n_moves": int(rng.geometric(STOPS_MOVING))}
