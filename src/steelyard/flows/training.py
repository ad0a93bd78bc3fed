"""Training items: as workers see them, and what is said about their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import TrainingItem, entry_in
from steelyard.domain.judgement import Answer, Preference
from steelyard.domain.work import BlindedItem, SegmentTexts, ShownText
from steelyard.flows.shown import as_shown, blinded
from steelyard.protocols import protocols, roles_shown
from steelyard.store.work import PlacedTexts


@dataclass(frozen=True, slots=True)
class Tried:
    """What is said about an answer to a training item.

    `is_expected`: None where any answer is. `side`: whether the rating lies below or above what is expected.
    """

    is_expected: bool | None
    side: Literal["low", "high"] | None
    expected: tuple[float, float] | None
    preferred: tuple[Preference, ...] | None
    feedback: str


def training_items(settings: CampaignSettings) -> list[BlindedItem]:
    """The campaign's training items as they leave the server: what is expected stays here."""
    entry = entry_in(settings.presentation)
    training = () if entry is None else entry.training
    roles = roles_shown(settings)
    return [
        blinded(_placed(item, f"training-{number}"), None, roles)
        for number, item in enumerate(training, start=1)
    ]


def tried_out(settings: CampaignSettings, item: TrainingItem, answer: Answer) -> tuple[Answer, Tried]:
    """A checked answer to a training item, and what is said about it."""
    protocol = protocols()[settings.protocol]
    shown = as_shown(_placed(item, ""), None, settings)
    checked = protocol.check(shown, answer)
    said = protocol.rows(shown, checked)
    is_expected: bool | None = None
    side: Literal["low", "high"] | None = None
    if item.expected is not None:
        low, high = item.expected
        rating = said.ratings[0].rating
        side = "low" if rating < low else "high" if rating > high else None
        is_expected = side is None
    elif item.preferred:
        is_expected = said.preferences[0].preference in item.preferred
    return checked, Tried(is_expected, side, item.expected, item.preferred or None, item.feedback)


def _placed(item: TrainingItem, item_id: str) -> PlacedTexts:
    """A training item like one that is stored."""
    texts = tuple(ShownText("", "", text) for text in item.texts)
    return PlacedTexts(item_id, texts, (SegmentTexts(item.source, item.reference),) * len(texts))
