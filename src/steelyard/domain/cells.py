"""The four cells of a comparison of years: two test sets, each with its best and with a present system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from steelyard.domain.wording import joined

Cell = Literal["curr_old", "curr_new", "best_old", "best_new"]
CELLS: tuple[Cell, ...] = get_args(Cell)
# The systems that make up each cell.
CellSystems = tuple[tuple[Cell, tuple[str, ...]], ...]
# A comma parts two cells only where the name of a cell follows: names of systems may have commas.
_NEXT_CELL = re.compile(r",(?=\s*(?:curr|best)[_-](?:old|new)\s*=)", flags=re.IGNORECASE)
HOW_TO_NAME_CELLS = "curr_old=A,curr_new=B,best_old=C+D,best_new=E"


class FourCells(NamedTuple):
    """One number for each cell: means of ratings, scores of a metric."""

    curr_old: float
    curr_new: float
    best_old: float
    best_new: float


@dataclass(frozen=True, slots=True)
class CellMetric:
    """What a metric gives the four cells of a language pair."""

    pair: str
    metric: str
    values: FourCells


def cell_systems(text: str) -> CellSystems:
    """The systems of each cell, from words such as `curr_old=A,curr_new=B,best_old=C+D,best_new=E`.

    A plus joins winners that tied. ValueError says what is wrong with the words.

    >>> cell_systems("curr-old=A,curr-new=B,best-old=C+D,best-new=E")[2]
    ('best_old', ('C', 'D'))
    """
    found: dict[Cell, tuple[str, ...]] = {}
    for part in _NEXT_CELL.split(text):
        name, equals, systems = part.partition("=")
        cell = next((known for known in CELLS if known == name.strip().lower().replace("-", "_")), None)
        if cell is None or not equals:
            raise ValueError(f"{part.strip()!r} names no cell; write it as {HOW_TO_NAME_CELLS}")
        if cell in found:
            raise ValueError(f"{cell} is named twice; join winners that tied by a plus: {cell}=A+B")
        names = tuple(system.strip() for system in systems.split("+"))
        if not all(names):
            raise ValueError(f"{cell} names no system; write it as {HOW_TO_NAME_CELLS}")
        found[cell] = names
    missing = [cell for cell in CELLS if cell not in found]
    if missing:
        raise ValueError(f"{joined(missing)} must be named too; write it as {HOW_TO_NAME_CELLS}")
    return tuple((cell, found[cell]) for cell in CELLS)
