"""Errors of estimates from judgements that go together: those of one worker, and those of one document.

Ratings of one worker share that worker's taste, ratings of one document its difficulties: neither are
independent observations. What an estimate needs here is its *influence*: how far each rating moved it, to
first order. Summed over the ratings of a worker, of a document, and of one worker on one document (a cell),
influences give a variance that lets both workers and documents be others [Cameron2011].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtr, stdtrit

from steelyard.stats.arrays import FloatArray, IntArray, index_width

# No deviation is raised by more than a cluster of this share needs [our choice].
_MOST_SHARE = 0.9


class ClusterSums(NamedTuple):
    """How far the ratings of one worker on one document moved each estimate.

    `moved` (cells, estimates); `worker` and `document` (cells,) count from 0. A linear combination of
    estimates, such as a difference, has the same combination of their columns.
    """

    moved: FloatArray
    worker: IntArray
    document: IntArray


@dataclass(frozen=True, slots=True)
class ClusteredErrors:
    """Variances and degrees of freedom of k estimates, and of all their differences.

    `variance`, `df`: (k,); `difference_variance`, `difference_df`: (k, k), row minus column. NaN where there
    are fewer than two workers or two documents, of either estimate, so that nothing is known of others.
    """

    variance: FloatArray
    df: FloatArray
    difference_variance: FloatArray
    difference_df: FloatArray


def cell_sums(influence: FloatArray, *, worker: IntArray, document: IntArray) -> ClusterSums:
    """The influences of ratings (n, k), summed within the cells of one worker and one document.

    >>> same = np.zeros(3, dtype=np.int64)
    >>> cell_sums(np.array([[1.0], [2.0], [4.0]]), worker=np.array([0, 0, 1]), document=same).moved
    array([[3.],
           [4.]])
    """
    width = int(document.max()) + 1 if len(document) else 1
    codes, cell = np.unique(worker * width + document, return_inverse=True)
    return ClusterSums(_summed(influence, cell, len(codes)), codes // width, codes % width)


class ClusterProducts(NamedTuple):
    """Of k estimates and one way of clustering: sums over clusters of the products of what each moved two
    estimates, raised by what estimating took from them, and the number of clusters that had a part in both.
    Shapes (k, k).
    """

    moved: FloatArray
    clusters: FloatArray


def clustered_errors(sums: ClusterSums) -> ClusteredErrors:
    """Errors of the estimates and of their differences, ratings clustered by worker and by document.

    Variance between workers plus that between documents minus that between cells, which both contain;
    never less than that between documents. It may well be less than that between workers: a difficult
    document lowers all systems on it alike, but looks like taste where workers saw it for different ones.
    Each is multiplied by n / (n - 1), n being the clusters that moved an estimate at all. Degrees of
    freedom: those that workers or documents leave, whichever are fewer. They are n - 1 where all clusters
    moved both estimates, and nearer to those of the estimate with fewer clusters otherwise.
    """
    by_worker, by_document = _products(sums.moved, sums.worker), _products(sums.moved, sums.document)
    by_cell = _products(sums.moved, np.arange(len(sums.moved)))
    of_documents = _of_differences(by_document.moved)
    both = _of_differences(by_worker.moved) + of_documents - _of_differences(by_cell.moved)
    return _errors(np.maximum(both, of_documents), by_worker, by_document)


def errors_of_products(
    worker: ClusterProducts, document: ClusterProducts, cell: FloatArray, *, besides: FloatArray
) -> ClusteredErrors:
    """Errors as of `clustered_errors`, of estimates from which the effects of documents have been taken.

    Then the variance may be less than that between documents too, if not than the smaller of the two.
    `cell` (k, k): sums of products as of a `ClusterProducts`. `besides`: the covariance (k, k) that the
    effects add to the estimates.
    """
    by_worker, by_document = _of_differences(worker.moved), _of_differences(document.moved)
    both = by_worker + by_document - _of_differences(cell)
    variance = np.maximum(both, np.minimum(by_worker, by_document)) + _of_differences(besides)
    return _errors(np.maximum(variance, 0.0), worker, document)


def raised_by_share(share: FloatArray) -> FloatArray:
    """What makes up for the pull of a cluster on the estimate that it is compared with [Bell2002].

    `share`: what part of the estimate is the cluster's. One that is half of a mean is nearer to it than to
    the truth: its deviation has half the variance.

    >>> raised_by_share(np.array([0.1, 0.5])).round(3)
    array([1.054, 1.414])
    """
    raised: FloatArray = 1 / np.sqrt(1 - np.minimum(share, _MOST_SHARE))
    return raised


def better_p_values(scores: FloatArray, errors: ClusteredErrors) -> FloatArray:
    """One-sided p-values that the estimate of the row is above that of the column. Shape (k, k).

    NaN on the diagonal and where there is no error; 0 or 1 where estimates differ and no rating varies.
    """
    difference = scores[:, None] - scores[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = difference / np.sqrt(errors.difference_variance)
    p: FloatArray = stdtr(errors.difference_df, -t)
    p[np.isnan(t) | np.isnan(errors.difference_df)] = np.nan
    np.fill_diagonal(p, np.nan)
    return p


def interval(scores: FloatArray, errors: ClusteredErrors, *, level: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds of the estimates. Shapes (k,)."""
    half = stdtrit(errors.df, (1 + level) / 2) * np.sqrt(errors.variance)
    return scores - half, scores + half


