"""Records of files with separators: their cells, and the line on which each begins."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from steelyard.domain.errors import SourceError
from steelyard.formats._judgement_columns import shown

# Our choice: four columns for each item of a HIT of a thousand, few enough to read at once.
MOST_COLUMNS = 5000
# The line on which a record begins, and its cells. The first record is the header.
Record = tuple[int, list[str]]


def lines_of(text: str) -> Iterator[str]:
    """The lines with their ends, one at a time."""
    if "\r" in text:
        yield from (line[0] for line in re.finditer(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+", text))
        return
    start = 0
    while (end := text.find("\n", start) + 1) > 0:
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def plain_records(text: str) -> Iterator[Record]:
    """Records of a .tsv file whose quotation marks mean nothing; empty lines are left out."""
    for number, line in enumerate(lines_of(text), start=1):
        if cells := line.rstrip("\r\n"):
            yield number, cells.split("\t")


def quoted_records(text: str, separator: str, where: str) -> Iterator[Record]:
    """Records whose cells may be in quotes and then hold separators, quotes and line ends."""
    reader = csv.reader(lines_of(text), delimiter=separator, strict=True)
    end = 0
    try:
        for record in reader:
            if record:
                yield end + 1, record
            end = reader.line_num
    except csv.Error as error:
        problem = f"line {end + 1}: cannot be split into cells ({error}); look at its quotes."
        raise SourceError(where, [problem]) from None


def first_record(text: str, separator: str) -> list[str]:
    """The cells of the first line; none if it cannot be cut into cells."""
    line = text.partition("\n")[0].removesuffix("\r")
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def column_names(cells: Sequence[str], where: str) -> list[str]:
    """The names of the columns that a header gives; those without one are numbered."""
    if len(cells) > MOST_COLUMNS:
        raise SourceError(where, [f"line 1 has {len(cells):,} cells; it must name the columns."])
    names = [name.strip() or f"column {number}" for number, name in enumerate(cells, start=1)]
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        raise SourceError(where, [f"line 1: the column {shown(name)!r} appears twice." for name in repeated])
    return names


def columns_of(
    records: Iterable[Record], n_columns: int, where: str, *, expected: str = "the header names {} columns"
) -> tuple[list[list[str | None]], list[int]]:
    """The cells column by column, None where a record is too short, and the lines of the records.

    SourceError lists every record that is too long for what is `expected`, or cannot be split.
    """
    columns: list[list[str | None]] = [[] for _ in range(n_columns)]
    lines: list[int] = []
    problems: list[str] = []
    try:
        for line, record in records:
            if len(record) > n_columns:
                problems.append(f"line {line}: {len(record):,} cells, but {expected.format(n_columns)}.")
                continue
            lines.append(line)
            for column, cell in zip_longest(columns, record):
                column.append(cell)
    except SourceError as error:
        problems += error.problems
    if problems:
        raise SourceError(where, problems)
    return columns, lines


def is_float(text: str) -> bool:
    """Whether a cell is a number, in any of the ways that Python reads."""
    try:
        float(text)
    except ValueError:
        return False
    return True
