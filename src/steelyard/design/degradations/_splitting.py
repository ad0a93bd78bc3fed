"""Cutting texts into words, in languages with spaces between words and in those without.

A text is a row of units with joints around them. Where spaces are written, units are the words.
Elsewhere ICU finds the words if the package `icu4py` is installed; without it the units are what
readers see as characters, and a fixed number of them counts as a word.
"""

from __future__ import annotations

import re
import typing
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from steelyard.design.degradations._graphemes import (
    UNSPACED_LETTER,
    begins_with_letter,
    ends_in_letter,
    folded,
    gathered,
    places_to_cut,
    surely_stand_apart,
    units,
)
from steelyard.domain.languages import base_language

# Characters that make a word, by language [our choice]: in these no spaces are written between words.
CHARACTERS_PER_WORD = {"zh": 2, "yue": 2, "ja": 2, "th": 4, "km": 4, "lo": 4, "my": 4}
LANGUAGES_WITHOUT_SPACES = frozenset(CHARACTERS_PER_WORD)
# Here a space between two words ends a phrase; in the others it only sets off a foreign word.
_WITH_SPACES_BETWEEN_PHRASES = frozenset({"th", "km", "lo", "my"})

_WORD = re.compile(r"\S+")
# References are cut again and again, to borrow from: the latest are kept [our choice].
_REMEMBERED = 4096


class Splitter(typing.Protocol):
    """A way of cutting texts. `name` is for the record: which way, and the version of its data."""

    name: str
    units_per_word: int

    def split(self, text: str) -> Pieces:
        """The text in pieces, from which it can be put together again."""

    def opening(self, text: str, n: int) -> list[str]:
        """The first n units if they are found quickly and the text has more; otherwise none."""

    def borrow(self, text: str) -> Pieces:
        """The text in pieces, of which parts are good enough for other texts: line breaks may be gone."""

    def row(self, text: str) -> str:
        """The units of a text between spaces, as far as readers tell them apart: to look for words in."""

    def settle(self, units: Sequence[str], joints: list[str], places: range) -> bool:
        """Adapts the joints before these units to new neighbours; False if two would become one character."""


