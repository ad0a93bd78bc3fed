"""The figures by which methods are compared with an expert, and how sure their differences are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.domain.draws import LEAST_FOR_CONCLUSIONS
from steelyard.evaluation.closeness import LEAST_POINTS
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.correlation import pearson, spearman
from steelyard.stats.gold import RatingPoints, beyond_uniform, categories
from steelyard.stats.gold_agreement import Votes, pooled_agreement
from steelyard.stats.rounding import ROUNDING, TIE_DECIMALS

# Enough for two digits of the ends of an interval; fewer where gold abounds [our choices].
DRAWS, _MOST_NUMBERS = 2000, 40_000_000
_NUMBERS_AT_ONCE = 2_000_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class GoldFigures:
    """How close scores are to gold; None where a figure is not defined.

    `delta`, `agreement` and `kappa` need scores in points of the scale.
    """

    n_scored: int
    n_unscored: int
    r: float | None
    rho: float | None
    delta: float | None = None
    agreement: float | None = None
    kappa: float | None = None


def gold_figures(
    score: FloatArray,
    gold: FloatArray,
    points: RatingPoints | None,
    *,
    correlated: FloatArray | None = None,
) -> GoldFigures:
    """Correlations and distances of scores from gold, NaN where a cell has none. Arrays: (cells,).

    Scores are correlated and measured as they are; for agreement they become categories of the scale, as
    does gold [Denkowski2010]. `points` None: the scores are in no points. `correlated`: what is correlated
    in place of the scores, where these come from several fits. A cell without score is counted, and left
    out of all else.
    """
    correlated = score if correlated is None else correlated
    is_gold = np.isfinite(gold)
    scored = is_gold & np.isfinite(score)
    found, expert = score[scored], gold[scored]
    n_scored, n_unscored = int(scored.sum()), int(is_gold.sum() - scored.sum())
    enough = n_scored >= LEAST_POINTS
    level = correlated[scored]
    r = pearson(expert, level) if enough else np.nan
    rho = spearman(expert, level.round(TIE_DECIMALS)) if enough else np.nan
    if points is None or not n_scored:
        return GoldFigures(n_scored, n_unscored, _known(r), _known(rho))
    agreement = float(np.mean(categories(found, points) == categories(expert, points)))
    return GoldFigures(
        n_scored,
        n_unscored,
        _known(r),
        _known(rho),
        delta=float(np.mean(np.abs(expert - found))),
        agreement=agreement,
        kappa=_known(float(beyond_uniform(np.array(agreement), points))),
    )


def worker_agreement(votes: Votes, points: RatingPoints) -> tuple[float | None, float | None]:
    """P(A) and K over all pairs of judgements, of two workers on one translation; None without a pair."""
    agreement = pooled_agreement(votes)
    return _known(agreement), _known(float(beyond_uniform(np.array(agreement), points)))


def _known(value: float) -> float | None:
    """The number, or None where it is not defined."""
    return float(value) if np.isfinite(value) else None


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
    best will be reported, the errors of all the wider intervals together are as rare as that of one of the
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
    """The difference, or 0 where correlations differ only in their last bits."""
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
