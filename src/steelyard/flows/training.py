"""Training items: as workers see them, and what is said about their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.entry import TrainingItem, entry_in
from steelyard.domain.judgement import Answer, Preference, Said, Span
from steelyard.domain.work import BlindedItem, SegmentTexts, ShownText
from steelyard.flows.shown import as_shown, blinded
from steelyard.protocols import as_marked, protocols, roles_shown, span_settings_of
from steelyard.store.work import PlacedTexts


@dataclass(frozen=True, slots=True)
class FoundTargets:
    """How the errors that were marked compare with those that should be found, over all translations.

    `n_extra`: marked, and touching none of them.
    """

    n_found: int
    n_missed: int
    n_extra: int


@dataclass(frozen=True, slots=True)
class Tried:
    """What is said about an answer to a training item.

    `is_expected`: None where any answer is. `side`: whether the ratings that are not as expected lie below
    or above; None if neither or both. `expected`: the range of the rating, or one for each translation.
    `spans`: the errors that should be found in each translation, as on pages; `targets`: how many were.
    """

    is_expected: bool | None
    side: Literal["low", "high"] | None
    expected: tuple[float, float] | tuple[tuple[float, float], ...] | None
    preferred: tuple[Preference, ...] | None
    feedback: str
    spans: tuple[tuple[Mapping[str, Any], ...], ...] | None = None
    targets: FoundTargets | None = None


def training_items(settings: CampaignSettings) -> list[BlindedItem]:
    """The campaign's training items as they leave the server: what is expected stays here."""
    entry = entry_in(settings.presentation)
    training = () if entry is None else entry.training
    roles = roles_shown(settings)
    return [
        blinded(placed_training(item, f"training-{number}"), None, roles)
        for number, item in enumerate(training, start=1)
    ]


def tried_out(settings: CampaignSettings, item: TrainingItem, answer: Answer) -> tuple[Answer, Tried]:
    """A checked answer to a training item, and what is said about it."""
    protocol = protocols()[settings.protocol]
    shown = as_shown(placed_training(item, ""), None, settings)
    checked = protocol.check(shown, answer)
    said = protocol.rows(shown, checked)
    sides = _sides(item.expected, said)
    marking = span_settings_of(protocol, settings.presentation)
    targets = _found(item.spans, said, marking.tokens) if item.spans and marking is not None else None
    verdicts = []
    if item.expected:
        verdicts.append(not any(sides))
    if item.preferred:
        verdicts.append(said.preferences[0].preference in item.preferred)
    if targets is not None:
        verdicts.append(not targets.n_missed and not targets.n_extra)
    wrong = {side for side in sides if side is not None}
    return checked, replace(
        expectation(settings, item),
        is_expected=all(verdicts) if verdicts else None,
        side=wrong.pop() if len(wrong) == 1 else None,
        targets=targets,
    )


def expectation(settings: CampaignSettings, item: TrainingItem) -> Tried:
    """What is said about a training item whatever the answer."""
    marking = span_settings_of(protocols()[settings.protocol], settings.presentation)
    spans = None
    if item.spans and marking is not None:
        spans = tuple(tuple(as_marked(span, marking) for span in of_one) for of_one in item.spans)
    return Tried(
        is_expected=None,
        side=None,
        expected=(item.expected if len(item.texts) > 1 else item.expected[0]) if item.expected else None,
        preferred=item.preferred or None,
        feedback=item.feedback,
        spans=spans,
    )


def _sides(expected: Sequence[tuple[float, float]], said: Said) -> list[Literal["low", "high"] | None]:
    """On which side of its range the rating of each translation lies; None: inside."""
    ratings = {row.place: row.rating for row in said.ratings}
    sides: list[Literal["low", "high"] | None] = []
    for place, (low, high) in enumerate(expected):
        sides.append("low" if ratings[place] < low else "high" if ratings[place] > high else None)
    return sides


def _found(targets: Sequence[Sequence[Span]], said: Said, tokens: Sequence[str]) -> FoundTargets:
    wanted = [target for of_one in targets for target in of_one]
    marked = [span for span in said.spans if span.severity is not None]
    n_found = sum(any(_meets(span, target, tokens) for span in marked) for target in wanted)
    n_extra = sum(not any(_meets(span, target, tokens) for target in wanted) for span in marked)
    return FoundTargets(n_found, len(wanted) - n_found, n_extra)


def _meets(span: Span, target: Span, tokens: Sequence[str]) -> bool:
    """Whether a marked error shares a character with one to be found, or is on the same token."""
    if (span.place, span.side) != (target.place, target.side):
        return False
    if span.start is None or span.end is None or target.start is None or target.end is None:
        # A token that is not in the category is the first one.
        on_tokens = [each.category if each.category in tokens else None for each in (span, target)]
        return span.start is target.start is None and on_tokens[0] == on_tokens[1]
    return span.start < target.end and target.start < span.end


def placed_training(item: TrainingItem, item_id: str) -> PlacedTexts:
    """A training item like one that is stored."""
    texts = tuple(ShownText("", "", text) for text in item.texts)
    return PlacedTexts(item_id, texts, (SegmentTexts(item.source, item.reference),) * len(texts))
