"""Tables as text for a terminal and as JSON; and, from their own modules, as CSV, LaTeX and HTML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import wrap

from steelyard.domain.exhibit import Table
from steelyard.report.characters import columns as columns_of
from steelyard.report.characters import printable
from steelyard.report.plain import records
from steelyard.report.table_cells import numeric, rows
from steelyard.report.tables_csv import to_csv
from steelyard.report.tables_html import to_html
from steelyard.report.tables_latex import to_latex

__all__ = ["to_csv", "to_html", "to_json", "to_latex", "to_text"]

# Notes are wrapped here; tables are as wide as they are.
WIDTH = 100
_GAP = "  "


def to_text(table: Table) -> str:
    """The table for a terminal: title, aligned rows, notes, signature."""
    header = [printable(column.title) for column in table.columns]
    body = list(rows(table))
    widths = [max(map(columns_of, cells)) for cells in zip(header, *body, strict=True)]
    right = numeric(table)
    rule = "-" * (sum(widths) + len(_GAP) * max(0, len(widths) - 1))
    lines = [printable(table.title), "", _aligned(header, widths, right), rule]
    for place, row in enumerate(body):
        if place in table.borders and place:
            lines.append(rule)
        lines.append(_aligned(row, widths, right))
    notes = [line for note in table.notes for line in wrap(printable(note), WIDTH)]
    lines += ["", *notes] if notes else []
    lines += ["", *map(printable, table.signature.split("\n"))] if table.signature else []
    return "\n".join(lines)


def _aligned(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = [
        " " * (width - columns_of(cell)) + cell if is_right else cell + " " * (width - columns_of(cell))
        for cell, width, is_right in zip(cells, widths, right, strict=True)
    ]
    return _GAP.join(padded).rstrip()


def to_json(table: Table) -> str:
    """The table as an indented JSON document: null for what is unknown, nothing rounded."""
    document = {
        "name": table.name,
        "title": table.title,
        "rows": records(table.rows.select(column.name for column in table.columns)),
        "notes": list(table.notes),
        "signature": table.signature,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
