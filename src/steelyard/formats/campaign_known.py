"""Texts of known quality: an expert's gold ratings, and texts that an earlier campaign has scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.domain.text import CalibrationText
from steelyard.domain.wording import counted
from steelyard.formats._named_cells import KnownTexts, NamedCells
from steelyard.formats.campaign_texts import TextsOfFiles

# Fewer, and how reliable a worker is on them says little [Mathur2018].
MIN_CALIBRATION_TEXTS = 20

Gold = dict[tuple[str, str], float]


def read_gold(path: Path, *, scale: Scale | None, texts: TextsOfFiles | None) -> Gold:
    """An expert's ratings by system and segment; SourceError lists what is wrong, line by line.

    The scale or the texts may be unknown because of other problems; then less is checked.
    """
    cells = NamedCells.of(path, required=("system", "segment", "rating"))
    known = KnownTexts.of(texts) if texts is not None else None
    gold: Gold = {}
    lines: dict[tuple[str, str], int] = {}
    for row, (system, segment) in enumerate(zip(cells.names("system"), cells.names("segment"), strict=True)):
        rating = cells.number("rating", row)
        if rating is not None and scale is not None and not scale.minimum <= rating <= scale.maximum:
            limits = f"{scale.minimum:g} to {scale.maximum:g}"
            cells.refuse(row, f"the rating {rating:g} is outside the scale {limits} of the protocol.")
        if not system or not segment:
            cells.refuse(row, f"has no {'system' if not system else 'segment'}.")
            continue
        if known is not None and (problem := known.problem_with(system, segment)):
            cells.refuse(row, problem)
        first = lines.setdefault((system, segment), row)
        if first != row:
            again = f'"{system}" and segment {segment} have their rating in {cells.table.place(first)} too.'
            cells.refuse(row, again)
        elif rating is not None:
            gold[system, segment] = rating
    cells.stop_if_problems()
    if not gold:
        raise SourceError(str(path), ["has no ratings; add some, or remove the table [gold]."])
    return gold


def read_calibration(path: Path, *, roles: Sequence[str]) -> tuple[CalibrationText, ...]:
    """Texts with their scores; `roles` are those texts that workers see, such as the reference.

    SourceError lists what is wrong, line by line.
    """
    cells = NamedCells.of(path, required=("id", "text", "score", *(role for role in roles if role != "text")))
    found: list[CalibrationText] = []
    lines: dict[str, int] = {}
    for row, calibration_id in enumerate(cells.names("id")):
        score = cells.number("score", row)
        sd = cells.number("sd", row) if cells.has("sd", row) else 0.0
        if sd is not None and sd < 0:
            cells.refuse(row, f"the sd {sd:g} is negative.")
        if not calibration_id:
            cells.refuse(row, "has no id.")
        elif lines.setdefault(calibration_id, row) != row:
            cells.refuse(
                row, f"the id {calibration_id} is in {cells.table.place(lines[calibration_id])} too."
            )
        text, reference, source = (cells.text(name, row) for name in ("text", "reference", "source"))
        for name, value in (("text", text), ("reference", reference), ("source", source)):
            if not value.strip() and (name == "text" or name in roles):
                cells.refuse(row, f"has no {name}, which workers see.")
        if score is not None and sd is not None:
            found.append(CalibrationText(calibration_id, text, reference, source, score, sd))
    cells.stop_if_problems()
    if len(found) < MIN_CALIBRATION_TEXTS:
        problem = (
            f"has {counted(len(found), 'text')}, but workers are measured on {MIN_CALIBRATION_TEXTS} or more."
        )
        raise SourceError(str(path), [f"{problem} Add texts that an earlier campaign has scored."])
    return tuple(found)
