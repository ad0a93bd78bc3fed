"""Small tables that a campaign file names: their cells, and the translations that they may speak of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from steelyard.domain.errors import SourceError
from steelyard.domain.judgement import SpanSide
from steelyard.domain.wording import listed
from steelyard.formats.campaign_texts import TextsOfFiles
from steelyard.formats.table_file import CellTable, read_table


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """Which systems, segments and translations there are."""

    texts: TextsOfFiles
    numbers: dict[str, int]

    @classmethod
    def of(cls, texts: TextsOfFiles) -> KnownTexts:
        return cls(texts, {segment.segment_id: number for number, segment in enumerate(texts.segments)})

    def problem_with(self, system: str, segment: str) -> str | None:
        """Why there is no such translation, if so."""
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

    def text(self, system: str, segment: str, side: SpanSide) -> str | None:
        """A translation that there is, or its source."""
        number = self.numbers[segment]
        if side == "source":
            return self.texts.segments[number].source
        return self.texts.translations[system][number]


class NamedCells:
    """The cells of a small table by our names for its columns; notes problems by row."""

    def __init__(self, table: CellTable, columns: dict[str, str], where: str) -> None:
        self.table = table
        self._columns = columns
        self._where = where
        self._problems: list[tuple[int, str]] = []

    @classmethod
    def of(cls, path: Path, *, required: Sequence[str]) -> NamedCells:
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
            (columns[name] for name in ("rating", "score", "sd", "start", "end") if name in columns),
            str(path),
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
