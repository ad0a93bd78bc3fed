"""Uncertainty of system scores when both workers and segments could have been others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray

# Products of cells and draws held at once: three arrays of 16 MB.
_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class CrossedRatings:
    """Ratings crossed by worker and segment, each with the weight it has in its system's score.

    A system's score is the weighted mean of its values. With weight 1 / (ratings of that system's
    segment) that is the mean of segment means; with weight 1 the mean of all ratings. The indices
    are 0, 1, 2, ...; segments are shared by all systems. All arrays: (n,).
    """

    value: FloatArray
    weight: FloatArray
    worker: IntArray
    segment: IntArray
    system: IntArray


def system_scores(ratings: CrossedRatings) -> FloatArray:
    """Weighted mean of each system's values. Shape (S,)."""
    total = np.bincount(ratings.system, ratings.weight)
    scores: FloatArray = np.bincount(ratings.system, ratings.weight * ratings.value) / total
    return scores


def two_way_bootstrap(ratings: CrossedRatings, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """System scores had other workers judged other segments. Shape (draws, S).

    Each draw takes as many workers and as many segments as there are, with replacement, the same
    ones for all systems; a rating counts as often as its worker times as often as its segment
    [Owen2007]. That counts the noise of a single rating up to three times, so the spread of each
    system's draws is brought to the variance of `two_way_variance`, and the shape and the
    correlations of the draws are kept. A system without weight in a draw is NaN there.

    The workers' means and deviations behind standardised values are taken as known. With very few
    workers, say five, no resampling of workers can be trusted.
    """
    n_workers, n_segments = int(ratings.worker.max()) + 1, int(ratings.segment.max()) + 1
    sums = _CellSums(ratings)
    drawn = np.empty((draws, sums.n_systems))
    step = max(1, _CELLS_AT_ONCE // sums.n_cells)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        worker_weight = _multinomial_weights(n_workers, size, rng)
        segment_weight = _multinomial_weights(n_segments, size, rng)
        drawn[start : start + size] = sums.scores(worker_weight, segment_weight)
    return _with_variance(drawn, scores=system_scores(ratings), variance=two_way_variance(ratings))


def two_way_variance(ratings: CrossedRatings) -> FloatArray:
    """Sampling variance of system scores, ratings clustered by worker and by segment. Shape (S,).

    Variance between workers plus variance between segments minus that between cells of both, which
    the first two contain once each [Cameron2011]; never less than either of the two alone.
    """
    influence = ratings.weight * (ratings.value - system_scores(ratings)[ratings.system])
    influence /= np.bincount(ratings.system, ratings.weight)[ratings.system]
    n_segments = int(ratings.segment.max()) + 1

    def between(cluster: IntArray) -> FloatArray:
        width = int(cluster.max()) + 1
        code, index = np.unique(ratings.system * width + cluster, return_inverse=True)
        system = code // width
        squares = np.bincount(system, np.bincount(index, influence) ** 2)
        n = np.bincount(system)
        corrected: FloatArray = squares * n / np.maximum(n - 1, 1)
        return corrected

    by_worker, by_segment = between(ratings.worker), between(ratings.segment)
    by_cell = between(ratings.worker * n_segments + ratings.segment)
    variance: FloatArray = np.maximum(by_worker + by_segment - by_cell, np.maximum(by_worker, by_segment))
    return variance


class _CellSums:
    """Sums over (system, segment) cells for given weights of workers, by sparse products."""

    def __init__(self, ratings: CrossedRatings) -> None:
        n_segments = int(ratings.segment.max()) + 1
        cells, cell = np.unique(ratings.system * n_segments + ratings.segment, return_inverse=True)
        self.n_cells = len(cells)
        self.cell_segment = cells % n_segments
        self.first_cell = np.unique(cells // n_segments, return_index=True)[1]
        self.n_systems = len(self.first_cell)
        shape = (self.n_cells, int(ratings.worker.max()) + 1)
        self.weight = csr_array((ratings.weight, (cell, ratings.worker)), shape=shape)
        self.weighted = csr_array((ratings.weight * ratings.value, (cell, ratings.worker)), shape=shape)

    def scores(self, worker_weight: FloatArray, segment_weight: FloatArray) -> FloatArray:
        """Scores of all systems under weights (workers, draws) and (segments, draws): (draws, S)."""
        of_cell = segment_weight[self.cell_segment]
        # Cells are in order of system, so a system is one run of rows.
        top = np.add.reduceat((self.weighted @ worker_weight) * of_cell, self.first_cell, axis=0)
        bottom = np.add.reduceat((self.weight @ worker_weight) * of_cell, self.first_cell, axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores: FloatArray = np.where(bottom > 0, top / bottom, np.nan).T
        return scores


def _multinomial_weights(n: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """How often each of n things is taken in each draw of n with replacement. Shape (n, draws)."""
    taken = rng.integers(n, size=(n, draws)) * draws + np.arange(draws)
    return np.bincount(taken.ravel(), minlength=n * draws).reshape(n, draws).astype(np.float64)


def _with_variance(drawn: FloatArray, *, scores: FloatArray, variance: FloatArray) -> FloatArray:
    """The draws, stretched about the scores to the given variances."""
    deviation = drawn - scores
    known = np.maximum(np.sum(~np.isnan(deviation), axis=0), 1)
    spread = np.sqrt(np.nansum(deviation**2, axis=0) / known)
    stretch = np.divide(np.sqrt(variance), spread, out=np.ones_like(spread), where=spread > 0)
    stretched: FloatArray = scores + deviation * stretch
    return stretched
