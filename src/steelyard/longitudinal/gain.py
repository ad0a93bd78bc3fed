"""How much translation gained between two years, test sets of different difficulty allowed for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.domain.cells import FourCells

# What each cell counts for in the gain.
SIGNS = FourCells(1.0, -1.0, -1.0, 1.0)


def delta(cells: FourCells) -> float:
    """How much harder the new test set is: how far one and the same system falls on it [Graham2014].

    >>> round(delta(FourCells(65.3, 57.9, 52.8, 55.0)), 1)
    7.4
    """
    return cells.curr_old - cells.curr_new


def change(cells: FourCells) -> float:
    """How far the best systems of the two years are apart, each on its own test set."""
    return cells.best_new - cells.best_old


def gain(cells: FourCells) -> float:
    """What the best system of the new year is ahead of the old one's, difficulty allowed for [Graham2014].

    It assumes that the new test set is as much harder for the best systems as for the present one.

    >>> round(gain(FourCells(65.3, 57.9, 52.8, 55.0)), 1)
    9.6
    """
    return change(cells) + delta(cells)


def f1(fluency: float, adequacy: float) -> float:
    """Harmonic mean of two mean ratings; NaN if one is unknown, or if they are not above 0 together.

    >>> round(f1(65.3, 63.8), 2)
    64.54
    """
    total = fluency + adequacy
    return 2 * fluency * adequacy / total if total > 0 else math.nan


def f1_slopes(fluency: float, adequacy: float) -> tuple[float, float]:
    """How fast `f1` grows with each of the two."""
    total = fluency + adequacy
    if not total > 0:
        return math.nan, math.nan
    return 2 * (adequacy / total) ** 2, 2 * (fluency / total) ** 2


def f1_cells(fluency: FourCells, adequacy: FourCells) -> FourCells:
    """F1 of each cell, from mean ratings: an F1 of gains would have no meaning where one is below 0."""
    return FourCells(*(f1(*both) for both in zip(fluency, adequacy, strict=True)))


def overall(pairs: Sequence[FourCells]) -> FourCells:
    """Each cell's mean over language pairs, which all weigh the same, however many judgements they have."""
    return FourCells(*(sum(cell) / len(pairs) for cell in zip(*pairs, strict=True)))
