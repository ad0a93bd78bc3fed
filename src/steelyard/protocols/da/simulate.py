"""A plausible direct assessment for a translation of given perceived quality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.domain.judgement import Answer
from steelyard.protocols.da.answer import SCALE

if TYPE_CHECKING:
    import numpy as np

# Our choices. The hand misses the intended place by a dozen pixels of a 600 px line.
HAND_SD = 2.0
# Half of all first touches come within eight seconds, the slow tenth after twenty.
MEDIAN_FIRST_TOUCH_MS = 8_000
LOG_SD_FIRST_TOUCH = 0.7
# Two of three workers leave the handle where they first put it.
STOPS_MOVING = 0.65


def simulate(quality: float, rng: np.random.Generator) -> Answer:
    """An answer that `check` accepts, its rating near 100 times the perceived quality.

    `quality` runs from 0 (nothing is right) to 1 and already holds what the worker is like:
    strictness and inattention belong to the simulated crowd. Only the hand's small error and
    the handling of the slider are drawn here. Errors that would leave the line stop at its
    ends, so near the ends the mean rating lies slightly inside.
    """
    if not 0.0 <= quality <= 1.0:
        raise ValueError(f"da: quality must lie between 0 and 1, not {quality}")
    aimed = SCALE.minimum + quality * (SCALE.maximum - SCALE.minimum)
    placed = min(max(rng.normal(aimed, HAND_SD), SCALE.minimum), SCALE.maximum)
    first_touch_ms = MEDIAN_FIRST_TOUCH_MS * rng.lognormal(0.0, LOG_SD_FIRST_TOUCH)
    return {
        "rating": round(placed),
        "first_touch_ms": round(first_touch_ms),
        "n_moves": int(rng.geometric(STOPS_MOVING)),
    }
