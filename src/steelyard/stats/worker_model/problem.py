"""What every worker model is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class WorkerRatings:
    """Ratings of items by workers, one entry each in `item`, `worker` and `value`; numbers begin at 0.

    `order` (n, 2): pairs of items of which the first is known to be better, such as a translation and its
    degraded copy. `repeat` (n, 2): pairs of items of nearly equal quality. `hit`, if given, numbers the
    pairs of worker and HIT, so that no number belongs to two workers.
    """

    item: IntArray
    worker: IntArray
    value: FloatArray
    n_items: int
    n_workers: int
    order: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    repeat: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    hit: IntArray | None = None


@dataclass(frozen=True, slots=True)
class Normal:
    """Normal distributions by mean and standard deviation, one for each item, worker or effect."""

    mean: FloatArray
    sd: FloatArray


@dataclass(frozen=True, slots=True)
class Gamma:
    """Gamma distributions by shape and rate, one for each worker."""

    shape: FloatArray
    rate: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Expected values."""
        return self.shape / self.rate

    @property
    def sd(self) -> FloatArray:
        """Standard deviations."""
        return np.sqrt(self.shape) / self.rate


@dataclass(frozen=True, slots=True)
class Posterior:
    """What a worker model believes after seeing the ratings, and how it came to believe it.

    `contamination`: the expected share of each worker's ratings that are clicks at random; None where the
    model knows no such thing. `hit_offset`: of each number in `hit`, what it adds to the worker's own
    offset. `skipped`: updates left out because they made no sense; `change`: the last step's largest.
    """

    quality: Normal
    offset: Normal
    slope: Normal
    precision: Gamma
    converged: bool
    sweeps: int
    change: float
    skipped: int = 0
    contamination: FloatArray | None = None
    hit_offset: Normal | None = None
