"""Fluency: two words of the text appear a second time, elsewhere in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.design.degradations._words import MAX_REDRAWS, is_punctuation, join, split
from steelyard.domain.plugin import Damage, Degradation

# With three words the two outer ones have exactly one place to go; with fewer, none has any.
MIN_WORDS = 3


def is_eligible(text: str) -> bool:
    """Whether two words can be copied: at least three words, two of them more than punctuation."""
    words, _ = split(text)
    return len(_movable(words)) >= 2


def degrade(
    text: str,
    reference: str,
    others: Sequence[str],
    rng: np.random.Generator,
) -> str | None:
    """The text with two of its words duplicated, or None if no draw fits [Graham2013].

    Each copy goes to a gap drawn evenly from those that are not at either end of the text nor
    beside its original; a copy that would stand beside the same word is drawn again. Copying
    leaves the meaning in place: it lowers fluency, but not adequacy [Graham2014].

    >>> degrade("we agree entirely", "", [], np.random.default_rng(7))
    'we entirely agree we entirely'
    """
    words, spaces = split(text)
    movable = _movable(words)
    if len(movable) < 2:
        return None
    for _ in range(MAX_REDRAWS):
        chosen = rng.choice(len(movable), size=2, replace=False)
        copies = []
        for position in (movable[index] for index in chosen):
            gaps = _gaps(position, len(words))
            copies.append((gaps[int(rng.integers(len(gaps)))], words[position]))
        damaged = _insert(words, spaces, copies)
        if damaged is not None:
            return damaged
    return None


def _gaps(position: int, n_words: int) -> list[int]:
    """Where a copy may go: before these words, thus never first, last or beside its original."""
    return [gap for gap in range(1, n_words) if gap not in (position, position + 1)]


def _movable(words: Sequence[str]) -> list[int]:
    """Positions of the words that may be copied and have somewhere to go."""
    if len(words) < MIN_WORDS:
        return []
    # The middle one of three words has both gaps beside it.
    return [k for k, word in enumerate(words) if not is_punctuation(word) and (len(words), k) != (3, 1)]


def _insert(words: Sequence[str], spaces: Sequence[str], copies: list[tuple[int, str]]) -> str | None:
    """The text with each copy before its gap; None if a copy then stands beside the same word."""
    longer, wider, copied = list(words), list(spaces), [False] * len(words)
    # From the right, so that the gaps still to come keep their numbers.
    for gap, word in sorted(copies, key=lambda copy: copy[0], reverse=True):
        longer.insert(gap, word)
        wider.insert(gap + 1, " ")
        copied.insert(gap, True)
    folded = [word.casefold() for word in longer]
    if any(folded[k] == folded[k + 1] and (copied[k] or copied[k + 1]) for k in range(len(longer) - 1)):
        return None
    return join(longer, wider)


DEGRADATION = Degradation(
    name="duplicate-words",
    title="Two words duplicated",
    cite=("Graham2013", "Graham2014"),
    attributes=("fluency",),
    is_default=True,
    damage=lambda _language: Damage(is_eligible, is_eligible, degrade),
)
