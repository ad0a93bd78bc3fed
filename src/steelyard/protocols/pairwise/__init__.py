"""Pairwise comparison: two translations of a segment side by side, and which of them is better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from steelyard.domain.judgement import PREFERENCES, Answer, Preference, PreferenceRow, Said
from steelyard.domain.plugin import Protocol
from steelyard.domain.work import ShownItem
from steelyard.protocols._answers import AnswerCheck, answer_object
from steelyard.protocols._ratings import HANDLING, LOOK, handling

if TYPE_CHECKING:
    import numpy as np

# `a` is the translation shown first: on the left (right-to-left: on the right), or on top.
ANSWER = answer_object(
    {"preference": {"type": "string", "enum": list(PREFERENCES)}, **HANDLING}, required=["preference"]
)
_FITS = AnswerCheck(ANSWER, {"preference": "choose one of the answers"})

# Our choices for simulated workers: below this quality a text is bad; closer than this, two are alike.
BAD = 0.3
ALIKE = 0.05


def check_preference(_item: ShownItem, answer: Answer) -> Answer:
    """The answer with exactly the known fields; raises AnswerError naming the first wrong one."""
    return _FITS(answer)


def preference_rows(item: ShownItem, answer: Answer) -> Said:
    """The preference of a checked answer: `a` is what was shown first."""
    preference = cast("Preference", answer["preference"])
    return Said(preferences=(PreferenceRow(0, 1, preference, item.attribute),))


def simulate_preference(_item: ShownItem, qualities: Sequence[float], rng: np.random.Generator) -> Answer:
    """An answer that `check` accepts: the better one, unless both look bad or alike.

    The qualities (0 to 1) already hold what the worker is like; only the handling is drawn here.
    """
    first, second = qualities
    if not (0.0 <= first <= 1.0 and 0.0 <= second <= 1.0):
        raise ValueError(f"qualities must lie between 0 and 1, not {first} and {second}")
    preference: Preference
    if max(first, second) < BAD:
        preference = "both_bad"
    elif abs(first - second) < ALIKE:
        preference = "tie"
    else:
        preference = "a" if first > second else "b"
    return {"preference": preference, **handling(rng)}


PROTOCOL = Protocol(
    name="pairwise",
    title="Pairwise comparison",
    cite=("Bojar2016", "Sakaguchi2014"),
    attributes=("overall", "adequacy", "fluency"),
    scale=None,
    presentation=LOOK,
    # What a campaign shows if it does not choose; see `may_show`.
    shows={"overall": ("text", "source"), "adequacy": ("text", "source"), "fluency": ("text",)},
    may_show=("source", "reference"),
    # Our choice: two translations instead of one, the rest as for `da-source` and `da` [Graham2014].
    seconds_per_item={"overall": 30.0, "adequacy": 30.0, "fluency": 20.0},
    folder=Path(__file__).parent,
    answer_schema=ANSWER,
    check=check_preference,
    rows=preference_rows,
    simulate=simulate_preference,
    gives=("preferences",),
    n_translations=2,
    shuffles=True,
)
