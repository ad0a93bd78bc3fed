"""Errors that were marked in Pearmut, in one translation.

`start_i` and `end_i` name the first and the last marked unit of the text (see `_browser_units`), line ends
not counted. After the text follow the campaign's special tokens, each of which has a place; the first,
"[missing]" unless the campaign says otherwise, means that something is missing. `severity` is a word in lower
case, null where it was never chosen. `category` is "Main/Sub", or "Main/Main" where it has none below it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from steelyard.domain.judgement import SpanOrigin
from steelyard.domain.span_weights import SEVERITIES
from steelyard.formats._browser_units import browser_units, place_of_units
from steelyard.formats._judgement_columns import shown

MISSING = "[missing]"
# What begins so is shown as it is, so nothing in it can be marked.
MEDIA = ("<audio ", "<video ", "<img ", "<iframe ")
UNDECIDED = "undecided"


class PearmutCampaign(NamedTuple):
    """What a campaign says of its marks; without its file `names_tokens` is False."""

    tokens: tuple[str, ...] = (MISSING,)
    severities: tuple[str, ...] = SEVERITIES
    names_tokens: bool = False


class PearmutMark(NamedTuple):
    """A marked error, half open and in characters; without ends something is missing, or a token says what.

    `key` is what the log calls the place, `is_widened` whether it cut a character in two.
    """

    start: int | None
    end: int | None
    severity: str
    category: str | None
    key: tuple[int, int]
    is_widened: bool = False


class MarksRead(NamedTuple):
    """The errors marked in a translation, and what is wrong with those that cannot be read."""

    found: tuple[PearmutMark, ...]
    problems: tuple[str, ...]


_NO_MARKS = MarksRead((), ())


def read_pearmut_marks(given: object, text: str, campaign: PearmutCampaign) -> MarksRead:
    """The errors of a list, in the text they were marked in."""
    if given is None or given == []:
        return _NO_MARKS
    if not isinstance(given, list):
        return MarksRead((), (f"error_spans {shown(json.dumps(given))} is not a list",))
    if given and text.startswith(MEDIA):
        return MarksRead((), ("errors are marked in what is not a text",))
    units = browser_units(text, skips_line_ends=True)
    found, problems = [], []
    for mark in given:
        try:
            found.append(_mark(mark, units, campaign))
        except ValueError as error:
            problems.append(str(error))
    return MarksRead(tuple(found), tuple(problems))


def origins_of(
    marks: Sequence[PearmutMark], prefilled: Sequence[PearmutMark]
) -> tuple[list[SpanOrigin | None], int]:
    """Of each error what became of one marked beforehand; and how many of these were removed.

    In Pearmut the place of a mark cannot be changed, only what is said of it.
    """
    if not prefilled:
        return [None] * len(marks), 0
    before = {mark.key: mark for mark in prefilled}
    kept = {mark.key for mark in marks} & set(before)

    def origin(mark: PearmutMark) -> SpanOrigin | None:
        if mark.key not in before:
            return None
        return "accepted" if mark[:4] == before[mark.key][:4] else "changed"

    return [origin(mark) for mark in marks], len(before) - len(kept)


def _mark(mark: object, units: Sequence[int], campaign: PearmutCampaign) -> PearmutMark:
    if not isinstance(mark, dict):
        raise ValueError(f"a marked error is not an object: {shown(json.dumps(mark))}")
    severity, category = _severity(mark.get("severity"), campaign), _category(mark.get("category"))
    first, last = mark.get("start_i"), mark.get("end_i")
    if type(first) is not int or type(last) is not int or min(first, last) < 0:
        given = f"start_i {shown(json.dumps(first))} and end_i {shown(json.dumps(last))}"
        raise ValueError(f"{given} must be two whole numbers from 0 on")
    if last < first:
        raise ValueError(f"a marked error ends before it starts (start_i {first}, end_i {last})")
    if last < len(units) and isinstance(units, range):
        return PearmutMark(first, last + 1, severity, category, (first, last))
    if last < len(units):
        place = place_of_units(units, first, last)
        return PearmutMark(place.start, place.end, severity, category, (first, last), place.is_widened)
    if first < len(units):
        raise ValueError(_too_long(first, last, len(units)))
    token = first - len(units)
    if first != last or token >= len(campaign.tokens):
        raise ValueError(_beyond(first, last, len(units), campaign))
    if token > 0:
        category = campaign.tokens[token]
    return PearmutMark(None, None, severity, category, (first, last))


def _too_long(first: int, last: int, n_units: int) -> str:
    said = f"a marked error goes from {first} to {last}, but the last character of the text is {n_units - 1}"
    if last == n_units:
        said += "; end_i names the last character marked, and this looks like the one after it"
    return said


def _beyond(first: int, last: int, n_units: int, campaign: PearmutCampaign) -> str:
    said = (
        f"a marked error goes from {first} to {last}, but the text has {n_units} characters, followed by "
        f"{' and '.join(campaign.tokens) or 'nothing'}"
    )
    if not campaign.names_tokens:
        said += "; if there were other special tokens, put the campaign file beside the log, NAME.json"
    return said


def _severity(given: object, campaign: PearmutCampaign) -> str:
    if given is None:
        return UNDECIDED
    if given in campaign.severities:
        return str(given)
    word = given.strip().lower() if isinstance(given, str) else None
    if word not in campaign.severities:
        known = ", ".join(campaign.severities)
        raise ValueError(f"severity {shown(json.dumps(given))} is unknown; use one of {known}")
    return word


def _category(given: object) -> str | None:
    if given is None or given == "":
        return None
    if not isinstance(given, str):
        raise ValueError(f"category {shown(json.dumps(given))} is not a name")
    main, _, sub = given.partition("/")
    return main if main == sub else given


def campaign_marks(info: Mapping[str, Any]) -> PearmutCampaign:
    """What the `info` of a campaign file says of its marks."""
    tokens, severities = info.get("special_tokens", [MISSING]), info.get("mqm_severities", [])
    names = [name for name in severities if isinstance(name, str)] if isinstance(severities, list) else []
    known = tuple(dict.fromkeys([*SEVERITIES, *(name.strip().lower() for name in names)]))
    return PearmutCampaign(tuple(map(str, tokens)) if isinstance(tokens, list) else (), known, True)
