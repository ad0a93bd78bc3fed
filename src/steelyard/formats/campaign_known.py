"""Texts of known quality: an expert's gold ratings, and texts that an earlier campaign has scored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.scale import Scale
from steelyard.domain.text import CalibrationText
from steelyard.domain.wording import counted, listed
from steelyard.formats.campaign_texts import TextsOfFiles
from steelyard.formats.table_file import CellTable, read_table

# Fewer, and how reliable a worker is on them says little [Mathur2018].
MIN_CALIBRATION_TEXTS = 20

Gold = dict[tuple[str, str], float]


def read_gold(path: Path, *, scale: Scale | None, texts: TextsOfFiles | None) -> Gold:
    """An expert's ratings by system and segment; SourceError lists what is wrong, line by line.

    The scale or the texts may be unknown because of other problems; then less is checked.
    """
    cells = _Cells.of(path, required=("system", "segment", "rating"))
    known = _Known.of(texts) if texts is not None else None
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
    cells = _Cells.of(path, required=("id", "text", "score", *(role for role in roles if role != "text")))
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


@dataclass(frozen=True, slots=True)
class _Known:
    """Which systems, segments and translations there are."""

    texts: TextsOfFiles
    numbers: dict[str, int]

    @classmethod
    def of(cls, texts: TextsOfFiles) -> _Known:
        return cls(texts, {segment.segment_id: number for number, segment in enumerate(texts.segments)})

    def problem_with(self, system: str, segment: str) -> str | None:
        """Why a translation cannot be gold, if so."""
        systems = list(self.texts.translations)
        if system not in systems:
            close = get_close_matches(system, systems, n=1)
            hint = f'did you mean "{close[0]}"?' if close else f"choose from: {listed(systems)}."
            return f'the system "{system}" does not take part; {hint}'
        number = self.numbers.get(segment)
        if number is None:
            first, last = self.texts.segments[0].segment_id, self.texts.segments[-1].segment_id
            return f'the segment "{segment}" is not in the texts, whose segments are {first} to {last}.'
        if self.texts.translations[system][number] is None:
            return f'"{system}" has no translation of segment {segment}.'
        return None


class _Cells:
    """The cells of a small table by our names for its columns; notes problems by row."""

    def __init__(self, table: CellTable, columns: dict[str, str], where: str) -> None:
        self.table = table
        self._columns = columns
        self._where = where
        self._problems: list[tuple[int, str]] = []

    @classmethod
    def of(cls, path: Path, *, required: Sequence[str]) -> _Cells:
        """The cells of a file; SourceError if it lacks a column."""
        table = read_table(path)
        columns = {name.lower(): name for name in table.columns}
        missing = [name for name in required if name not in columns]
        if missing:
            problem = (
                f"lacks the column {' and the column '.join(missing)}; it has: {listed(list(table.columns))}."
            )
            raise SourceError(str(path), [problem])
        table.refuse_unclear(
            (columns[name] for name in ("rating", "score", "sd") if name in columns), str(path)
        )
        return cls(table, columns, str(path))

    def _column(self, name: str) -> Sequence[str | None]:
        return self.table.columns[self._columns[name]] if name in self._columns else [None] * len(self.table)

    def names(self, name: str) -> list[str]:
        """A column of names, without space around them."""
        return [(cell or "").strip() for cell in self._column(name)]

    def has(self, name: str, row: int) -> bool:
        return bool(name in self._columns and (self._column(name)[row] or "").strip())

    def text(self, name: str, row: int) -> str:
        return (self._column(name)[row] or "") if name in self._columns else ""

    def number(self, name: str, row: int) -> float | None:
        """A cell as a finite number, or None with the problem noted."""
        cell = self.text(name, row).strip()
        try:
            number = float(self.table.numeral(cell))
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        self.refuse(row, f"the {name} {cell} is not a number." if cell else f"has no {name}.")
        return None

    def refuse(self, row: int, problem: str) -> None:
        """Note what is wrong in a row."""
        self._problems.append((row, problem))

    def stop_if_problems(self) -> None:
        """Raise what was noted."""
        if self._problems:
            problems = [f"{self.table.place(row)}: {problem}" for row, problem in self._problems]
            raise SourceError(self._where, problems)
