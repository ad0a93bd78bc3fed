"""Ratios of sums, and their errors where parts are not independent: each is computed again without some.

Parts of one cluster go together. Every pair of workers who judged one unit adds something to the numerator
and to the denominator; pairs that share a worker or a document are not independent. So such a ratio is
computed again without each worker, who takes along all pairs of theirs, and without each document.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from steelyard.stats.agreement_errors import AgreementError
from steelyard.stats.arrays import FloatArray, IntArray


class JudgedPairs(NamedTuple):
    """Who judged what, pair by pair: (p,) each; workers and documents count from 0."""

    left: IntArray
    right: IntArray
    document: IntArray


def ratio(numerator: FloatArray, denominator: FloatArray) -> float:
    """The ratio of two sums; NaN if there is nothing to divide by."""
    total = float(denominator.sum())
    return float(numerator.sum()) / total if total else math.nan


def ratio_error(numerator: FloatArray, denominator: FloatArray, pairs: JudgedPairs) -> AgreementError:
    """The error of a ratio of sums over pairs (p,), had other workers judged other documents.

    The sum of two jackknife variances, that over workers and that over documents [our choice: what both
    have in common counts twice, so intervals are rather too wide]. Degrees of freedom are one less than
    there are workers or documents, whichever is less. NaN with fewer than three workers or two documents,
    and where a ratio without one of them is undefined.
    """
    used = denominator > 0
    if not used.any():
        return AgreementError(math.nan, math.nan)
    workers = np.unique(np.concatenate([pairs.left[used], pairs.right[used]]))
    documents = np.unique(pairs.document[used])
    if len(workers) < 3 or len(documents) < 2:
        return AgreementError(math.nan, math.nan)
    sides = (pairs.left, pairs.right)
    by_worker = _jackknife(numerator, denominator, sides, n=int(workers.max()) + 1)[workers]
    by_document = _jackknife(numerator, denominator, (pairs.document,), n=int(documents.max()) + 1)[documents]
    variance = _variance(by_worker) + _variance(by_document)
    if math.isnan(variance):
        return AgreementError(math.nan, math.nan)
    return AgreementError(variance, min(len(workers), len(documents)) - 1.0)


def cluster_error(numerator: FloatArray, denominator: FloatArray, cluster: IntArray) -> AgreementError:
    """The error of a ratio of sums (n,) with other clusters, which count from 0: a jackknife over them.

    NaN with fewer than two clusters, and where one of them has all of the denominator.

    >>> cluster_error(np.array([1.0, 2.0, 3.0]), np.ones(3), np.array([0, 1, 2]))
    AgreementError(variance=0.3333333333333333, df=2.0)
    """
    used = np.unique(cluster[denominator > 0])
    if len(used) < 2:
        return AgreementError(math.nan, math.nan)
    variance = _variance(_jackknife(numerator, denominator, (cluster,), n=int(used.max()) + 1)[used])
    return AgreementError(variance, math.nan if math.isnan(variance) else len(used) - 1.0)


def amount_interval(value: float, error: AgreementError, *, level: float) -> tuple[float, float]:
    """Lower and upper bound of an amount, which is never below 0; NaN where there is no error."""
    if math.isnan(error.variance):
        return math.nan, math.nan
    half = float(stdtrit(error.df, (1 + level) / 2)) * math.sqrt(error.variance)
    return max(value - half, 0.0), value + half


def _jackknife(
    numerator: FloatArray, denominator: FloatArray, clusters: tuple[IntArray, ...], *, n: int
) -> FloatArray:
    """The ratio without each cluster (n,); a pair may be of one or of two."""
    left = []
    for part in (numerator, denominator):
        gone = sum((np.bincount(cluster, part, n)[:n] for cluster in clusters), np.zeros(n))
        left.append(part.sum() - gone)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(left[1] > 0, left[0] / left[1], np.nan)


def _variance(without: FloatArray) -> float:
    n = len(without)
    return float((n - 1) / n * np.sum((without - without.mean()) ** 2))
