"""Direct assessment against the source, for workers who read both languages."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._ratings import LINE_PRESENTATION, RatingLine, one_rating

# 0 is "strongly disagree", 100 "strongly agree", as for `da`.
LINE = RatingLine(Scale(minimum=0.0, maximum=100.0))

PROTOCOL = Protocol(
    name="da-source",
    title="Direct assessment against the source",
    cite=("Graham2017", "Akhbardeh2021"),
    attributes=("adequacy",),
    scale=LINE.scale,
    presentation=LINE_PRESENTATION,
    # No reference: no wording has an advantage, and human translations can be judged too.
    shows={"adequacy": ("text", "source")},
    # Our choice: a little more than for two texts in one language.
    seconds_per_item={"adequacy": 20.0},
    folder=Path(__file__).parent,
    asks_agreement=True,
    answer_schema=LINE.schema,
    check=LINE.check,
    rows=one_rating,
    simulate=LINE.simulate,
)
