"""Cells between commas or tabs, and the line on which each record begins."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.formats._judgement_columns import shown
from steelyard.formats._judgement_table import JudgementTable, line_numbers

# Our choice: four columns for each item of a HIT of a thousand, few enough to read at once.
MOST_COLUMNS = 5000
# What stands between the cells of a file, by the ending of its name.
SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_separated(
    text: str, separator: str, where: str, *, header: Sequence[str] | None = None
) -> JudgementTable:
    """A .csv or .tsv file, all cells as strings; empty lines are skipped.

    `header` names the columns of a file that does not do so itself.
    """
    text = text.replace("\r", "\n")
    if not text.strip():
        raise SourceError(where, ["is empty: the first line must name the columns."])
    if '"' in text:
        return _read_quoted(text, separator, where, header)
    first, _, rest = text.partition("\n")
    names = header or _header(first.split(separator), where)
    try:
        cells = pl.read_csv(
            (text if header else rest).encode(),
            separator=separator,
            has_header=False,
            schema=dict.fromkeys(names, pl.String),
        )
    except pl.exceptions.NoDataError:
        cells = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    except pl.exceptions.PolarsError:
        # Some line has too many cells: slower, but it says which.
        return _read_quoted(text, separator, where, header)
    # Without quotes a record is a line.
    filled = cells.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    first_line = 1 if header else 2
    return JudgementTable(cells.filter(filled), line_numbers(filled.arg_true() + first_line))


def first_record(text: str, separator: str) -> list[str]:
    """The cells of the first line; none if it cannot be cut into cells."""
    line = text.partition("\n")[0].removesuffix("\r")
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def _header(names: Sequence[str], where: str) -> list[str]:
    """The names of the columns; those without one are numbered."""
    if len(names) > MOST_COLUMNS:
        problem = f"line 1 has {len(names):,} cells; a judgements file has a column for each thing it says."
        raise SourceError(where, [problem])
    header = [name.strip() or f"column {number}" for number, name in enumerate(names, start=1)]
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        raise SourceError(where, [f"line 1: the column {shown(name)!r} is there twice." for name in repeated])
    return header


def _read_quoted(text: str, separator: str, where: str, header: Sequence[str] | None) -> JudgementTable:
    """As above for cells in quotes, which may hold separators, quotes and line ends."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    expected = "line 1 has {}" if header else "the header names {} columns"
    records: list[list[str]] = []
    lines: list[int] = []
    problems: list[str] = []
    end = 0
    try:
        names = header or _header(next(reader), where)
        end = reader.line_num
        for record in reader:
            if len(record) > len(names):
                problems.append(f"line {end + 1}: {len(record):,} cells, but {expected.format(len(names))}.")
            elif record:
                records.append(record + [""] * (len(names) - len(record)))
                lines.append(end + 1)
            end = reader.line_num
    except csv.Error as error:
        problems.append(f"line {end + 1}: cannot be split into cells ({error}); look at its quotes.")
    if problems:
        raise SourceError(where, problems)
    columns = zip(*records, strict=True) if records else ([] for _ in names)
    cells = pl.DataFrame(
        [pl.Series(name, column, pl.String) for name, column in zip(names, columns, strict=True)]
    )
    return JudgementTable(cells, line_numbers(lines))
