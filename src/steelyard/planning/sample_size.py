"""How many ratings a target precision takes, and what precision a number of ratings gives."""

from __future__ import annotations

from math import ceil, inf, pi, sqrt
from statistics import NormalDist

from steelyard.stats.rounding import ROUNDING

# On normal data the rank-sum test needs this many times the ratings of the t-test, in large samples.
RANK_SUM_FACTOR = pi / 3

# How often a plan finds the difference it was made for, and how often one that is not there
# [our choice: what most studies take; 5 % is also the level of the published rankings].
POWER, LEVEL = 0.8, 0.05

# Correlation of two workers' standardised ratings of one translation. It fits the published
# replication of Spanish-English adequacy at 1 to 40 ratings per item [Graham2015]; other
# languages and crowds differ, so a pilot is better.
RELIABILITY_OF_ONE_RATING = 0.41


def whole(number: float) -> int:
    """The number rounded up, ignoring what only rounding errors have added.

    >>> whole(12.1), whole(70 / 0.7), whole(0.1 * 3 * 10)
    (13, 100, 3)
    """
    return ceil(number * (1 - ROUNDING))


def ratings_for_difference(difference: float, *, power: float = POWER, level: float = LEVEL) -> int:
    """Ratings per system with which two systems' true difference is found with this power.

    The difference is one of standardised ratings, whose standard deviation is 1: 0.1 is a tenth of
    how much one worker's ratings vary. The test is the one-sided rank-sum test of the ranking
    [Mann1947], on as many different segments as ratings, for one pair of systems.

    >>> [ratings_for_difference(difference) for difference in (0.2, 0.1, 0.05)]
    [324, 1295, 5180]
    """
    return whole(_squared_distance(power, level) / difference**2)


def difference_found(ratings: float, *, power: float = POWER, level: float = LEVEL) -> float:
    """The smallest true difference that this many ratings per system find with this power.

    >>> round(difference_found(1295), 4)
    0.1
    """
    return sqrt(_squared_distance(power, level) / ratings)


def _squared_distance(power: float, level: float) -> float:
    """Ratings per system times the squared difference that they find."""
    normal = NormalDist()
    return 2 * (normal.inv_cdf(1 - level) + normal.inv_cdf(power)) ** 2 * RANK_SUM_FACTOR


def ratings_for_reliability(reliability: float, *, rho: float = RELIABILITY_OF_ONE_RATING) -> int:
    """Ratings per item whose mean is this reliable, if one rating's reliability is `rho`.

    The formula of Spearman and Brown, solved for the number of ratings. Reliability is how well
    the means of two independent collections of this many ratings correlate [Graham2015].

    >>> ratings_for_reliability(0.9, rho=0.41), ratings_for_reliability(0.95, rho=0.41)
    (13, 28)
    """
    return max(1, whole(reliability * (1 - rho) / (rho * (1 - reliability))))


def reliability_of(ratings: float, *, rho: float = RELIABILITY_OF_ONE_RATING) -> float:
    """Reliability of the mean of this many ratings of an item; the reverse of the above.

    >>> round(reliability_of(15, rho=0.41), 3)
    0.912
    """
    return ratings * rho / (1 + (ratings - 1) * rho)


def effective_ratings(
    ratings: float, *, segments: int | None = None, rho: float = RELIABILITY_OF_ONE_RATING
) -> float:
    """How many ratings of different segments are worth as much for a system as these.

    Ratings beyond the first of a segment repeat what the others said about it: a segment's mean of
    N ratings has variance rho + (1 - rho) / N, where a single rating has 1. Ratings are spread
    evenly; `segments` None means that there is a new segment for every rating.

    >>> effective_ratings(500, segments=1000), effective_ratings(4000, segments=1000, rho=0.2)
    (500, 2500.0)
    """
    if segments is None or ratings <= segments:
        return ratings
    return segments / (rho + (1 - rho) * segments / ratings)


def ratings_on_segments(
    effective: float, *, segments: int | None = None, rho: float = RELIABILITY_OF_ONE_RATING
) -> float:
    """Ratings on this many segments that are worth `effective` ratings; infinite if none are.

    The reverse of `effective_ratings`: with few segments, no number of ratings is enough.

    >>> [round(ratings_on_segments(2500, segments=m, rho=0.2)) for m in (3000, 1000)]
    [2500, 4000]
    >>> ratings_on_segments(2500, segments=500, rho=0.2)
    inf
    """
    if segments is None or effective <= segments:
        return effective
    rest = segments / effective - rho
    return segments * (1 - rho) / rest if rest > ROUNDING else inf
