"""Words of a text in a language that writes spaces, and the spaces between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"\S+")

# A damaged copy that turned out unfit is drawn again so many times, then another base is taken.
MAX_REDRAWS = 50


def split(text: str) -> tuple[list[str], list[str]]:
    """The n words of a text, and the n + 1 stretches of white space around them.

    The spaces are kept so that a damaged copy differs in nothing but the damage: a line break or
    a French narrow space that vanished would give it away.

    >>> split("so  it goes")
    (['so', 'it', 'goes'], ['', '  ', ' ', ''])
    """
    return _WORD.findall(text), _WORD.split(text)


def join(words: Sequence[str], spaces: Sequence[str]) -> str:
    """The text again: `join(*split(text)) == text`."""
    return "".join(part for pair in zip(spaces, [*words, ""], strict=True) for part in pair)


def is_punctuation(word: str) -> bool:
    """Whether a word has neither letter nor digit.

    >>> is_punctuation("..."), is_punctuation("1,5")
    (True, False)
    """
    return not any(character.isalnum() for character in word)
