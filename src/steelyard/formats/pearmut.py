"""Campaigns that run in Pearmut: HITs out as a campaign file, its log back as judgements.

A HIT is a task, items of one document that follow each other are a document there. Pearmut stores every key
of an item in its log and looks at those it knows; ours begin with an underscore and lead back to HIT, item,
segment, systems and kinds, so that the log needs no key file. The page's source shows all of them to whoever
looks for it, as it does the names of the models.

A degraded translation beside others brings the silent rule that these score higher; where the damaged part is
known, the silent rule that some mark overlaps it. The organisers' page in Pearmut then counts who did not see
it; we ask the checks of `qc`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.text import changed_part
from steelyard.domain.work import ItemKind
from steelyard.formats._browser_units import browser_units, units_of_place
from steelyard.formats._key_file import places, systems_of_place
from steelyard.formats._pearmut_texts import read_pearmut_texts
from steelyard.formats.text_file import whole_file

__all__ = ["PearmutSettings", "read_pearmut_texts", "write_pearmut"]

_Place = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PearmutSettings:
    """What a campaign of ours is in Pearmut; `spans` as the campaign recorded them, None without marks."""

    name: str
    protocol: Literal["DA", "ESA", "cESA", "MQM"]
    shuffles: bool = False
    shows: tuple[str, ...] = ("source",)
    spans: Mapping[str, Any] | None = None

    def info(self) -> dict[str, object]:
        """The settings in Pearmut's own words."""
        info: dict[str, object] = {
            "assignment": "task-based",
            "protocol": self.protocol,
            "shuffle": self.shuffles,
        }
        if self.spans is None:
            return info
        info |= self.marks() | {"word_level": self.spans["by"] == "word"}
        if self.protocol == "MQM":
            info["mqm_categories"] = self.spans["categories"]
            if not self.spans["score"]:
                info["sliders"] = []
        return info

    def marks(self) -> dict[str, object]:
        """What a reader of the log must know of marks."""
        spans = self.spans or {}
        return {
            "special_tokens": list(spans["tokens"]),
            "mqm_severities": [name.capitalize() for name in spans["severities"]],
        }


def write_pearmut(frame: pl.DataFrame, path: Path, settings: PearmutSettings) -> None:
    """Write the HITs of an audit table as a campaign file. `frame` is as in `upload_2016.write_upload`.

    Items with several translations have a row for each. `prefilled`, if there is such a column, lists the
    errors marked beforehand: start, end, severity and category.
    """
    hits = list(places(frame))
    _refuse(path, hits, settings)
    content = {
        "campaign_id": settings.name,
        "info": settings.info(),
        "data": [list(_documents(hit, settings)) for hit in hits],
    }
    with whole_file(path) as partial:
        partial.write_text(json.dumps(content, ensure_ascii=False, indent=1), "utf-8")


def _refuse(path: Path, hits: Sequence[Sequence[_Place]], settings: PearmutSettings) -> None:
    problems = []
    if path.suffix != ".json":
        problems.append("a campaign of Pearmut is JSON; end the name in .json.")
    if not hits:
        problems.append("there is no HIT to write.")
    names = [] if settings.spans is None else settings.spans["severities"]
    problems += [
        f"the severity {name!r} would come back as {name.lower()!r}: Pearmut writes them in lower case. "
        "Rename it."
        for name in names
        if name != name.lower()
    ]
    if problems:
        raise SourceError(str(path), problems)


def _documents(hit: Sequence[_Place], settings: PearmutSettings) -> Iterator[list[dict[str, object]]]:
    """The items of a HIT, those of one document and the same models together."""
    ordered = sorted(hit, key=lambda place: (place["position"], place.get("place") or 1))
    texts = {(place["position"], place.get("place") or 1): str(place["text"]) for place in ordered}
    document: list[dict[str, object]] = []
    before: object = None
    for _, rows in groupby(ordered, key=lambda place: place["position"]):
        together = list(rows)
        item = _item(together, texts, settings)
        belongs_to = (together[0]["document"], tuple(item["tgt"]), tuple(item["_kinds"].values()))
        is_known = item["_segment"] in {each["_segment"] for each in document}
        if document and (belongs_to != before or is_known):
            yield document
            document = []
        document.append(item)
        before = belongs_to
    if document:
        yield document


