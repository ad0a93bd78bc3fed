"""The figures by which methods are compared with an expert, and with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.evaluation.closeness import LEAST_POINTS
from steelyard.stats.arrays import FloatArray
from steelyard.stats.correlation import pearson, spearman
from steelyard.stats.gold import RatingPoints, beyond_uniform, categories
from steelyard.stats.gold_agreement import Votes, pooled_agreement
from steelyard.stats.rounding import TIE_DECIMALS


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
