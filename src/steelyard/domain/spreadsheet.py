"""Cells of spreadsheets: a text that begins like a formula would be run, so it is marked, and unmarked."""

from __future__ import annotations

import re

# What a spreadsheet takes for a formula; apostrophes in front of it are ours, or the text's own.
BEGINS_FORMULA = r"^('*[=+\-@\t\r\n])"
MARKED_FORMULA = r"^'('*[=+\-@\t\r\n])"


def as_cell(text: str) -> str:
    """A text as a cell of a spreadsheet, with an apostrophe where it would be taken for a formula.

    >>> as_cell("=1+1"), as_cell("Ana"), as_cell("'=1+1")
    ("'=1+1", 'Ana', "''=1+1")
    """
    return re.sub(BEGINS_FORMULA, r"'\1", text)


def from_cell(cell: str) -> str:
    """The text that `as_cell` made the cell of.

    >>> from_cell("'=1+1"), from_cell("'tis"), from_cell("''=1+1")
    ('=1+1', "'tis", "'=1+1")
    """
    return re.sub(MARKED_FORMULA, r"\1", cell)
