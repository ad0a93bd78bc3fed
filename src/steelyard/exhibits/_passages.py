"""Texts with the marks of several workers, cut into pieces that are marked alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from steelyard.domain.errors import NotEnoughData
from steelyard.domain.exhibit import Evidence, Lane, Passage, Tone
from steelyard.domain.work import SCORED_KINDS
from steelyard.exhibits._spans import SEVERITY_TONES
from steelyard.span_ratings import judged_translations
from steelyard.stats.arrays import FloatArray

# Names of scripts in which lines may break between letters, as their characters' names begin.
_UNSPACED = ("THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ")
_OTHER_TONE: Tone = "unsure"
KEYS = ("system_id", "segment_id")


class Placed(NamedTuple):
    """One mark with a place in a text."""

    start: int
    end: int
    severity: str


class Reading(NamedTuple):
    """One worker's judgement of a text: marks with a place, and how many have none."""

    worker: str
    marks: tuple[Placed, ...]
    n_elsewhere: int


def target_texts(source: Evidence) -> dict[tuple[str, str], str]:
    """The translations by system and segment; NotEnoughData where none is known."""
    kinds = [str(kind) for kind in SCORED_KINDS]
    texts = source.texts
    if texts is None or texts.is_empty():
        raise NotEnoughData("The texts are not known, so marks cannot be shown in them.")
    rows = texts.filter(pl.col("side") == "target", pl.col("item_kind").is_in(kinds))
    return {(system, segment): text for system, segment, text in rows.select(*KEYS, "text").iter_rows()}


def readings_of(spans: pl.DataFrame, *, length: int) -> list[Reading]:
    """What each worker marked in one translation, by name; of several judgements the first."""
    judged = judged_translations(spans).unique("worker_id", keep="first", maintain_order=True)
    found = []
    for row in judged.sort("worker_id").iter_rows(named=True):
        ends = zip(row["starts"], row["ends"], row["severities"], row["sides"], strict=True)
        marks = tuple(
            Placed(start, min(end, length), severity)
            for start, end, severity, side in ends
            if side == "target" and start is not None and start < length
        )
        found.append(Reading(str(row["worker_id"]), marks, len(row["starts"]) - len(marks)))
    return found


def heat_of(readings: Iterable[Reading], length: int) -> FloatArray:
    """The share of workers who marked each character. Shape (length,)."""
    shares = []
    for reading in readings:
        marked = np.zeros(length)
        for mark in reading.marks:
            marked[mark.start : mark.end] = 1.0
        shares.append(marked)
    heat: FloatArray = np.mean(shares, axis=0) if shares else np.zeros(length)
    return heat


def passage_of_readings(text: str, readings: list[Reading], *, with_lanes: bool) -> Passage:
    """The text with its heat, and with a lane for each worker if wanted."""
    bounds = {end for reading in readings for mark in reading.marks for end in (mark.start, mark.end)}
    cuts = sorted({0, len(text), *bounds, *_breaks(text)})
    heat = heat_of(readings, len(text))
    at = {cut: place for place, cut in enumerate(cuts)}
    lanes = [
        Lane(
            reading.worker + (f" (+{reading.n_elsewhere})" if reading.n_elsewhere else ""),
            tuple((at[mark.start], at[mark.end], _tone(mark.severity)) for mark in reading.marks),
        )
        for reading in readings
    ]
    present = {mark.severity for reading in readings for mark in reading.marks}
    keys = [kind for kind in SEVERITY_TONES if kind in present]
    keys += sorted(present - set(keys))
    return Passage(
        pieces=tuple(text[start:end] for start, end in pairwise(cuts)),
        heat=tuple(float(heat[start]) for start in cuts[:-1]),
        lanes=tuple(lanes) if with_lanes else (),
        keys=tuple((kind, _tone(kind)) for kind in keys) if with_lanes else (),
        right_to_left=_is_right_to_left(text),
    )


def _tone(severity: str) -> Tone:
    return SEVERITY_TONES.get(severity, _OTHER_TONE)


def _breaks(text: str) -> list[int]:
    """Where a line may break: around white space, and between letters of scripts without spaces."""
    found = []
    for place in range(1, len(text)):
        before, after = text[place - 1], text[place]
        is_between = _is_unspaced(before) or _is_unspaced(after)
        # Marks and joiners belong to the letter before them.
        is_between = is_between and unicodedata.category(after)[0] not in "MC"
        if is_between or before.isspace() != after.isspace() or before == "\n":
            found.append(place)
    return found


def _is_unspaced(character: str) -> bool:
    wide = unicodedata.east_asian_width(character) in "WF"
    return wide or unicodedata.name(character, "").startswith(_UNSPACED)


def _is_right_to_left(text: str) -> bool:
    first = next((kind for kind in map(unicodedata.bidirectional, text) if kind in ("L", "R", "AL")), "L")
    return first != "L"
