"""The rows of the agreement table, and how their values are found again for draws of workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from steelyard.domain.exhibit import Chance
from steelyard.stats.arrays import FloatArray

Of = Literal["intra", "inter"]
ScaleName = Literal["rating", "z", "preference"]
Coefficient = Literal["kappa", "alpha", "icc", "pearson"]

# counts[p, d], how often draw d has worker p -> the values of some rows: (rows, draws).
Redraw = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table, its fields in the order of the columns. `value` is NaN where undefined."""

    of: Of
    scale: ScaleName
    categories: int | None
    n_pairs: int
    agreement: float | None
    chance: Chance | None
    coefficient: Coefficient
    value: float
    lower: float = float("nan")
    upper: float = float("nan")


@dataclass(frozen=True, slots=True)
class Part:
    """Rows that rest on the same ratings; `redraw` prepares to give all their values at once."""

    rows: list[Row]
    redraw: Callable[[], Redraw]
