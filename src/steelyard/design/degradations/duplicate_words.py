"""Fluency: two words of the text appear a second time, elsewhere in it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from steelyard.design.degradations._graphemes import folded
from steelyard.design.degradations._splitting import Pieces, Splitter, splitter_for
from steelyard.design.degradations._words import MAX_REDRAWS, runs_of_letters
from steelyard.domain.plugin import Damage, Degradation

# With three words the two outer ones have exactly one place to go; with fewer, none has any.
MIN_WORDS = 3


def damage(language: str) -> Damage:
    """The text with two of its words duplicated [Graham2013].

    Each copy goes to a gap drawn evenly from those that are not at either end of the text nor
    beside its original; a copy that would stand beside the same word is drawn again. Copying
    leaves the meaning in place: it lowers fluency, but not adequacy [Graham2014].
    """
    return damage_by(splitter_for(language))


def damage_by(splitter: Splitter) -> Damage:
    """The same for texts that are cut in a given way."""
    check = partial(is_eligible, splitter)
    return Damage(is_eligible=check, is_preferred=check, degrade=partial(with_words_duplicated, splitter))


def is_eligible(splitter: Splitter, text: str) -> bool:
    """Whether two words can be copied: at least three words, two of them more than punctuation."""
    opening = splitter.opening(text, MIN_WORDS)
    if opening and opening[0][0].isalnum() and opening[1][0].isalnum():
        return True
    pieces = splitter.split(text)
    return _two_apart(_movable(pieces), pieces.splitter.units_per_word)


def with_words_duplicated(
    splitter: Splitter,
    text: str,
    reference: str,
    others: Sequence[str],
    rng: np.random.Generator,
) -> str | None:
    """The text with two of its words duplicated, or None if no draw fits.

    >>> from steelyard.design.degradations._splitting import SPACES
    >>> with_words_duplicated(SPACES, "we agree entirely", "", [], np.random.default_rng(7))
    'we entirely agree we entirely'
    """
    pieces = splitter.split(text)
    movable, size = _movable(pieces), pieces.splitter.units_per_word
    if not _two_apart(movable, size):
        return None
    n_movable, n_units = len(movable), len(pieces.units)
    for _ in range(MAX_REDRAWS):
        first, second, one_place, other_place = rng.random(4).tolist()
        here = int(first * n_movable)
        there = int(second * (n_movable - 1))
        one, other = movable[here], movable[there + (there >= here)]
        if abs(one - other) < size:
            continue
        damaged = _with_copies(
            pieces,
            (_gap(one, n_units, size, one_place), one),
            (_gap(other, n_units, size, other_place), other),
        )
        if damaged is not None:
            return damaged.text()
    return None


def _gap(start: int, n_units: int, size: int, where: float) -> int:
    """The unit before which a copy goes: never first, last, nor beside or inside its original."""
    n_before = start - 1 if start else 0
    n_after = n_units - 1 - start - size if n_units - 1 - start > size else 0
    place = int(where * (n_before + n_after))
    return place + 1 if place < n_before else place - n_before + start + size + 1


def _movable(pieces: Pieces) -> list[int]:
    """Where words begin that may be copied and have a place to go."""
    n_words = pieces.n_words
    if n_words < MIN_WORDS:
        return []
    starts = runs_of_letters(pieces)
    if len(pieces.units) == MIN_WORDS:
        # The middle one of three words has both gaps beside it.
        return [start for start in starts if start != 1]
    return starts


def _two_apart(starts: Sequence[int], size: int) -> bool:
    """Whether two runs of this length begin far enough apart not to overlap."""
    return bool(starts) and starts[-1] - starts[0] >= size


def _with_copies(pieces: Pieces, one: tuple[int, int], other: tuple[int, int]) -> Pieces | None:
    """The text with two copies (gap, start of the original); None if one would stand beside its like."""
    size = pieces.splitter.units_per_word
    (left_gap, left), (right_gap, right) = (one, other) if one[0] <= other[0] else (other, one)
    # From the right, so that the gap still to come keeps its number.
    longer = pieces.spliced(right_gap, right_gap, pieces.units[right : right + size])
    if longer is not None:
        longer = longer.spliced(left_gap, left_gap, pieces.units[left : left + size])
    if longer is None or _is_beside_its_like(longer.units, left_gap, size):
        return None
    return None if _is_beside_its_like(longer.units, right_gap + size, size) else longer


def _is_beside_its_like(units: Sequence[str], start: int, size: int) -> bool:
    """Whether a run of this length is preceded or followed by the same run."""
    copy = folded("".join(units[start : start + size]))
    if copy == folded("".join(units[start + size : start + 2 * size])):
        return True
    return start >= size and copy == folded("".join(units[start - size : start]))


DEGRADATION = Degradation(
    name="duplicate-words",
    title="Two words duplicated",
    cite=("Graham2013", "Graham2014"),
    attributes=("fluency",),
    is_default=True,
    damage=damage,
)
