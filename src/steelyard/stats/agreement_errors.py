"""Errors of coefficients of agreement, had other workers judged other documents.

Influences of ratings are summed by document, and by worker across documents, much as in `clustered`. What
is special is that agreement is of pairs. In a unit of few ratings hardly anything says which of them made a
pair disagree, so each answers for all its pairs; then what two workers have in common counts for both, and
once too often, so it is taken off again [Aronow2015].
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from steelyard.stats.agreement_influence import Influence
from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING

# Up to this many ratings are few. In larger units two workers' common part is small beside their own.
_FEW = 5
# For more workers than this it makes no difference to a quantile of t who shares units with whom.
_MANY_WORKERS = 200
# No cluster stands for more than this of a coefficient, as far as its error is concerned: the little that
# is left without it would say nothing.
_MOST = 0.5


class AgreementError(NamedTuple):
    """Variance of a coefficient and its degrees of freedom; NaN where others are a guess."""

    variance: float
    df: float


class _Pairs(NamedTuple):
    """Pairs of ratings in units of few: their places, who gave them, and numbers for these two workers."""

    first: IntArray
    second: IntArray
    left: IntArray
    right: IntArray
    couple: IntArray
    couple_on_document: IntArray


class CrossedPairs:
    """Who rated which unit, of which document: what all coefficients of the same ratings share.

    Arrays (n,): ratings sorted by unit, at most one by each worker. Units, workers and documents are numbers
    from 0 on; some may be left out.
    """

    def __init__(self, unit: IntArray, *, worker: IntArray, document: IntArray) -> None:
        self._unit, self._document = unit, document
        self._size = np.bincount(unit)
        m = self._size[unit]
        self._few: BoolArray = (m > 1) & (m <= _FEW)
        self._m = m.astype(np.float64)
        workers, self._worker = np.unique(worker, return_inverse=True)
        self._n_workers, self._n_documents = len(workers), int(document.max(initial=-1)) + 1
        self._known_documents = len(np.unique(document))
        self._cell, code = _numbered(self._worker, document, n_right=self._n_documents)
        self._cell_worker, self._cell_document = np.divmod(code, max(self._n_documents, 1))
        self._pairs = self._small_units()

    def error(self, influence: Influence) -> AgreementError:
        """The error of the coefficient that has these influences.

        Sums over documents are squared, and sums over workers less the part that lies within documents.
        All of them are first divided by what would be left without the cluster, as in a jackknife. The
        degrees of freedom depend on how evenly the work is spread and on who shares units with whom: one less
        than there are workers if all rated the same. They are one less than the documents if these are fewer.
        """
        if self._n_workers < 2 or self._known_documents < 2 or not np.isfinite(influence.moved).all():
            return AgreementError(math.nan, math.nan)
        total = _summed(influence.moved, self._unit)[self._unit]
        m = np.maximum(self._m, 2.0)
        answers = np.where(self._few, ((m - 2) * influence.moved + total) / (m - 1), influence.moved)
        stake = _summed(np.where(self._few, 2, 1) * influence.share, self._worker, self._n_workers)
        left = 1 - np.minimum(stake, _MOST)
        of_document = _summed(influence.share, self._document, self._n_documents)
        documents = _summed(influence.moved, self._document, self._n_documents)
        by_document = float(np.sum((documents / (1 - np.minimum(of_document, _MOST))) ** 2))
        couples = self._of_couples(influence, left)
        across = (
            (self._n_workers - 1) / self._n_workers * (self._across(answers, of_document, left) - couples)
        )
        df = self._df(influence.share, stake)
        if math.isnan(df):
            return AgreementError(math.nan, math.nan)
        df = max(min(df, self._known_documents - 1.0), 1.0)
        return AgreementError(by_document + max(across, 0.0), df)

    def _across(self, answers: FloatArray, of_document: FloatArray, left: FloatArray) -> float:
        """Products of a worker's influences on different documents, summed.

        A worker who rated everything has no part in how documents differ, for it is the same for all of
        them and sums to 0; so what a cell has on the average of its document is not within documents.
        """
        by_worker = _summed(answers, self._worker, self._n_workers) / left
        cells = _summed(answers, self._cell) / left[self._cell_worker]
        mean = _summed(cells, self._cell_document) / np.maximum(np.bincount(self._cell_document), 1)
        covers = _summed(of_document[self._cell_document], self._cell_worker, self._n_workers)
        common = float(covers[self._cell_worker] @ mean[self._cell_document] ** 2)
        return float(by_worker @ by_worker - cells @ cells) + common

    def _of_couples(self, influence: Influence, left: FloatArray) -> float:
        """The same for each two workers together, in units of few."""
        pairs = self._pairs
        if influence.of_pair is None or not len(pairs.first):
            return 0.0
        moved = influence.of_pair(pairs.first, pairs.second) / np.sqrt(left[pairs.left] * left[pairs.right])
        couples = _summed(moved, pairs.couple)
        within = _summed(moved, pairs.couple_on_document)
        return float(couples @ couples - within @ within)

    def _df(self, share: FloatArray, stake: FloatArray) -> float:
        """Degrees of freedom of the squared sums over workers, as if effects of all had the same variance.

        NaN if all pairs are of the same two workers: nothing says how others would differ from them.
        """
        n, pairs = self._n_workers, self._pairs
        if n > _MANY_WORKERS:
            return float(np.sum(stake**2) ** 2 / np.sum(stake**4)) - 1
        weight = 2 * _summed(share, self._worker, n)
        of_pair = 2 * share[pairs.first] / (self._m[pairs.first] - 1)
        common = _summed(of_pair, pairs.left * n + pairs.right, n * n).reshape(n, n)
        effects = np.diag(weight) + common + common.T - np.outer(stake, weight)
        products = effects @ effects.T
        if np.trace(products) <= ROUNDING * float(weight @ weight):
            return math.nan
        return float(np.trace(products) ** 2 / np.sum(products**2))

    def _small_units(self) -> _Pairs:
        start = np.cumsum(self._size) - self._size
        places = [
            (start[self._size == size] + i, start[self._size == size] + j)
            for size in range(2, _FEW + 1)
            for i, j in combinations(range(size), 2)
        ]
        first, second = (np.concatenate(side) for side in zip(*places, strict=True))
        a, b = self._worker[first], self._worker[second]
        left, right = np.minimum(a, b), np.maximum(a, b)
        couple, _ = _numbered(left, right, n_right=max(self._n_workers, 1))
        on_document, _ = _numbered(couple, self._document[first], n_right=max(self._n_documents, 1))
        return _Pairs(first, second, left, right, couple, on_document)


def fisher_interval(value: float, error: AgreementError, *, level: float) -> tuple[float, float]:
    """Lower and upper bound of a coefficient that cannot exceed 1 in either direction.

    Symmetric in Fisher's z, log((1 + x) / (1 - x)) / 2 [Fisher1921]. NaN where there is no error, or where
    nothing varied: complete agreement, too, could have been otherwise.
    """
    if not (error.variance > ROUNDING**2 and abs(value) < 1):
        return math.nan, math.nan
    half = float(stdtrit(error.df, (1 + level) / 2)) * math.sqrt(error.variance) / (1 - value * value)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def _numbered(left: IntArray, right: IntArray, *, n_right: int) -> tuple[IntArray, IntArray]:
    """A number from 0 on for each pair of numbers (n,), and the pairs' codes in order."""
    code, number = np.unique(left * max(n_right, 1) + right, return_inverse=True)
    return number, code


def _summed(amount: FloatArray, index: IntArray, n: int = 0) -> FloatArray:
    """The amounts summed by their index: (n,), or longer if an index says so."""
    sums: FloatArray = np.bincount(index, amount, n).astype(np.float64, copy=False)
    return sums