def _item(
    rows: Sequence[_Place], texts: Mapping[tuple[int, int], str], settings: PearmutSettings
) -> dict[str, Any]:
    """One item as Pearmut loads it, with our keys."""
    models = _models(rows)
    first = rows[0]
    by_model = dict(zip(models, rows, strict=True))
    injected = {model: place for model, row in by_model.items() if (place := _damage(row, texts))}
    item: dict[str, Any] = {"item_id": str(first["segment"])}
    if "source" in settings.shows:
        item["src"] = first["source"]
    if "reference" in settings.shows:
        item["ref"] = first["reference"]
    item["tgt"] = {model: row["text"] for model, row in by_model.items()}
    if prefilled := {model: _marks(row) for model, row in by_model.items() if row.get("prefilled")}:
        item["error_spans"] = prefilled
    if rules := _rules(by_model, injected, settings):
        item["validation"] = rules
    item |= {
        "_hit": first["hit"],
        "_position": first["position"],
        "_item": first["item_id"],
        "_segment": str(first["segment"]),
        "_document": first["document"],
        "_systems": {model: systems_of_place(row) for model, row in by_model.items()},
        "_kinds": {model: str(row["kind"]) for model, row in by_model.items()},
    }
    known = {model: [row["known"], row["known_sd"]] for model, row in by_model.items() if _is_known(row)}
    item |= {"_injected": {model: list(place) for model, place in injected.items()}} if injected else {}
    item |= {"_known": known} if known else {}
    return item | ({} if settings.spans is None else {"_spans": settings.marks()})


def _is_known(row: _Place) -> bool:
    return row.get("known") is not None


def _models(rows: Sequence[_Place]) -> list[str]:
    """A name for each translation: its system's, with a number where a system has several in one item."""
    names: list[str] = []
    for row in rows:
        name, number = str(row["system"]), 1
        while name in names:
            number += 1
            name = f"{row['system']} {number}"
        names.append(name)
    return names


def _damage(row: _Place, texts: Mapping[tuple[int, int], str]) -> tuple[int, int] | None:
    """Where a degraded translation differs from its base in the same HIT, half open and in characters."""
    if row["kind"] != ItemKind.DEGRADED or row.get("base_position") is None:
        return None
    base = texts.get((row["base_position"], row.get("place") or 1))
    return None if base is None else changed_part(base, str(row["text"]))


def _rules(
    by_model: Mapping[str, _Place], injected: Mapping[str, tuple[int, int]], settings: PearmutSettings
) -> dict[str, list[dict[str, object]]]:
    """Silent rules: what is regular scores higher than what is degraded, and marks meet the damage."""
    rules: dict[str, list[dict[str, object]]] = {}
    degraded = [model for model, row in by_model.items() if row["kind"] == ItemKind.DEGRADED]
    for model, row in by_model.items():
        if row["kind"] == ItemKind.REGULAR:
            rules[model] = [{"score_greaterthan": other} for other in degraded]
        elif model in injected and settings.spans is not None:
            units = browser_units(str(row["text"]), skips_line_ends=True)
            if found := units_of_place(units, *injected[model]):
                first, last = found
                met = {"start_i": [0, last], "end_i": [first, len(units) - 1]}
                rules[model] = [{"error_spans": [met]}]
    return {model: found for model, found in rules.items() if found}


def _marks(row: _Place) -> list[dict[str, object]]:
    """Errors marked beforehand in Pearmut's own words; what has no place there is left out."""
    units = browser_units(str(row["text"]), skips_line_ends=True)
    found = []
    for span in row["prefilled"]:
        start, end = span.get("start"), span.get("end")
        ends = (len(units), len(units)) if start is None else units_of_place(units, start, end)
        if ends is not None and span.get("side", "target") == "target":
            named = {"severity": span["severity"], "category": span.get("category")}
            found.append({"start_i": ends[0], "end_i": ends[1], **named})
    return found
