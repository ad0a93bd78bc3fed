"""Error span annotation: mark what is wrong with a translation and how grave it is, then rate the whole."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols._ratings import LINE_PRESENTATION
from steelyard.protocols._spans import MarkedErrors

# Below this rating somebody who marked nothing is asked whether that is right [Kocmi2024b].
ESA = MarkedErrors({"ask_below": 80})

PROTOCOL = Protocol(
    name="esa",
    title="Error span annotation",
    cite=("Kocmi2024b",),
    attributes=("overall",),
    scale=ESA.scale,
    presentation={**LINE_PRESENTATION, "spans": ESA.usual},
    shows={"overall": ("text", "source")},
    # Our choice: an error took 71 seconds [Zouhar2025], and WMT24 found 0.7 in a segment.
    seconds_per_item={"overall": 50.0},
    folder=Path(__file__).parent,
    answer_schema=ESA.schema,
    check=ESA.check,
    rows=ESA.rows,
    simulate=ESA.simulate,
    gives=("ratings", "spans"),
    whole_documents=True,
    degraded_as={"overall": "spans"},
)
