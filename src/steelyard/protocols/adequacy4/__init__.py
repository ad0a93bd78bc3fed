"""Adequacy on four points, each with a definition and an example from the campaign."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._ratings import LOOK, RatingChoices, one_rating

# 1 is "very bad", 4 "excellent" [Denkowski2010].
CHOICES = RatingChoices(Scale(minimum=1.0, maximum=4.0))

PROTOCOL = Protocol(
    name="adequacy4",
    title="Adequacy on four points",
    cite=("Denkowski2010",),
    attributes=("adequacy",),
    scale=CHOICES.scale,
    presentation={"order": "descending", **LOOK},
    shows={"adequacy": ("text", "reference")},
    # Our choice: the same texts as in direct assessment [Graham2014].
    seconds_per_item={"adequacy": 18.0},
    folder=Path(__file__).parent,
    answer_schema=CHOICES.schema,
    check=CHOICES.check,
    rows=one_rating,
    simulate=CHOICES.simulate,
    examples_at=(4.0, 3.0, 2.0, 1.0),
)
