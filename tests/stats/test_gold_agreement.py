"""Agreement of workers with each other, and the thresholds that maximise it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.arrays import BoolArray, FloatArray
from steelyard.stats.gold_agreement import (
    Threshold,
    Votes,
    pairwise_agreement,
    pooled_agreement,
    rating_threshold,
    worker_threshold,
)

# (item, worker, category): few of each, so that ties, repeated judgements and lonely workers occur.
judgements = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=25
)


def _votes(rows: list[tuple[int, int, int]]) -> Votes:
    item, worker, category = np.array(rows, dtype=np.int64).T
    return Votes(category, item, worker, n_workers=5)


def _slow_agreement(votes: Votes, keeps: BoolArray, *, of: int | None = None) -> float:
    """P(A) over the pairs that remain, or over those with one worker, one pair after the other."""
    agreeing = n_pairs = 0
    for i, j in combinations(np.flatnonzero(keeps).tolist(), 2):
        workers = {int(votes.worker[i]), int(votes.worker[j])}
        if votes.item[i] != votes.item[j] or len(workers) < 2 or (of is not None and of not in workers):
            continue
        n_pairs += 1
        agreeing += int(votes.category[i] == votes.category[j])
    return agreeing / n_pairs if n_pairs else float("nan")


def _slow_threshold(votes: Votes, keeps: dict[float, BoolArray]) -> tuple[float, float]:
    """The best of several thresholds, the smallest of the equally good, by what each leaves."""
    found = []
    for tau, left in sorted(keeps.items()):
        share = _slow_agreement(votes, left)
        if set(votes.item[left]) == set(votes.item) and not np.isnan(share):
            found.append((-share, tau))
    return (min(found)[1], -min(found)[0]) if found else (float("nan"), float("nan"))


def _all(votes: Votes) -> BoolArray:
    return np.ones(len(votes.item), dtype=np.bool_)


@given(judgements)
def test_agreement_with_others_is_that_of_going_through_all_pairs(rows: list[tuple[int, int, int]]) -> None:
    votes = _votes(rows)

    found = pairwise_agreement(votes)

    slow = [_slow_agreement(votes, _all(votes), of=worker) for worker in range(5)]
    np.testing.assert_array_equal(found, slow)
    np.testing.assert_equal(pooled_agreement(votes), _slow_agreement(votes, _all(votes)))


@given(judgements)
def test_the_threshold_for_workers_is_that_of_trying_them_all(rows: list[tuple[int, int, int]]) -> None:
    votes = _votes(rows)
    agreement = pairwise_agreement(votes)

    found = worker_threshold(votes, agreement)

    # A worker whom nothing is known of is never below.
    tried = {tau: ~(agreement < tau)[votes.worker] for tau in agreement[~np.isnan(agreement)].tolist()}
    np.testing.assert_equal((found.tau, found.agreement), _slow_threshold(votes, tried))
    np.testing.assert_array_equal(found.keeps, tried.get(found.tau, _all(votes)))


@given(judgements, st.lists(st.integers(0, 3), min_size=25, max_size=25))
def test_the_threshold_for_ratings_is_that_of_trying_them_all(
    rows: list[tuple[int, int, int]], distances: list[int]
) -> None:
    votes = _votes(rows)
    distance = np.array(distances[: len(rows)]) / 3

    found = rating_threshold(votes, distance)

    tried = {tau: distance <= tau + 1e-9 for tau in np.unique(distance.round(10)).tolist()}
    np.testing.assert_equal((found.tau, found.agreement), _slow_threshold(votes, tried))
    np.testing.assert_array_equal(found.keeps, tried.get(found.tau, _all(votes)))


# Two items. Item 0: workers 0, 1, 2 say a, a, b. Item 1: workers 0, 1, 2, 3 say b, b, b, a.
ROWS = [(0, 0, 0), (0, 1, 0), (0, 2, 1), (1, 0, 1), (1, 1, 1), (1, 2, 1), (1, 3, 0)]


def test_agreement_by_hand() -> None:
    votes = _votes(ROWS)

    # Workers 0 and 1: 1 of 2 pairs in item 0, 2 of 3 in item 1. Worker 2: 0 of 2, 2 of 3. Worker 3: 0 of 3.
    np.testing.assert_array_equal(pairwise_agreement(votes), [3 / 5, 3 / 5, 2 / 5, 0.0, np.nan])
    # Agreeing pairs: 1 of 3 in item 0, 3 of 6 in item 1.
    assert pooled_agreement(votes) == 4 / 9


def test_a_worker_threshold_by_hand() -> None:
    votes = _votes(ROWS)

    found = worker_threshold(votes, pairwise_agreement(votes))

    # Without worker 3: 1 of 3 and 3 of 3, so 4 of 6. Without worker 2 as well: 1 of 1 and 1 of 1.
    assert (found.tau, found.agreement) == (3 / 5, 1.0)
    assert found.keeps.tolist() == [True, True, False, True, True, False, False]


def test_no_item_loses_all_its_ratings() -> None:
    # Worker 3 alone judged item 2: whoever agrees less may go, but not worker 3.
    votes = _votes([*ROWS, (2, 3, 0)])

    found = worker_threshold(votes, pairwise_agreement(votes))

    assert (found.tau, found.agreement) == (0.0, 4 / 9)
    assert found.keeps.all()


def test_of_equally_good_thresholds_the_smallest_is_taken() -> None:
    # Two couples who always agree, each on items of their own; one couple has a guest who never does.
    votes = _votes([(0, 0, 0), (0, 1, 0), (1, 2, 0), (1, 3, 0), (1, 4, 1)])
    agreement = pairwise_agreement(votes)
    assert agreement.tolist() == [1.0, 1.0, 0.5, 0.5, 0.0]

    found = worker_threshold(votes, agreement)

    # At 0.5 only the guest goes, and all agree; 1.0 would leave item 1 without a rating.
    assert (found.tau, found.agreement) == (0.5, 1.0)


def test_a_rating_threshold_by_hand() -> None:
    # Ratings 1 1 4 (mean 2) and 2 3 3 3 (mean 2.75), as categories.
    rating = np.array([1.0, 1, 4, 2, 3, 3, 3])
    item = np.array([0, 0, 0, 1, 1, 1, 1])
    votes = Votes(rating.astype(np.int64), item, np.array([0, 1, 2, 0, 1, 2, 3]), n_workers=4)
    distance = np.abs(rating - np.array([2, 2.75])[item])
    assert distance.tolist() == [1, 1, 2, 0.75, 0.25, 0.25, 0.25]

    found = rating_threshold(votes, distance)

    # At 2: 1 of 3 and 3 of 6 pairs. At 1: 1 of 1 and 3 of 6. Less than 1 leaves nothing of item 0.
    assert (found.tau, found.agreement) == (1.0, 4 / 7)
    assert found.keeps.tolist() == [True, True, False, True, True, True, True]


def test_two_judgements_of_one_worker_are_no_pair() -> None:
    votes = _votes([(0, 0, 1), (0, 0, 1), (0, 1, 2)])

    assert pooled_agreement(votes) == 0.0


def test_without_pairs_there_is_no_threshold() -> None:
    votes = _votes([(0, 0, 1), (1, 1, 1), (1, 1, 0)])

    found = worker_threshold(votes, pairwise_agreement(votes))

    assert np.isnan(found.tau)
    assert found.keeps.all()


def _shuffled(found: Threshold, order: FloatArray) -> tuple[float, float, list[bool]]:
    keeps = np.empty_like(found.keeps)
    keeps[order] = found.keeps
    return found.tau, found.agreement, keeps.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_ratings_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 200
    item, worker = rng.integers(20, size=n), rng.integers(8, size=n)
    category = (item + (rng.random(n) < 0.1 * worker)) % 4
    order = rng.permutation(n)
    votes = Votes(category, item, worker, n_workers=8)
    mixed = Votes(category[order], item[order], worker[order], n_workers=8)

    found, again = (worker_threshold(v, pairwise_agreement(v)) for v in (votes, mixed))

    assert found.tau > 0
    assert _shuffled(again, order) == (found.tau, found.agreement, found.keeps.tolist())
