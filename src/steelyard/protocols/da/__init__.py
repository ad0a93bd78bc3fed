"""Direct assessment: agreement with one statement, marked on a line without numbers."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._ratings import LINE_PRESENTATION, RatingLine, one_rating

# 0 is "strongly disagree", 100 "strongly agree", whichever side of the screen they are on [Graham2013].
LINE = RatingLine(Scale(minimum=0.0, maximum=100.0))

PROTOCOL = Protocol(
    name="da",
    title="Direct assessment",
    cite=("Graham2013", "Graham2017"),
    attributes=("adequacy", "fluency"),
    scale=LINE.scale,
    presentation=LINE_PRESENTATION,
    # The source is never shown: workers need only the target language [Graham2013].
    shows={"adequacy": ("text", "reference"), "fluency": ("text",)},
    # The crowd of [Graham2014] took so long.
    seconds_per_item={"adequacy": 18.0, "fluency": 13.0},
    folder=Path(__file__).parent,
    asks_agreement=True,
    answer_schema=LINE.schema,
    check=LINE.check,
    rows=one_rating,
    simulate=LINE.simulate,
)
