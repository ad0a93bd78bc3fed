"""Text from anywhere, made fit to be written: no control characters, and none that turn the others."""

from __future__ import annotations

import re
import unicodedata

_WHITE = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
# What XML 1.0 forbids, what would make a terminal do things, and what turns the order of the letters
# around it: a name that reads as another, or that drags its neighbours along.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """The text on one line, with a sign in place of each character that cannot be printed.

    >>> printable("two\\nlines and a \\x1b[31mcolour")
    'two lines and a �[31mcolour'
    >>> printable("\\u202eBA")
    '�BA'
    """
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", _WHITE.sub(" ", text))


def columns(text: str) -> int:
    """How many columns of a terminal the text takes: two for wide characters, none for combining marks."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
