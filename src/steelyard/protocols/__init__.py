"""Ways of asking: one folder per protocol, found by the registry."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypedDict

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.judgement import Answer
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.protocols._span_settings import USUAL_SPANS, SpanSettings, as_marked, span_settings
from steelyard.protocols._words import check_words, for_attributes, read_words
from steelyard.registry import discover

__all__ = [
    "USUAL_SPANS",
    "Handling",
    "SpanSettings",
    "as_marked",
    "check_words",
    "handling_of",
    "languages_of",
    "protocols",
    "roles_shown",
    "span_settings",
    "span_settings_of",
    "stored_parts",
    "translations_shown",
    "words_in",
]


class Handling(NamedTuple):
    """How an answer came about; None where the answer does not say.

    After how many seconds it was first given, how often it changed, and which rating it began with.
    """

    first_touch_seconds: float | None
    moves: int | None
    first_rating: float | None


@cache
def protocols() -> dict[str, Protocol]:
    """Every protocol by name. Adding one means adding a folder that offers `PROTOCOL`.

    >>> protocols()["da"].scale
    Scale(minimum=0.0, maximum=100.0)
    """
    return discover(sys.modules[__name__], "PROTOCOL")


def words_in(protocol: Protocol, language: str) -> dict[str, Any] | None:
    """Everything workers read in a protocol, in this language; None if there is no translation.

    A code with script or region ("pt-BR") falls back to the language itself.

    >>> words_in(protocols()["likert"], "en")["choices"]["5"]
    'strongly agree'
    """
    folders = {name: each.folder for name, each in protocols().items()}
    words = read_words(folders, protocol.name, language)
    return None if words is None else for_attributes(words, protocol.attributes)


def roles_shown(settings: CampaignSettings) -> tuple[TextRole, ...]:
    """The texts that workers of a campaign see: those it chose, or else those of its protocol."""
    chosen = settings.presentation.get("shows")
    return protocols()[settings.protocol].shows[settings.attribute] if chosen is None else tuple(chosen)


def translations_shown(settings: CampaignSettings) -> int:
    """The most translations that an item of a campaign shows: as it chose, or as its protocol always does."""
    protocol = protocols()[settings.protocol]
    return protocol.n_translations if protocol.most_translations is None else settings.design.n_translations


def span_settings_of(protocol: Protocol, presentation: Mapping[str, Any]) -> SpanSettings | None:
    """What can be marked in a campaign that records this presentation; None if its protocol marks nothing.

    >>> span_settings_of(protocols()["esa"], {}).severities, span_settings_of(protocols()["da"], {})
    (('minor', 'major'), None)
    """
    usual = protocol.presentation.get("spans")
    return None if usual is None else span_settings(presentation, usual)


class StoredParts(TypedDict):
    """What there is of a campaign's items to be read, beside their first translations."""

    n_translations: int
    prefills: bool


def stored_parts(settings: CampaignSettings) -> StoredParts:
    """What must be read of a campaign's items: what others have not got costs no query."""
    prefills = protocols()[settings.protocol].prefills
    return StoredParts(n_translations=translations_shown(settings), prefills=prefills)


def handling_of(answer: Answer) -> Handling:
    """How a checked answer came about, by the fields that protocols name alike.

    An answer about several `translations` was first given when the first of them was, and changed as often
    as all of them together.

    >>> handling_of({"rating": 70, "first_touch_ms": 1500, "n_moves": 2})
    Handling(first_touch_seconds=1.5, moves=2, first_rating=None)
    >>> parts = [{"first_touch_ms": 1500, "n_moves": 2}, {"first_touch_ms": 900, "n_moves": 1}]
    >>> handling_of({"translations": parts})
    Handling(first_touch_seconds=0.9, moves=3, first_rating=None)
    """
    parts = answer.get("translations", [answer])
    if not isinstance(parts, Sequence) or isinstance(parts, str) or not parts:
        parts = [answer]
    found = [_handling(part) for part in parts if isinstance(part, Mapping)]
    if len(found) == 1:
        return found[0]
    touched = [each.first_touch_seconds for each in found if each.first_touch_seconds is not None]
    moves = [each.moves for each in found if each.moves is not None]
    return Handling(min(touched, default=None), sum(moves) if moves else None, None)


def _handling(answer: Answer) -> Handling:
    touched, moves, first = (answer.get(name) for name in ("first_touch_ms", "n_moves", "first_rating"))
    return Handling(
        touched / 1000 if isinstance(touched, int) else None,
        moves if isinstance(moves, int) else None,
        float(first) if isinstance(first, int | float) else None,
    )


def languages_of(protocol: Protocol) -> tuple[str, ...]:
    """The codes of the languages in which a protocol has its words, in order.

    >>> {"de", "en"} <= set(languages_of(protocols()["da"]))
    True
    """
    return tuple(sorted(file.stem for file in (protocol.folder / "instructions").glob("*.toml")))
