"""The power of a planned campaign, by simulating it and testing as the analysis will."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from steelyard.planning.variation import Amounts, Variation
from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.system_contrasts import DocumentOpinions, fit_opinions, opinion_errors

# Where the search for the smallest difference ends, and from where on there is none.
_PRECISE, _MOST = 1e-4, 1e6
# Campaigns simulated with the same documents in the same hands, which cost more than their effects.
_PER_DEAL = 4


@dataclass(frozen=True, slots=True)
class Power:
    """How often a true difference is found: `power`, with its standard error over the simulated campaigns.

    `workers` and `documents` are those with ratings kept, on average.
    """

    difference: float
    power: float
    error: float
    campaigns: int
    workers: float
    documents: float


@dataclass(frozen=True, slots=True)
class SimulatedTests:
    """Tests of all pairs of systems in simulated campaigns where none is better. Shapes (campaigns, pairs).

    `difference` and its `error`; `df` of the test; `shown`: how much of a true difference of 1 the scores
    show, which is less than all where workers are standardised who did not judge both systems.
    """

    difference: FloatArray
    error: FloatArray
    df: FloatArray
    shown: FloatArray
    workers: float
    documents: float

    def power(self, difference: float, *, level: float) -> Power:
        """How often a two-sided test of this level finds this difference, in the right direction."""
        found = self._found(difference, self._critical(level))
        # Campaigns that share HITs are alike, so what varies between those that do not counts.
        deals = [float(part.mean()) for part in np.split(found, range(_PER_DEAL, len(found), _PER_DEAL))]
        error = float(np.std(deals, ddof=1)) / sqrt(len(deals)) if len(deals) > 1 else 0.5
        return Power(difference, float(found.mean()), error, len(found), self.workers, self.documents)

    def smallest_difference(self, *, power: float, level: float) -> float | None:
        """The difference that is found with this power; None if there are too few clusters for any test."""
        critical = self._critical(level)
        low, high = 0.0, float(np.nanmax(critical, initial=0.0)) or 1.0
        while self._found(high, critical).mean() < power:
            high *= 2
            if high > _MOST:
                return None
        while high - low > _PRECISE * high:
            middle = (low + high) / 2
            if self._found(middle, critical).mean() < power:
                low = middle
            else:
                high = middle
        return high

    def _critical(self, level: float) -> FloatArray:
        """How far a difference must be from 0 to be claimed."""
        critical: FloatArray = stdtrit(self.df, 1 - level / 2) * self.error
        return critical

    def _found(self, difference: float, critical: FloatArray) -> FloatArray:
        """The share of pairs found in each campaign, either system of a pair being better in turn."""
        moved = difference * self.shown
        better = [(sign * self.difference + moved > critical).mean(axis=1) for sign in (1, -1)]
        shares: FloatArray = (better[0] + better[1]) / 2
        return shares


def simulate_tests(
    amounts: Amounts,
    variation: Variation,
    *,
    campaigns: int,
    rng: np.random.Generator,
    step: Callable[[int], None] = lambda _: None,
) -> SimulatedTests:
    """Simulate campaigns of this size without differences, and test every pair of systems in each.

    Each has effects of its own, and every few have workers, documents and HITs of their own. Ratings of one
    worker on one document of one system enter as their mean, whose variance is known. The components are
    those of standardised ratings, so nothing is standardised here; the test is that of mean methods, which
    here has no worker more careful than another to weigh.
    """
    first, second = np.triu_indices(amounts.systems, k=1)
    found: FloatArray = np.empty((4, campaigns, len(first)))
    clusters: FloatArray = np.empty((2, campaigns))
    for number in range(campaigns):
        if number % _PER_DEAL == 0:
            cells = _deal(amounts, variation, rng)
            n_clusters = len(np.unique(cells.worker)), len(np.unique(cells.document))
            shown = _shown(cells, amounts.systems)[first, second]
        opinions = _opinions(cells, variation, rng)
        fitted = fit_opinions(opinions, opinions.weight, amounts.systems)
        errors = opinion_errors(opinions, fitted)
        found[:, number] = (
            (fitted.levels[:, None] - fitted.levels[None, :])[first, second],
            np.sqrt(errors.difference_variance[first, second]),
            errors.difference_df[first, second],
            shown,
        )
        clusters[:, number] = n_clusters
        step(1)
    workers, documents = clusters.mean(axis=1)
    return SimulatedTests(
        difference=found[0],
        error=found[1],
        df=found[2],
        shown=found[3],
        workers=float(workers),
        documents=float(documents),
    )


@dataclass(frozen=True, slots=True)
class _Cells:
    """Who judged which document of which system, and how many of its segments.

    `noise`: deviation that each one's mean has for itself. `length`: segments of each document.
    """

    worker: IntArray
    document: IntArray
    system: IntArray
    ratings: FloatArray
    noise: FloatArray
    length: FloatArray


def _deal(amounts: Amounts, variation: Variation, rng: np.random.Generator) -> _Cells:
    """Deal documents of systems, or parts of them, to HITs and workers, and lose those who fail."""
    parts = max(1, round(variation.document_length / variation.together))
    documents = max(1, round(amounts.documents_used(variation.document_length)))
    of_document, per_round = amounts.systems * parts, amounts.systems * parts * documents
    n_parts = of_document * max(1, round(amounts.ratings / (amounts.systems * variation.document_length)))
    n_rounds = -(-n_parts // per_round)
    # In every round documents come in another order, and so do their parts; the last may not reach them all.
    turns = [rng.permutation(documents) for _ in range(n_rounds)]
    document = np.repeat(np.concatenate(turns), of_document)[:n_parts]
    system = np.arange(n_parts) % amounts.systems
    starts = range(0, n_parts, per_round)
    order = np.concatenate([start + rng.permutation(min(per_round, n_parts - start)) for start in starts])
    crowd = max(2, round(variation.crowd(amounts.hits)))
    n_hits = max(crowd, round(amounts.hits))
    # Some workers do many HITs: all ways to share them are as likely as each other, nobody going without.
    ends = rng.permutation(n_hits - 1)[: crowd - 1] + 1
    taken = np.bincount(ends, minlength=n_hits).cumsum()
    worker = taken[rng.permutation(n_hits)][np.arange(n_parts) * n_hits // n_parts]
    is_kept = (rng.permutation(crowd) < max(2, round(crowd * amounts.pass_rate)))[worker]
    kept = order[is_kept]
    code = (worker[is_kept] * documents + document[kept]) * amounts.systems + system[kept]
    code, n = np.unique(code, return_counts=True)
    rest, system = np.divmod(code, amounts.systems)
    worker, document = np.divmod(rest, documents)
    length = _lengths(documents, variation, rng)
    ratings: FloatArray = n * length[document] / parts
    return _Cells(
        worker=worker,
        document=document,
        system=system,
        ratings=ratings,
        noise=np.sqrt(variation.of_cell(ratings, length[document])),
        length=length,
    )


def _lengths(documents: int, variation: Variation, rng: np.random.Generator) -> FloatArray:
    """Segments of each document: whole numbers where they vary."""
    mean, spread = variation.document_length, variation.unevenness**2
    if mean == 1 or spread == 0:
        return np.full(documents, mean)
    lengths = np.maximum(1.0, np.round(rng.gamma(1 / spread, mean * spread, documents)))
    scaled: FloatArray = lengths * (mean / lengths.mean())
    return scaled


def _opinions(cells: _Cells, variation: Variation, rng: np.random.Generator) -> DocumentOpinions:
    """What each worker said of a document of a system, on average."""
    found = variation.components
    n_workers, n_systems, n_documents = (
        int(cells.worker.max()) + 1,
        int(cells.system.max()) + 1,
        len(cells.length),
    )
    tastes = rng.normal(0, sqrt(found.worker_system), (n_workers, n_systems))
    documents = rng.normal(0, np.sqrt(variation.of_document(cells.length)))
    own_sd = np.sqrt(variation.of_document_system(cells.length))[:, None]
    own = own_sd * rng.standard_normal((n_documents, n_systems))
    means: FloatArray = (
        rng.normal(0, sqrt(found.worker), n_workers)[cells.worker]
        + tastes[cells.worker, cells.system]
        + documents[cells.document]
        + own[cells.document, cells.system]
        + cells.noise * rng.standard_normal(len(cells.noise))
    )
    of_rating = found.residual + found.segment + found.translation
    return DocumentOpinions(
        mean=means,
        n=cells.ratings,
        weight=np.ones(len(means)),
        within=of_rating * float((cells.ratings - 1).sum()),
        worker=cells.worker,
        document=cells.document,
        system=cells.system,
    )


def _shown(cells: _Cells, systems: int) -> FloatArray:
    """How much of a difference of 1 between two systems their scores show. Shape (systems, systems)."""
    n = int(cells.worker.max()) + 1
    judged = _by(cells.worker * systems + cells.system, cells.ratings, n * systems).reshape(n, systems)
    share = judged / np.maximum(judged.sum(axis=1, keepdims=True), 1e-9)
    moved = np.eye(systems) - (judged / np.maximum(judged.sum(axis=0), 1e-9)).T @ share
    own = np.diag(moved)
    shown: FloatArray = (own[:, None] + own[None, :] - moved - moved.T) / 2
    return shown


def _by(index: IntArray, values: FloatArray, n: int) -> FloatArray:
    summed: FloatArray = np.bincount(index, values, minlength=n).astype(np.float64, copy=False)
    return summed
