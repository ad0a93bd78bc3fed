"""Direct assessment: agreement with one statement, marked on a line without numbers."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols.da.answer import SCALE, check, rating, show
from steelyard.protocols.da.simulate import simulate

PROTOCOL = Protocol(
    name="da",
    title="Direct assessment",
    cite=("Graham2013", "Graham2017"),
    attributes=("adequacy", "fluency"),
    scale=SCALE,
    folder=Path(__file__).parent,
    show=show,
    check=check,
    rating=rating,
    simulate=simulate,
)
