"""Where categories are cut: by the scale, by its few points, or by percentiles of z."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.domain.scale import Scale
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.categories import by_cuts, equal_width, percentile_cuts

# A scale with at most so many points is one of categories already.
FEW_POINTS = 10
# On a line so few different values are no accident only among this many ratings [our choice: one HIT].
ENOUGH_RATINGS = 100
# Equal z of different workers may differ in their last bits; a percentile must see a tie.
_TIE_DECIMALS = 10


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to sort ratings, or z, into the categories 1, 2, ..., `n_categories`."""

    n_categories: int
    place: Callable[[FloatArray], IntArray]


def rating_cuts(rating: FloatArray, *, scale: Scale, wanted: Sequence[int]) -> list[Cut]:
    """The cuts for ratings: their few points, if they have such, and the wanted equal widths.

    Ratings on a scale of few points are categories as they are, so these come first. An equal-width cut
    into as many categories gives way to them, and one into more is left out: a scale of four points
    cannot fill five categories, and chance would be taken for smaller than it is.
    """
    points = _few_points(rating, scale)
    widths = [n for n in wanted if not len(points) or n < len(points)]
    by_width = [
        Cut(n, partial(equal_width, n_categories=n, low=scale.minimum, high=scale.maximum)) for n in widths
    ]
    by_point = [Cut(len(points), partial(_reached, points))] if len(points) else []
    return [*by_point, *by_width]


def z_cuts(z: FloatArray, *, wanted: Sequence[int]) -> list[Cut]:
    """The cuts for z, at the percentiles of all those given that are not NaN."""
    pooled = z[~np.isnan(z)].round(_TIE_DECIMALS)
    return [Cut(n, partial(_between, percentile_cuts(pooled, n))) for n in wanted]


def _few_points(rating: FloatArray, scale: Scale) -> FloatArray:
    """The points of a scale that has few, in order; none if it has many.

    A short scale of whole steps has all its points, used or not. Any other has those that occur, if
    they are few among many ratings: a five-point scale is often analysed as if it were a line.
    """
    nothing = np.empty(0)
    # A glance spares the sorting of all ratings where there are clearly more.
    if len(np.unique(rating[:ENOUGH_RATINGS])) > FEW_POINTS:
        return nothing
    distinct = np.unique(rating)
    of_scale = scale.minimum + np.arange(min(scale.width, FEW_POINTS) + 1)
    if len(of_scale) <= FEW_POINTS and of_scale[-1] == scale.maximum and np.isin(distinct, of_scale).all():
        return of_scale
    is_short = 2 <= len(distinct) <= FEW_POINTS and len(rating) >= ENOUGH_RATINGS
    return distinct if is_short else nothing


def _reached(points: FloatArray, rating: FloatArray) -> IntArray:
    """The number of the point, from 1."""
    return np.searchsorted(points, rating, side="right").astype(np.int64)


def _between(cuts: FloatArray, z: FloatArray) -> IntArray:
    return by_cuts(z.round(_TIE_DECIMALS), cuts)
