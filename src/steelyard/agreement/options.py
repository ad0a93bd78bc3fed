"""The choices of the agreement table."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.domain.exhibit import Chance, PairWeight
from steelyard.domain.scale import VAS, Scale


@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """Choices of the agreement table.

    `chance` is what kappa takes for chance agreement. `weight` concerns different workers: with "pair"
    every pair counts once, so an item with m ratings counts m (m - 1) / 2 times; with "item" every item
    counts once. Intervals at `level` come from `draws` of workers; with 0 there are none.
    """

    scale: Scale = VAS
    categories: tuple[int, ...] = (5, 4, 2)
    chance: Chance = "uniform"
    weight: PairWeight = "pair"
    draws: int = 0
    level: float = 0.95
    seed: int = 7

    def __post_init__(self) -> None:
        if any(n < 2 for n in self.categories):
            raise ValueError(f"ratings cannot agree in fewer than 2 categories: {self.categories}")
        if self.draws < 0 or not 0.0 < self.level < 1.0:
            raise ValueError(f"no interval has level {self.level} or {self.draws} draws")
