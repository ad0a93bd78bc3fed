"""How sure a difference between two correlations with the expert is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steelyard.domain.draws import LEAST_FOR_CONCLUSIONS
from steelyard.evaluation.closeness import LEAST_POINTS
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.correlation import pearson
from steelyard.stats.rounding import ROUNDING

# Enough for the ends of an interval to be told to two digits; fewer where gold abounds [our choices].
DRAWS, _MOST_NUMBERS = 2000, 40_000_000
_NUMBERS_AT_ONCE = 2_000_000
LEVEL = 0.95


class Difference(NamedTuple):
    """A difference between two correlations, and its interval; NaN where it is not defined.

    `sure_lower` is the lower end of the wider interval that holds for several comparisons at once.
    """

    difference: float
    lower: float
    upper: float
    sure_lower: float


NO_DIFFERENCE = Difference(np.nan, np.nan, np.nan, np.nan)


def paired_difference(
    gold: FloatArray,
    scores: tuple[FloatArray, FloatArray],
    *,
    item: IntArray,
    rng: np.random.Generator,
    n_comparisons: int = 1,
) -> Difference:
    """How much better the first scores correlate with gold than the second, had other items been gold.

    Only cells that both score count. Items are drawn with replacement, all their cells together, and both
    correlations are taken over the same draw, so what makes an item easy for both methods cancels out.
    The interval is between percentiles of the draws [Davison1997]. With several comparisons, of which the
    best will be told, the errors of all the wider intervals together are as rare as that of one of the
    others: each has a level of 1 - .05 / comparisons, after Bonferroni. Arrays: (cells,).
    """
    known = np.isfinite(gold) & np.isfinite(scores[0]) & np.isfinite(scores[1])
    if known.sum() < LEAST_POINTS:
        return NO_DIFFERENCE
    x, first, second = gold[known], scores[0][known], scores[1][known]
    value = _unless_rounding(pearson(x, first) - pearson(x, second))
    _, place = np.unique(item[known], return_inverse=True)
    drawn = _drawn_differences(x, (first, second), place, rng)
    drawn = drawn[np.isfinite(drawn)]
    if not np.isfinite(value) or not len(drawn):
        return NO_DIFFERENCE._replace(difference=value)
    tail = (1 - LEVEL) / 2
    ends = np.quantile(drawn, [tail, 1 - tail, tail / n_comparisons])
    return Difference(value, *(_unless_rounding(float(end)) for end in ends))


def _unless_rounding(difference: float) -> float:
    """The difference, or 0 where correlations are the same but for their last bits."""
    return 0.0 if abs(difference) < ROUNDING else difference


def _drawn_differences(
    gold: FloatArray, scores: tuple[FloatArray, FloatArray], item: IntArray, rng: np.random.Generator
) -> FloatArray:
    """The difference in each draw of items."""
    n_items = int(item.max()) + 1
    draws = max(LEAST_FOR_CONCLUSIONS, min(DRAWS, _MOST_NUMBERS // len(gold)))
    step = max(1, _NUMBERS_AT_ONCE // n_items)
    found = []
    for start in range(0, draws, step):
        n = min(step, draws - start)
        taken = rng.integers(n_items, size=(n, n_items)) + n_items * np.arange(n)[:, None]
        counts = np.bincount(taken.ravel(), minlength=n * n_items).reshape(n, n_items)
        weight = counts.astype(np.float64)[:, item]
        found.append(_correlations(weight, gold, scores[0]) - _correlations(weight, gold, scores[1]))
    return np.concatenate(found)


def _correlations(weight: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Pearson's correlation of two lists under each row of weights (draws, n); NaN without variation."""
    # Centred first, or squares of large numbers would swallow small differences.
    x, y = first - first.mean(), second - second.mean()
    sums = weight @ np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)
    n, mean_x, mean_y = sums[:, 0], sums[:, 1] / sums[:, 0], sums[:, 2] / sums[:, 0]
    var_x, var_y = sums[:, 3] / n - mean_x**2, sums[:, 4] / n - mean_y**2
    covariance = sums[:, 5] / n - mean_x * mean_y
    # A draw of equal numbers leaves rounding behind.
    varies = (var_x > 1e-12 * (x @ x) / len(x)) & (var_y > 1e-12 * (y @ y) / len(y))
    spread = np.sqrt(np.where(varies, var_x * var_y, 1.0))
    return np.where(varies, covariance / spread, np.nan)
