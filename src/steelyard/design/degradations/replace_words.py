"""Adequacy: a run of words gives way to a run of the same length from another document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.design.degradations._words import MAX_REDRAWS, is_punctuation, join, split
from steelyard.domain.plugin import Damage, Degradation

# Words to replace, by the number of words in the text, as WMT has published it [Bojar2016]; beyond
# the table a quarter of the words.
REPLACED_UP_TO = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
REPLACED_SHARE_BEYOND = 4
# Our choice: from three words on, the first and the last word stay, as in [Graham2014].
MIN_WORDS_TO_KEEP_ENDS = 3


def n_replaced(n_words: int) -> int:
    """How many words are replaced in a text of `n_words`.

    >>> [n_replaced(n) for n in (2, 3, 4, 5, 8, 15, 20, 21, 40)]
    [1, 1, 2, 2, 3, 4, 5, 5, 10]
    """
    published = next((k for most, k in REPLACED_UP_TO if n_words <= most), n_words // REPLACED_SHARE_BEYOND)
    if n_words >= MIN_WORDS_TO_KEEP_ENDS:
        return min(published, n_words - 2)
    return min(published, 1)


def is_eligible(text: str) -> bool:
    """Whether anything of the text is left after a replacement: at least two words."""
    return len(text.split()) >= 2


def is_preferred(text: str) -> bool:
    """Whether first and last word can stay: at least three words."""
    return len(text.split()) >= MIN_WORDS_TO_KEEP_ENDS


def degrade(text: str, reference: str, others: Sequence[str], rng: np.random.Generator) -> str | None:
    """The text with a run of its words replaced, or None if no draw fits [Bojar2016].

    The run never touches the first and the last word (a text of two words loses its last, one of
    a single word that word). The phrase that replaces it is as long, comes from within one of
    `others`, and is drawn again if more than half of its distinct words occur in the text or in
    its reference: it must not be a paraphrase by accident.

    >>> degrade("he sold houses", "he sold them", ["we met again"], np.random.default_rng(7))
    'he met houses'
    """
    words, spaces = split(text)
    k = n_replaced(len(words))
    if not words or not len(others):
        return None
    known = [{word.casefold() for word in side.split()} for side in (text, reference)]
    for _ in range(MAX_REDRAWS):
        phrase = _phrase(others[int(rng.integers(len(others)))].split(), k, rng)
        types = {word.casefold() for word in phrase}
        if not phrase or any(2 * len(types & side) > len(types) for side in known):
            continue
        if all(is_punctuation(word) for word in phrase):
            continue
        start = (
            int(rng.integers(1, len(words) - k)) if len(words) >= MIN_WORDS_TO_KEEP_ENDS else len(words) - 1
        )
        damaged = [*words[:start], *phrase, *words[start + k :]]
        if damaged != words:
            return join(damaged, spaces)
    return None


def _phrase(words: Sequence[str], k: int, rng: np.random.Generator) -> list[str]:
    """A run of k words, from the inside of the text if it is long enough; empty if it is too short.

    The first word of a text tends to have a capital and the last one a full stop, which would
    betray the damage at a glance.
    """
    margin = 1 if len(words) >= k + 2 else 0
    if len(words) < k:
        return []
    start = int(rng.integers(margin, len(words) - k - margin + 1))
    return list(words[start : start + k])


DEGRADATION = Degradation(
    name="replace-words",
    title="A phrase replaced by one from another document",
    cite=("Graham2014", "Bojar2016"),
    attributes=("adequacy",),
    is_default=True,
    damage=lambda _language: Damage(is_eligible, is_preferred, degrade),
)
