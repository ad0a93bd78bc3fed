"""Whether one system is better than another, from everything that the judgements tell about both.

The difference of two mean ratings is not the sharpest evidence there is. Here each worker's ratings count by
their ranks; workers count by how well they follow what others see, on controls and elsewhere; what one worker
says about one document of one system counts as the single opinion that it partly is; and a document that is
hard does not count against the systems judged on it. No weight depends on which system is which, so none can
favour one; and the error of the result lets workers and documents be others (`stats/clustered.py`), whether
or not the weights are the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from steelyard.stats.arrays import FloatArray, IntArray, index_width
from steelyard.stats.clustered import (
    ClusteredErrors,
    ClusterProducts,
    better_p_values,
    errors_of_products,
    raised_by_share,
)
from steelyard.stats.rounding import TIE_DECIMALS
from steelyard.stats.worker_trust import JudgedTexts, normal_scores, worker_trust

# No residual is raised more than this by what fitting took from it [our choice].
_MOST_LEVERAGE = 0.9
# Variances and sums below this are 0 but for rounding.
_TINY = 1e-12


def better_systems(texts: JudgedTexts, n_systems: int) -> FloatArray:
    """One-sided p-values that the system of the row is better than that of the column. Shape (S, S).

    NaN where one of the two rests on a single worker or document; 1/2 where nothing tells two systems apart.
    """
    score = normal_scores(texts.value, texts.worker * index_width(texts.criterion) + texts.criterion)
    opinions = _opinions(texts, score)
    weight = worker_trust(texts, score)[opinions.worker] * opinions.weight
    judged = np.bincount(opinions.system, weight, n_systems) > 0
    if not judged.any():
        return np.full((n_systems, n_systems), np.nan)
    fitted = fit_opinions(opinions, weight, n_systems)
    weight = weight * _steadiness(opinions, fitted) * _beside_taste(opinions, fitted)
    fitted = fit_opinions(opinions, weight, n_systems)
    errors = opinion_errors(opinions, fitted)
    levels = fitted.levels.round(TIE_DECIMALS)
    p_values = better_p_values(levels, errors)
    # Systems with the same judgements do not differ at all.
    p_values[(levels[:, None] == levels[None, :]) & ~np.isnan(errors.difference_df)] = 0.5
    p_values[~np.outer(judged, judged) | np.eye(n_systems, dtype=bool)] = np.nan
    return p_values


class DocumentOpinions(NamedTuple):
    """What one worker says about one document of one system: mean scores (c,) of `n` ratings each.

    `weight` (c,): what they weigh beforehand. `within`: squares of ratings around these means, summed.
    """

    mean: FloatArray
    n: FloatArray
    weight: FloatArray
    within: float
    worker: IntArray
    document: IntArray
    system: IntArray


def _opinions(texts: JudgedTexts, score: FloatArray) -> DocumentOpinions:
    kept = np.flatnonzero(texts.scored)
    worker, document, system = texts.worker[kept], texts.document[kept], texts.system[kept]
    n_documents, n_systems = index_width(document), index_width(system)
    codes, cell = np.unique((worker * n_documents + document) * n_systems + system, return_inverse=True)
    n = np.bincount(cell).astype(np.float64)
    mean = np.bincount(cell, score[kept]) / n
    within = float(((score[kept] - mean[cell]) ** 2).sum())
    weight = np.bincount(cell, texts.weight[kept]) / n
    both = codes // n_systems
    return DocumentOpinions(
        mean, n, weight, within, both // n_documents, both % n_documents, codes % n_systems
    )


class FittedOpinions(NamedTuple):
    """Levels of systems (S,), and what their errors follow from.

    An opinion of weight w on document d pulls at the levels with w times (its system less `expected[d]`),
    through `inverse` (S, S). `residual` (c,): of opinions, raised by what fitting took from them;
    `precision` (c,): one over the variance that opinions of their size have. `shared` (S, S): the covariance
    that whole documents add to the levels, where systems were not judged on the same ones.
    """

    levels: FloatArray
    weight: FloatArray
    expected: FloatArray
    inverse: FloatArray
    residual: FloatArray
    precision: FloatArray
    shared: FloatArray


def fit_opinions(opinions: DocumentOpinions, weight: FloatArray, n_systems: int) -> FittedOpinions:
    """Levels of systems by generalised least squares, documents having random effects.

    `weight` (c,): what an opinion counts for beside what its number of ratings says.
    """
    spread = _spread(opinions, weight, n_systems)
    precision = opinions.n / (spread.rating + opinions.n * spread.opinion)
    weight = precision * weight
    document, system = opinions.document, opinions.system
    table = _table(weight, document, system, (index_width(document), n_systems))
    in_document = table.sum(axis=1)
    # The weighted mean of a document's opinions, drawn towards 0, is what all of them share.
    drawn = spread.document / (1 + spread.document * in_document)
    expected = table * drawn[:, None]
    inverse = np.linalg.pinv(np.diag(table.sum(axis=0)) - expected.T @ table, rcond=1e-10, hermitian=True)
    said = weight * opinions.mean
    levels = inverse @ (np.bincount(system, said, n_systems) - expected.T @ np.bincount(document, said))
    left = opinions.mean - levels[system]
    effect = (np.bincount(document, weight * left) * drawn)[document]
    leverage = weight * drawn[document] + np.count_nonzero(table.any(axis=0)) / len(weight)
    residual = (left - effect) / np.sqrt(1 - np.minimum(leverage, _MOST_LEVERAGE))
    whole = (table - expected * in_document[:, None]) @ inverse
    shared = whole.T @ whole * spread.document
    return FittedOpinions(levels, weight, expected, inverse, residual, precision, shared)


def opinion_errors(opinions: DocumentOpinions, fitted: FittedOpinions) -> ClusteredErrors:
    """Errors of the levels and their differences, opinions clustered by worker and document."""
    document, system = opinions.document, opinions.system
    n_documents, n_systems = fitted.expected.shape
    moved = fitted.weight * fitted.residual
    codes, both = np.unique(opinions.worker * n_documents + document, return_inverse=True)
    cell = csr_array((moved, (both, system)), shape=(len(codes), n_systems))
    total, of_cell = np.bincount(both, moved), codes % n_documents
    own, square = (cell.T @ cell).toarray(), np.bincount(of_cell, total**2, n_documents)
    in_document = csr_array((total, (of_cell, np.arange(len(codes)))), shape=(n_documents, len(codes)))
    mixed = (in_document @ cell).T @ fitted.expected
    by_cell = own - mixed - mixed.T + (fitted.expected * square[:, None]).T @ fitted.expected

    def products(cluster: IntArray) -> ClusterProducts:
        shape = index_width(cluster), n_systems
        table = _table(fitted.weight, cluster, system, shape)
        raised = raised_by_share(table / np.maximum(table.sum(axis=0), _TINY))
        full = moved * raised[cluster, system]
        pulled = _table(full, cluster, system, shape)
        pulled -= csr_array((full, (cluster, document)), shape=(shape[0], n_documents)) @ fitted.expected
        judged = (table > 0).astype(np.float64)
        return ClusterProducts(fitted.inverse @ (pulled.T @ pulled) @ fitted.inverse, judged.T @ judged)

    return errors_of_products(
        products(opinions.worker),
        products(document),
        fitted.inverse @ by_cell @ fitted.inverse,
        besides=fitted.shared,
    )


def _table(value: FloatArray, row: IntArray, column: IntArray, shape: tuple[int, int]) -> FloatArray:
    """Values summed by row and column."""
    sums = np.bincount(row * shape[1] + column, value, shape[0] * shape[1]).astype(np.float64)
    return sums.reshape(shape)


class _Spread(NamedTuple):
    """Variances: of a rating within an opinion, of opinions on the same text, of documents."""

    rating: float
    opinion: float
    document: float


def _spread(opinions: DocumentOpinions, trust: FloatArray, n_systems: int) -> _Spread:
    """The variances, by moments; documents' from what different workers say about the same one."""
    total = np.bincount(opinions.system, trust, n_systems)
    level = np.bincount(opinions.system, trust * opinions.mean, n_systems) / np.maximum(total, _TINY)
    left = opinions.mean - level[opinions.system]
    rating = opinions.within / max(float((opinions.n - 1).sum()), 1.0)
    _, both = np.unique(
        opinions.worker * index_width(opinions.document) + opinions.document, return_inverse=True
    )

    def between(value: FloatArray) -> float:
        """Products of two different workers' values on one document, summed."""
        squares = np.bincount(opinions.document, value) ** 2
        return float(squares.sum() - (np.bincount(both, value) ** 2).sum())

    pairs = between(trust)
    document = max(between(trust * left) / pairs, 0.0) if pairs > 0 else 0.0
    around = float((trust * (left**2 - rating / opinions.n)).sum() / trust.sum())
    # Opinions that are all alike still need some variance to be weighed by.
    opinion = max(around - document, 1e-3 * max(float((left**2).mean()), _TINY))
    return _Spread(rating, opinion, document)


