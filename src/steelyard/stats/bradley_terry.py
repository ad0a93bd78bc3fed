"""The Bradley-Terry model with ties: log strengths of systems from comparisons of two, with their errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.tied_outcomes import OutcomeTerms, TieModel, outcome_terms

# Log strengths, and the tie parameter, are normal about 0 with this deviation: systems 3 apart win 95 %
# of their decided comparisons, so that it matters only where the data leave a strength open [our choice].
PRIOR_SD = 3.0
# Workers' slopes are normal about 1 with this deviation: one in forty is at random or worse [our choice].
SLOPE_SD = 0.5

_TOLERANCE = 1e-9
# Slopes and strengths that move less than this from one round to the next have settled.
_SETTLED = 1e-7
_SMALLEST_SCALE = 1e-6
_MOST_STEPS = 500
_MOST_ROUNDS = 5_000
# A tie parameter to begin with; of thresholds it must be positive.
_FIRST_TIE = 0.5


@dataclass(frozen=True, slots=True)
class PairedOutcomes:
    """Comparisons of two systems: `outcome` is 1 if the first won, -1 if the second did, 0 for a tie.

    Each row happened `count` times. The indices are 0, 1, 2, ...; all arrays: (n,). `document` says
    which comparisons share a text that could have been another; it may be a segment.
    """

    first: IntArray
    second: IntArray
    outcome: IntArray
    count: FloatArray
    worker: IntArray
    document: IntArray


@dataclass(frozen=True, slots=True)
class Strengths:
    """The most probable log strengths (S,), with mean 0, and what was learnt beside them.

    `tie` is the log of Davidson's tie parameter, or the threshold of Rao and Kupper; None where
    nothing was tied. `slope` (workers,): how clearly each worker tells systems apart; all 1 unless
    they were learnt.
    """

    log_strength: FloatArray
    tie: float | None
    slope: FloatArray
    ties: TieModel
    steps: int
    slopes_learnt: bool = False
    prior_sd: float = PRIOR_SD


def fit_strengths(
    outcomes: PairedOutcomes,
    *,
    n_systems: int,
    ties: TieModel = "davidson",
    learn_slopes: bool = False,
    prior_sd: float = PRIOR_SD,
) -> Strengths:
    """The most probable log strengths given who won against whom [Bradley1952], ties included.

    The difference between two log strengths is the log odds that the first is preferred, where one of
    them is. Newton's method on the log-likelihood plus a weak normal prior of deviation `prior_sd` about
    0: with it a system that won everything has a finite strength, and groups of systems that never met are
    each centred by the prior, which says nothing about how the groups compare: see `unlinked_groups`.
    With an infinite `prior_sd` it is plain maximum likelihood, which then must exist.

    With `learn_slopes` the difference counts times the worker's slope, normal about 1: near 0 for a worker
    who answers at random. Slopes and strengths are learnt in turn until neither moves.
    """
    n_workers = int(outcomes.worker.max(initial=0)) + 1
    outcomes = _pooled(outcomes, n_systems, by_worker=learn_slopes)
    has_ties = bool((outcomes.outcome == 0).any())
    found = Strengths(
        np.zeros(n_systems),
        _FIRST_TIE if has_ties else None,
        np.ones(n_workers),
        ties,
        0,
        slopes_learnt=learn_slopes,
        prior_sd=prior_sd,
    )
    found = _learn_strengths(outcomes, found)
    if not learn_slopes:
        return found
    for _ in range(_MOST_ROUNDS):
        before = found
        found = _learn_strengths(outcomes, replace(found, slope=_learn_slopes(outcomes, found)))
        found = _rescaled(found)
        moved = np.abs(found.log_strength - before.log_strength).max(initial=0.0)
        if max(moved, np.abs(found.slope - before.slope).max(initial=0.0)) < _SETTLED:
            return found
    raise ArithmeticError(f"bradley-terry: slopes did not settle after {_MOST_ROUNDS:,} rounds")


def unlinked_groups(outcomes: PairedOutcomes, *, n_systems: int) -> list[list[int]]:
    """Systems that met each other, directly or through others; one group if all can be compared.

    >>> nothing = np.zeros(2, dtype=np.int64)
    >>> met = PairedOutcomes(np.array([0, 2]), np.array([1, 3]), nothing, np.ones(2), nothing, nothing)
    >>> unlinked_groups(met, n_systems=4)
    [[0, 1], [2, 3]]
    """
    edges = (outcomes.first, outcomes.second)
    return _parts(edges, n_systems, connection="weak")


def separated_groups(outcomes: PairedOutcomes, *, n_systems: int) -> list[list[int]]:
    """Systems between which wins went both ways, directly or through others; a tie counts as both.

    With more than one group per group of `unlinked_groups`, one always won against another: how far the two
    lie apart is then not in the data, only that they do [Ford1957].
    """
    first, second, outcome = outcomes.first, outcomes.second, outcomes.outcome
    winner = np.concatenate([first[outcome >= 0], second[outcome <= 0]])
    loser = np.concatenate([second[outcome >= 0], first[outcome <= 0]])
    return _parts((winner, loser), n_systems, connection="strong")


def _pooled(outcomes: PairedOutcomes, n_systems: int, *, by_worker: bool) -> PairedOutcomes:
    """Equal outcomes of the same two systems (and worker) as one row; the document no longer matters."""
    worker = outcomes.worker if by_worker else np.zeros_like(outcomes.worker)
    pair = (worker * n_systems + outcomes.first) * n_systems + outcomes.second
    code, row = np.unique(3 * pair + outcomes.outcome + 1, return_inverse=True)
    pair, outcome = np.divmod(code, 3)
    rest, second = np.divmod(pair, n_systems)
    worker, first = np.divmod(rest, n_systems)
    count: FloatArray = np.bincount(row, outcomes.count, len(code)).astype(np.float64)
    return PairedOutcomes(first, second, outcome - 1, count, worker, np.zeros_like(worker))


def _parts(edges: tuple[IntArray, IntArray], n: int, *, connection: str) -> list[list[int]]:
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(n, n))
    _, label = connected_components(graph, directed=connection == "strong", connection=connection)
    return sorted(np.flatnonzero(label == part).tolist() for part in np.unique(label))


def _learn_strengths(outcomes: PairedOutcomes, found: Strengths) -> Strengths:
    """The most probable log strengths and tie parameter for given slopes, from those given on."""
    slope = found.slope[outcomes.worker]
    objective = _objective(outcomes, slope, found)
    # Each comparison adds the rounding error of a logarithm near 1.
    noise = 1e-14 * float(outcomes.count.sum())
    for step_number in range(_MOST_STEPS):
        apart = found.log_strength[outcomes.first] - found.log_strength[outcomes.second]
        rows = outcome_terms(slope * apart, outcomes.outcome, found.tie, ties=found.ties)
        gradient = _gradient(outcomes, rows, slope, found)
        information = information_of(outcomes, rows, slope, found)
        step = np.asarray(np.linalg.lstsq(information, gradient, rcond=None)[0], dtype=np.float64)
        if found.tie is None:
            step = np.append(step, 0.0)
        # The log-probability has one top only, so any step that climbs is good; halve those that do not.
        share = 1.0
        here = objective(found)
        while share > 1e-12 and not objective(_moved(found, share * step)) >= here - noise:
            share /= 2
        found = _moved(found, share * step)
        # Where no step climbs any more, only rounding errors are left.
        if np.abs(share * step).max(initial=0.0) < _TOLERANCE:
            centred = found.log_strength - found.log_strength.mean()
            return replace(found, log_strength=centred, steps=found.steps + step_number + 1)
    raise ArithmeticError(f"bradley-terry: no convergence after {_MOST_STEPS} steps")


def _learn_slopes(outcomes: PairedOutcomes, found: Strengths) -> FloatArray:
    """The most probable slope of every worker for given strengths, by Newton's method."""
    slope: FloatArray = found.slope
    apart = found.log_strength[outcomes.first] - found.log_strength[outcomes.second]
    longest, last = np.full(len(slope), 0.5), np.zeros(len(slope))
    for _ in range(_MOST_STEPS):
        rows = outcome_terms(slope[outcomes.worker] * apart, outcomes.outcome, found.tie, ties=found.ties)
        top = np.bincount(outcomes.worker, outcomes.count * apart * rows.d, len(slope))
        bottom = np.bincount(outcomes.worker, -outcomes.count * apart**2 * rows.dd, len(slope))
        step = (top - (slope - 1) / SLOPE_SD**2) / (bottom + SLOPE_SD**-2)
        # A slope that turns back has overshot: take smaller steps.
        longest = np.where(step * last < 0, longest / 2, longest)
        last = np.clip(step, -longest, longest)
        slope = slope + last
        if np.abs(last).max(initial=0.0) < _TOLERANCE:
            return slope
    raise ArithmeticError(f"bradley-terry: slopes did not converge after {_MOST_STEPS} steps")


