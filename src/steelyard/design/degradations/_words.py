"""Which words carry meaning, which words are the same, and a word for a text that has only one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from steelyard.design.degradations._graphemes import folded, grapheme_clusters
from steelyard.design.degradations._splitting import Pieces, Splitter

# How often an unfit damaged copy is drawn again before another base is taken.
MAX_REDRAWS = 50
# From three words on, the first and the last word of a text stay [Graham2014].
MIN_WORDS_TO_KEEP_ENDS = 3


def is_punctuation(unit: str) -> bool:
    """Whether a unit has neither letter nor digit.

    >>> is_punctuation("..."), is_punctuation("1,5")
    (True, False)
    """
    return not (unit[0].isalnum() or any(map(str.isalnum, unit)))


def has_letters(units: Sequence[str]) -> bool:
    """Whether there is more than punctuation among the units."""
    # Mostly a word without any punctuation decides at once.
    return any(map(str.isalnum, units)) or not all(map(is_punctuation, units))


def has_words(splitter: Splitter, at_least: int, text: str) -> bool:
    """Whether a text has this many words, counting punctuation."""
    return bool(splitter.opening(text, at_least - 1)) or splitter.split(text).n_words >= at_least


def types(units: Sequence[str], units_per_word: int) -> set[str]:
    """The distinct words among units; where several units make a word, every run of that length is one.

    >>> sorted(types(["No", "no", "way"], 1)), sorted(types("nana", 2))
    (['no', 'way'], ['a n', 'n a'])
    """
    # One call for all of them is much faster than one for each.
    plain = folded(" ".join(units)).split(" ")
    if units_per_word > 1:
        n_runs = max(len(plain) - units_per_word + 1, 1)
        plain = [" ".join(plain[start : start + units_per_word]) for start in range(n_runs)]
    found = set(plain)
    found.discard("")
    return found


def n_shared(words: Iterable[str], row: str) -> int:
    """How many distinct words occur in a row of units.

    >>> n_shared(types(["No", "thanks"], 1), " no way ")
    1
    """
    # Most do not occur at all, not even within a word: that is seen sooner.
    return len([word for word in words if word in row and f" {word} " in row])


def substituted(
    pieces: Pieces, reference: str, others: Sequence[str], *, splitter: Splitter, rng: np.random.Generator
) -> str | None:
    """The text with a content word from `others` for its only word; None if it has more, or no draw fits.

    The last resort for texts that can lose nothing. Content words are taken to be the longer half
    of a text's words [our choice: there is no list of function words for every language].
    Punctuation stays, and the new word never occurs in the text or its reference.
    """
    if not len(others):
        return None
    known = (*pieces.units, *splitter.borrow(reference).units)
    taken = f" {folded(' '.join([_parted(unit)[1] for unit in known]))} "
    meaningful = [place for place, unit in enumerate(pieces.units) if not is_punctuation(unit)]
    if not 0 < len(meaningful) <= pieces.splitter.units_per_word:
        return None
    start, end = meaningful[0], meaningful[-1] + 1
    before, after = _parted(pieces.units[start])[0], _parted(pieces.units[end - 1])[2]
    for _ in range(MAX_REDRAWS):
        which, where = rng.random(2).tolist()
        words = content_words(splitter.borrow(others[int(which * len(others))]))
        if not words:
            continue
        word = words[int(where * len(words))]
        parts = types(splitter.borrow(word).units, 1)
        if n_shared(parts, taken) == len(parts):
            continue
        damaged = pieces.spliced(start, end, [before + word + after])
        if damaged is not None:
            return damaged.text()
    return None


def content_words(pieces: Pieces) -> list[str]:
    """The longer half of a text's words, without punctuation.

    >>> from steelyard.design.degradations._splitting import SPACES
    >>> content_words(SPACES.split("We met the (old) neighbours."))
    ['met', 'the', 'old', 'neighbours']
    """
    size = pieces.splitter.units_per_word
    words = [_parted("".join(pieces.units[start : start + size]))[1] for start in runs_of_letters(pieces)]
    lengths = sorted(map(len, words))
    return [word for word in words if len(word) >= lengths[len(lengths) // 2]]


def runs_of_letters(pieces: Pieces) -> list[int]:
    """Where runs begin that make a word: no punctuation in them, and no joint."""
    size = pieces.splitter.units_per_word
    if size == 1:
        return [
            place for place, unit in enumerate(pieces.units) if unit[0].isalnum() or not is_punctuation(unit)
        ]
    fits = [not is_punctuation(unit) for unit in pieces.units]
    return [
        start
        for start in range(len(fits) - size + 1)
        if all(fits[start : start + size]) and not any(pieces.joints[start + 1 : start + size])
    ]


def _parted(unit: str) -> tuple[str, str, str]:
    """A unit as punctuation, word, punctuation."""
    characters = grapheme_clusters(unit)
    start, end = 0, len(characters)
    while start < end and is_punctuation(characters[start]):
        start += 1
    while end > start and is_punctuation(characters[end - 1]):
        end -= 1
    return "".join(characters[:start]), "".join(characters[start:end]), "".join(characters[end:])
