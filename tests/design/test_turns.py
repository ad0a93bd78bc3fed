from __future__ import annotations

from collections import Counter
from itertools import accumulate, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.turns import Shares, TurnQueue, counts_by_turns

hurried = settings(max_examples=25)
seeds = st.integers(0, 2**32)
share_lists = st.lists(st.integers(1, 60), min_size=1, max_size=12)


@hurried
@given(st.integers(1, 12), st.integers(1, 20), st.integers(1, 200))
def test_counting_turns_is_what_taking_turns_gives(n_systems, per_hit, total):
    counts = counts_by_turns(n_systems, per_hit=per_hit, total=total)

    turns = [k % n_systems for k in range(total)]
    hits = [turns[start : start + per_hit] for start in range(0, total, per_hit)]
    assert counts.tolist() == [[hit.count(system) for system in range(n_systems)] for hit in hits]


@hurried
@given(share_lists, st.integers(1, 70), seeds)
def test_each_gives_its_share_of_a_hit_rounded_down_or_up(numbers, per_hit, seed):
    shares = Shares(np.array(numbers), rng=np.random.default_rng(seed))
    exact = per_hit * np.array(numbers) / sum(numbers)
    limit = np.ceil(exact).astype(np.int64)

    for _ in range(20):
        counts = shares.give(per_hit, limit)
        assert counts.sum() == per_hit
        assert (counts >= np.floor(exact - 1e-9)).all()
        assert (counts <= limit).all()


@hurried
@given(share_lists, st.integers(1, 70), seeds)
def test_shares_are_kept_over_many_hits(numbers, per_hit, seed):
    shares = Shares(np.array(numbers), rng=np.random.default_rng(seed))
    exact = per_hit * np.array(numbers) / sum(numbers)
    limit = np.ceil(exact).astype(np.int64)

    totals = list(accumulate(shares.give(per_hit, limit) for _ in range(60)))

    deviation = np.array(totals) - exact * np.arange(1, 61)[:, None]
    assert np.abs(deviation).max() < 2
    assert shares.behind == pytest.approx(-deviation[-1], abs=1e-6)


def settled(queue, number, upper, lower=None):
    lower = np.zeros_like(upper) if lower is None else lower
    plan = queue.plan(number, lower=lower, upper=upper)
    for hit in range(len(upper)):
        if plan.is_wrong[hit]:
            plan.settle(hit)
    plan.done()
    return plan.counts


@hurried
@given(st.integers(1, 30), seeds)
def test_with_equal_shares_everyone_comes_once_before_anyone_comes_again(n_systems, seed):
    queue = TurnQueue(np.ones(n_systems, dtype=np.int64), rng=np.random.default_rng(seed))

    queue.extend(7 * n_systems)

    rounds = [queue.queue[k * n_systems : (k + 1) * n_systems].tolist() for k in range(7)]
    assert all(sorted(each) == list(range(n_systems)) for each in rounds)


@hurried
@given(share_lists, seeds)
def test_any_stretch_of_the_queue_keeps_to_the_shares(numbers, seed):
    queue = TurnQueue(np.array(numbers), rng=np.random.default_rng(seed))
    # Made longer little by little, as a campaign does.
    for length in range(50, 500, 50):
        queue.extend(length)

    counts = Counter[int]()
    for length, system in enumerate(islice(queue.queue.tolist(), 400), start=1):
        counts[system] += 1
        assert all(abs(counts[k] - length * n / sum(numbers)) < 4 for k, n in enumerate(numbers))


@hurried
@given(st.integers(2, 30), st.integers(1, 10), seeds)
def test_who_cannot_come_makes_up_for_it_soon(n_systems, number, seed):
    rng = np.random.default_rng(seed)
    queue = TurnQueue(np.ones(n_systems, dtype=np.int64), rng=rng)
    # In each HIT some cannot give at all, the others as many as asked for.
    upper = np.where(rng.random((60, n_systems)) < 0.2, 0, number)
    upper[:, 0] = number

    counts = settled(queue, number, upper)

    assert (counts <= upper).all()
    assert (counts.sum(axis=1) == number).all()
    # Nobody is more than a few turns behind, though each is kept away from a fifth of the HITs.
    totals = counts.cumsum(axis=0)[:, 1:]
    if n_systems > 2:
        assert (totals.max(axis=1) - totals.min(axis=1)).max() <= 2 * number + 2


def test_lower_bounds_are_kept_too():
    queue = TurnQueue(np.ones(4, dtype=np.int64), rng=np.random.default_rng(1))
    lower = np.array([[0, 3, 0, 0]] * 5)
    upper = np.array([[1, 3, 1, 1]] * 5)

    counts = settled(queue, 5, upper, lower)

    assert (counts[:, 1] == 3).all()
    assert (counts <= upper).all()
    assert (counts.sum(axis=1) == 5).all()


def test_an_exchange_goes_to_whoever_comes_next():
    queue = TurnQueue(np.ones(3, dtype=np.int64), rng=np.random.default_rng(3))
    queue.extend(6)
    turns = queue.queue.tolist()
    upper = np.full((2, 3), 3)
    upper[0, turns[0]] = 0

    counts = settled(queue, 1, upper)

    # The first in the queue changes places with the second.
    assert counts.argmax(axis=1).tolist() == [turns[1], turns[0]]
