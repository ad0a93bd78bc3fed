"""When computed numbers count as equal, and the ranks of numbers that may be tied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.rounding import EQUAL


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks from 1, tied values sharing their mean; `tie_sum` is the sum of t^3 - t over groups of t."""

    rank: FloatArray
    tie_sum: float

    @property
    def has_ties(self) -> bool:
        """Whether two values share a rank."""
        return self.tie_sum > 0


def are_equal(values: FloatArray) -> bool:
    """Whether all values are the same except for rounding noise.

    >>> are_equal(np.array([70.3 - 60.2, 80.3 - 70.2])), are_equal(np.array([1.0, 1.1]))
    (True, False)
    """
    if not len(values):
        return True
    lowest, highest = float(values.min()), float(values.max())
    return highest - lowest <= EQUAL * max(abs(lowest), abs(highest))


def ranks_of(values: FloatArray) -> Ranks:
    """The rank of each value; values that differ by rounding noise only are tied.

    >>> ranks_of(np.array([5.0, 0.3, 0.1 + 0.2])).rank
    array([3. , 1.5, 1.5])
    """
    if not len(values):
        return Ranks(np.empty(0), 0.0)
    order = values.argsort(kind="stable")
    ordered = values[order]
    noise = EQUAL * max(abs(float(ordered[0])), abs(float(ordered[-1])))
    is_new = np.ones(len(values), dtype=np.bool_)
    np.greater(ordered[1:] - ordered[:-1], noise, out=is_new[1:])
    rank = np.empty(len(values))
    if is_new.all():
        rank[order] = np.arange(1.0, len(values) + 1)
        return Ranks(rank, 0.0)
    borders = np.append(is_new.nonzero()[0], len(values))
    starts, sizes = borders[:-1], borders[1:] - borders[:-1]
    rank[order] = (starts + (sizes + 1) / 2).repeat(sizes)
    return Ranks(rank, float((sizes.astype(np.float64) ** 3 - sizes).sum()))