def _steadiness(opinions: DocumentOpinions, fitted: FittedOpinions) -> FloatArray:
    """What an opinion weighs beside the trust in its worker, by how near the worker's *other* ones came.

    An opinion's own distance from what was expected never counts for its own weight: errors would seem
    smaller than they are. Shape (c,).
    """
    square = fitted.precision * fitted.residual**2
    square /= max(float(square.mean()), _TINY)
    worker, n_workers = opinions.worker, index_width(opinions.worker)
    n, total = np.bincount(worker, minlength=n_workers), np.bincount(worker, square, n_workers)
    own, n_judging = total / np.maximum(n, 1), int(np.count_nonzero(n))
    scatter = float(((square - own[worker]) ** 2).sum()) / max(len(square) - n_judging, 1)
    several = max(len(square) - float((n**2).sum()) / len(square), _TINY)
    real = (float((n * (own - 1) ** 2).sum()) - scatter * n_judging) / several
    if real <= 0 or scatter <= 0:
        return np.ones(len(square))
    pseudo = scatter / real
    steadiness: FloatArray = (n[worker] - 1 + pseudo) / (total[worker] - square + pseudo)
    return steadiness


def _beside_taste(opinions: DocumentOpinions, fitted: FittedOpinions) -> FloatArray:
    """What an opinion weighs beside the worker's other ones of the same system. Shape (c,).

    What a worker thinks of a system as a whole is in all of them: ten are not ten times as much as one.
    """
    cell = opinions.worker * len(fitted.levels) + opinions.system
    precision, pulled = fitted.precision, fitted.precision * fitted.residual
    total = np.bincount(cell, precision)
    pairs = float((total**2).sum() - (precision**2).sum())
    products = float((np.bincount(cell, pulled) ** 2).sum() - (pulled**2).sum())
    taste = max(products / pairs, 0.0) if pairs > _TINY else 0.0
    beside: FloatArray = 1 / (1 + taste * total[cell])
    return beside
