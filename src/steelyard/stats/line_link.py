"""A straight line through points that are uncertain in both directions: one scale read off another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import chdtrc, stdtr

from steelyard.stats.arrays import FloatArray

Slope = Literal["free", "one"]
# The slope settles within a dozen turns unless points hardly follow a line at all.
_MOST_TURNS = 200
_SETTLED = 1e-12
# Nothing is known better than this share of the spread of all points: keeps weights finite.
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True)
class MeasuredPoints:
    """Points known with errors of known variance, which are independent. All arrays: (n,)."""

    x: FloatArray
    y: FloatArray
    x_variance: FloatArray
    y_variance: FloatArray


@dataclass(frozen=True, slots=True)
class LinkLine:
    """The line y = intercept + slope * x, and how well points fit it.

    `chi2`: squared distances from the line in units of the known errors; without further scatter it is
    about `df`. `scatter`: the deviation of y about the line beyond the known errors, 0 if they explain all.
    `distance` (n,): each point's distance from the line in its own errors, scatter among them.
    """

    intercept: float
    slope: float
    chi2: float
    df: int
    scatter: float
    distance: FloatArray

    @property
    def chi2_per_df(self) -> float:
        """1 where the known errors explain all distances."""
        return self.chi2 / self.df

    @property
    def p_value(self) -> float:
        """The chance of points at least as far from a line by the known errors alone."""
        return float(chdtrc(self.df, self.chi2))


def link_line(points: MeasuredPoints, *, slope: Slope = "free") -> LinkLine:
    """The most likely line through three or more points with errors in both directions [York2004].

    Least squares of y on x would be too flat, because errors of x spread the points along x. Here each point
    weighs 1 / (var y + slope^2 var x), and the slope is found step by step. Where points lie further from
    the line than their errors explain (chi2 above its degrees of freedom), a scatter is added to every
    point's y until chi2 equals them: the line then weighs points more alike. With `slope`
    "one" only the intercept is fitted, from two points on.

    >>> x = np.array([1.0, 2.0, 4.0])
    >>> found = link_line(MeasuredPoints(x, 3 + 2 * x, np.full(3, 0.1), np.full(3, 0.1)))
    >>> round(found.intercept, 9), round(found.slope, 9)
    (3.0, 2.0)
    """
    df = len(points.x) - (2 if slope == "free" else 1)
    if df < 1:
        raise ValueError("a line needs more points than it has numbers to find")
    chi2 = float(_squared_distances(points, 0.0, slope=slope).sum())
    scatter = _scatter(points, df, slope=slope) if chi2 > df else 0.0
    intercept, steepness = _line(points, scatter, slope=slope)
    return LinkLine(
        intercept=intercept,
        slope=steepness,
        chi2=chi2,
        df=df,
        scatter=math.sqrt(scatter),
        distance=np.sqrt(_squared_distances(points, scatter, slope=slope)),
    )


def drawn_lines(
    x: FloatArray, y: FloatArray, *, variances: tuple[FloatArray, FloatArray], slope: Slope = "free"
) -> tuple[FloatArray, FloatArray]:
    """Intercepts and slopes of many lines at once, one for each row of x and y (draws, n).

    `variances`: of x and of y, (n,) each, scatter included; only their ratios matter. A row whose points
    follow no line at all (their slope would be vertical) is NaN. Shapes (draws,).
    """
    x_variance, y_variance = variances[0], _not_zero(variances[1], y[0])
    if slope == "one":
        weight = 1 / (x_variance + y_variance)
        return (y - x) @ weight / weight.sum(), np.ones(len(x))
    x_off, y_off = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    product = (x_off * y_off).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        steepness = np.sign(product) * np.sqrt((y_off**2).sum(axis=1) / (x_off**2).sum(axis=1))
        for _ in range(_MOST_TURNS):
            weight = 1 / (y_variance + steepness[:, None] ** 2 * x_variance)
            x_centre, y_centre = _centres(x, y, weight)
            x_off, y_off = x - x_centre[:, None], y - y_centre[:, None]
            beta = weight * (x_off * y_variance + steepness[:, None] * y_off * x_variance)
            before, steepness = (
                steepness,
                (weight * beta * y_off).sum(axis=1) / (weight * beta * x_off).sum(axis=1),
            )
            settled = np.abs(steepness - before) <= _SETTLED * np.abs(steepness)
            if bool((settled | ~np.isfinite(steepness)).all()):
                break
        weight = 1 / (y_variance + steepness[:, None] ** 2 * x_variance)
        x_centre, y_centre = _centres(x, y, weight)
        intercept = y_centre - steepness * x_centre
    known = np.isfinite(intercept) & np.isfinite(steepness)
    return np.where(known, intercept, np.nan), np.where(known, steepness, np.nan)


def rising_p_value(x: FloatArray, y: FloatArray) -> float:
    """One-sided p that y rises with x at all: the t-test of their correlation.

    Points in a perfect line give 0, constant ones 1.

    >>> round(rising_p_value(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])), 4)
    0.3333
    """
    x_off, y_off = x - x.mean(), y - y.mean()
    size = math.sqrt(float(x_off @ x_off) * float(y_off @ y_off))
    if size == 0:
        return 1.0
    r = float(np.clip(x_off @ y_off / size, -1.0, 1.0))
    if abs(r) == 1:
        return 0.0 if r > 0 else 1.0
    df = len(x) - 2
    return float(stdtr(df, -r * math.sqrt(df / (1 - r**2))))


def unshrunken(score: FloatArray, sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Scores as the ratings alone have them, from those of a model that draws them towards their mean.

    A model that expects qualities of mean m and variance v, and is left with variance s^2 of one of them,
    has drawn its score towards m by the factor 1 - s^2 / v. v is the variance of its scores plus the
    variance it is left with. A line through drawn scores would be too steep, because they vary less than
    what they represent. Returns the scores and their errors' deviations; where nothing was learnt about an
    item, both are NaN.

    >>> score, sd = unshrunken(np.array([-1.0, 1.0]), np.array([1.0, 1.0]))  # v = 1 + 1, factor 1/2
    >>> score, sd.round(6)
    (array([-2.,  2.]), array([1.414214, 1.414214]))
    """
    centre = float(score.mean())
    whole = float(score.var()) + float((sd**2).mean())
    kept = 1 - sd**2 / whole if whole > 0 else np.ones_like(sd)
    kept = np.where(kept > 0, kept, np.nan)
    return centre + (score - centre) / kept, sd / np.sqrt(kept)


