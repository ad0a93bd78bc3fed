"""What a direct assessment shows, what may come back, and the rating in it."""

from __future__ import annotations

from steelyard.domain.errors import AnswerError
from steelyard.domain.judgement import Answer, AnswerValue
from steelyard.domain.plugin import Scale

# 0 is "strongly disagree", 100 "strongly agree", whichever side of the screen they are on [Graham2013].
SCALE = Scale(minimum=0.0, maximum=100.0)
COUNTS = ("first_touch_ms", "n_moves")
# Whole numbers beyond this are no longer exact in a browser, so no honest page sends them.
LARGEST_COUNT = 2**53 - 1


def check(answer: Answer) -> Answer:
    """The answer with exactly the known fields; raises AnswerError naming the first wrong one.

    >>> check({"rating": 73, "n_moves": 2})
    {'rating': 73, 'n_moves': 2}
    """
    known = ("rating", *COUNTS)
    for name in answer:
        if name not in known:
            raise AnswerError(f"{name!r} is not a field of this answer: send only {', '.join(known)}.", name)
    if "rating" not in answer:
        raise AnswerError("The rating is missing: mark a place on the line before sending.", "rating")
    _check_rating(answer["rating"])
    for name in COUNTS:
        if name in answer:
            _check_count(name, answer[name])
    return {name: answer[name] for name in known if name in answer}


def rating(answer: Answer) -> float:
    """The rating of a checked answer, 0 (strongly disagree) to 100 (strongly agree)."""
    value = answer["rating"]
    assert isinstance(value, int | float), "answers are checked before they are stored"
    return float(value)


def _check_rating(value: AnswerValue) -> None:
    # bool is an int to Python but not to the worker; NaN fails both comparisons.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not SCALE.minimum <= value <= SCALE.maximum:  # type: ignore[operator]
        raise AnswerError(
            f"The rating must be a number from {SCALE.minimum:g} to {SCALE.maximum:g}: "
            "mark a place on the line and send again.",
            "rating",
        )


def _check_count(name: str, value: AnswerValue) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not 0 <= value <= LARGEST_COUNT:  # type: ignore[operator]
        raise AnswerError(f"{name} must be a whole number, 0 or more: correct it or leave it out.", name)
