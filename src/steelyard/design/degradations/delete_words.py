"""Adequacy: a run of words is left out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from steelyard.design.degradations._splitting import Pieces, Splitter, splitter_for
from steelyard.design.degradations._words import MAX_REDRAWS, MIN_WORDS_TO_KEEP_ENDS, has_letters, substituted
from steelyard.domain.plugin import Damage, Degradation

# Words to leave out, by the number of words in the text [Graham2014]; beyond the table a fifth of
# them, rounded up, so that a text of 21 words does not lose fewer than one of 20.
DELETED_UP_TO = ((3, 1), (5, 2), (8, 3), (15, 4), (20, 5))
DELETED_SHARE_BEYOND = 5


def damage(language: str) -> Damage:
    """The text without a run of its words [Graham2014].

    The run never touches the first and the last word; a text of two words loses its last. To leave
    out punctuation alone would change little, so both the run and what stays have a word that is
    more. A single word, if it must serve, gives way to a content word from another document.
    """
    return damage_by(splitter_for(language))


def damage_by(splitter: Splitter) -> Damage:
    """The same for texts that are cut in a given way."""
    return Damage(
        is_eligible=partial(_can_lose_words, splitter, 2),
        is_preferred=partial(_can_lose_words, splitter, MIN_WORDS_TO_KEEP_ENDS),
        degrade=partial(with_words_deleted, splitter),
    )


@cache
def n_deleted(n_words: int) -> int:
    """How many words a text of `n_words` loses.

    >>> [n_deleted(n) for n in (2, 3, 4, 5, 8, 15, 20, 21, 40)]
    [1, 1, 2, 2, 3, 4, 5, 5, 8]
    """
    return next((k for most, k in DELETED_UP_TO if n_words <= most), -(-n_words // DELETED_SHARE_BEYOND))


def with_words_deleted(
    splitter: Splitter,
    text: str,
    reference: str,
    others: Sequence[str],
    rng: np.random.Generator,
) -> str | None:
    """The text without a run of its words, or None if no draw fits.

    >>> from steelyard.design.degradations._splitting import SPACES
    >>> with_words_deleted(SPACES, "he sold houses", "", [], np.random.default_rng(7))
    'he houses'
    """
    pieces = splitter.split(text)
    starts, size = _runs(pieces)
    if starts:
        for _ in range(MAX_REDRAWS):
            start = starts[int(rng.random() * len(starts))]
            if not _takes_and_leaves_words(pieces, start, size):
                continue
            damaged = pieces.spliced(start, start + size, ())
            if damaged is not None:
                return damaged.text()
    return substituted(pieces, reference, others, splitter=splitter, rng=rng)


def _runs(pieces: Pieces) -> tuple[range, int]:
    """Where the run may begin, and how many units it has."""
    n_units, n_words, per_word = len(pieces.units), pieces.n_words, pieces.splitter.units_per_word
    size = n_deleted(n_words) * per_word
    if n_words >= MIN_WORDS_TO_KEEP_ENDS:
        return range(1, n_units - size), size
    return range(n_units - size, n_units - size + (n_words == 2)), size


def _takes_and_leaves_words(pieces: Pieces, start: int, size: int) -> bool:
    units, end = pieces.units, start + size
    return has_letters(units[start:end]) and (has_letters(units[:start]) or has_letters(units[end:]))


def _can_lose_words(splitter: Splitter, at_least: int, text: str) -> bool:
    """Whether some run fits in a text of at least this many words."""
    opening = splitter.opening(text, 2)
    if opening and opening[0][0].isalnum() and opening[1][0].isalnum():
        # The second word can go with what follows it, and the first stays.
        return True
    pieces = splitter.split(text)
    starts, size = _runs(pieces)
    return pieces.n_words >= at_least and any(
        _takes_and_leaves_words(pieces, start, size) for start in starts
    )


DEGRADATION = Degradation(
    name="delete-words",
    title="A phrase left out",
    cite=("Graham2014",),
    attributes=("adequacy", "overall"),
    is_default=False,
    damage=damage,
)
