"""Marked errors: one phrase of a few words gives way to a phrase of another document, at a known place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from steelyard.design.degradations._borrowing import borrowed_phrases
from steelyard.design.degradations._graphemes import folded
from steelyard.design.degradations._splitting import (
    LANGUAGES_WITHOUT_SPACES,
    SPACES,
    Splitter,
    by_characters,
)
from steelyard.design.degradations._words import has_words
from steelyard.design.degradations.replace_words import n_replaced
from steelyard.domain.languages import base_language
from steelyard.domain.plugin import Damage, Degradation

# A phrase of two to six words, or of twice as many characters where no spaces are written [Kocmi2024].
FEWEST, MOST, CHARACTERS_EACH = 2, 6, 2
# With four words the first and the last can stay; with three only the first.
MIN_WORDS, MIN_WORDS_TO_KEEP_BOTH = 3, 4


def damage(language: str) -> Damage:
    """The text with a phrase of two to six words replaced by one of another document [Kocmi2024].

    Where no spaces are written between words, twice as many characters. A longer text loses a longer
    phrase, as for `replace-words` within these limits [our choice]. First and last word stay if there are
    four. What comes begins and ends with other words than what goes, so that all of the phrase is an
    error: whoever marks it there has found it (`injected-errors`).
    """
    if base_language(language) in LANGUAGES_WITHOUT_SPACES:
        # Never the words that ICU finds: the number of characters is what was published.
        return damage_by(by_characters(language, per_word=CHARACTERS_EACH))
    return damage_by(SPACES)


def damage_by(splitter: Splitter) -> Damage:
    """The same for texts that are cut in a given way."""
    return Damage(
        is_eligible=partial(has_words, splitter, MIN_WORDS),
        is_preferred=partial(has_words, splitter, MIN_WORDS_TO_KEEP_BOTH),
        degrade=partial(with_phrase_replaced, splitter),
    )


def phrase_length(n_words: int) -> int:
    """How many words a text of `n_words` loses.

    >>> [phrase_length(n) for n in (3, 4, 8, 15, 20, 21, 200)]
    [2, 2, 3, 4, 5, 5, 6]
    """
    return min(max(n_replaced(n_words), FEWEST), MOST)


def with_phrase_replaced(
    splitter: Splitter,
    text: str,
    reference: str,
    others: Sequence[str],
    rng: np.random.Generator,
) -> str | None:
    """The text with one phrase replaced, or None if no draw fits.

    >>> rng = np.random.default_rng(7)
    >>> with_phrase_replaced(SPACES, "he sold both houses", "", ["well we met again"], rng)
    'he we met houses'
    """
    n_words = splitter.split(text).n_words
    if n_words < MIN_WORDS or not len(others):
        return None
    copies = borrowed_phrases(splitter, text, reference, others, n_words=phrase_length(n_words), rng=rng)
    return next((copy.text for copy in copies if _differs_at_both_ends(copy.old, copy.new)), None)


def _differs_at_both_ends(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether nothing at the ends of what came is what was there before."""
    return folded(old[0]) != folded(new[0]) and folded(old[-1]) != folded(new[-1])


DEGRADATION = Degradation(
    name="replace-phrase",
    title="A phrase of two to six words replaced by one from another document",
    cite=("Kocmi2024",),
    attributes=("spans",),
    is_default=True,
    damage=damage,
)
