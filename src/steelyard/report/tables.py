"""Tables as text for a terminal and as JSON; and, from their own modules, as CSV, LaTeX and HTML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from textwrap import wrap

from steelyard.domain.exhibit import Table
from steelyard.report.characters import columns as columns_of
from steelyard.report.characters import printable
from steelyard.report.plain import records
from steelyard.report.table_cells import heading_lines, numeric, rows, whole_title
from steelyard.report.tables_csv import table_csv
from steelyard.report.tables_html import table_html
from steelyard.report.tables_latex import table_latex

__all__ = ["table_csv", "table_html", "table_json", "table_latex", "table_text"]

# Notes are wrapped here, and wider tables folded.
WIDTH = 100
_GAP = "  "
# Stars stand right behind their number.
_STARS = "*"
# A column with one of these headings belongs to the one before it, and is never parted from it. So does one
# whose heading other columns have too, as far as there is room: alone, nothing would say which one it is.
_BELONGING = (_STARS, "±", "to", "high")


def table_text(table: Table) -> str:
    """The table for a terminal: title, aligned rows, notes, signature.

    A table wider than WIDTH has its headings broken into lines, and its columns set closer; if that is not
    enough, they follow in several blocks, each of which begins with the columns that name the rows.
    """
    notes = [line for note in table.notes for line in wrap(printable(note), WIDTH)]
    lines = [printable(table.title), *(line for block in _blocks(table) for line in ("", *block))]
    lines += ["", *notes] if notes else []
    lines += ["", *map(printable, table.signature.split("\n"))] if table.signature else []
    return "\n".join(lines)


@dataclass(frozen=True)
class _Written:
    """A column as it is printed: the lines of its heading, its cells, and its side."""

    heading: list[str]
    cells: list[str]
    is_right: bool
    group: str = ""
    is_tight: bool = False

    @cached_property
    def width(self) -> int:
        return max(map(columns_of, (*self.heading, *self.cells)))

    @property
    def gap(self) -> str:
        """What stands before it, unless it is the first."""
        if self.heading == [_STARS]:
            return ""
        return " " if self.is_tight else _GAP

    def broken(self) -> _Written:
        """The same with its heading in as many lines as its cells leave room for."""
        (heading,) = self.heading
        return replace(self, heading=heading_lines(heading, self.cells))


def _blocks(table: Table) -> list[list[str]]:
    """The lines of the table, in blocks that fit a terminal where that is possible."""
    body = list(rows(table))
    written = [
        _Written([printable(whole_title(column))], [row[k] for row in body], is_right, column.group)
        for k, (column, is_right) in enumerate(zip(table.columns, numeric(table), strict=True))
    ]
    if _width(written) > WIDTH:
        written = [column.broken() for column in written]
    tight = [replace(column, is_tight=True) for column in written]
    if _width(tight) <= WIDTH < _width(written):
        written = tight
    parts = [written] if _width(written) <= WIDTH else _folded(written)
    return [_block(part, table.borders) for part in parts]


def _width(columns: Sequence[_Written]) -> int:
    return sum(column.width for column in columns) + sum(len(column.gap) for column in columns[1:])


def _folded(written: list[_Written]) -> list[list[_Written]]:
    """The columns in blocks no wider than WIDTH, each with those that name the rows; whole if that fails."""
    naming = next(
        (
            n
            for n in range(1, len(written))
            if len(set(zip(*(c.cells for c in written[:n]), strict=True))) == len(written[0].cells)
        ),
        0,
    )
    names, others = written[:naming], written[naming:]
    headings = [" ".join(column.heading).lower() for column in others]
    repeated = [heading for heading in headings if headings.count(heading) > 1]
    for belonging, by_group in (((*_BELONGING, *repeated), True), (_BELONGING, True), (_BELONGING, False)):
        groups = _grouped(others, belonging, by_group=by_group)
        if names and all(_width([*names, *group]) <= WIDTH for group in groups):
            break
    else:
        return [written]
    blocks = [[*names]]
    for group in groups:
        if _width([*blocks[-1], *group]) > WIDTH:
            blocks.append([*names])
        blocks[-1] += group
    return blocks


def _grouped(
    columns: Sequence[_Written], belonging: Sequence[str], *, by_group: bool
) -> list[list[_Written]]:
    """The columns, each together with those after it of its group, or whose headings are among these."""
    groups: list[list[_Written]] = []
    for column in columns:
        is_of_group = by_group and groups and column.group and column.group == groups[-1][-1].group
        if groups and (is_of_group or " ".join(column.heading).lower() in belonging):
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _block(columns: Sequence[_Written], borders: Sequence[int]) -> list[str]:
    height = max(len(column.heading) for column in columns)
    headings = [[""] * (height - len(column.heading)) + column.heading for column in columns]
    rule = "-" * _width(columns)
    lines = [_aligned([heading[k] for heading in headings], columns) for k in range(height)] + [rule]
    for place, cells in enumerate(zip(*(column.cells for column in columns), strict=True)):
        lines += [rule] if place in borders and place else []
        lines.append(_aligned(cells, columns))
    return lines


def _aligned(cells: Sequence[str], columns: Sequence[_Written]) -> str:
    line = ""
    for cell, column in zip(cells, columns, strict=True):
        room = " " * (column.width - columns_of(cell))
        line += column.gap if column is not columns[0] else ""
        line += room + cell if column.is_right else cell + room
    return line.rstrip()


def table_json(table: Table) -> str:
    """The table as an indented JSON document: null for what is unknown, nothing rounded."""
    document = {
        "name": table.name,
        "title": table.title,
        "rows": records(table.rows.select(column.name for column in table.columns)),
        "notes": list(table.notes),
        "signature": table.signature,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
