"""Direct assessment: agreement with one statement, marked on a line without numbers."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols.da.answer import SCALE, check, rating, show
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
    folder=Path(__file__).parent,
    show=show,
    check=check,
    rating=rating,
    simulate=simulate,
)
