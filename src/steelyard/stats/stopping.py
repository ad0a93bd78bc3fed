"""Whether scores of single items are good enough to stop asking for ratings of them."""

from __future__ import annotations

import numpy as np

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING

# The correlation with the truth from which a campaign may stop [our choice].
ENOUGH_CORRELATION = 0.9
# An item's score by one worker cannot show whether that worker can be trusted.
LEAST_WORKERS = 2


def predicted_correlation(means: FloatArray, sds: FloatArray) -> float:
    """How well the scores of items will correlate with their true qualities, if the model is right.

    `means` and `sds` are the posterior means and deviations of the items' qualities, (n,). What is known
    of qualities is the variance S between the means, what is not the mean v of the items' own variances:
    r = sqrt(S / (S + v)). NaN for fewer than two items, and where nothing varies.

    >>> round(predicted_correlation(np.array([-1.0, 1.0]), np.array([0.5, 0.5])), 4)
    0.8944
    """
    known, unknown = _variance(means), float(np.mean(sds**2)) if len(sds) else 0.0
    whole = known + unknown
    return float(np.sqrt(known / whole)) if len(means) > 1 and whole > 0 else float("nan")


def usual_target(means: FloatArray, sds: FloatArray) -> float:
    """The deviation at which every item would do its part for a correlation of 0.9."""
    whole = _variance(means) + float(np.mean(sds**2))
    return float(np.sqrt((1 - ENOUGH_CORRELATION**2) * whole))


def _variance(means: FloatArray) -> float:
    return float(np.var(means)) if len(means) else 0.0


def precise_items(sds: FloatArray, n_workers: IntArray, *, target: float) -> BoolArray:
    """Which items need no more ratings: deviation within the target, and two workers at least. Shape (n,).

    >>> precise_items(np.array([0.2, 0.2, 0.4]), np.array([1, 2, 5]), target=0.3)
    array([False,  True, False])
    """
    precise: BoolArray = (sds <= target * (1 + ROUNDING)) & (n_workers >= LEAST_WORKERS)
    return precise
