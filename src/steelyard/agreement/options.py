"""The choices of the agreement table."""

from __future__ import annotations

from dataclasses import dataclass, field

from steelyard.domain.exhibit import Chance, PairWeight
from steelyard.domain.result import MethodSettings


@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """Choices of the agreement table.

    `settings` are the analysis's: scale, level, and how z is made. `chance` is what kappa takes for chance
    agreement. `weight` concerns different workers: with "pair" every pair counts once, so an item with m
    ratings counts m (m - 1) / 2 times; with "item" every item counts once.
    """

    settings: MethodSettings = field(default_factory=MethodSettings)
    categories: tuple[int, ...] = (5, 4, 2)
    chance: Chance = "uniform"
    weight: PairWeight = "pair"

    def __post_init__(self) -> None:
        if any(n < 2 for n in self.categories):
            raise ValueError(f"ratings cannot agree in fewer than 2 categories: {self.categories}")
