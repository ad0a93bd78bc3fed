"""Anderson's acceleration of a map towards its fixed point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from steelyard.stats.arrays import FloatArray

# Steps remembered. More hardly helps, and each costs a copy of the state [measured on real ratings].
MEMORY = 6


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Where a map led: the last state, whether it stood still there, and after how many turns."""

    state: FloatArray
    converged: bool
    turns: int
    change: float


def fixed_point(
    turn: Callable[[FloatArray], FloatArray], start: FloatArray, *, tolerance: float, most_turns: int
) -> FixedPoint:
    """The state that `turn` leaves as it is, to within `tolerance` in every number [Walker2011].

    Each step goes to the mixture of earlier results whose changes cancel best; where that made
    the change much larger, memory is dropped and a plain step taken.
    """
    state = start
    states: list[FloatArray] = []
    changes: list[FloatArray] = []
    best = np.inf
    for number in range(1, most_turns + 1):
        result = turn(state)
        change = result - state
        size = float(np.abs(change).max(initial=0.0))
        if size <= tolerance:
            return FixedPoint(result, True, number, size)
        if size > 3 * best:
            states, changes = [], []
        best = min(best, size)
        states, changes = [*states[-MEMORY:], result], [*changes[-MEMORY:], change]
        state = _mixed(states, changes)
    return FixedPoint(result, False, most_turns, size)


def _mixed(states: list[FloatArray], changes: list[FloatArray]) -> FloatArray:
    """The last state moved along earlier steps so that what is left of the change is smallest."""
    if len(states) < 2:
        return states[-1]
    steps = np.stack([after - before for before, after in pairwise(changes)])
    moves = np.stack([after - before for before, after in pairwise(states)])
    square = steps @ steps.T
    # Steps in nearly the same direction must not blow up.
    square += (1e-10 * np.trace(square) or 1.0) * np.eye(len(square))
    weight = np.linalg.solve(square, steps @ changes[-1])
    mixed: FloatArray = states[-1] - weight @ moves
    return mixed
