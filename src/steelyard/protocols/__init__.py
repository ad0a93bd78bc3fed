"""Ways of asking: one folder per protocol, found by the registry."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.protocols._words import check_words, for_attributes, read_words
from steelyard.registry import discover

__all__ = ["check_words", "languages_of", "protocols", "roles_shown", "words_in"]


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


def languages_of(protocol: Protocol) -> tuple[str, ...]:
    """The codes of the languages in which a protocol has its words, in order.

    >>> {"de", "en"} <= set(languages_of(protocols()["da"]))
    True
    """
    return tuple(sorted(file.stem for file in (protocol.folder / "instructions").glob("*.toml")))
