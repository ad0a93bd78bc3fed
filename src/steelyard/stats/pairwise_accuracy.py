"""How often a metric finds the better of two systems, or of two translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import betainc

from steelyard.stats.arrays import BoolArray, FloatArray, IntArray
from steelyard.stats.rounding import ROUNDING
from steelyard.stats.tie_calibration import agreements


class PairTau(NamedTuple):
    """The tau on pairs of translations that people set well apart, and its counts."""

    tau: float
    n_pairs: int
    n_concordant: int
    n_discordant: int


def pairwise_accuracy(people: FloatArray, metric: FloatArray) -> float:
    """Share of pairs of systems on which a metric agrees with people, who have the last word.

    Agreement is the same sign of the difference [Kocmi2021]: two systems that both hold equal agree, those
    that one alone holds equal do not. Systems without both scores are left out; NaN without a pair. (S,).

    >>> pairwise_accuracy(np.array([3.0, 2.0, 1.0]), np.array([30.0, 10.0, 20.0]))
    0.6666666666666666
    """
    return float(pairwise_accuracy_rows(people[None, :], metric[None, :])[0])


def pairwise_accuracy_rows(people: FloatArray, metric: FloatArray) -> FloatArray:
    """`pairwise_accuracy` of each row of (G, S) arrays; a row may also be one for all, (1, S)."""
    left, right = np.triu_indices(people.shape[1], 1)
    one, other = people[:, left] - people[:, right], metric[:, left] - metric[:, right]
    one, other = np.broadcast_arrays(one, other)
    n_pairs = np.count_nonzero(~(np.isnan(one) | np.isnan(other)), axis=1)
    accuracy = np.full(len(one), np.nan)
    agree = np.count_nonzero(np.sign(one) == np.sign(other), axis=1)
    np.divide(agree, n_pairs, out=accuracy, where=n_pairs > 0)
    return accuracy


def da_pair_tau(people: FloatArray, metric: FloatArray, *, least: float) -> PairTau:
    """Kendall-like tau on pairs of translations of one segment that people set well apart.

    As in WMT17-20 [Bojar2017]: with few judgements per translation, only raw direct assessments that
    differ by at least `least` points say which is better. tau = (C - D) / (C + D), where a pair that the
    metric ties counts as discordant. Both (S, n), NaN where absent; tau is NaN without such a pair.

    >>> da_pair_tau(np.array([[90.0], [60.0], [50.0]]), np.array([[0.9], [0.2], [0.9]]), least=25.0)
    PairTau(tau=0.0, n_pairs=2, n_concordant=1, n_discordant=1)
    """
    left, right = np.triu_indices(len(people), 1)
    n_pairs = n_concordant = 0
    for first, second in zip(left.tolist(), right.tolist(), strict=True):
        judged = people[first] - people[second]
        scored = metric[first] - metric[second]
        # 50.3 - 25.3 is a little below 25 in floating point.
        apart = (np.abs(judged) >= least * (1 - ROUNDING)) & ~np.isnan(scored)
        n_pairs += int(np.count_nonzero(apart))
        n_concordant += int(np.count_nonzero(apart & (scored != 0) & ((judged > 0) == (scored > 0))))
    n_discordant = n_pairs - n_concordant
    tau = (n_concordant - n_discordant) / n_pairs if n_pairs else float("nan")
    return PairTau(tau, n_pairs, n_concordant, n_discordant)


def accuracy_p_matrix(
    people: FloatArray,
    metrics: FloatArray,
    *,
    epsilons: Sequence[float] | None = None,
    draws: int = 1000,
    rng: np.random.Generator,
) -> FloatArray:
    """p-values (M, M) that the row's metric is more accurate than the column's, one-sided.

    Of systems, with `people` (S,) and `metrics` (M, S), the accuracy is `pairwise_accuracy`. Of translations,
    with (S, n) and (M, S, n), it is `accuracy_with_ties` at the metrics' own thresholds `epsilons`. What is
    exchanged between two metrics is their verdicts on single pairs, each with probability 1/2, as in
    [Deutsch2023]: thresholds need not be found again, and only pairs matter on which one metric alone is
    right. Of k such pairs of equal weight, the number that the first gets right is Binomial(k, 1/2), so with
    systems, and with translations of which each segment has equally many, p is exact: no draws. Where
    segments have different numbers of pairs, these weigh differently, and p = (1 + count) / (1 + draws).

    Each two metrics are compared on the pairs that people and both scored. NaN on the diagonal and without
    such a pair; 1 if no metric is ever right alone. Verdicts on pairs that share a system or a segment are
    correlated, which this ignores: p is too small. `segment_permutation_matrix` and, for systems,
    `statistic_permutation_matrix` do without that assumption.

    >>> people, rng = np.arange(5.0), np.random.default_rng(7)
    >>> metrics = np.stack([people, np.array([1.0, 0.0, 2.0, 4.0, 3.0])])
    >>> accuracy_p_matrix(people, metrics, rng=rng)  # the first alone is right on 2 of 10 pairs: 1/2 * 1/2
    array([[ nan, 0.25],
           [1.  ,  nan]])
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    if people.ndim == 1:
        people, metrics = people[:, None], metrics[:, :, None]
    thresholds = [0.0] * len(metrics) if epsilons is None else list(epsilons)
    verdicts = [agreements(people, *each) for each in zip(metrics, thresholds, strict=True)]
    seed = int(rng.integers(2**63))
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    for row in range(len(metrics)):
        for column in range(row + 1, len(metrics)):
            size, wins, losses = _right_alone(*verdicts[row], *verdicts[column])
            if len(size):
                better, worse = _p_values(size, wins, losses, draws, np.random.default_rng(seed))
                p_values[row, column], p_values[column, row] = better, worse
    return p_values


def _right_alone(
    first: BoolArray, first_known: BoolArray, second: BoolArray, second_known: BoolArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Numbers of pairs that segments have, and in those how often either metric alone is right."""
    known = first_known & second_known
    n_pairs = np.count_nonzero(known, axis=0)
    alone = (
        np.count_nonzero(first & ~second & known, axis=0),
        np.count_nonzero(second & ~first & known, axis=0),
    )
    size, kind = np.unique(n_pairs, return_inverse=True)
    wins, losses = (np.bincount(kind, weights=count).astype(np.int64) for count in alone)
    some = size > 0
    return size[some], wins[some], losses[some]


def _p_values(
    size: IntArray, wins: IntArray, losses: IntArray, draws: int, rng: np.random.Generator
) -> tuple[float, float]:
    """p that the first metric is better, and that the second is, from how often each is right alone."""
    together = wins + losses
    if np.count_nonzero(together) <= 1:
        won, lost = int(wins.sum()), int(losses.sum())
        return _binomial_tail(won, won + lost), _binomial_tail(lost, won + lost)
    drawn = (2 * rng.binomial(together, 0.5, size=(draws, len(size))) - together) @ (1 / size)
    observed = float((wins - losses) @ (1 / size))
    tolerance = ROUNDING * float(together @ (1 / size))
    at_least = int(np.count_nonzero(drawn >= observed - tolerance))
    at_most = int(np.count_nonzero(drawn <= observed + tolerance))
    return (1 + at_least) / (1 + draws), (1 + at_most) / (1 + draws)


def _binomial_tail(least: int, n: int) -> float:
    """Probability of at least this many successes in n trials of probability 1/2."""
    return float(betainc(least, n - least + 1, 0.5)) if least else 1.0
