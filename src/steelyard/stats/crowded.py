"""Scores crowded into one category, which hardly distinguish anything."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.stats.arrays import FloatArray
from steelyard.stats.gold import RatingPoints, categories

# One category that holds more of the scores distinguishes little [Denkowski2010, section 4 has 89 %].
CROWDED_SHARE = 0.8
# Of fewer scores than this most may well be in one category [our choice].
ENOUGH_SCORES = 10


class Crowded(NamedTuple):
    """A category that holds most of the scores: its ends, both the same point on a scale of points."""

    low: float
    high: float
    share: float


def crowded_category(score: FloatArray, points: RatingPoints) -> Crowded | None:
    """The category that holds more than 80 % of ten scores or more; None if none does. Shape (n,).

    Scores that are NaN do not count.

    >>> crowded_category(np.array([3.2] * 9 + [1.0]), RatingPoints(1, 4, 4))
    Crowded(low=3.0, high=3.0, share=0.9)
    """
    found = categories(score[np.isfinite(score)], points)
    if len(found) < ENOUGH_SCORES:
        return None
    counts = np.bincount(found - 1, minlength=points.n_categories)
    place, share = int(counts.argmax()), float(counts.max() / len(found))
    if share <= CROWDED_SHARE:
        return None
    if points.n_points is not None:
        point = float(points.values()[place])
        return Crowded(point, point, share)
    part = points.width / points.n_categories
    return Crowded(points.low + part * place, points.low + part * (place + 1), share)
