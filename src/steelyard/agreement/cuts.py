"""Where categories are cut: by the scale, by its few points, or by percentiles of z."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.domain.scale import Scale
from steelyard.frames import ENOUGH_WORKERS, has_few_points
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.categories import by_cuts, equal_width, percentile_cuts
from steelyard.stats.gold import MOST_POINTS
from steelyard.stats.rounding import TIE_DECIMALS


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to sort ratings, or z, into the categories 1, 2, ..., `n_categories`."""

    n_categories: int
    place: Callable[[FloatArray], IntArray]


def rating_cuts(
    rating: FloatArray, *, scale: Scale, wanted: Sequence[int], n_workers: int = ENOUGH_WORKERS
) -> list[Cut]:
    """The cuts for ratings: their few points, if they have such, and the wanted equal widths.

    Ratings on a scale of few points are categories as they are, so these come first. An equal-width cut
    into as many categories gives way to them, and one into more is left out: a scale of four points
    cannot fill five categories, and chance would be taken for smaller than it is. `n_workers` gave the
    ratings; without it they count as enough to distinguish few points from a line (see `has_few_points`).
    """
    is_short = has_few_points(rating, scale, n_workers=n_workers)
    points = _points(rating, scale) if is_short else np.empty(0)
    widths = [n for n in wanted if not len(points) or n < len(points)]
    by_width = [
        Cut(n, partial(equal_width, n_categories=n, low=scale.minimum, high=scale.maximum)) for n in widths
    ]
    by_point = [Cut(len(points), partial(_reached, points))] if len(points) else []
    return [*by_point, *by_width]


def z_cuts(z: FloatArray, *, wanted: Sequence[int]) -> list[Cut]:
    """The cuts for z, at the percentiles of all those given that are not NaN."""
    pooled = z[~np.isnan(z)].round(TIE_DECIMALS)
    return [Cut(n, partial(_between, percentile_cuts(pooled, n))) for n in wanted]


def _points(rating: FloatArray, scale: Scale) -> FloatArray:
    """The points of a scale that has few, in order; none if ratings lie between them.

    A short scale of whole steps has all its points, used or not; else they are those that occur. More
    than whole steps would give are a short line.
    """
    distinct = np.unique(rating)
    of_scale = scale.minimum + np.arange(min(scale.width, MOST_POINTS) + 1)
    if len(of_scale) <= MOST_POINTS and of_scale[-1] == scale.maximum and np.isin(distinct, of_scale).all():
        return of_scale
    return distinct if 2 <= len(distinct) <= MOST_POINTS else np.empty(0)


def _reached(points: FloatArray, rating: FloatArray) -> IntArray:
    """The number of the point, from 1."""
    return np.searchsorted(points, rating, side="right").astype(np.int64)


def _between(cuts: FloatArray, z: FloatArray) -> IntArray:
    return by_cuts(z.round(TIE_DECIMALS), cuts)
