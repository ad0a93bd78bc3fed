"""Where standardised ratings vary: between workers on a system, documents, translations, and by chance.

Two ratings are alike as far as they share a worker, a system, a document or a segment. The mean product of
all pairs of ratings that share exactly these is the sum of the components that they share, so differences of
such means are the components: the method of moments, for any pattern of who judged what [Searle1992].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variances of effects on a rating, which add up to its variance.

    `worker`: how one worker is above or below others, after standardising; `worker_system`: one worker's
    taste for a system; `document`: a document, for all systems; and for one
    (`document_system`); `cell`: one worker on one document of a system; `segment`: a segment within its
    document, for all systems; `translation`: for one; `residual`: all else.
    """

    worker: float
    worker_system: float
    document: float
    document_system: float
    cell: float
    segment: float
    translation: float
    residual: float


@dataclass(frozen=True, slots=True)
class LabelledRatings:
    """Values of n ratings, and the worker, system, document and segment of each, counted from 0."""

    value: FloatArray
    worker: IntArray
    system: IntArray
    document: IntArray
    segment: IntArray


def variance_components(ratings: LabelledRatings) -> VarianceComponents:
    """The components of the values, none below 0. What no two ratings share counts as 0.

    A worker's second rating of the same translation must not be among the ratings.
    """
    size = np.bincount(ratings.system)
    mean = np.bincount(ratings.system, ratings.value) / np.maximum(size, 1)
    value = ratings.value - mean[ratings.system]
    free = max(len(value) - int((size > 0).sum()), 1)
    alike = _mean_products(ratings, value)
    neither, system, worker, both = alike[0, 0], alike[0, 1], alike[1, 0], alike[1, 1]

    of_worker = _known(worker[0] - neither[0])
    worker_system = _known((both[0] - worker[0]) - (system[0] - neither[0]), both[0] - system[0])
    document = _known(neither[1] - neither[0])
    document_system = _known(system[1] - system[0] - document)
    cell = _known(both[1] - both[0] - document - document_system)
    segment = _known(neither[2] - neither[0] - document)
    translation = _known(system[2] - system[0] - document - document_system - segment)
    found = of_worker, worker_system, document, document_system, cell, segment, translation
    return VarianceComponents(*found, residual=max(float(value @ value) / free - sum(found), 0.0))


def _known(*estimates: float) -> float:
    """The first estimate that could be made, not below 0; 0 if none could."""
    made = [float(estimate) for estimate in estimates if not np.isnan(estimate)]
    return max(made[0], 0.0) if made else 0.0


def _mean_products(ratings: LabelledRatings, value: FloatArray) -> FloatArray:
    """Mean product of two ratings' values, by what they share. Shape (2, 2, 3); NaN where no two do.

    Axes: another worker or the same; another system or the same; another document, the same document, the
    same segment.
    """
    places = np.zeros_like(ratings.document), ratings.document, ratings.segment
    sums: FloatArray = np.zeros((2, 2, 3, 2))
    for same_worker in range(2):
        for same_system in range(2):
            who = ratings.worker * same_worker
            what = ratings.system * same_system
            for level, place in enumerate(places):
                sums[same_worker, same_system, level] = _pair_sums(value, (who, what, place))
    # Pairs that share at least this much, less those that share more.
    sums[0] -= sums[1]
    sums[:, 0] -= sums[:, 1]
    sums[:, :, 0] -= sums[:, :, 1]
    sums[:, :, 1] -= sums[:, :, 2]
    products, pairs = sums[..., 0], np.round(sums[..., 1])
    means: FloatArray = np.where(pairs > 0, products / np.maximum(pairs, 1), np.nan)
    return means


def _pair_sums(value: FloatArray, labels: tuple[IntArray, ...]) -> tuple[float, float]:
    """Sum of products over all ordered pairs of ratings with equal labels, and how many pairs there are."""
    code = np.zeros(len(value), dtype=np.int64)
    for label in labels:
        code = np.unique(code * (int(label.max()) + 1) + label, return_inverse=True)[1]
    total, size = np.bincount(code, value), np.bincount(code).astype(np.float64)
    return float(total @ total - value @ value), float(size @ size - len(value))
