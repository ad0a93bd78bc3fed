"""Campaigns that run in Appraise: HITs out as batches, scores back as judgements.

Batches are JSON: a list of {"task": {...}, "items": [...]}, one per HIT, which Appraise loads as tasks of
the type Direct (StartNewCampaign, ProcessCampaignData). From each item it takes sourceID, sourceText,
targetID, targetText, itemID and itemType, in the order of the file, and no other key; we add notes of our
own, whose names begin with an underscore like those of Appraise's scripts. The text shown as source is the
reference in a reference-based campaign (give it the campaign option `reference`, so that the page says so).

Back come targetID, itemID and itemType: the system, a whole number for the segment and a type. A
control has the number of its base, so the two pair. Items whose quality is known (gold, calibration) are
targets to Appraise and get separate numbers. NAME.key.csv beside NAME.json leads from a number back to
our segment and kind: keep it, and keep it private.

Campaigns in which errors are marked go out for the type Document (option ESA or MQM), which also takes
documentID, isCompleteDocument and mqm: the errors marked beforehand. Appraise shows items of one documentID
and targetID on one page, so that controls have documents of their own: NAME#bad, NAME#chk, NAME#ref.

Appraise counts a task as finished after 100 items, so HITs of other sizes stay open in its overview;
their scores are exported all the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.work import KNOWN_KINDS, ItemKind
from steelyard.formats._appraise_batches import read_batches
from steelyard.formats._appraise_names import ITEM_TYPES
from steelyard.formats._browser_units import browser_units, units_of_place
from steelyard.formats._key_file import places, systems_of_place, write_key
from steelyard.formats._segment_numbers import segment_numbers
from steelyard.formats.text_file import whole_file

__all__ = ["read_batches", "write_batches"]

# Appraise splits targetID at this mark: several systems gave the same text.
JOINS_SYSTEMS = "+"
_MISSING = "missing"


def write_batches(
    frame: pl.DataFrame,
    path: Path,
    *,
    source_language: str,
    target_language: str,
    reference_based: bool,
    marks_errors: bool = False,
) -> None:
    """Write the HITs of an audit table as batches, and their key as NAME.key.csv.

    `frame` is as in `upload_2016.write_upload`; its column `prefilled`, if there is one, lists the errors
    marked beforehand. Languages are written as given; Appraise's manifest must name the same ones.
    """
    hits = list(places(frame))
    every = [place for hit in hits for place in hit]
    _refuse(path, every)
    numbers = segment_numbers(_number_name(place) for place in every)
    task: dict[str, object] = {
        # Appraise asks for a seed but uses none: the order is that of the items.
        "randomSeed": 0,
        "requiredAnnotations": 1,
        "sourceLanguage": source_language,
        "targetLanguage": target_language,
    }
    batches: list[dict[str, object]] = [
        {
            "task": {"batchNo": number, **task},
            "items": [
                _item(place, numbers[_number_name(place)], reference_based)
                | (_for_marking(place) if marks_errors else {})
                for place in hit
            ],
        }
        for number, hit in enumerate(hits, start=1)
    ]
    names = {
        "batch": [number for number, hit in enumerate(hits, start=1) for _ in hit],
        "item": [numbers[_number_name(place)] for place in every],
    }
    # The batches come last: where they are, their key is.
    write_key(path, every, names)
    with whole_file(path) as partial:
        partial.write_text(json.dumps(batches, ensure_ascii=False, indent=1), "utf-8")


def _number_name(place: Mapping[str, object]) -> str | tuple[str, str]:
    """What gets its own number: a segment, or one of a kind that Appraise does not know."""
    segment, kind = str(place["segment"]), ItemKind(str(place["kind"]))
    return (kind, segment) if kind in KNOWN_KINDS else segment


def _item(place: Mapping[str, object], number: int, reference_based: bool) -> dict[str, object]:
    """One item as Appraise loads it, with our notes."""
    shown = "reference" if reference_based else "source"
    return {
        "itemID": number,
        "itemType": ITEM_TYPES[ItemKind(str(place["kind"]))],
        "sourceID": shown,
        "sourceText": place[shown] or "",
        "targetID": JOINS_SYSTEMS.join(systems_of_place(place)),
        "targetText": place["text"],
        "_kind": str(place["kind"]),
        "_segment": str(place["segment"]),
        "_document": place["document"],
        "_source": place["source"],
        "_reference": place["reference"],
    }


def _for_marking(place: Mapping[str, Any]) -> dict[str, object]:
    """What an item has beside that if errors are marked in it."""
    kind = ITEM_TYPES[ItemKind(str(place["kind"]))]
    mark = "" if kind == ITEM_TYPES[ItemKind.REGULAR] else f"#{kind.lower()}"
    return {
        "documentID": f"{place['document']}{mark}",
        "isCompleteDocument": False,
        "mqm": [_marked(span, str(place["text"])) for span in place.get("prefilled") or ()],
    }


def _marked(span: Mapping[str, Any], text: str) -> dict[str, object]:
    """An error marked beforehand in Appraise's own words: its first and last unit, or "missing" twice."""
    # The page takes white space off both ends.
    blank = len(text) - len(text.lstrip())
    units = browser_units(text.strip(), skips_line_ends=False)
    ends: tuple[object, object] = (_MISSING, _MISSING)
    if span.get("start") is not None:
        ends = units_of_place(units, span["start"] - blank, span["end"] - blank) or ends
    found: dict[str, object] = {"start_i": ends[0], "end_i": ends[1], "severity": span["severity"]}
    category = span.get("category")
    return found | ({"error_type": category.split("/")} if category else {})


def _refuse(path: Path, every: Sequence[Mapping[str, object]]) -> None:
    """SourceError if Appraise could not load these places, or not give them back."""
    problems = []
    if path.suffix != ".json":
        problems.append("batches are JSON; end the name in .json.")
    if not every:
        problems.append("there is no HIT to write.")
    names = {name for place in every for name in systems_of_place(place)}
    problems += [
        f"the system {name!r} would come back as several: Appraise splits names at {JOINS_SYSTEMS!r}. "
        "Rename the system."
        for name in sorted(names)
        if JOINS_SYSTEMS in name
    ]
    if problems:
        raise SourceError(str(path), problems)
