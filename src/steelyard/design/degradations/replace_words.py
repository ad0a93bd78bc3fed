"""Adequacy: a run of words gives way to a run of the same length from another document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from steelyard.design.degradations._borrowing import borrowed_phrases
from steelyard.design.degradations._splitting import Splitter, splitter_for
from steelyard.design.degradations._words import MIN_WORDS_TO_KEEP_ENDS, has_words, substituted
from steelyard.domain.plugin import Damage, Degradation

# Words to replace, by the number of words in the text, as WMT has published it [Bojar2016]; beyond
# the table a quarter of the words.
REPLACED_UP_TO = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
REPLACED_SHARE_BEYOND = 4


def damage(language: str) -> Damage:
    """The text with a run of its words replaced by words of another document [Bojar2016].

    The run never touches the first and the last word; a text of two words loses its last. The
    phrase that replaces it is as long, comes from within a reference of another document, and is
    drawn again if more than half of its distinct words occur in the text or in its reference: it
    must not be a paraphrase by accident. A single word, if it must serve, gives way to a content
    word from another document.
    """
    return damage_by(splitter_for(language))


def damage_by(splitter: Splitter) -> Damage:
    """The same for texts that are cut in a given way."""
    return Damage(
        is_eligible=partial(has_words, splitter, 2),
        is_preferred=partial(has_words, splitter, MIN_WORDS_TO_KEEP_ENDS),
        degrade=partial(with_words_replaced, splitter),
    )


@cache
def n_replaced(n_words: int) -> int:
    """How many words are replaced in a text of `n_words`.

    >>> [n_replaced(n) for n in (2, 3, 4, 5, 8, 15, 20, 21, 40)]
    [1, 1, 2, 2, 3, 4, 5, 5, 10]
    """
    published = next((k for most, k in REPLACED_UP_TO if n_words <= most), n_words // REPLACED_SHARE_BEYOND)
    if n_words >= MIN_WORDS_TO_KEEP_ENDS:
        return min(published, n_words - 2)
    return min(published, 1)


def with_words_replaced(
    splitter: Splitter,
    text: str,
    reference: str,
    others: Sequence[str],
    rng: np.random.Generator,
) -> str | None:
    """The text with a run of its words replaced, or None if no draw fits.

    >>> from steelyard.design.degradations._splitting import SPACES
    >>> rng = np.random.default_rng(7)
    >>> with_words_replaced(SPACES, "he sold houses", "he sold them", ["we met again"], rng)
    'he met houses'
    """
    pieces = splitter.split(text)
    if pieces.n_words < 2 or not len(others):
        return substituted(pieces, reference, others, splitter=splitter, rng=rng)
    n_words = n_replaced(pieces.n_words)
    copies = borrowed_phrases(splitter, text, reference, others, n_words=n_words, rng=rng)
    return next((copy.text for copy in copies), None)


DEGRADATION = Degradation(
    name="replace-words",
    title="A phrase replaced by one from another document",
    cite=("Graham2014", "Bojar2016"),
    attributes=("adequacy", "overall"),
    is_default=True,
    damage=damage,
)
