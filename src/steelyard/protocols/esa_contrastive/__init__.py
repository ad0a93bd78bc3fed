"""Contrastive error span annotation: translations of a segment side by side, errors and a rating each."""

from __future__ import annotations

from pathlib import Path

from steelyard.domain.plugin import Protocol
from steelyard.protocols._ratings import LINE_PRESENTATION
from steelyard.protocols._spans import MarkedErrors

# Below this rating an error must be marked: as at WMT26, whose campaigns had three translations at a time.
CONTRASTIVE = MarkedErrors({"refuse_below": 85}, several=True)

PROTOCOL = Protocol(
    name="esa-contrastive",
    title="Contrastive error span annotation",
    cite=("Kocmi2024b",),
    attributes=("overall",),
    scale=CONTRASTIVE.scale,
    presentation={**LINE_PRESENTATION, "spans": CONTRASTIVE.usual},
    shows={"overall": ("text", "source")},
    # Our choice: as three times `esa`, but the original is read once.
    seconds_per_item={"overall": 120.0},
    folder=Path(__file__).parent,
    answer_schema=CONTRASTIVE.schema,
    check=CONTRASTIVE.check,
    rows=CONTRASTIVE.rows,
    simulate=CONTRASTIVE.simulate,
    gives=("ratings", "spans"),
    n_translations=3,
    most_translations=6,
    shuffles=True,
    whole_documents=True,
    degraded_as={"overall": "spans"},
)
