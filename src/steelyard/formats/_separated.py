"""Judgements between commas or tabs, read fast where no cell is in quotes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from steelyard.domain.errors import SourceError
from steelyard.domain.spreadsheet import MARKED_FORMULA
from steelyard.formats._judgement_table import JudgementTable, line_numbers
from steelyard.formats._records import column_names, columns_of, quoted_records


def read_separated(
    text: str, separator: str, where: str, *, header: Sequence[str] | None = None
) -> JudgementTable:
    """The table in a text, all cells as strings; empty lines are skipped.

    `header` names the columns of a file that does not do so itself. The apostrophe that keeps a
    spreadsheet from taking a text for a formula is taken off.
    """
    table = _read_cells(text, separator, where, header=header)
    if "'" not in text:
        return table
    unmarked = pl.all().str.replace(MARKED_FORMULA, "$1")
    return replace(table, cells=table.cells.with_columns(unmarked))


def _read_cells(text: str, separator: str, where: str, *, header: Sequence[str] | None) -> JudgementTable:
    text = text.replace("\r", "\n")
    if not text.strip():
        raise SourceError(where, ["is empty: the first line must name the columns."])
    if '"' in text:
        return _read_quoted(text, separator, where, header)
    n_empty = len(text) - len(text.lstrip("\n"))
    first, _, rest = text[n_empty:].partition("\n")
    names = header or column_names(first.split(separator), where)
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
    first_line = 1 if header else 2 + n_empty
    return JudgementTable(cells.filter(filled), line_numbers(filled.arg_true() + first_line))


def _read_quoted(text: str, separator: str, where: str, header: Sequence[str] | None) -> JudgementTable:
    """As above for cells in quotes, which may hold separators, quotes and line ends."""
    records = quoted_records(text, separator, where)
    names = header or column_names(next(records)[1], where)
    expected = "line 1 has {}" if header else "the header names {} columns"
    columns, lines = columns_of(records, len(names), where, expected=expected)
    cells = pl.DataFrame(
        [pl.Series(name, column, pl.String) for name, column in zip(names, columns, strict=True)]
    )
    return JudgementTable(cells, line_numbers(lines))
