"""What it says about a normal quantity that it lies above a limit."""

from __future__ import annotations

from math import pi, sqrt

from scipy.special import erfcx

from steelyard.stats.arrays import FloatArray

_ROOT_TWO_OVER_PI = sqrt(2 / pi)
_ROOT_HALF = sqrt(1 / 2)


def above(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope V and curvature W of a normal quantity known to be positive, from its mean t in deviations.

    Its mean rises by V deviations and its variance falls by the share W. V is density over probability,
    by the scaled error function: nothing underflows, however improbable the positive side.
    """
    slope: FloatArray = _ROOT_TWO_OVER_PI / erfcx(-_ROOT_HALF * t)
    return slope, slope * (slope + t)


def order_site(mean: FloatArray, variance: FloatArray, margin: float) -> tuple[FloatArray, FloatArray]:
    """Normal stand-in for "the difference exceeds the margin": precision, and precision times mean.

    The difference without this knowledge has this mean and variance; with it, the stand-in gives it the
    mean and variance of the truncated distribution, as for two players in [Herbrich2006].
    """
    deviation = variance**0.5
    slope, curvature = above((mean - margin) / deviation)
    precision = curvature / (1 - curvature) / variance
    return precision, precision * mean + slope / deviation / (1 - curvature)
