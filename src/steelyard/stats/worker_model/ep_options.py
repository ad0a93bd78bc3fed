"""What can be chosen about expectation propagation for the worker model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.stats.worker_model.ep_bounds import Bounds


@dataclass(frozen=True, slots=True)
class Contamination:
    """Ratings that are clicks at random between `low` and `high`, standardised like the ratings.

    Their share among a worker's ratings is Beta(random, honest) beforehand: one in ten.
    """

    low: float
    high: float
    random: float = 1.0
    honest: float = 9.0

    @property
    def expected(self) -> float:
        """The expected share of clicks of an unknown worker."""
        return self.random / (self.random + self.honest)


@dataclass(frozen=True, slots=True)
class EpOptions:
    """How to run expectation propagation, and with which extensions of the published model.

    `moments`: which two of the precision are matched. `hit_sd`: deviation of a worker's offset in one
    HIT from the worker's own; None for one offset throughout.
    """

    damping: float = 0.7
    tolerance: float = 1e-5
    most_sweeps: int = 200
    moments: Literal["mean-variance", "mean-log"] = "mean-variance"
    bounds: Bounds | None = None
    contamination: Contamination | None = None
    hit_sd: float | None = None
