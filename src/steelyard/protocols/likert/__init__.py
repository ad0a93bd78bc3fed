"""Likert scale: agreement with one statement, chosen from five answers."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._ratings import LOOK, RatingChoices, one_rating

# 1 is "strongly disagree", 5 "strongly agree" [Graham2013].
CHOICES = RatingChoices(Scale(minimum=1.0, maximum=5.0))

PROTOCOL = Protocol(
    name="likert",
    title="Likert scale of five points",
    cite=("Graham2013",),
    attributes=("adequacy", "fluency"),
    scale=CHOICES.scale,
    presentation={"order": "ascending", **LOOK},
    # As for direct assessment, with which it is compared.
    shows={"adequacy": ("text", "reference"), "fluency": ("text",)},
    # Our choice: reading takes the time, so as long as direct assessment [Graham2014].
    seconds_per_item={"adequacy": 18.0, "fluency": 13.0},
    folder=Path(__file__).parent,
    asks_agreement=True,
    answer_schema=CHOICES.schema,
    check=CHOICES.check,
    rows=one_rating,
    simulate=CHOICES.simulate,
)
