"""Uncertainty of system scores when both workers and segments could have been others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray, index_width

# Draws made at once: the sums of one system then stay in the processor's cache. Not a power of two,
# or rows of weights would compete for the same places in it.
_DRAWS_AT_ONCE = 200
# With very many segments or workers fewer at once, so that no array of weights exceeds 32 MB.
_WEIGHTS_AT_ONCE = 4_000_000
# Ratings times draws beyond which draws are of first order: some ten seconds of work otherwise.
_FIRST_ORDER_FROM = 2_000_000_000
# Sums over more workers or segments than this are drawn from a normal distribution then.
_MANY_CLUSTERS = 2_000


@dataclass(frozen=True, slots=True)
class CrossedRatings:
    """Ratings crossed by worker and segment, each with the weight it has in its system's score.

    Where segments of one document go together, `segment` is the number of the document.

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
    """Weighted mean of each system's values; NaN for a system without weight. Shape (S,)."""
    total = np.bincount(ratings.system, ratings.weight)
    return _ratio(np.bincount(ratings.system, ratings.weight * ratings.value), total)


def two_way_bootstrap(ratings: CrossedRatings, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """System scores if other workers had judged other segments. Shape (draws, S).

    Each draw takes as many workers and as many segments as there are, with replacement, the same
    ones for all systems; a rating counts as often as its worker times as often as its segment
    [Owen2007]. That counts the noise of a single rating up to three times, so the spread of each system's
    draws is scaled to the variance of `two_way_variance`, and the shape and the
    correlations of the draws are kept. A system without weight in a draw is NaN there.

    With very much work to do (ratings times draws beyond 2e9) the draws are of first order: each worker's
    and each segment's share in a score counts as often as it is drawn, and the denominator stays.
    With a million ratings the result is the same within the error of the draws, and a thousand times faster.

    The workers' means and deviations behind standardised values are taken as known. With very few
    workers, say five, no resampling of workers can be trusted.
    """
    if len(ratings.value) * draws > _FIRST_ORDER_FROM:
        drawn = _first_order_draws(ratings, draws=draws, rng=rng)
        return _with_variance(drawn, scores=system_scores(ratings), variance=two_way_variance(ratings))
    sums = _CrossedSums(ratings)
    n_workers, n_segments = index_width(ratings.worker), index_width(ratings.segment)
    drawn = np.empty((draws, sums.n_systems))
    step = min(max(draws, 1), _DRAWS_AT_ONCE, max(1, _WEIGHTS_AT_ONCE // max(n_workers, n_segments)))
    worker_weight, segment_weight = np.empty((n_workers, step)), np.empty((n_segments, step))
    for start in range(0, draws, step):
        _draw_weights(worker_weight, rng)
        _draw_weights(segment_weight, rng)
        drawn[start : start + step] = sums.scores(worker_weight, segment_weight)[: draws - start]
    return _with_variance(drawn, scores=system_scores(ratings), variance=two_way_variance(ratings))


def weighted_scores(
    ratings: CrossedRatings, *, worker_weight: FloatArray, segment_weight: FloatArray
) -> FloatArray:
    """System scores with workers and segments weighted. Shape (draws, S).

    `worker_weight` is (workers, draws) and `segment_weight` (segments, draws). A rating counts with
    the product of its own weight and these two; a system without weight in a draw is NaN there.
    """
    return _CrossedSums(ratings).scores(worker_weight, segment_weight)


def two_way_variance(ratings: CrossedRatings) -> FloatArray:
    """Sampling variance of system scores, ratings clustered by worker and by segment. Shape (S,).

    Variance between workers plus variance between segments minus that between cells of both, which
    the first two contain once each [Cameron2011]; never less than either of the two alone. NaN for
    a system without weight.
    """
    influence = _influence(ratings)

    n_systems = index_width(ratings.system)

    def between(cluster: IntArray) -> FloatArray:
        width = index_width(cluster)
        code = ratings.system * width + cluster
        if n_systems * width > 4 * len(code):
            # Far more numbers than ratings: those in use follow each other in order.
            order = np.argsort(code)
            code = code[order]
            starts = np.flatnonzero(np.diff(code, prepend=-1))
            sums, system = np.add.reduceat(influence[order], starts), code[starts] // width
        else:
            used = np.flatnonzero(np.bincount(code))
            sums, system = np.bincount(code, influence)[used], used // width
        squares = np.bincount(system, sums**2, n_systems)
        n = np.bincount(system, minlength=n_systems)
        corrected: FloatArray = squares * n / np.maximum(n - 1, 1)
        return corrected

    by_worker, by_segment = between(ratings.worker), between(ratings.segment)
    by_cell = between(ratings.worker * index_width(ratings.segment) + ratings.segment)
    variance: FloatArray = np.maximum(by_worker + by_segment - by_cell, np.maximum(by_worker, by_segment))
    has_weight = np.bincount(ratings.system, ratings.weight) > 0
    return np.where(has_weight, variance, np.nan)


def _influence(ratings: CrossedRatings) -> FloatArray:
    """How far each rating moves the score of its system. They sum to 0 in every system. Shape (n,)."""
    total = np.bincount(ratings.system, ratings.weight)
    moved = ratings.weight * (ratings.value - system_scores(ratings)[ratings.system])
    return _ratio(moved, total[ratings.system])


def _first_order_draws(ratings: CrossedRatings, *, draws: int, rng: np.random.Generator) -> FloatArray:
    """Scores moved by what the workers and segments drawn too often or too seldom are worth: (draws, S)."""
    scores, influence = system_scores(ratings), _influence(ratings)
    drawn = np.tile(scores, (draws, 1))
    for cluster in (ratings.worker, ratings.segment):
        n = index_width(cluster)
        cell = cluster * len(scores) + ratings.system
        shares = np.bincount(cell, influence, n * len(scores)).reshape(n, -1)
        if n > _MANY_CLUSTERS:
            # Their sum is practically normal, and its variance is known.
            drawn += rng.multivariate_normal(np.zeros(len(scores)), shares.T @ shares, size=draws)
            continue
        step = min(max(draws, 1), max(1, _WEIGHTS_AT_ONCE // n))
        weight = np.empty((n, step))
        for start in range(0, draws, step):
            _draw_weights(weight, rng)
            drawn[start : start + step] += (weight.T @ shares)[: draws - start]
    return drawn


def rank_probabilities(draws: FloatArray) -> FloatArray:
    """Share of the draws (draws, S) in which the system of the row takes the rank of the column.

    The first column is rank 1, the highest score. Systems with equal scores share their ranks evenly,
    so rows and columns all sum to 1. Draws in which some system is NaN have no ranks and are left
    out; with none left, everything is NaN. Shape (S, S).

    >>> rank_probabilities(np.array([[3.0, 2.0, 1.0], [2.0, 2.0, 1.0]]))
    array([[0.75, 0.25, 0.  ],
           [0.25, 0.75, 0.  ],
           [0.  , 0.  , 1.  ]])
    """
    # One row per system: comparing two systems then reads memory in order.
    scores = np.ascontiguousarray(draws[~np.isnan(draws).any(axis=1)].T)
    n_systems, n_draws = scores.shape
    taken = np.zeros((n_systems, n_systems))
    for row, own in zip(taken, scores, strict=True):
        better = np.count_nonzero(scores > own, axis=0)
        equal = np.count_nonzero(scores == own, axis=0)
        for width in np.unique(equal).tolist():
            # Ranks from `better` on, as many as are equal: whole numbers, divided once at the end.
            begins = np.bincount(better[equal == width], minlength=n_systems)
            row += np.convolve(begins, np.ones(width, dtype=np.int64))[:n_systems] / width
    return _ratio(taken, np.full_like(taken, n_draws))


def bootstrap_p(draws: FloatArray) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column.

    (1 + draws in which it is not) / (1 + draws), for methods without their own test: the scores
    observed are one draw more, so p is never 0 [Davison1997]. It assumes that the draws spread as scores
    do, and their middle to lie at the scores. A draw in which one of the two is NaN is left out
    for that pair. NaN without draws and on the diagonal. Shape (S, S).

    >>> bootstrap_p(np.array([[3.0, 2.0], [2.0, 2.0], [1.0, 0.0], [1.0, 0.0]]))
    array([[nan, 0.4],
           [1. , nan]])
    """
    above, both = _above_and_both(draws)
    return np.where(both > 0, (1 + both - above) / (1 + both), np.nan)


def _above_and_both(draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """In how many draws the row is above the column, and in how many both are known; 0 on the diagonal."""
    scores = np.ascontiguousarray(draws.T)
    above = np.array([np.count_nonzero(own > scores, axis=1) for own in scores], dtype=np.float64)
    known = ~np.isnan(scores)
    both = np.array([np.count_nonzero(own & known, axis=1) for own in known], dtype=np.float64)
    np.fill_diagonal(both, 0.0)
    return above, both


class _SystemSums(NamedTuple):
    """One system's weighted values and weights: two rows for each of `last`, a column for each first.

    The two rows stand together because they need the same weights, which are then still at hand.
    """

    system: int
    last: IntArray
    matrix: csr_array


class _CrossedSums:
    """Sums over each system's ratings for given weights of workers and segments.

    A system's sum is u' K v with weights u of workers, v of segments, and a sparse K. A sparse product
    sums over one side, dot products then over the other. The fewer indices that last side has, the
    less is left to do after the first step: it is the workers in nearly every campaign.
    """

    def __init__(self, ratings: CrossedRatings) -> None:
        self.n_systems = index_width(ratings.system)
        self.workers_last = index_width(ratings.worker) <= index_width(ratings.segment)
        sides = (ratings.worker, ratings.segment)
        last, first = sides if self.workers_last else sides[::-1]
        self.n_first = index_width(first)
        order = np.argsort(ratings.system, kind="stable")
        ends = np.cumsum(np.bincount(ratings.system))
        self.of_systems: list[_SystemSums] = []
        for system, rows in enumerate(np.split(order, ends[:-1])):
            distinct, row = np.unique(last[rows], return_inverse=True)
            weight, column = ratings.weight[rows], first[rows]
            entries = np.concatenate([weight * ratings.value[rows], weight])
            places = np.concatenate([2 * row, 2 * row + 1]), np.concatenate([column, column])
            matrix = csr_array((entries, places), shape=(2 * len(distinct), self.n_first))
            self.of_systems.append(_SystemSums(system, distinct, matrix))

    def scores(self, worker_weight: FloatArray, segment_weight: FloatArray) -> FloatArray:
        """Scores of all systems under weights (workers, draws) and (segments, draws): (draws, S)."""
        weights = (worker_weight, segment_weight)
        last_weight, first_weight = weights if self.workers_last else weights[::-1]
        n_draws = worker_weight.shape[1]
        sums = np.empty((2, self.n_systems, n_draws))
        for system, last, matrix in self.of_systems:
            of_last = (matrix @ first_weight[: self.n_first]).reshape(len(last), 2, n_draws)
            np.einsum("ltd,ld->td", of_last, last_weight[last], out=sums[:, system])
        return _ratio(sums[0], sums[1]).T


def _ratio(top: NDArray[Any], bottom: NDArray[Any]) -> FloatArray:
    """Top over bottom; NaN where the bottom is 0."""
    ratio: FloatArray = np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom > 0)
    return ratio


def _draw_weights(weights: FloatArray, rng: np.random.Generator) -> None:
    """Fill (n, draws) with how often each of n things is taken in each draw of n with replacement.

    The array is the caller's, to be used again: asking the system for fresh memory every few draws
    takes longer than drawing.
    """
    n, draws = weights.shape
    taken = rng.integers(n, size=(n, draws))
    taken *= draws
    taken += np.arange(draws)
    weights[:] = 0.0
    np.add.at(weights.reshape(-1), taken.reshape(-1), 1.0)


def _with_variance(drawn: FloatArray, *, scores: FloatArray, variance: FloatArray) -> FloatArray:
    """The draws, stretched about the scores to the given variances."""
    deviation = drawn - scores
    known = np.maximum(np.sum(~np.isnan(deviation), axis=0), 1)
    spread = np.sqrt(np.nansum(deviation**2, axis=0) / known)
    stretch = np.divide(np.sqrt(variance), spread, out=np.ones_like(spread), where=spread > 0)
    stretched: FloatArray = scores + deviation * stretch
    return stretched
