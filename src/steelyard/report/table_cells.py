"""The cells of a table as people read them: rounded as its columns say, the same in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from steelyard.domain.exhibit import Column, Table
from steelyard.domain.wording import MINUS
from steelyard.report.characters import columns as columns_of
from steelyard.report.characters import printable
from steelyard.report.numbers import DASH, number, p_value, percent
from steelyard.report.plain import plain


def cell(value: Any, column: Column) -> str:
    """One cell in words; a dash for what is unknown.

    >>> cell(0.35333, Column("share", "Kept", 1, per_cent=True))
    '35.3\\xa0%'
    >>> cell(2e-9, Column("p_value", "p", 4, p_value=True))
    '<0.0001'
    """
    known = plain(value)
    if known is None:
        return DASH
    if isinstance(known, bool):
        return "yes" if known else "no"
    if isinstance(known, list):
        return ", ".join(printable(str(part)) for part in known)
    if isinstance(known, int | float):
        return _number(known, column)
    return printable(dict(column.words).get(str(known), str(known)))


def _number(value: float, column: Column) -> str:
    if column.per_cent:
        share = percent(value, column.digits or 0)
        # A heading that has the sign makes it needless in every cell.
        return share.removesuffix("\N{NO-BREAK SPACE}%") if "%" in column.title else share
    if column.digits is None:
        return (str(value) if isinstance(value, int) else f"{value:.6g}").replace("-", MINUS)
    return p_value(value, column.digits) if column.p_value else number(value, column.digits)


def rows(table: Table, *, most: int | None = None) -> Iterator[list[str]]:
    """The rows of a table in words, all or the first ones."""
    chosen = table.rows.select(column.name for column in table.columns)
    for row in (chosen if most is None else chosen.head(most)).iter_rows():
        yield [cell(value, column) for value, column in zip(row, table.columns, strict=True)]


def numeric(table: Table) -> list[bool]:
    """Which columns hold numbers, which stand to the right; words stand to the left."""
    return [table.rows[column.name].dtype.is_numeric() for column in table.columns]


def heading_lines(title: str, cells: Sequence[str]) -> list[str]:
    """The heading of a column in as many lines as keep it no wider than its cells, or its longest word.

    >>> heading_lines("Mean rating", ["71.2", "–"])
    ['Mean', 'rating']
    """
    room = max(map(columns_of, ("", *title.split(), *cells)))
    return wrap(title, room, break_long_words=False) or [""]


def groups(table: Table) -> list[tuple[str, int]]:
    """The headings over neighbouring columns, each with how many it spans; empty if no column has one."""
    if not any(column.group for column in table.columns):
        return []
    return [
        (group, len(list(members)))
        for group, members in groupby(table.columns, key=lambda column: column.group)
    ]


def whole_title(column: Column) -> str:
    """The heading of a column where nothing stands over it."""
    return f"{column.group}: {column.title}" if column.group else column.title
