"""Scalar quality metric: a place on a line that says in words what four of its places mean."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.domain.scale import Scale
from steelyard.protocols._ratings import LINE_PRESENTATION, RatingLine, one_rating

# The seven points of the first scale [Freitag2021], drawn as a line whose marks 0, 2, 4 and 6 became
# 0, 33, 66 and 100 [Kocmi2022]. The marks are the keys of [marks] in the instructions.
LINE = RatingLine(Scale(minimum=0.0, maximum=100.0))

PROTOCOL = Protocol(
    name="sqm",
    title="Scalar quality metric",
    cite=("Freitag2021", "Kocmi2022"),
    attributes=("adequacy",),
    scale=LINE.scale,
    presentation=LINE_PRESENTATION,
    shows={"adequacy": ("text", "source")},
    # Our choice: as for da-source, which shows the same texts.
    seconds_per_item={"adequacy": 20.0},
    folder=Path(__file__).parent,
    answer_schema=LINE.schema,
    check=LINE.check,
    rows=one_rating,
    simulate=LINE.simulate,
)
