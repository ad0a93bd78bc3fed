"""Plausible errors of a simulated worker: how many, where, how grave, and when they were marked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any
from zlib import crc32

from steelyard.domain.judgement import Span
from steelyard.protocols._ratings import HAND_SD, handling
from steelyard.protocols._span_settings import NON_TRANSLATION, SOURCE_ISSUE, SpanSettings, as_marked

if TYPE_CHECKING:
    import numpy as np

# Our choices, after the published ESA judgements of WMT24 [Kocmi2024]: 0.7 errors in a segment, about half of
# them major, something missing in every fourteenth. A text of so many words whose quality is 0 has so many.
WORST_N = 5.0
USUAL_WORDS = 20
SHARE_MISSING = 0.08
# The share of major errors at quality 0, and by how much it is lower at quality 1.
MAJOR_AT_WORST, MAJOR_DROP = 0.9, 0.6
# A low rating without an error is asked about; most then find one.
MARKS_WHEN_ASKED = 0.8
# The share of errors that another worker finds at the same place.
SHARE_ALIKE = 0.6
# Words (or characters) beyond the first that belong to an error, on average.
FURTHER_WORDS, FURTHER_CHARACTERS = 0.8, 2.5
# The chance to find damage: at quality 0, how much of it is lost up to quality 1, and at most.
FOUND_AT_WORST, FOUND_DROP, MOST_FOUND = 1.25, 0.75, 0.97
DAMAGE_MAJOR = 0.8
# Errors marked beforehand: left as they are, and of the others, changed rather than removed. Where they are,
# workers find half as many others.
ACCEPTS, CHANGES, FINDS_BESIDE = 0.75, 0.5, 0.5
# Below this quality, texts are no translations at all; the source has something wrong in every fiftieth.
NO_TRANSLATION = 0.04
SHARE_SOURCE_ISSUES = 0.02
# Half of the errors are marked within four seconds after the one before.
MEDIAN_MARK_MS = 4_000
LOG_SD_MARK = 0.6


@dataclass(frozen=True, slots=True)
class TranslationSeen:
    """One translation as a simulated worker sees it: how good it looks, and what there is to find."""

    text: str
    source: str
    quality: float
    damaged: tuple[int, int] | None
    prefilled: Sequence[Span]


def simulated_part(seen: TranslationSeen, settings: SpanSettings, rng: np.random.Generator) -> dict[str, Any]:
    """What a worker says about one translation: its errors, and its rating if one is asked for."""
    rating = round(min(max(rng.normal(100 * seen.quality, HAND_SD), 0), 100))
    spans = _errors(seen, settings, rating, rng)
    at_ms = 0
    for span in spans:
        at_ms += round(MEDIAN_MARK_MS * rng.lognormal(0.0, LOG_SD_MARK))
        span["at_ms"] = at_ms
    touched = handling(rng)
    if not settings.score:
        return {"spans": spans}
    # The line is marked after the errors.
    touched["first_touch_ms"] += at_ms
    return {"spans": spans, "rating": rating, **touched}


def _errors(
    seen: TranslationSeen, settings: SpanSettings, rating: float, rng: np.random.Generator
) -> list[dict[str, Any]]:
    most = len(seen.text) + len(settings.tokens) if settings.most is None else settings.most
    if seen.quality < NO_TRANSLATION and NON_TRANSLATION in settings.leaves and seen.text and most:
        whole = {"start": 0, "end": len(seen.text), "severity": settings.severities[-1]}
        return [{**whole, "category": NON_TRANSLATION}]
    found = _of_prefilled(seen, settings, rng)
    if seen.damaged is not None and rng.random() < min(
        FOUND_AT_WORST - FOUND_DROP * seen.quality, MOST_FOUND
    ):
        place = _whole_units(seen.damaged, marking_units(seen.text, settings.by))
        found.append({**place, **_kind(DAMAGE_MAJOR, settings, rng)})
    found += _others(seen, settings, _n_more(seen, settings, rating, len(found), rng), rng)
    if settings.source and SOURCE_ISSUE in settings.leaves and rng.random() < SHARE_SOURCE_ISSUES:
        found += _source_issue(seen, settings, rng)
    return found[:most]


def _n_more(
    seen: TranslationSeen, settings: SpanSettings, rating: float, n_found: int, rng: np.random.Generator
) -> int:
    """How many errors a worker finds beside those found already."""
    length = len(marking_units(seen.text, settings.by)) / (1 if settings.by != "character" else 2)
    expected = WORST_N * (1 - seen.quality) ** 1.5 * sqrt(length / USUAL_WORDS)
    n = max(_rounded(expected * (FINDS_BESIDE if seen.prefilled else 1), rng) - n_found, 0)
    if n or n_found:
        return n
    must = rating < settings.refuse_below
    asked = rating < settings.ask_below and rng.random() < MARKS_WHEN_ASKED
    return int(must or asked)


def _of_prefilled(
    seen: TranslationSeen, settings: SpanSettings, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """The errors marked beforehand that the worker keeps, some of them changed."""
    kept = []
    for index, span in enumerate(seen.prefilled):
        draw = rng.random()
        has_place = span.start is not None or bool(settings.tokens)
        if draw >= ACCEPTS + (1 - ACCEPTS) * CHANGES or not has_place:
            continue
        error = {**as_marked(span, settings), "prefilled": index}
        if draw >= ACCEPTS:
            others = [name for name in settings.severities if name != error["severity"]]
            error["severity"] = str(rng.choice(others)) if others else error["severity"]
        kept.append(error)
    return kept


def _others(
    seen: TranslationSeen, settings: SpanSettings, n: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """So many errors, the gravest first. Most are where others find them too: a text has its weak places."""
    from numpy.random import default_rng

    weak = default_rng(crc32(seen.text.encode("utf-8", "replace")))
    n_major = _rounded(n * (MAJOR_AT_WORST - MAJOR_DROP * seen.quality), rng)
    found = []
    for number in range(n):
        major = float(number < n_major)
        own, known = _error(seen, settings, major, rng), _error(seen, settings, major, weak)
        error = known if rng.random() < SHARE_ALIKE else own
        found += [] if error is None else [error]
    return found


def _error(
    seen: TranslationSeen, settings: SpanSettings, major: float, rng: np.random.Generator
) -> dict[str, Any] | None:
    """Any error, at any place; None if there is no place to mark."""
    units = marking_units(seen.text, settings.by)
    if settings.tokens and (not units or rng.random() < SHARE_MISSING):
        return {"token": settings.tokens[0], **_kind(major, settings, rng, is_missing=True)}
    if not units:
        return None
    further = FURTHER_CHARACTERS if settings.by == "character" else FURTHER_WORDS
    first = int(rng.integers(len(units)))
    last = min(first + int(rng.poisson(further)), len(units) - 1)
    return {"start": units[first][0], "end": units[last][1], **_kind(major, settings, rng)}


def _rounded(expected: float, rng: np.random.Generator) -> int:
    """A whole number next to the expected one, which it is on average."""
    return int(expected + rng.random())


def _source_issue(
    seen: TranslationSeen, settings: SpanSettings, rng: np.random.Generator
) -> list[dict[str, Any]]:
    units = marking_units(seen.source, settings.by)
    if not units:
        return []
    start, end = units[int(rng.integers(len(units)))]
    kind = {"severity": settings.severities[0], "category": SOURCE_ISSUE}
    return [{"start": start, "end": end, **kind, "side": "source"}]


def _kind(
    major: float, settings: SpanSettings, rng: np.random.Generator, *, is_missing: bool = False
) -> dict[str, Any]:
    """Severity and category of an error that is one of the graver half with probability `major`."""
    half = (len(settings.severities) + 1) // 2
    graver, milder = settings.severities[half:], settings.severities[:half]
    severities = graver if graver and rng.random() < major else milder
    kind = {"severity": severities[int(rng.integers(len(severities)))]}
    usual = [name for name in settings.leaves if name not in (NON_TRANSLATION, SOURCE_ISSUE)]
    if usual:
        omissions = [name for name in usual if is_missing and name.endswith("omission")]
        kind["category"] = (omissions or usual)[int(rng.integers(len(omissions or usual)))]
    return kind


def _whole_units(part: tuple[int, int], units: Sequence[tuple[int, int]]) -> dict[str, int]:
    """A part of a text, widened to whole words or characters."""
    touched = [unit for unit in units if unit[0] < part[1] and part[0] < unit[1]] or [part]
    return {"start": touched[0][0], "end": touched[-1][1]}


def marking_units(text: str, by: str) -> list[tuple[int, int]]:
    """Where words lie in a text, or characters with the marks that belong to them; in code points.

    >>> marking_units("two words", "word"), marking_units("e\\u0301 f", "character")
    ([(0, 3), (4, 9)], [(0, 2), (3, 4)])
    """
    if by != "character":
        return [match.span() for match in re.finditer(r"\S+", text)]
    starts = [k for k, letter in enumerate(text) if k == 0 or not _belongs_to_last(letter)]
    bounds = zip(starts, [*starts[1:], len(text)], strict=True)
    return [(start, end) for start, end in bounds if not text[start].isspace()]


def _belongs_to_last(letter: str) -> bool:
    return unicodedata.category(letter) in ("Mn", "Mc", "Me", "Cf", "Sk")
