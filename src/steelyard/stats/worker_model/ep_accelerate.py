"""Fewer rounds for an iteration that creeps: combine the last rounds so that their steps cancel."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from steelyard.stats.arrays import FloatArray

# Rounds remembered, our choice; and the longest wait after guesses that made things worse.
_MEMORY = 5
_LONGEST_WAIT = 32
# Beyond this many numbers the memory is not worth its space, and plain rounds are made.
_MOST_NUMBERS = 20_000_000


@dataclass(slots=True)
class Accelerator:
    """Anderson mixing [Anderson1965] with a brake.

    `wait`: rounds to let pass before the next guess. It doubles whenever a guess has failed, since far
    from the solution the rounds are not yet the linear map that the guess assumes.
    """

    places: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=_MEMORY + 1))
    steps: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=_MEMORY + 1))
    wait: int = 2
    waited: int = 0

    def note(self, place: FloatArray, step: FloatArray) -> None:
        """Remember from where a round started, and the full step that it proposed."""
        if len(place) <= _MOST_NUMBERS:
            self.places.append(place)
            self.steps.append(step)
        self.waited += 1

    def guess(self, damping: float) -> FloatArray | None:
        """Where the iteration seems to be heading; None if it is too early to say."""
        if len(self.steps) < 3 or self.waited <= self.wait:
            return None
        place, step = self.places[-1], self.steps[-1]
        place_changes = [b - a for a, b in zip(self.places, list(self.places)[1:], strict=False)]
        step_changes = [b - a for a, b in zip(self.steps, list(self.steps)[1:], strict=False)]
        products = np.array([[np.sum(a * b) for a in step_changes] for b in step_changes])
        # Directions that repeat each other would make the equations singular.
        products += np.eye(len(products)) * np.trace(products) * 1e-12
        shares = np.linalg.solve(products, [np.sum(a * step) for a in step_changes])
        guess = place + damping * step
        for share, place_change, step_change in zip(shares, place_changes, step_changes, strict=True):
            guess = guess - share * (place_change + damping * step_change)
        return guess

    def failed(self) -> None:
        """Forget everything after a guess that made things worse."""
        self.places.clear()
        self.steps.clear()
        self.wait = min(2 * self.wait, _LONGEST_WAIT)
        self.waited = 0
