"""Errors, intervals and p-values of Bradley-Terry strengths when workers and documents could be others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy.sparse import block_diag, csr_array
from scipy.special import stdtr, stdtrit

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.bradley_terry import SLOPE_SD, PairedOutcomes, Strengths, information_of
from steelyard.stats.tied_outcomes import OutcomeTerms, outcome_terms


@dataclass(frozen=True, slots=True)
class StrengthErrors:
    """How far log strengths might have been others: covariances (S, S) by what is drawn at random.

    `by_worker`, `by_document` and `by_cell` take comparisons that share a worker, a document or both as
    clusters; `by_model` takes all of them as independent. `df`: degrees of freedom, one less than
    there are workers or documents, whichever are fewer. That between workers is of leaving each out in turn
    [Bell2002]: a worker who made most of the comparisons drew the strengths along, so that what is left of
    that worker's pull looks smaller than it was.
    """

    by_worker: FloatArray
    by_document: FloatArray
    by_cell: FloatArray
    by_model: FloatArray
    df: int

    def among(self, systems: IntArray) -> StrengthErrors:
        """The errors of some of the systems."""
        some = np.ix_(systems, systems)
        return StrengthErrors(
            self.by_worker[some], self.by_document[some], self.by_cell[some], self.by_model[some], self.df
        )

    def deviation(self, contrast: FloatArray) -> FloatArray:
        """Standard errors of sums of log strengths with the weights of each row (rows, S). Shape (rows,).

        Variance between workers plus that between documents minus that between cells of both
        [Cameron2011], and never less than any one of them, nor than if all comparisons were independent:
        where a system wins everything, clusters have no variance and know nothing.
        """
        worker, document, cell, model = (
            np.einsum("ri,ij,rj->r", contrast, matrix, contrast)
            for matrix in (self.by_worker, self.by_document, self.by_cell, self.by_model)
        )
        variance: FloatArray = np.maximum.reduce([worker + document - cell, worker, document, model])
        return np.sqrt(variance)


def strength_errors(outcomes: PairedOutcomes, found: Strengths) -> StrengthErrors:
    """Errors of the log strengths that allow for workers and documents which go their own ways.

    A sandwich: the inverse information, around what each cluster pulls at the strengths. Slopes of workers
    belong to them, so that their uncertainty is included.
    """
    return combined_errors([strength_influence(outcomes, found)])


@dataclass(frozen=True, slots=True)
class StrengthInfluence:
    """How far each row of comparisons moves the log strengths, to first order: `pull @ effect`, (n, S).

    `pull` (n, k) says what each row pulls at, `effect` (k, S) what that does to the log strengths.
    `without` (workers, S) is how far they lie from where they would be without a worker. `by_model` (S, S)
    is their covariance if all comparisons were independent.
    """

    pull: csr_array
    effect: FloatArray
    without: FloatArray
    worker: IntArray
    document: IntArray
    by_model: FloatArray


def strength_influence(outcomes: PairedOutcomes, found: Strengths) -> StrengthInfluence:
    """What every row of comparisons contributes to the log strengths."""
    n, n_systems, n_workers = len(outcomes.first), len(found.log_strength), len(found.slope)
    slope = found.slope[outcomes.worker]
    apart = found.log_strength[outcomes.first] - found.log_strength[outcomes.second]
    rows = outcome_terms(slope * apart, outcomes.outcome, found.tie, ties=found.ties)
    count, row = outcomes.count, np.arange(n)
    pull = count * slope * rows.d
    entries = [(pull, outcomes.first), (-pull, outcomes.second)]
    width = n_systems
    if found.tie is not None:
        entries.append((count * rows.t, np.full(n, n_systems)))
        width += 1
    information = information_of(outcomes, rows, slope, found)
    effects = [np.eye(width)]
    of_slopes = np.zeros((n_workers, width))
    if found.slopes_learnt:
        own = np.bincount(outcomes.worker, -count * apart**2 * rows.dd, n_workers) + SLOPE_SD**-2
        # How the pull of each worker changes with that worker's slope.
        cross = count * (rows.d + slope * apart * rows.dd)
        shared = np.zeros((n_workers, width))
        np.add.at(shared, (outcomes.worker, outcomes.first), cross)
        np.add.at(shared, (outcomes.worker, outcomes.second), -cross)
        if found.tie is not None:
            shared[:, -1] = np.bincount(outcomes.worker, count * apart * rows.dt, n_workers)
        effects.append(shared / own[:, None])
        information -= effects[1].T @ shared
        of_slopes = shared / np.sqrt(own)[:, None]
        # The prior of a slope is part of what its worker says, in even parts over the worker's rows.
        prior = (found.slope - 1) / SLOPE_SD**2 / np.bincount(outcomes.worker, minlength=n_workers).clip(1)
        entries.append((count * apart * rows.d - prior[outcomes.worker], width + outcomes.worker))
        width += n_workers
    values, places = (np.concatenate(part) for part in zip(*entries, strict=True))
    inverse = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)[:, :n_systems]
    pulls = csr_array((values, (np.tile(row, len(entries)), places)), shape=(n, width))
    members = csr_array((np.ones(n), (outcomes.worker, row)), shape=(n_workers, n))
    of_worker: FloatArray = (members @ pulls) @ np.vstack(effects)
    without = np.zeros((n_workers, n_systems))
    for worker, places in _rows_by_worker(outcomes.worker):
        some = PairedOutcomes(*(getattr(outcomes, field.name)[places] for field in fields(outcomes)))
        own = information_of(some, OutcomeTerms(*(part[places] for part in rows)), slope[places], found)
        own -= np.diag(np.full(len(own), found.prior_sd**-2)) + np.outer(of_slopes[worker], of_slopes[worker])
        without[worker] = np.linalg.lstsq(information - own, of_worker[worker], rcond=None)[0][:n_systems]
    return StrengthInfluence(
        pulls,
        np.vstack(effects) @ inverse,
        without,
        outcomes.worker,
        outcomes.document,
        inverse[:n_systems],
    )


def combined_errors(
    parts: Sequence[StrengthInfluence], *, shares: FloatArray | None = None
) -> StrengthErrors:
    """Errors of the mean of several sets of log strengths of the same systems, workers and documents.

    Comparisons of all the sets that share a worker or a document are one cluster. `shares` (parts, S) is
    what each part counts in the mean of each system; all alike if not given.
    """
    if shares is None:
        shares = np.full((len(parts), parts[0].effect.shape[1]), 1 / len(parts))
    pull = csr_array(block_diag([part.pull for part in parts]))
    effect = np.vstack([part.effect * share for part, share in zip(parts, shares, strict=True)])
    worker = np.concatenate([part.worker for part in parts])
    document = np.concatenate([part.document for part in parts])
    cell = worker * (int(document.max(initial=0)) + 1) + document
    by_worker, n_workers = _between_workers(parts, shares)
    by_document, n_documents = _between(pull, effect, document)
    by_cell, _ = _between(pull, effect, cell)
    model = np.zeros_like(by_worker)
    for part, share in zip(parts, shares, strict=True):
        model += share[:, None] * part.by_model * share
    # Where comparisons are nobody's in particular, all have one worker, who says nothing about others.
    several = [n for n in (n_workers, n_documents) if n > 1]
    return StrengthErrors(by_worker, by_document, by_cell, model, min(several, default=2) - 1)


def strength_intervals(
    log_strength: FloatArray, errors: StrengthErrors, *, level: float, linked: BoolArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds of log strengths, by Student's t. Shape (S,) each.

    They are relative to the mean of the systems that each can be compared with: `linked` (S, S), or all.
    """
    n = len(log_strength)
    peers = np.ones((n, n)) if linked is None else linked.astype(np.float64)
    contrast = np.eye(n) - peers / peers.sum(axis=1, keepdims=True)
    half = errors.deviation(contrast) * stdtrit(errors.df, (1 + level) / 2)
    return log_strength - half, log_strength + half