class Pieces(NamedTuple):
    """The n units of a text, the n + 1 joints around them, and how it was cut.

    No joints at all means what nearly every text has: a space between two units, none at the ends.
    """

    units: Sequence[str]
    joints: Sequence[str]
    splitter: Splitter

    @property
    def n_words(self) -> int:
        """The number of words, the last one perhaps not whole."""
        return -(-len(self.units) // self.splitter.units_per_word)

    def text(self) -> str:
        """The text again."""
        if not self.joints:
            return " ".join(self.units)
        parts = [""] * (2 * len(self.units) + 1)
        parts[::2] = self.joints
        parts[1::2] = self.units
        return "".join(parts)

    def part(self, start: int, end: int) -> Pieces:
        """The units from start to end and the joints between them."""
        inner = self.joints[start + 1 : end]
        return Pieces(self.units[start:end], ("", *inner, "") if self.joints else (), self.splitter)

    def spliced(self, start: int, end: int, new: Sequence[str]) -> Pieces | None:
        """The pieces with `new` units for those from start to end.

        Joints stay where they are as far as possible, so that the copy differs in nothing but the
        damage: a line break or a French narrow space that vanished would give it away. None if two
        new neighbours would melt into one character.
        """
        units = [*self.units[:start], *new, *self.units[end:]]
        if not self.joints:
            return Pieces(units, (), self.splitter)
        joints = [*self.joints[:start], *self._joints_around(start, end, len(new)), *self.joints[end + 1 :]]
        changed = range(start or 1, min(start + len(new) + 1, len(units)))
        return Pieces(units, joints, self.splitter) if self.splitter.settle(units, joints, changed) else None

    def _joints_around(self, start: int, end: int, n_new: int) -> Sequence[str]:
        """The joints before, between and after n new units that take the place of those from start to end."""
        old = self.joints[start : end + 1]
        if n_new == end - start:
            return old
        if n_new == 0:
            return [self._strongest(start, end)]
        inner = [""] * (n_new - 1)
        # An old joint is never on both sides of what is inserted.
        return [old[0], *inner, old[-1] if end > start else ""]

    def _strongest(self, start: int, end: int) -> str:
        """Of the joints around and within a run, the one that stays when the run goes."""
        if end == len(self.units):
            return self.joints[end]
        if start == 0:
            return self.joints[0]
        inner = self.joints[start : end + 1]
        return next((joint for joint in inner if "\n" in joint), None) or next(filter(None, inner), "")


class _Spaces:
    """Words are what stands between white space."""

    name = "spaces"
    units_per_word = 1

    def split(self, text: str) -> Pieces:
        words = text.split()
        return Pieces(words, () if " ".join(words) == text else _WORD.split(text), self)

    def opening(self, text: str, n: int) -> list[str]:
        words = text.split(None, n)
        return words[:n] if len(words) > n else []

    def borrow(self, text: str) -> Pieces:
        return Pieces(text.split(), (), self)

    def row(self, text: str) -> str:
        # Of all white space, only the plain space is printable.
        plain = text if text.isprintable() else " ".join(text.split())
        return f" {folded(plain)} "

    def settle(self, units: Sequence[str], joints: list[str], places: range) -> bool:
        for place in places:
            if not joints[place]:
                joints[place] = " "
        return True


class _NoSpaces:
    """Words are found by `words` (the text in parts), or are a fixed number of characters."""

    def __init__(
        self, language: str, *, name: str, words: Callable[[str], Iterable[str]] | None, per_word: int
    ) -> None:
        self.name = name
        self.units_per_word = per_word
        self._phrases = base_language(language) in _WITH_SPACES_BETWEEN_PHRASES
        self._words = words
        self.split = lru_cache(_REMEMBERED)(self._split)

    def _split(self, text: str) -> Pieces:
        if not UNSPACED_LETTER.search(text):
            # Names and codes in another script come with spaces in any language.
            return SPACES.split(text)
        found, blanks = gathered(self._words(text), text) if self._words else units(text)
        return Pieces(tuple(found), tuple(blanks), self)

    def opening(self, text: str, n: int) -> list[str]:
        return []

    def borrow(self, text: str) -> Pieces:
        return self.split(text)

    def row(self, text: str) -> str:
        return f" {folded(' '.join(self.split(text).units))} "

    def settle(self, units: Sequence[str], joints: list[str], places: range) -> bool:
        for place in places:
            left, right = units[place - 1], units[place]
            if not joints[place] and surely_stand_apart(left, right):
                continue
            joint = joints[place] = self._joint(joints[place], left, right)
            if not {len(left), len(left) + len(joint)} <= places_to_cut(left + joint + right):
                return False
        return True

    def _joint(self, old: str, left: str, right: str) -> str:
        """What stands between two units that were no neighbours, or not by this joint."""
        n_letters = ends_in_letter(left) + begins_with_letter(right)
        if not old:
            return " " if n_letters == 2 else ""
        is_for_letters = old == " " and not self._phrases
        return "" if is_for_letters and n_letters == 0 else old


SPACES: Splitter = _Spaces()


def by_characters(language: str, *, per_word: int | None = None) -> Splitter:
    """Cuts texts of a language without spaces into characters, with nothing but this package.

    `per_word` of them count as a word; without it as many as words of that language tend to have.

    >>> by_characters("zh").split("我爱Python。").units
    ('我', '爱', 'Python', '。')
    """
    size = per_word or CHARACTERS_PER_WORD[base_language(language)]
    return _NoSpaces(language, name=f"graphemes {unicodedata.unidata_version}", words=None, per_word=size)


def by_icu(language: str) -> Splitter:
    """Cuts texts of a language without spaces into the words that ICU finds; needs `icu4py`."""
    import icu4py
    from icu4py.breakers import WordBreaker

    locale = base_language(language)
    return _NoSpaces(
        language,
        name=f"icu {icu4py.icu_version}",
        words=lambda text: WordBreaker(text, locale),
        per_word=1,
    )


@cache
def splitter_for(language: str) -> Splitter:
    """The best way of cutting texts of a language that is installed.

    >>> splitter_for("cs").split("no tak").units
    ['no', 'tak']
    """
    if base_language(language) not in LANGUAGES_WITHOUT_SPACES:
        return SPACES
    try:
        return by_icu(language)
    except ImportError:
        # Not installed, or without a library that it needs.
        return by_characters(language)
