"""When a campaign will be complete, from how fast judgements have come lately."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from steelyard.stats.arrays import IntArray

# How much of the past speaks for the future, in hours: weeks have weekends [our choice].
WINDOW_HOURS = 7 * 24.0
# From this many hours on, the past is cut into days, so that nights count as much as they will.
_DAYS_FROM_HOURS, _DAY = 4 * 24.0, 24.0
# Parts of a shorter past [our choice].
_PARTS = 8
# With less than this nothing is said [our choices].
LEAST_HOURS, LEAST_JUDGEMENTS = 0.5, 30
# The range is meant to hold the end this often [our choice].
LEVEL = 0.8


@dataclass(frozen=True, slots=True)
class Pace:
    """How judgements have come: `dispersion` is the variance of their counts divided by the mean.

    It is 1 if they come independently of each other. People come for whole HITs and sleep at night, so it
    is larger, and `degrees` says from how many counts, less one, it was estimated.
    """

    per_hour: float
    hours: float
    dispersion: float
    degrees: int


@dataclass(frozen=True, slots=True)
class HoursLeft:
    """Hours until everything is judged. `latest` is None where the pace is too uncertain to say."""

    expected: float
    earliest: float
    latest: float | None


def stretches(hours: float) -> tuple[int, float]:
    """How many stretches the last hours are counted in, and how long each is.

    >>> stretches(4), stretches(100), stretches(1000)
    ((8, 0.5), (4, 24.0), (7, 24.0))
    """
    hours = min(hours, WINDOW_HOURS)
    if hours < _DAYS_FROM_HOURS:
        return _PARTS, hours / _PARTS
    return int(hours // _DAY), _DAY


def pace(counts: IntArray, *, hours_each: float) -> Pace | None:
    """The pace from the counts of stretches that long; None if they are too few to say anything."""
    hours, total = hours_each * len(counts), int(counts.sum())
    if hours < LEAST_HOURS or total < LEAST_JUDGEMENTS:
        return None
    mean = total / len(counts)
    return Pace(
        per_hour=total / hours,
        hours=hours,
        dispersion=max(1.0, float(np.var(counts, ddof=1)) / mean),
        degrees=len(counts) - 1,
    )


def hours_left(n_left: int, pace: Pace, *, level: float = LEVEL) -> HoursLeft:
    """Hours until this many more judgements have come, and the range in which the end lies this often.

    In t hours come r t judgements, r per hour, with variance d r t (1 + t / T): d is the dispersion, and the
    second term is that of the pace itself, which was seen for T hours. The ends of the range solve
    n = r t +- q sqrt(d r t (1 + t / T)) for t, with the quantile q of Student's distribution. A pace of
    which too little was seen has no latest end.

    >>> left = hours_left(100, Pace(per_hour=50, hours=1000, dispersion=1, degrees=6))
    >>> left.expected, round(left.earliest, 2), round(left.latest, 2)
    (2.0, 1.73, 2.31)
    """
    rate, spread = pace.per_hour, pace.dispersion * pace.per_hour
    q_squared = float(stdtrit(pace.degrees, (1 + level) / 2)) ** 2
    # The square of the equation above is a t^2 - 2 b t + n^2 = 0.
    a = rate**2 - q_squared * spread / pace.hours
    b = n_left * rate + q_squared * spread / 2
    root = sqrt(b**2 - a * n_left**2)
    return HoursLeft(
        expected=n_left / rate,
        earliest=n_left**2 / (b + root),
        latest=(b + root) / a if a > 0 else None,
    )