def _rescaled(found: Strengths) -> Strengths:
    """The same products of slopes and strengths, with the most probable scale of both.

    The comparisons do not fix that scale, only the priors do; learning slopes and strengths in turn would
    approach it very slowly where there are many comparisons. Slopes times c and strengths over c are
    best where c sum(s^2) - sum(s) = (deviation of slopes / of strengths)^2 sum(strength^2) / c^3.
    """
    from scipy.optimize import brentq  # slow to import, and every method is looked up for --help

    squares, total = float(np.sum(found.slope**2)), float(np.sum(found.slope))
    if squares == 0:
        return found
    pull = SLOPE_SD**2 / found.prior_sd**2 * float(np.sum(found.log_strength**2))

    def excess(c: float) -> float:
        return c * squares - total - pull / c**3

    lowest, highest = 1.0, 1.0
    while excess(lowest) > 0 and lowest > _SMALLEST_SCALE:
        lowest /= 2
    while excess(highest) < 0:
        highest *= 2
    if excess(lowest) >= 0:
        return found
    scale = brentq(excess, lowest, highest, xtol=1e-14)
    return replace(found, slope=found.slope * scale, log_strength=found.log_strength / scale)


def _objective(outcomes: PairedOutcomes, slope: FloatArray, found: Strengths) -> Callable[[Strengths], float]:
    def log_probability(tried: Strengths) -> float:
        if tried.tie is not None and tried.ties == "rao-kupper" and tried.tie <= 0:
            return -np.inf
        apart = tried.log_strength[outcomes.first] - tried.log_strength[outcomes.second]
        rows = outcome_terms(slope * apart, outcomes.outcome, tried.tie, ties=tried.ties)
        penalty = np.sum(tried.log_strength**2) + (tried.tie or 0.0) ** 2
        return float(np.sum(outcomes.count * rows.value) - penalty / (2 * found.prior_sd**2))

    return log_probability


