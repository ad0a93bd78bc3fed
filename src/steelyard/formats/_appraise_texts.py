"""Texts in which errors were marked in Appraise, where our batches lie beside the export.

An export has places but no texts. Appraise counts places in the units of a JavaScript string, from the first
character that is no white space; see `_browser_units`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.wording import Note, counted
from steelyard.formats._browser_units import browser_units, place_of_units
from steelyard.formats._key_file import ENDING, Key
from steelyard.formats.text_file import read_text

_PLACE = ("batch", "item", "system", "type")
_Places = Callable[[Sequence[int]], list[str]]


def texts_of_rows(rows: pl.DataFrame, folder: Path | None, key: Key | None) -> pl.Series | None:
    """The text that each row of an export is about, null where it is not certain; None without batches.

    The batches are those that were written with the key: NAME.json for NAME.key.csv.
    """
    if key is None or folder is None:
        return None
    batches = folder / f"{key.name.removesuffix(ENDING)}.json"
    if not batches.is_file():
        return None
    try:
        found = pl.DataFrame(_texts(json.loads(read_text(batches))), schema=[*_PLACE, "text"], orient="row")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SourceError(str(batches), ["is not what was written with the key; export it again."]) from None
    # Without batches in the export a text is certain only if it is the same in all of them.
    place = [name for name in _PLACE if name != "batch" or not rows["batch"].null_count()]
    texts = found.group_by(place).agg(
        pl.when(pl.col("text").n_unique() == 1).then(pl.col("text").first()).alias("text")
    )
    return rows.select(place).join(texts, on=place, how="left", maintain_order="left")["text"]


def _texts(batches: Any) -> list[tuple[str, str, str, str, str]]:
    return [
        (str(batch["task"]["batchNo"]), str(item["itemID"]), system, item["itemType"], item["targetText"])
        for batch in batches
        for item in batch["items"]
        for system in item["targetID"].split("+")
    ]


def in_characters(
    spans: pl.DataFrame, texts: pl.Series, where: str, places: _Places
) -> tuple[pl.DataFrame, list[str]]:
    """Spans with places in characters of their texts, which become a column; and what to know about it.

    `spans` have places in units, half open, and the `row` whose text of `texts` they are in. SourceError
    lists every span that lies outside its text.
    """
    spans = spans.with_columns(text=texts.gather(spans["row"]))
    starts, ends = spans["start"].to_list(), spans["end"].to_list()
    problems: list[tuple[int, str]] = []
    n_widened = n_with_line_ends = 0
    for number, (row, text) in enumerate(spans.select("row", "text").iter_rows()):
        first, after = starts[number], ends[number]
        if text is None or first is None:
            continue
        blank = len(text) - len(text.lstrip())
        units = browser_units(text.strip(), skips_line_ends=False)
        if after > len(units):
            said = f"a marked error goes from {first} to {after - 1}, but the last character of the text is "
            problems.append((row, f"{said}{len(units) - 1}"))
            continue
        part = place_of_units(units, first, after - 1)
        starts[number], ends[number] = part.start + blank, part.end + blank
        n_widened += part.is_widened
        n_with_line_ends += "\n" in text.strip()
    if problems:
        at = places([row for row, _ in problems])
        raise SourceError(where, [f"{place}: {said}." for place, (_, said) in zip(at, problems, strict=True)])
    found = spans.with_columns(
        pl.Series("start", starts, pl.Int64()),
        pl.Series("end", ends, pl.Int64()),
    )
    return found, _notes(n_widened, n_with_line_ends)


def _notes(n_widened: int, n_with_line_ends: int) -> list[str]:
    notes: list[str] = []
    if n_widened:
        said = "began or ended within a character that the page shows in two halves: the whole was taken."
        notes.append(Note(f"{counted(n_widened, 'marked error')} {said}"))
    if n_with_line_ends:
        notes.append(
            f"{counted(n_with_line_ends, 'marked error')} in texts with line ends: versions of Appraise "
            "differ in whether these have a place. They were taken to have one, as in 2024; look at some."
        )
    return notes