def estimate_draws(
    scores: FloatArray, errors: ClusteredErrors, n_draws: int, rng: np.random.Generator
) -> FloatArray | None:
    """Draws (n_draws, k) of the estimates, as far from them and from each other as the errors say.

    From a t distribution of the usual degrees of freedom of a difference; estimates and differences with
    others vary as much more or less as their own 97.5 % points are further out. None where one is unknown.
    """
    k = len(scores)
    off = ~np.eye(k, dtype=np.bool_)
    df = np.concatenate([errors.difference_df[off], errors.df])
    if not k or np.isnan(df).any():
        return None
    usual = float(np.median(df))

    def stretched(variance: FloatArray, df: FloatArray) -> FloatArray:
        further: FloatArray = stdtrit(df, 0.975) / stdtrit(usual, 0.975)
        return variance * further**2

    single = stretched(errors.variance, errors.df)
    apart = stretched(errors.difference_variance, np.where(off, errors.difference_df, usual))
    covariance = (single[:, None] + single[None, :] - apart) / 2
    size, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(size, 0.0))
    normal = rng.standard_normal((n_draws, k)) @ root.T
    drawn: FloatArray = scores + normal * np.sqrt(usual / rng.chisquare(usual, size=n_draws))[:, None]
    return drawn


def _products(moved: FloatArray, cluster: IntArray) -> ClusterProducts:
    """Products of sums by cluster, all clusters that moved an estimate having the same share in it."""
    touched = (_summed((moved != 0).astype(np.float64), cluster, index_width(cluster)) > 0).astype(np.float64)
    clusters = touched.T @ touched
    n = np.diag(clusters)
    sums = _summed(moved, cluster, index_width(cluster)) * np.sqrt(n / np.maximum(n - 1, 1))
    return ClusterProducts(sums.T @ sums, clusters)


def _of_differences(covariance: FloatArray) -> FloatArray:
    """The variances (k, k + 1) that a covariance of estimates gives: of differences, then of each alone."""
    single = np.diag(covariance)
    return np.column_stack([single[:, None] + single[None, :] - 2 * covariance, single])


def _errors(variance: FloatArray, worker: ClusterProducts, document: ClusterProducts) -> ClusteredErrors:
    df = np.minimum(_degrees(worker, variance), _degrees(document, variance))
    variance = np.where(np.isnan(df), np.nan, variance)
    return ClusteredErrors(
        variance=variance[:, -1],
        df=df[:, -1],
        difference_variance=variance[:, :-1],
        difference_df=df[:, :-1],
    )


def _degrees(products: ClusterProducts, variance: FloatArray) -> FloatArray:
    """Degrees of freedom (k, k + 1) that clusters leave to the variances of differences, and of each alone.

    Those of the chi-squared distribution with the mean and the variance that the sum of squares has, clusters
    having the same share in an estimate: Welch's where no cluster had a part in both [Bell2002]. More, the
    smaller a part of `variance` the clusters are, but never as many as there are clusters. NaN where an
    estimate has a single one.
    """
    n = np.diag(products.clusters)
    # What no cluster moved at all, such as the mean of a constant, has no part in a variance.
    rest = np.maximum(n - 1, 1)
    alike = products.clusters * (1 + (products.clusters - 1) / np.outer(rest, rest))
    alike = alike / np.maximum(np.outer(n, n), 1)
    size = np.diag(products.moved)
    squares = size**2 / rest
    both = squares[:, None] + squares[None, :] + 2 * np.outer(size, size) * alike
    most = np.column_stack([n[:, None] + n[None, :] - products.clusters, n]) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.column_stack([(size[:, None] + size[None, :]) ** 2 / both, rest])
        df *= np.maximum(variance / _of_differences(products.moved), 1) ** 2
    # Where nothing varies there is nothing to approximate.
    df = np.where(np.isnan(df), most, np.minimum(df, most))
    alone = np.column_stack([(n == 1)[:, None] | (n == 1)[None, :], n == 1])
    return np.where(alone | (most < 1), np.nan, df)


def _summed(rows: FloatArray, cluster: IntArray, n: int) -> FloatArray:
    """The rows summed by cluster. Shape (n, k)."""
    member = csr_array((np.ones(len(cluster)), (cluster, np.arange(len(cluster)))), shape=(n, len(cluster)))
    summed: FloatArray = member @ rows
    return summed
