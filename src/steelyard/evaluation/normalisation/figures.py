"""The figures by which methods are compared with an expert, and with each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from steelyard.evaluation.closeness import LEAST_POINTS
from steelyard.stats.arrays import FloatArray
from steelyard.stats.correlation import pearson, spearman
from steelyard.stats.gold import RatingPoints, beyond_uniform, categories
from steelyard.stats.gold_agreement import Votes, pooled_agreement

# More final scores than this share in one category tell translations apart no more [Denkowski2010].
CROWDED_SHARE = 0.8


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


def gold_figures(score: FloatArray, gold: FloatArray, points: RatingPoints | None) -> GoldFigures:
    """Correlations and distances of scores from gold, NaN where a cell has none. Arrays: (cells,).

    Scores are correlated and measured as they are; for agreement they become categories of the scale, as
    does gold [Denkowski2010]. `points` None: the scores are in no points. A cell without score is counted,
    and left out of all else.
    """
    is_gold = np.isfinite(gold)
    scored = is_gold & np.isfinite(score)
    found, expert = score[scored], gold[scored]
    n_scored, n_unscored = int(scored.sum()), int(is_gold.sum() - scored.sum())
    enough = n_scored >= LEAST_POINTS
    r, rho = (pearson(expert, found), spearman(expert, found)) if enough else (np.nan, np.nan)
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


class Crowded(NamedTuple):
    """A category that holds most of the scores: its ends, both the same point on a scale of points."""

    low: float
    high: float
    share: float


def crowded_category(score: FloatArray, points: RatingPoints) -> Crowded | None:
    """The category that holds more than 80 % of the final scores; None if none does."""
    found = categories(score[np.isfinite(score)], points)
    if not len(found):
        return None
    counts = np.bincount(found - 1, minlength=points.n_categories)
    place, share = int(counts.argmax()), float(counts.max() / len(found))
    if share <= CROWDED_SHARE:
        return None
    if points.n_points is not None:
        point = float(points.values()[place])
        return Crowded(point, point, share)
    part = points.width / points.n_categories
    return Crowded(points.low + part * place, points.low + part * (place + 1), share)


def _known(value: float) -> float | None:
    """The number, or None where it is not defined."""
    return float(value) if np.isfinite(value) else None