def strength_p_values(log_strength: FloatArray, errors: StrengthErrors) -> FloatArray:
    """One-sided p-values that the system of the row is stronger than that of the column, by Student's t.

    NaN on the diagonal. Shape (S, S).
    """
    n = len(log_strength)
    row, column = np.divmod(np.arange(n * n), n)
    contrast = np.eye(n)[row] - np.eye(n)[column]
    p_values: FloatArray = np.full(n * n, np.nan)
    apart = row != column
    deviation = errors.deviation(contrast[apart])
    difference = (log_strength[row] - log_strength[column])[apart]
    p_values[apart] = stdtr(errors.df, -difference / deviation)
    return p_values.reshape(n, n)


def _rows_by_worker(worker: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Every worker with the places of that worker's rows."""
    order = np.argsort(worker, kind="stable")
    names, start = np.unique(worker[order], return_index=True)
    yield from zip(names.tolist(), np.split(order, start[1:]), strict=True)


def _between_workers(parts: Sequence[StrengthInfluence], shares: FloatArray) -> tuple[FloatArray, int]:
    """Covariance of the log strengths when each worker is left out in turn, and the number of workers."""
    n = len(np.unique(np.concatenate([part.worker for part in parts])))
    n_systems = shares.shape[1]
    if n < 2:
        return np.zeros((n_systems, n_systems)), n
    moved = np.zeros((max(len(part.without) for part in parts), n_systems))
    for part, share in zip(parts, shares, strict=True):
        moved[: len(part.without)] += part.without * share
    covariance: FloatArray = moved.T @ moved
    return covariance * (n - 1) / n, n


def _between(pull: csr_array, effect: FloatArray, cluster: IntArray) -> tuple[FloatArray, int]:
    """Covariance of what clusters do to the log strengths, corrected for their number, and that number."""
    names, index = np.unique(cluster, return_inverse=True)
    n, n_systems = len(names), effect.shape[1]
    if n < 2:
        return np.zeros((n_systems, n_systems)), n
    members = csr_array((np.ones(len(index)), (index, np.arange(len(index)))))
    sums = members @ pull
    covariance: FloatArray = effect.T @ ((sums.T @ sums) @ effect)
    return covariance * n / (n - 1), n
