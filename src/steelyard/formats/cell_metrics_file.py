"""Metrics' corpus scores of the four cells as a table: one row for each language pair and metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from steelyard.domain.cells import CELLS, CellMetric, FourCells
from steelyard.domain.errors import SourceError
from steelyard.formats.table_file import CellTable, read_table

COLUMNS = ("pair", "metric", *CELLS)


def read_cell_metrics(path: Path) -> tuple[CellMetric, ...]:
    """The scores of a file (.csv, .tsv, .jsonl, each also .gz, or .parquet), row by row.

    Names of columns may be in any case and have hyphens; other columns are ignored. Raises SourceError
    with every problem found and its line.
    """
    where = str(path)
    if path.is_dir():
        raise SourceError(where, ["is a folder; name the file with the metrics' scores."])
    table = read_table(path)
    columns = _columns(table, where)
    table.refuse_unclear((own for own in table.columns if _our_name(own) in CELLS), where)
    found: dict[tuple[str, str], CellMetric] = {}
    problems: list[str] = []
    for row in range(len(table)):
        cells = {name: table.numeral((column[row] or "").strip()) for name, column in columns.items()}
        wrong = _problems_with(cells)
        key = (cells["pair"], cells["metric"])
        if not wrong and key in found:
            wrong = [f"{key[1]} of {key[0]} appears twice; each pair has one row for a metric."]
        problems += [f"{table.place(row)}: {problem}" for problem in wrong]
        if not wrong:
            found[key] = CellMetric(*key, values=FourCells(*(float(cells[cell]) for cell in CELLS)))
    if problems:
        raise SourceError(where, problems)
    if not found:
        raise SourceError(where, ["has no rows; give one for each pair and metric."])
    return tuple(found.values())


def _columns(table: CellTable, where: str) -> Mapping[str, Sequence[str | None]]:
    """The columns by our names; SourceError names those that are missing."""
    ours = {_our_name(name): column for name, column in table.columns.items()}
    missing = [name for name in COLUMNS if name not in ours]
    if missing:
        listed = ", ".join(table.columns) or "none"
        raise SourceError(where, [f"there is no column {name}. Columns found: {listed}." for name in missing])
    return {name: ours[name] for name in COLUMNS}


def _our_name(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def _problems_with(cells: Mapping[str, str]) -> list[str]:
    problems = [f"has no {name}." for name in ("pair", "metric") if not cells[name]]
    for cell in CELLS:
        if not cells[cell]:
            problems.append(f"has no {cell}; a gain needs all four cells.")
        elif not _is_number(cells[cell]):
            problems.append(f"{cell} is {cells[cell]!r}, which is not a number.")
    return problems


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
