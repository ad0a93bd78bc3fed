"""How wide text comes out, how it is wrapped, and how it is cut where there is no room."""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
# Widths in ems of DejaVu Sans, the widest font a figure is likely to meet: what fits in it fits in all.
_WIDTHS = {
    **dict.fromkeys("ijlI|.,:;!'` ", 0.34),
    **dict.fromkeys('frt()[]{}/\\-"', 0.42),
    **dict.fromkeys("mMW%@…", 0.98),
    **dict.fromkeys("w<>=+~^#&−×", 0.84),
    **dict.fromkeys("ckszvxyJ–_*", 0.60),
}
_DIGIT, _CAPITAL, _SMALL, _WIDE = 0.64, 0.73, 0.64, 1.02
BOLD = 1.12
# A line may end after these.
_PIECES = re.compile(r"[^\s\-_/.|]*(?:[\-_/.|]+|\s+|$)")


def width(text: str, size: float, *, bold: bool = False) -> float:
    """The estimated width of one line, on the safe side."""
    return sum(map(_em, text)) * size * (BOLD if bold else 1.0)


def _em(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return _WIDE
    if character.isdigit():
        return _DIGIT
    return _CAPITAL if character.isupper() else _SMALL


def shorten(text: str, size: float, room: float) -> str:
    """The text, or as much of both its ends as there is room for; names often differ in their ends."""
    if width(text, size) <= room:
        return text
    kept = len(text) - 1
    while kept > 1:
        head = (kept + 1) * 3 // 5
        tail = kept - head
        shortened = text[:head].rstrip() + ELLIPSIS + (text[-tail:].lstrip() if tail else "")
        if width(shortened, size) <= room:
            return shortened
        kept -= 1
    return text[:1] + ELLIPSIS


def wrap(text: str, size: float, room: float, *, lines: int = 3, bold: bool = False) -> tuple[str, ...]:
    """The text in at most that many lines, broken after spaces and signs, the last one cut if need be."""
    factor = BOLD if bold else 1.0
    pieces = [piece for piece in _PIECES.findall(text) if piece]
    wrapped: list[str] = []
    current = ""
    while pieces:
        piece = pieces.pop(0)
        if not current or width((current + piece).rstrip(), size) * factor <= room:
            current += piece
        elif len(wrapped) + 1 == lines:
            current += piece + "".join(pieces)
            break
        else:
            wrapped.append(current)
            current = piece
    if current.strip():
        wrapped.append(current)
    return tuple(shorten(line.strip(), size * factor, room) for line in wrapped)
