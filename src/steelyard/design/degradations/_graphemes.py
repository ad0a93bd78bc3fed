"""What a reader sees as one character, after Unicode's rules for extended grapheme clusters (UAX #29).

Every code point gets a class of one letter, and the rules become one regular expression over
these letters. Classes come from the categories of `unicodedata`; what those do not tell is in the
tables below, as of Unicode 17. They are short of the standard in two points: any symbol of the
pictographic blocks can be joined by ZWJ, and consonants form conjuncts in eight scripts only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from unicodedata import category
from unicodedata import normalize as normalise

# Letters of the scripts that are written without spaces between words: Thai, Lao, Myanmar, Khmer,
# Japanese kana, Bopomofo, Han. Digits and punctuation are left out.
UNSPACED_LETTER = re.compile(
    "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109d"
    "\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\uff66-\uff9f"
    "\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003fffd]"
)
_LINKERS = frozenset("\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u1039\u17d2")
# Consonants that a linker ties to the next: Devanagari, Bengali, Gujarati, Odia, Telugu, Malayalam.
_SPACED_CONSONANT = re.compile(
    "[\u0915-\u0939\u0958-\u095f\u0978-\u097f\u0995-\u09a8\u09aa-\u09b0\u09b2\u09b6-\u09b9\u09dc\u09dd\u09df"
    "\u09f0\u09f1\u0a95-\u0aa8\u0aaa-\u0ab0\u0ab2\u0ab3\u0ab5-\u0ab9\u0af9\u0b15-\u0b28\u0b2a-\u0b30\u0b32"
    "\u0b33\u0b35-\u0b39\u0b5c\u0b5d\u0b5f\u0b71\u0c15-\u0c28\u0c2a-\u0c39\u0c58-\u0c5a\u0d15-\u0d3a]"
)
# The same in Myanmar and Khmer script.
_UNSPACED_CONSONANT = re.compile(
    "[\u1000-\u102a\u103f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070\u1075-\u1081\u108e"
    "\ua9e0-\ua9e4\ua9e7-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa6f\uaa71-\uaa73\uaa7a\uaa7e\uaa7f\u1780-\u17b3]"
)
_PREPENDED = re.compile(
    "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3"
    "\U0001193f\U00011941\U00011a84-\U00011a89\U00011d46]"
)
# Extending characters that are not in the categories Mn and Me.
_EXTENDING = re.compile(
    "[\u09be\u09d7\u0b3e\u0b57\u0bbe\u0bd7\u0cc0\u0cc2\u0cc7\u0cc8\u0cca\u0ccb\u0cd5\u0cd6\u0d3e\u0d57\u0dcf"
    "\u0ddf\u1715\u1734\u1b35\u1b3b\u1b3d\u1b43\u1b44\u1baa\u1bf2\u1bf3\u302e\u302f\ua953\ua9c0\uff9e\uff9f"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
# Spacing marks by category that the rules let begin a cluster, vowels and tones of Myanmar script mostly.
_LOOSE_MARK = re.compile(
    "[\u102b\u102c\u1038\u1062-\u1064\u1067-\u106d\u1083\u1087-\u108c\u108f\u109a-\u109c\u1a61\u1a63\u1a64"
    "\uaa7b\uaa7d]"
)
_PICTOGRAPH = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
# Soft hyphens, joiners, marks of direction, variation selectors: no reader sees them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
# Join two letters or digits to one word, as in "3.5" and "don't".
_BETWEEN_LETTERS = frozenset("'’.,")

_BY_CHARACTER = {
    "\r": "r",
    "\n": "n",
    "\u200c": "j",
    "\u200d": "z",
    # SARA AM of Thai and Lao: letters by category, but they never stand alone.
    "\u0e33": "s",
    "\u0eb3": "s",
}
_BY_CATEGORY = {"Mn": "e", "Me": "e", "Mc": "s", "Zs": "b"} | dict.fromkeys(
    ("Cc", "Cf", "Cs", "Zl", "Zp"), "c"
)


def _class_of(character: str) -> str:
    """The class letter of a code point: first what single tables say, then its category."""
    code = ord(character)
    tables = (
        ("k", character in _LINKERS),
        ("f", 0x1F1E6 <= code <= 0x1F1FF),
        ("p", _PREPENDED.match(character)),
        ("e", _EXTENDING.match(character)),
        ("m", _LOOSE_MARK.match(character)),
        ("i", _SPACED_CONSONANT.match(character)),
        ("u", _UNSPACED_CONSONANT.match(character)),
        ("L", 0x1100 <= code <= 0x115F or 0xA960 <= code <= 0xA97C),
        ("V", 0x1160 <= code <= 0x11A7 or 0xD7B0 <= code <= 0xD7C6),
        ("T", 0x11A8 <= code <= 0x11FF or 0xD7CB <= code <= 0xD7FB),
        ("G", 0xAC00 <= code <= 0xD7A3 and (code - 0xAC00) % 28 == 0),
        ("H", 0xAC00 <= code <= 0xD7A3),
        ("x", _PICTOGRAPH.match(character)),
        ("q", character in _BETWEEN_LETTERS),
    )
    known = _BY_CHARACTER.get(character) or next((letter for letter, fits in tables if fits), None)
    if known is None:
        known = _BY_CATEGORY.get(category(character))
    if known is None:
        known = "a" if character.isalnum() and not UNSPACED_LETTER.match(character) else "o"
    return known


class _Classes(dict[int, str]):
    """Class letters by code point, found when first asked for: the table of `str.translate`."""

    def __missing__(self, code: int) -> str:
        self[code] = _class_of(chr(code))
        return self[code]


_CLASSES = _Classes()

# r CR, n LF, c control, b space; e extending, j ZWNJ, k linker, z ZWJ, s spacing mark, m loose mark;
# p prepended; f half a flag; L V T G H parts of Hangul and syllables without and with a final;
# x pictograph; i u consonants with conjuncts, of spaced and unspaced scripts; a other letters and
# digits of spaced scripts; q what may stand inside a word; o the rest.
_AFTER = "[ejkzs]"
_HANGUL = "L*(?:V+|GV*|H)T*|L+|T+"
_CONJUNCT = "(?:[ez]*k[ekz]*[iu])*"
_CLUSTER = f"rn|[rnc]|p*(?:{_HANGUL}|ff|x(?:[ejk]*zx)*|[iu]{_CONJUNCT}|[^rnc]){_AFTER}*"
_LETTER = f"p*(?:{_HANGUL}|i{_CONJUNCT}|a){_AFTER}*"
_LOOSE = f"(?:m{_AFTER}*)*"

# First what most characters of an unspaced text are: the search is faster by half.
_PLAIN = "o(?![ejkzsm])"
_BLANK = f"(?:rn|[rnc]|b(?!{_AFTER}))"
_CLUSTERS = re.compile(_CLUSTER)
_UNITS = re.compile(f"{_PLAIN}|{_BLANK}+|(?:{_LETTER}(?:q?{_LETTER})*|{_CLUSTER}){_LOOSE}")
_PLACES = re.compile(f"{_PLAIN}|{_BLANK}|(?:{_CLUSTER}){_LOOSE}")
_ALL_BLANK = re.compile(f"{_BLANK}+")
_ENDS_IN_LETTER = re.compile(f"[aiLVTGH]{_AFTER}*$")
_BEGINS_WITH_LETTER = re.compile("p*[aiLVTGH]")


def grapheme_clusters(text: str) -> list[str]:
    """The extended grapheme clusters of a text.

    >>> [len(cluster) for cluster in grapheme_clusters("e\\u0301a👩‍👧🇨🇿क्षि")]
    [2, 1, 3, 2, 4]
    """
    ends = _ends(_CLUSTERS, text.translate(_CLASSES))
    return [text[start:end] for start, end in pairwise([0, *ends])]


def units(text: str) -> tuple[list[str], list[str]]:
    """The n units of a text and the n + 1 stretches of blanks around them.

    A unit is a cluster, or a run of letters and digits of a script that writes spaces. It never
    begins with a mark, though the rules allow that in Myanmar script: such a mark has no meaning
    of its own. Blanks are spaces and invisible characters.

    >>> units("ไป Google 2.0 กัน")
    (['ไ', 'ป', 'Google', '2.0', 'กั', 'น'], ['', '', ' ', ' ', ' ', '', ''])
    """
    classes = text.translate(_CLASSES)
    found: list[str] = []
    blanks = [""]
    start = 0
    for end in _ends(_UNITS, classes):
        # A space that carries a mark is no blank, but a unit that ends in the mark's class.
        if classes[start] in "rncb" and classes[end - 1] in "rncb":
            blanks[-1] = text[start:end]
        else:
            found.append(text[start:end])
            blanks.append("")
        start = end
    return found, blanks


def places_to_cut(text: str) -> set[int]:
    """Offsets where a text may be cut: a cluster ends there, and no mark follows but after a blank.

    >>> sorted(places_to_cut("ကာ တ"))
    [2, 3, 4]
    """
    return set(_ends(_PLACES, text.translate(_CLASSES)))


def _ends(pattern: re.Pattern[str], classes: str) -> Iterator[int]:
    """Where the matches end, given that they leave no hole."""
    return accumulate(map(len, pattern.findall(classes)))


def gathered(parts: Iterable[str], text: str) -> tuple[list[str], list[str]]:
    """The same for units that others have found: the parts of a text, joined where no cut is allowed.

    >>> gathered(["ခ", "ါ", " ", " ", "သည်"], "ခါ  သည်")
    (['ခါ', 'သည်'], ['', '  ', ''])
    """
    classes, places = text.translate(_CLASSES), places_to_cut(text)
    found: list[str] = []
    blanks = [""]
    start = end = 0
    for part in parts:
        end += len(part)
        if end not in places:
            continue
        if classes[start] in "rncb" and _ALL_BLANK.fullmatch(classes, start, end):
            blanks[-1] += text[start:end]
        else:
            found.append(text[start:end])
            blanks.append("")
        start = end
    return found, blanks


def ends_in_letter(text: str) -> bool:
    """Whether the last character is a letter or digit of a script that writes spaces."""
    return _ENDS_IN_LETTER.search(text.translate(_CLASSES)) is not None


def begins_with_letter(text: str) -> bool:
    """Whether the first character is a letter or digit of a script that writes spaces."""
    return _BEGINS_WITH_LETTER.match(text.translate(_CLASSES)) is not None


def surely_stand_apart(left: str, right: str) -> bool:
    """Whether two units can be neighbours, seen at a glance: True is certain, False may be wrong."""
    return _CLASSES[ord(right[0])] == "o" and _CLASSES[ord(left[-1])] != "p"


def folded(text: str) -> str:
    """The text as far as readers tell texts apart: without capitals and invisible characters.

    >>> folded("Cafe\\u0301") == folded("caf\\u00e9")
    True
    """
    if not text.isascii():
        text = _INVISIBLE.sub("", normalise("NFC", text))
    return text.casefold()
