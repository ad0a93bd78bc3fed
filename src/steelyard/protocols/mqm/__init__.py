"""Multidimensional quality metrics: every error marked with its category and severity, by experts."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols._ratings import LINE_PRESENTATION
from steelyard.protocols._span_settings import NON_TRANSLATION, SOURCE_ISSUE
from steelyard.protocols._spans import MarkedErrors

# The published categories [Lommel2014, Freitag2021], in the spelling that their weights are known by. A
# category without others below it is chosen itself.
CATEGORIES = {
    "accuracy": [
        *("mistranslation", "omission", "addition", "source language fragment"),
        *("gender mismatch", "creative reinterpretation"),
    ],
    "fluency": [
        *("grammar", "spelling", "punctuation", "register", "inconsistency"),
        *("text-breaking", "character encoding"),
    ],
    "style": ["unnatural or awkward", "bad sentence structure", "archaic or obscure word choice"],
    "terminology": ["inappropriate for context", "inconsistent"],
    "locale convention": [
        *("address format", "date format", "currency format"),
        *("telephone format", "time format", "name format"),
    ],
    "other": [],
    NON_TRANSLATION: [],
    SOURCE_ISSUE: [],
}

MQM = MarkedErrors({"categories": CATEGORIES, "source": True, "score": False}, score_asked=False)

PROTOCOL = Protocol(
    name="mqm",
    title="Multidimensional quality metrics",
    cite=("Lommel2014", "Freitag2021"),
    attributes=("overall",),
    scale=MQM.scale,
    presentation={**LINE_PRESENTATION, "spans": MQM.usual},
    shows={"overall": ("text", "source")},
    # Our choice: a little more than `esa`, for the categories.
    seconds_per_item={"overall": 60.0},
    folder=Path(__file__).parent,
    answer_schema=MQM.schema,
    check=MQM.check,
    rows=MQM.rows,
    simulate=MQM.simulate,
    # Ratings come from the errors by their weights, unless a campaign asks for a score as well.
    gives=("spans",),
    whole_documents=True,
    degraded_as={"overall": "spans"},
)
