"""How workers' ratings of items compare with an expert's, the gold: distance, shift, agreement, weights.

Every showing of a gold item counts: one that a worker judged twice counts twice. Arrays of ratings are
(n,), results about workers are (workers,) and NaN for those who judged no gold item.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from steelyard.domain.scale import Scale
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.categories import equal_width
from steelyard.stats.kappa import beyond_chance
from steelyard.stats.rounding import ROUNDING

# How K_Delta corrects a worker's distance from gold for chance: 0 at chance on every scale, or as printed.
GoldForm = Literal["usual", "printed"]
# Ratings on a line agree if they are in the same of this many parts of equal width [our choice]: the finest
# cut of those that agreement tables have.
LINE_CATEGORIES = 5
# Whole steps within a span of ten: as many points as a scale of few can have.
MOST_POINTS = 11
# What a worker without gold is worth, and how far the others are drawn there, as if by this many gold items
# more [our choice].
PSEUDO_ITEMS = 5
# A rating this close to a place, in steps, was meant to lie on it [our choice].
_PLACE_TOLERANCE = 1e-9


class RatingPoints(NamedTuple):
    """What a rating can be: one of `n_points` evenly spaced from `low` to `high`; None: all on the line."""

    low: float
    high: float
    n_points: int | None = None

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.high - self.low

    @property
    def n_categories(self) -> int:
        """How many categories ratings are sorted into where agreement is counted."""
        return LINE_CATEGORIES if self.n_points is None else self.n_points

    def values(self) -> FloatArray:
        """The points in order; none of a line. Shape (points,)."""
        return np.linspace(self.low, self.high, self.n_points or 0)


def rating_points(rating: FloatArray, scale: Scale) -> RatingPoints:
    """The points of the scale that these ratings were given on, or the line.

    A scale up to ten wide has a point at every whole step. Where ratings lie between these, the points are
    the fewest, up to eleven, evenly spaced from end to end, that all ratings lie on; if there are none,
    the scale is a line, as are all wider ones.

    >>> rating_points(np.array([1., 4.]), Scale(1, 4)).n_points
    4
    >>> rating_points(np.array([0.25, 0.5, 1.]), Scale(0, 1)).n_points
    5
    """
    if scale.width <= MOST_POINTS - 1:
        distinct = np.unique(rating)
        whole = [round(scale.width) + 1] if scale.width % 1 == 0 else []
        for n_points in [*whole, *range(2, MOST_POINTS + 1)]:
            place = (distinct - scale.minimum) * (n_points - 1) / scale.width
            if (np.abs(place - np.rint(place)) <= _PLACE_TOLERANCE).all():
                return RatingPoints(scale.minimum, scale.maximum, n_points)
    return RatingPoints(scale.minimum, scale.maximum)


def categories(value: FloatArray, points: RatingPoints) -> IntArray:
    """The categories 1, 2, ..., C in which ratings, gold or scores agree. Shape (n,).

    On a scale of points: the nearest point, halves going up; on a line: five parts of equal width. What
    lies beyond an end counts as that end.

    >>> categories(np.array([1.4, 2.5, 9.]), RatingPoints(1, 4, 4))
    array([1, 3, 4])
    >>> categories(np.array([0., 19., 20., 100.]), RatingPoints(0, 100))
    array([1, 1, 2, 5])
    """
    if points.n_points is None:
        return equal_width(value, n_categories=LINE_CATEGORIES, low=points.low, high=points.high)
    last = points.n_points - 1
    place = (value - points.low) * last / points.width
    return np.clip(np.floor(place + 0.5 + _PLACE_TOLERANCE), 0, last).astype(np.int64) + 1


class GoldDifferences(NamedTuple):
    """Of every worker: how many gold showings, the mean distance from gold, and the shift towards it.

    The distance is Delta(J, G) = mean |g - j|, the shift lambda+(J, G) = mean (g - j) [Denkowski2010]: what
    has to be added to the ratings of a worker to bring their mean to that of the gold.
    """

    n: IntArray
    distance: FloatArray
    shift: FloatArray


def gold_differences(
    rating: FloatArray, known: FloatArray, worker: IntArray, *, n_workers: int
) -> GoldDifferences:
    """Each worker's mean distance and mean signed distance from gold.

    >>> rating, known, worker = np.array([2., 4., 3.]), np.array([1., 1., 3.]), np.array([0, 0, 1])
    >>> found = gold_differences(rating, known, worker, n_workers=2)
    >>> found.distance.tolist(), found.shift.tolist()
    ([2.0, 0.0], [-2.0, 0.0])
    """
    return GoldDifferences(
        n=np.bincount(worker, minlength=n_workers),
        distance=worker_means(np.abs(known - rating), worker, n_workers=n_workers),
        shift=worker_means(known - rating, worker, n_workers=n_workers),
    )


def shift_if_closer(
    rating: FloatArray, known: FloatArray, worker: IntArray, *, points: RatingPoints, n_workers: int
) -> tuple[FloatArray, GoldDifferences]:
    """The shift of each worker that it brings closer to gold, 0 for others; and the distances after it.

    Stage 1 of the 2-stage technique [Denkowski2010]: ratings J' = J + lambda+ take the place of J where
    Delta(J', G) < Delta(J, G). The worker's divergence is then consistent, not random.
    """
    found = gold_differences(rating, known, worker, n_workers=n_workers)
    moved = gold_differences(rating + found.shift[worker], known, worker, n_workers=n_workers)
    # Strictly: what differs by rounding is the same.
    is_closer = moved.distance < found.distance - ROUNDING * points.width
    shift = np.where(is_closer, found.shift, np.where(found.n > 0, 0.0, np.nan))
    distance = np.where(is_closer, moved.distance, found.distance)
    return shift, GoldDifferences(found.n, distance, np.where(is_closer, moved.shift, found.shift))


def agreement_with_gold(
    rating: FloatArray, known: FloatArray, worker: IntArray, *, points: RatingPoints, n_workers: int
) -> FloatArray:
    """P(A) of each worker with gold: the share of gold showings rated in the category of the gold."""
    agrees = categories(rating, points) == categories(known, points)
    return worker_means(agrees.astype(np.float64), worker, n_workers=n_workers)


def beyond_uniform(agreement: FloatArray, points: RatingPoints) -> FloatArray:
    """K = (P(A) - P(E)) / (1 - P(E)) with chance 1 / C, as all of table 1 of [Denkowski2010] has it.

    >>> beyond_uniform(np.array([36 / 101]), RatingPoints(1, 4, 4)).round(3)
    array([0.142])
    """
    return beyond_chance(agreement, np.full(np.shape(agreement), 1 / points.n_categories))


def expected_difference(points: RatingPoints) -> float:
    """E, the mean distance of two independent uniform ratings: (L² - 1) / (3 L) steps, width / 3 on a line.

    >>> expected_difference(RatingPoints(1, 4, 4)), expected_difference(RatingPoints(0, 99))
    (1.25, 33.0)
    """
    n = points.n_points
    if n is None:
        return points.width / 3
    return (n**2 - 1) / (3 * n) * points.width / (n - 1)


def largest_difference(points: RatingPoints) -> float:
    """The mean over the points of the larger distance to an end, 3/4 of the width on a line: maxD.

    >>> largest_difference(RatingPoints(1, 4, 4)), largest_difference(RatingPoints(0, 100))
    (2.5, 75.0)
    """
    if points.n_points is None:
        return 0.75 * points.width
    value = points.values()
    return float(np.maximum(value - points.low, points.high - value).mean())


def expected_from_gold(
    known: FloatArray, worker: IntArray, *, points: RatingPoints, n_workers: int
) -> FloatArray:
    """Each worker's mean, over the gold they were shown, of the expected |g - U| with U uniform.

    A worker who clicks at random comes nearer to gold in the middle of the scale than to gold at its ends.
    """
    distinct, place = np.unique(known, return_inverse=True)
    if points.n_points is None:
        below, above = distinct - points.low, points.high - distinct
        expected = (below**2 + above**2) / (2 * points.width)
    else:
        expected = np.abs(distinct[:, None] - points.values()).mean(axis=1)
    return worker_means(expected[place], worker, n_workers=n_workers)


def k_delta(
    distance: FloatArray,
    points: RatingPoints,
    *,
    form: GoldForm = "usual",
    expected: FloatArray | None = None,
) -> FloatArray:
    """K_Delta: 1 for ratings that are the gold itself, 0 for distances that chance alone would give.

    As printed, (maxD - Delta - E) / (maxD - E) [Denkowski2010]. That is 0 at chance on scales of 2, 4 and 5
    points, where maxD = 2 E, and on no other: on a line a worker who clicks anywhere would have 0.2. As
    usual we take 1 - Delta / E, which is the same on those and 0 at chance on all. `expected` are other
    E than that of two uniform ratings, such as `expected_from_gold`.

    >>> k_delta(np.array([133 / 101]), RatingPoints(1, 4, 4)).round(3)
    array([-0.053])
    """
    by_chance = np.asarray(expected_difference(points) if expected is None else expected)
    if form == "printed":
        by_chance = largest_difference(points) - by_chance
    weight: FloatArray = 1.0 - distance / by_chance
    return weight


def shrunk(value: FloatArray, n: IntArray) -> FloatArray:
    """Workers' values drawn towards their mean, as if each had five more gold items that say just that.

    Workers without gold get the mean of the others. NaN throughout if nobody has gold.

    >>> shrunk(np.array([0.25, 0.75, np.nan]), np.array([5, 15, 0])).tolist()
    [0.375, 0.6875, 0.5]
    """
    known = n > 0
    mean = float(value[known].mean()) if known.any() else np.nan
    drawn: FloatArray = (np.where(known, value, 0.0) * n + PSEUDO_ITEMS * mean) / (n + PSEUDO_ITEMS)
    return drawn


def worker_means(value: FloatArray, worker: IntArray, *, n_workers: int) -> FloatArray:
    """The mean of each worker's values; NaN without any."""
    n = np.bincount(worker, minlength=n_workers)
    total = np.bincount(worker, value, minlength=n_workers)
    mean: FloatArray = np.divide(total, n, out=np.full(n_workers, np.nan), where=n > 0)
    return mean
