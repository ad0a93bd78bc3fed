"""Error span annotation with help: errors are marked beforehand, and workers keep, change or remove each."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols._ratings import LINE_PRESENTATION
from steelyard.protocols._spans import MarkedErrors

HELPED = MarkedErrors({"ask_below": 80}, prefills=True)

PROTOCOL = Protocol(
    name="esa-ai",
    title="Error span annotation with errors marked beforehand",
    cite=("Zouhar2025", "Kocmi2024b"),
    attributes=("overall",),
    scale=HELPED.scale,
    presentation={**LINE_PRESENTATION, "spans": HELPED.usual},
    shows={"overall": ("text", "source")},
    # Our choice: an error took 31 seconds instead of 71 [Zouhar2025], but the texts are read as before.
    seconds_per_item={"overall": 35.0},
    folder=Path(__file__).parent,
    answer_schema=HELPED.schema,
    check=HELPED.check,
    rows=HELPED.rows,
    simulate=HELPED.simulate,
    gives=("ratings", "spans"),
    whole_documents=True,
    prefills=True,
    degraded_as={"overall": "spans"},
)
