"""How many ratings of a translation a reliability takes, and what a number of ratings gives."""

from __future__ import annotations

from math import ceil

from steelyard.stats.rounding import ROUNDING

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
