"""Errors of agreement: by hand, against sums over pairs of pairs, and how often intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest

from steelyard.stats.agreement_errors import AgreementError, CrossedPairs, fisher_interval
from steelyard.stats.agreement_influence import Influence, correlation_influence, spread_influence
from steelyard.stats.alpha import centred
from steelyard.stats.intraclass import one_way_icc


def test_pairs_of_different_people_on_different_texts_are_independent() -> None:
    # Correlation of normal values: (1 - r^2)^2 / n is the textbook's variance [Fisher1921].
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000)
    y = 0.6 * x + 0.8 * rng.normal(size=20_000)
    alone = np.arange(20_000)
    r = float(np.corrcoef(x, y)[0, 1])

    error = CrossedPairs(alone, worker=alone, document=alone).error(
        correlation_influence(centred(x), centred(y), r)
    )

    assert error.variance == pytest.approx((1 - r * r) ** 2 / 20_000, rel=0.03)
    assert error.df == pytest.approx(19_999)


def test_two_workers_who_share_all_their_texts_are_one_cluster() -> None:
    # Ten couples with 50 texts each. Within a couple everything moves alike, so the variance is that of ten
    # sums and not of twenty workers, for whom it would be twice as much.
    rng = np.random.default_rng(2)
    couple = np.repeat(np.arange(10), 50)
    moved = np.repeat(rng.normal(size=10)[couple] / 500, 2)
    unit = np.repeat(np.arange(500), 2)
    worker = 2 * np.repeat(couple, 2) + np.tile([0, 1], 500)
    centred_moved = (moved - moved.mean()) / 2
    influence = Influence(centred_moved, np.full(1000, 1 / 1000), lambda i, _: 2 * centred_moved[i])

    error = CrossedPairs(unit, worker=worker, document=unit).error(influence)

    sums = np.bincount(np.repeat(couple, 2), influence.moved)
    # A tenth is lost with each couple; 19 of 20 workers.
    assert error.variance == pytest.approx(np.sum((sums / 0.9) ** 2) * 19 / 20, rel=0.05)
    assert error.df == pytest.approx(9)


@pytest.mark.parametrize("size", [2, 3])
def test_small_units_agree_with_a_loop_over_pairs_of_pairs(size: int) -> None:
    # Pairs that share a worker or a text go together. Many workers, so that nobody's part is large.
    rng = np.random.default_rng(size)
    n_units, n_workers = 150, 60
    worker = np.array([np.sort(rng.choice(n_workers, size, replace=False)) for _ in range(n_units)])
    pairs = [(0, 1)] if size == 2 else [(0, 1), (0, 2), (1, 2)]
    effect = rng.normal(size=n_workers)
    moved_pair = np.array(
        [[effect[row[a]] + effect[row[b]] + rng.normal() for a, b in pairs] for row in worker]
    )
    moved_pair = (moved_pair - moved_pair.mean()) / moved_pair.size
    # What a rating answers for of its pairs, written as the influence that sums to the unit's.
    answers = np.zeros((n_units, size))
    for column, (a, b) in enumerate(pairs):
        answers[:, a] += moved_pair[:, column]
        answers[:, b] += moved_pair[:, column]
    total = moved_pair.sum(axis=1, keepdims=True)
    own = total / 2 + 0 * answers if size == 2 else 2 * answers - total
    unit = np.repeat(np.arange(n_units), size)
    column = {pair: k for k, pair in enumerate(pairs)}

    def of_pair(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        places = [column[a, b] for a, b in zip((i % size).tolist(), (j % size).tolist(), strict=True)]
        return moved_pair[i // size, places]

    influence = Influence(own.ravel(), np.full(n_units * size, 1 / (n_units * size)), of_pair)

    found = CrossedPairs(unit, worker=worker.ravel(), document=unit).error(influence).variance

    listed = [
        (u, {row[a], row[b]}, m)
        for u, (row, of_pairs) in enumerate(zip(worker.tolist(), moved_pair, strict=True))
        for (a, b), m in zip(pairs, of_pairs.tolist(), strict=True)
    ]
    expected = sum(m * n for u, ws, m in listed for v, xs, n in listed if u == v or ws & xs)
    assert found == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("n_workers", [3, 5, 12])
def test_workers_who_all_rated_the_same_have_one_degree_of_freedom_less(n_workers: int) -> None:
    unit, worker = np.repeat(np.arange(40), n_workers), np.tile(np.arange(n_workers), 40)
    value = np.random.default_rng(3).normal(size=len(unit))

    error = CrossedPairs(unit, worker=worker, document=unit).error(
        spread_influence(value, unit, with_singles=False)
    )

    assert error.df == pytest.approx(n_workers - 1)


def test_who_gave_most_ratings_counts_for_the_degrees_of_freedom() -> None:
    share = np.append(np.full(9, 0.01), 0.91)
    alone = np.arange(10)
    influence = Influence(np.zeros(10), share)

    error = CrossedPairs(alone, worker=alone, document=alone).error(influence)

    assert error.df < 2


def test_one_worker_or_one_document_says_nothing_of_others() -> None:
    influence = Influence(np.array([0.1, -0.1]), np.array([0.5, 0.5]))
    several, one = np.array([0, 1]), np.array([0, 0])

    for worker, document in ((several, one), (one, several)):
        error = CrossedPairs(several, worker=worker, document=document).error(influence)
        assert math.isnan(error.variance)
        assert all(math.isnan(end) for end in fisher_interval(0.5, error, level=0.95))


def test_what_rounding_leaves_is_no_variance() -> None:
    assert all(math.isnan(end) for end in fisher_interval(-0.3, AgreementError(1e-31, 4), level=0.95))


def test_the_interval_is_symmetric_in_fishers_z_and_stays_within_one() -> None:
    # 1.96 of .03 / (1 - .81) on either side of atanh(.9), with very many degrees of freedom.
    lower, upper = fisher_interval(0.9, AgreementError(0.03**2, 1e9), level=0.95)

    half = 1.959964 * 0.03 / 0.19
    assert (lower, upper) == pytest.approx((math.tanh(1.4722195 - half), math.tanh(1.4722195 + half)))
    assert fisher_interval(0.99, AgreementError(1.0, 3), level=0.95)[1] <= 1


def test_intervals_of_icc_cover_with_ten_workers_as_often_as_they_say() -> None:
    # Harshness .6, item 1, noise .7 in standard deviations: ICC(1,1) is 1 / (1 + .36 + .49).
    rng, covered = np.random.default_rng(7), []
    worker, unit = np.tile(np.arange(10), 30), np.repeat(np.arange(30), 10)
    crossed = CrossedPairs(unit, worker=worker, document=unit)
    for _ in range(300):
        value = rng.normal(size=30)[unit] + 0.6 * rng.normal(size=10)[worker] + 0.7 * rng.normal(size=300)
        error = crossed.error(spread_influence(value, unit, with_singles=True))
        lower, upper = fisher_interval(one_way_icc(value, unit), error, level=0.95)
        covered.append(lower <= 1 / 1.85 <= upper)

    # A share of .95 in 300 has a standard error of .013.
    assert 0.91 < np.mean(covered) < 0.985
