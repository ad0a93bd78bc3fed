"""Direct assessment: agreement with one statement, marked on a line without numbers."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols.da.answer import SCALE, check, rating
from steelyard.protocols.da.simulate import simulate

# 10 points were 60 px in the first study [Graham2013]. On a narrower screen the line shrinks with it.
LINE_WIDTH_PX = 600

PROTOCOL = Protocol(
    name="da",
    title="Direct assessment",
    cite=("Graham2013", "Graham2017"),
    attributes=("adequacy", "fluency"),
    scale=SCALE,
    presentation={"line_width_px": LINE_WIDTH_PX, "start": "none"},
    # The source is never shown: workers need only the target language [Graham2013].
    shows={"adequacy": ("text", "reference"), "fluency": ("text",)},
    # The crowd of [Graham2014] took so long.
    seconds_per_item={"adequacy": 18.0, "fluency": 13.0},
    folder=Path(__file__).parent,
    check=check,
    rating=rating,
    simulate=simulate,
)
