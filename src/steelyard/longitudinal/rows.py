"""Difficulty and gain between two years: one row for each language pair, measure and scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from steelyard.domain.cells import CELLS, FourCells
from steelyard.longitudinal.uncertainty import UNKNOWN, CellsError, summed_error

# What a row's numbers are: points of the rating scale, standardised ratings, or a metric's scores.
RowScale = Literal["points", "z", "metric"]
# The name of the row over all language pairs, and of the measure made from fluency and adequacy.
ALL_PAIRS = "all pairs"
F1 = "F1"
FLUENCY, ADEQUACY = "fluency", "adequacy"
# What ratings without an attribute are called.
NAMELESS = "rating"
_ORDER = (FLUENCY, ADEQUACY)


@dataclass(frozen=True)
class GainRow:
    """Four cells, how much they rest on, and how far the gain may be off.

    `units`: workers and documents. `curr_p` and `best_p`: two-sided p of the difference between the two
    cells; NaN if not tested.
    """

    pair: str
    measure: str
    scale: RowScale
    cells: FourCells
    n: tuple[int, ...] = ()
    units: tuple[int, int] | None = None
    curr_p: float = math.nan
    best_p: float = math.nan
    error: CellsError = UNKNOWN

    def bounds(self, level: float) -> tuple[float, float]:
        """Lower and upper bound of the gain at this level; NaN where its error is unknown."""
        half = self.error.half_width(level)
        return gain(self.cells) - half, gain(self.cells) + half


def in_order(attributes: Sequence[str]) -> list[str]:
    """Attributes in the order in which they are shown: fluency, adequacy, then the others by name."""
    return [name for name in _ORDER if name in attributes] + sorted(set(attributes) - set(_ORDER))


def over_all(rows: Sequence[GainRow]) -> GainRow:
    """One measure over all pairs, which weigh the same: means of cells, sums of judgements.

    Pairs have workers of their own, so their errors are independent.
    """
    n_known = [row.n for row in rows if row.n]
    return GainRow(
        pair=ALL_PAIRS,
        measure=rows[0].measure,
        scale=rows[0].scale,
        cells=overall([row.cells for row in rows]),
        n=tuple(map(sum, zip(*n_known, strict=True))) if len(n_known) == len(rows) else (),
        error=summed_error([row.error for row in rows], share=1 / len(rows)),
    )


def gains_frame(rows: Sequence[GainRow], *, level: float) -> pl.DataFrame:
    """The rows as a frame: what is unknown is null.

    Columns: pair, measure, scale, curr_old, curr_new, delta, best_old, best_new, change, gain, lower, upper,
    n_curr_old, n_curr_new, n_best_old, n_best_new, workers, documents, curr_p, best_p.
    """
    records = [
        (
            *(row.pair, row.measure, row.scale),
            *(row.cells.curr_old, row.cells.curr_new, delta(row.cells)),
            *(row.cells.best_old, row.cells.best_new, change(row.cells)),
            *(gain(row.cells), *row.bounds(level)),
            *(row.n or (None,) * len(CELLS)),
            *(row.units or (None, None)),
            *(row.curr_p, row.best_p),
        )
        for row in rows
    ]
    schema = {
        **dict.fromkeys(("pair", "measure", "scale"), pl.String),
        **dict.fromkeys(("curr_old", "curr_new", "delta", "best_old", "best_new", "change"), pl.Float64),
        **dict.fromkeys(("gain", "lower", "upper"), pl.Float64),
        **dict.fromkeys((*(f"n_{cell}" for cell in CELLS), "workers", "documents"), pl.Int64),
        **dict.fromkeys(("curr_p", "best_p"), pl.Float64),
    }
    return pl.DataFrame(records, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))


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
