"""The rows of the agreement table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from steelyard.domain.exhibit import Chance
from steelyard.stats.agreement_errors import AgreementError, fisher_interval

Of = Literal["intra", "inter"]
ScaleName = Literal["rating", "z", "preference"]
Coefficient = Literal["kappa", "alpha", "icc", "pearson"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table, its fields in the order of the columns. `value` is NaN where undefined.

    `n_workers`: how many gave the ratings that are compared.
    """

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
    n_workers: int = 0

    def within(self, error: AgreementError, *, level: float) -> Row:
        """The row with the interval that this error gives."""
        lower, upper = fisher_interval(self.value, error, level=level)
        return replace(self, lower=lower, upper=upper)
