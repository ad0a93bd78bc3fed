"""How far a worker can be trusted: how closely ratings, whatever their scale, follow what others say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray, index_width
from steelyard.stats.rounding import TIE_DECIMALS

# Weights stay above 0, also that of a worker who seems to contradict the others: relative to the average
# worker's slope [our choice].
_LEAST_SLOPE = 0.1
# Variances and sums below this are 0 but for rounding.
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """Ratings of texts; all arrays (n,), indices from 0.

    `scored` are those of systems' own translations; the others, of controls, only tell about their workers.
    Ratings of one worker are ranked within a `criterion`, such as an attribute. `group`: what a text is
    before anybody judges it, its kind and attribute. `weight`: what a rating weighs beside all this.
    """

    value: FloatArray
    worker: IntArray
    document: IntArray
    segment: IntArray
    system: IntArray
    criterion: IntArray
    group: IntArray
    scored: BoolArray
    weight: FloatArray


def normal_scores(value: FloatArray, group: IntArray) -> FloatArray:
    """Each value as the normal quantile of its rank within its group, tied values alike [Conover1999].

    The rank is divided by one more than there are values. What scale a group used is then forgotten.

    >>> normal_scores(np.array([10.0, 90.0, 50.0, 3.0]), np.array([0, 0, 0, 1])).round(3)
    array([-0.674,  0.674,  0.   ,  0.   ])
    """
    if not len(value):
        return np.zeros(0)
    rounded = value.round(TIE_DECIMALS)
    order = np.lexsort((rounded, group))
    is_new = np.ones(len(value), dtype=np.bool_)
    is_new[1:] = (np.diff(group[order]) != 0) | (np.diff(rounded[order]) != 0)
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=len(value))
    first = np.searchsorted(group[order], group[order][starts])
    rank = np.empty(len(value))
    rank[order] = (starts - first + (sizes + 1) / 2).repeat(sizes)
    scores: FloatArray = ndtri(rank / (np.bincount(group)[group] + 1))
    return scores


def worker_trust(texts: JudgedTexts, score: FloatArray) -> FloatArray:
    """What each worker's scores weigh: slope on what others say, divided by noise around it. Shape (W,).

    What others say of a text: the mean of its group, and of the other workers' scores of that segment, drawn
    towards 0 as far as it is uncertain. Slopes are relative to the average worker's, noises to the mean
    noise, and both are drawn towards it by what the workers' own numbers show of their uncertainty.
    """
    expected = _expected(texts, score)
    worker, n_workers = texts.worker, index_width(texts.worker)
    n = np.bincount(worker, minlength=n_workers).astype(np.float64)
    x, y = _centred(expected, worker), _centred(score, worker)
    square, product = np.bincount(worker, x * x, n_workers), np.bincount(worker, x * y, n_workers)
    if square.sum() <= 0 or product.sum() <= 0:
        return np.ones(n_workers)
    common = product.sum() / square.sum()
    slope = np.divide(product, square, out=np.full(n_workers, common), where=square > 0)
    residual = y - slope[worker] * x
    around = np.bincount(worker, residual**2, n_workers)
    noise = around.sum() / max(np.maximum(n - 2, 0).sum(), 1.0)
    if noise <= _TINY:
        return np.ones(n_workers)
    error = np.divide(noise, square, out=np.full(n_workers, np.inf), where=square > 0)
    slope = common + (slope - common) * _share_real((slope - common) ** 2, error)
    df = n - 2
    ratio = np.divide(around, df * noise, out=np.ones(n_workers), where=df > 0)
    error = np.divide(2.0, df, out=np.full(n_workers, np.inf), where=df > 0)
    ratio = 1 + (ratio - 1) * _share_real((ratio - 1) ** 2, error)
    trust: FloatArray = np.maximum(slope / common, _LEAST_SLOPE) / np.maximum(ratio, _LEAST_SLOPE)
    return trust


def _share_real(square: FloatArray, error: FloatArray) -> FloatArray:
    """How much of each deviation is real: squares of deviations against their error variances. Shape (k,).

    The variance of what is real is that which explains the squares on average, errors weighing less.
    """
    known = np.isfinite(error)
    if not known.any():
        return np.zeros(len(error))
    typical = float(np.median(error[known]))
    weight = 1 / (error[known] + typical)
    real = max(float((weight * (square - error)[known]).sum() / weight.sum()), 0.0)
    share: FloatArray = real / (real + error) if real > 0 else np.zeros(len(error))
    return share


def _expected(texts: JudgedTexts, score: FloatArray) -> FloatArray:
    """What the group of a text and other workers' scores of its segment lead to expect. Shape (n,)."""
    level = np.bincount(texts.group, score) / np.maximum(np.bincount(texts.group), 1)
    beyond = np.where(texts.scored, score - level[texts.group], 0.0)
    place = texts.segment * index_width(texts.criterion) + texts.criterion
    total, n = np.bincount(place, beyond), np.bincount(place, texts.scored).astype(np.float64)
    mean = total / np.maximum(n, 1)
    within = float((np.where(texts.scored, beyond - mean[place], 0.0) ** 2).sum())
    noise = max(within / max(n.sum() - np.count_nonzero(n), 1.0), _TINY)
    several = max(n.sum() - (n**2).sum() / max(n.sum(), 1.0), _TINY)
    real = ((n * mean**2).sum() - noise * np.count_nonzero(n)) / several
    if real <= 0:
        return level[texts.group]
    _, own = np.unique(texts.worker * index_width(place) + place, return_inverse=True)
    others = total[place] - np.bincount(own, beyond)[own]
    n_others = n[place] - np.bincount(own, texts.scored)[own]
    expected: FloatArray = level[texts.group] + others / (n_others + noise / real)
    return expected


def _centred(value: FloatArray, worker: IntArray) -> FloatArray:
    mean = np.bincount(worker, value) / np.maximum(np.bincount(worker), 1)
    centred: FloatArray = value - mean[worker]
    return centred
