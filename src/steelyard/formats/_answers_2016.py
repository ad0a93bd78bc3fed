"""The answers of one HIT as the 2015 and 2016 pages sent them: one cell, joined by bars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from steelyard.formats.upload_2016 import KIND_NAMES

# A HIT has as many items as its batch names; where it names none, as many as the scripts' HITs.
USUAL_HIT_SIZE = 100
_AFTER_ITEM = r"_(?P<index>\d+)_+(?P<rating>[^_]*)$"
# 2015: index, key, rating.
_BY_KEY = re.compile(r"(?P<index>\d+)_(?P<key>[^_]+)_(?P<rating>[^_]*)")
# 2016: system, segment, kind, index, nothing, rating.
_BY_NAME = re.compile(_AFTER_ITEM)
# The leftmost match counts, so that BAD_REF is never mistaken for REF.
_KIND_AND_REST = re.compile(rf"_(?P<kind>{'|'.join(KIND_NAMES.values())}){_AFTER_ITEM}")
_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*")


class HitItem(NamedTuple):
    """An item as the batch describes it: all but the key are empty where only that is known."""

    system: str
    segment: str
    kind: str
    key: str = ""


class Answered(NamedTuple):
    """One answer: to which item, as which of the HIT (from 0), with which rating."""

    item: HitItem
    turn: int
    rating: str


class IncompleteError(Exception):
    """The worker never gave this HIT all its ratings."""


class UnreadableError(Exception):
    """Something that is not an answer; carries its number (from 1)."""

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(problem)
        self.number = number


def is_number(text: str) -> bool:
    """Whether a text is a plain decimal number."""
    return _NUMBER.fullmatch(text) is not None


def answers_of(cell: str, items: Sequence[HitItem]) -> list[Answered]:
    """The answers in a cell, each with its item of `items`, or with what it says itself if there are none.

    Raises IncompleteError if the HIT was not fully judged, UnreadableError if an answer is none.
    """
    answers = [answer for answer in cell.split("|") if answer]
    if len(answers) != (len(items) or USUAL_HIT_SIZE) or any("undefined" in answer for answer in answers):
        raise IncompleteError
    waiting: dict[str, list[HitItem]] = {}
    for item in reversed(items):
        waiting.setdefault(f"{item.system}_{item.segment}_{item.kind}", []).append(item)
    answered = []
    for number, answer in enumerate(answers, start=1):
        if match := _BY_KEY.fullmatch(answer):
            found = _by_key(match, items, number)
        elif items:
            found = _by_name(answer, waiting, number)
        else:
            found = _by_itself(answer, number)
        if not found.rating.strip():
            raise IncompleteError
        answered.append(found)
    return answered


def _by_key(match: re.Match[str], items: Sequence[HitItem], number: int) -> Answered:
    turn = int(match["index"])
    if not items:
        return Answered(HitItem("", "", "", match["key"]), turn, match["rating"])
    if turn >= len(items) or items[turn].key != match["key"]:
        raise UnreadableError(number, f"item {turn} of the HIT does not have the key {match['key']}.")
    return Answered(items[turn], turn, match["rating"])


def _by_name(answer: str, waiting: dict[str, list[HitItem]], number: int) -> Answered:
    """The answer's item among those of its HIT that wait for one. Names may hold anything."""
    rest = _BY_NAME.search(answer)
    candidates = waiting.get(answer[: rest.start()]) if rest else None
    if not rest or not candidates:
        raise UnreadableError(
            number, f"{answer!r} does not answer an item of this HIT, or answers one twice."
        )
    return Answered(candidates.pop(), int(rest["index"]), rest["rating"])


def _by_itself(answer: str, number: int) -> Answered:
    """The answer cut from the right, at the kind: a name before it may hold underscores."""
    match = _KIND_AND_REST.search(answer)
    system, _, segment = answer[: match.start()].rpartition("_") if match else ("", "", "")
    if not match or not system or not segment:
        raise UnreadableError(
            number, f"{answer!r} is neither SYSTEM_SEGMENT_KIND_INDEX__RATING nor INDEX_KEY_RATING."
        )
    return Answered(HitItem(system, segment, match["kind"]), int(match["index"]), match["rating"])