def _line(points: MeasuredPoints, scatter: float, *, slope: Slope) -> tuple[float, float]:
    """Intercept and slope where y has this variance beyond its errors."""
    intercept, steepness = drawn_lines(
        points.x[None],
        points.y[None],
        variances=(points.x_variance, points.y_variance + scatter),
        slope=slope,
    )
    return float(intercept[0]), float(steepness[0])


def _y_variance(points: MeasuredPoints, scatter: float) -> FloatArray:
    return _not_zero(points.y_variance + scatter, points.y)


def _not_zero(variance: FloatArray, y: FloatArray) -> FloatArray:
    least = _LEAST_VARIANCE * max(float(np.var(y)), _LEAST_VARIANCE)
    floored: FloatArray = np.maximum(variance, least)
    return floored


def _squared_distances(points: MeasuredPoints, scatter: float, *, slope: Slope) -> FloatArray:
    intercept, steepness = _line(points, scatter, slope=slope)
    away = points.y - intercept - steepness * points.x
    distances: FloatArray = away**2 / (_y_variance(points, scatter) + steepness**2 * points.x_variance)
    return distances


def _scatter(points: MeasuredPoints, df: int, *, slope: Slope) -> float:
    """The variance that, added to that of every y, makes chi2 equal its degrees of freedom."""
    from scipy.optimize import brentq

    def excess(scatter: float) -> float:
        return float(_squared_distances(points, scatter, slope=slope).sum()) - df

    high = float(np.var(points.y)) + float(np.var(points.x))
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-12 * high))


def _centres(x: FloatArray, y: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    total = weight.sum(axis=1)
    return (weight * x).sum(axis=1) / total, (weight * y).sum(axis=1) / total
