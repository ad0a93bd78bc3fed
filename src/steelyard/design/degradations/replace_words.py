"""Adequacy: a run of words gives way to a run of the same length from another document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from steelyard.design.degradations._splitting import Pieces, Splitter, splitter_for
from steelyard.design.degradations._words import (
    MAX_REDRAWS,
    MIN_WORDS_TO_KEEP_ENDS,
    has_letters,
    has_words,
    n_shared,
    substituted,
    types,
)
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
    n_words, n_others = pieces.n_words, len(others)
    if n_words < 2 or not n_others:
        return substituted(pieces, reference, others, splitter=splitter, rng=rng)
    shown, meant = splitter.row(text), splitter.row(reference)
    known = (shown + meant, shown, meant)
    k, n_units = n_replaced(n_words), len(pieces.units)
    size = k * pieces.splitter.units_per_word
    first, last = (1, n_units - size - 1) if n_words >= MIN_WORDS_TO_KEEP_ENDS else (n_units - size,) * 2
    for _ in range(MAX_REDRAWS):
        which, within, where = rng.random(3).tolist()
        other = splitter.borrow(others[int(which * n_others)])
        run = _run_within(other, k, within)
        phrase = other.units[run]
        # A phrase that looks like what it replaces shares all its words and never gets past here.
        if not has_letters(phrase) or _is_known(types(phrase, other.splitter.units_per_word), known):
            continue
        start = first + int(where * (last - first + 1))
        if other.splitter is not pieces.splitter:
            # Words of another kind of script keep their own joints.
            phrase = [other.part(run.start, run.stop).text()]
        damaged = pieces.spliced(start, start + size, phrase)
        if damaged is not None:
            return damaged.text()
    return None


def _is_known(phrase: set[str], known: tuple[str, str, str]) -> bool:
    """Whether more than half of the phrase's distinct words are in the text, or in its reference."""
    both, text, reference = known
    half = len(phrase) / 2
    # Mostly both together have fewer: one look instead of two.
    return n_shared(phrase, both) > half and max(n_shared(phrase, text), n_shared(phrase, reference)) > half


def _run_within(pieces: Pieces, k: int, within: float) -> slice:
    """A run of k words, from the inside of a text if it is long enough; empty if it is too short.

    The first word of a text tends to have a capital and the last one a full stop, which would
    betray the damage at a glance. `within`, between 0 and 1, picks the run.
    """
    n_units, size = len(pieces.units), k * pieces.splitter.units_per_word
    if n_units < size:
        return slice(0, 0)
    margin = 1 if n_units >= size + 2 else 0
    start = margin + int(within * (n_units - size - 2 * margin + 1))
    return slice(start, start + size)


DEGRADATION = Degradation(
    name="replace-words",
    title="A phrase replaced by one from another document",
    cite=("Graham2014", "Bojar2016"),
    attributes=("adequacy", "overall"),
    is_default=True,
    damage=damage,
)