def _gradient(
    outcomes: PairedOutcomes, rows: OutcomeTerms, slope: FloatArray, found: Strengths
) -> FloatArray:
    n_systems = len(found.log_strength)
    pull = outcomes.count * slope * rows.d
    won, lost = (np.bincount(side, pull, n_systems) for side in (outcomes.first, outcomes.second))
    gradient: FloatArray = won - lost - found.log_strength / found.prior_sd**2
    if found.tie is None:
        return gradient
    return np.append(gradient, np.sum(outcomes.count * rows.t) - found.tie / found.prior_sd**2)


def information_of(
    outcomes: PairedOutcomes, rows: OutcomeTerms, slope: FloatArray, found: Strengths
) -> FloatArray:
    """Negative second derivatives of the log-probability by log strengths and the tie parameter."""
    n = len(found.log_strength)
    curvature = -outcomes.count * slope**2 * rows.dd
    together = np.bincount(outcomes.first * n + outcomes.second, curvature, n * n).reshape(n, n)
    together = together + together.T
    information: FloatArray = np.diag(together.sum(axis=1) + found.prior_sd**-2) - together
    if found.tie is None:
        return information
    cross = -outcomes.count * slope * rows.dt
    beside = np.bincount(outcomes.first, cross, n) - np.bincount(outcomes.second, cross, n)
    own = -np.sum(outcomes.count * rows.tt) + found.prior_sd**-2
    return np.block([[information, beside[:, None]], [beside[None], np.array([[own]])]])


def _moved(found: Strengths, step: FloatArray) -> Strengths:
    tie = None if found.tie is None else found.tie + float(step[-1])
    return replace(found, log_strength=found.log_strength + step[:-1], tie=tie)
