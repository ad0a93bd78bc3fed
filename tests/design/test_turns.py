from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.turns import Turns, counts_by_turns

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
    turns = Turns(np.array(numbers), rng=np.random.default_rng(seed))
    exact = per_hit * np.array(numbers) / sum(numbers)
    limit = np.ceil(exact).astype(np.int64)

    for _ in range(20):
        counts = turns.take(per_hit, most=limit)
        assert counts.sum() == per_hit
        assert (counts >= np.floor(exact - 1e-9)).all()
        assert (counts <= limit).all()


@hurried
@given(share_lists, st.integers(1, 70), seeds)
def test_shares_are_kept_over_many_hits(numbers, per_hit, seed):
    turns = Turns(np.array(numbers), rng=np.random.default_rng(seed))
    exact = per_hit * np.array(numbers) / sum(numbers)
    limit = np.ceil(exact).astype(np.int64)

    totals = list(accumulate(turns.take(per_hit, most=limit) for _ in range(60)))

    deviation = np.array(totals) - exact * np.arange(1, 61)[:, None]
    assert np.abs(deviation).max() < 2
    assert turns.behind == pytest.approx(-deviation[-1], abs=1e-6)


@hurried
@given(st.integers(1, 30), st.integers(1, 10), seeds)
def test_with_equal_shares_nobody_is_ever_two_ahead(n_systems, number, seed):
    turns = Turns(np.ones(n_systems, dtype=np.int64), rng=np.random.default_rng(seed))

    totals = np.cumsum([turns.take(number, most=np.full(n_systems, number)) for _ in range(50)], axis=0)

    assert (totals.max(axis=1) - totals.min(axis=1)).max() <= 1


def test_with_equal_shares_the_order_is_new_every_time_round():
    turns = Turns(np.ones(10, dtype=np.int64), rng=np.random.default_rng(1))

    taken = [turns.take(1, most=np.ones(10, dtype=np.int64)).argmax() for _ in range(40)]

    rounds = [tuple(taken[start : start + 10]) for start in range(0, 40, 10)]
    assert [sorted(each) for each in rounds] == [list(range(10))] * 4
    assert len(set(rounds)) == 4


@hurried
@given(share_lists, seeds)
def test_one_at_a_time_keeps_to_the_shares_as_well(numbers, seed):
    turns, share = Turns(np.array(numbers), rng=np.random.default_rng(seed)), np.array(numbers) / sum(numbers)

    totals = np.cumsum([turns.take(1, most=np.ones_like(numbers)) for _ in range(400)], axis=0)

    assert (np.abs(totals - np.arange(1, 401)[:, None] * share) < 4).all()


@hurried
@given(st.integers(2, 30), st.integers(1, 10), seeds)
def test_who_cannot_come_makes_up_for_it_soon(n_systems, number, seed):
    rng = np.random.default_rng(seed)
    turns = Turns(np.ones(n_systems, dtype=np.int64), rng=rng)
    # In each HIT some cannot give at all, the others as many as asked for.
    upper = np.where(rng.random((60, n_systems)) < 0.2, 0, number)
    upper[:, 0] = number
    bounds = turns.unhurried(number, least=np.zeros_like(upper), most=upper)

    counts = np.array([turns.take(number, most=most) for most in bounds])

    assert (counts <= upper).all()
    assert (counts.sum(axis=1) == number).all()
    # Nobody is more than a few turns behind, though each is kept away from a fifth of the HITs.
    totals = counts.cumsum(axis=0)[:, 1:]
    if n_systems > 2:
        assert (totals.max(axis=1) - totals.min(axis=1)).max() <= 2 * number + 2


def test_who_is_far_behind_catches_up_slowly():
    turns = Turns(np.ones(5, dtype=np.int64), rng=np.random.default_rng(1))
    turns.note(np.array([0, 10, 10, 10, 10]))
    least, most = np.zeros((1, 5), dtype=np.int64), np.full((1, 5), 5)

    # Its share of five is one, hence two at most; unless the others cannot give the rest.
    assert turns.unhurried(5, least=least, most=most).tolist() == [[2, 2, 2, 2, 2]]
    assert turns.unhurried(5, least=least, most=np.array([[5, 1, 0, 0, 0]])).tolist() == [[5, 1, 0, 0, 0]]


def test_lower_bounds_are_kept_too():
    turns = Turns(np.ones(4, dtype=np.int64), rng=np.random.default_rng(1))
    least, most = np.array([0, 3, 0, 0]), np.array([1, 3, 1, 1])

    counts = np.array([turns.take(5, least=least, most=most) for _ in range(5)])

    assert (counts[:, 1] == 3).all()
    assert (counts <= most).all()
    assert (counts.sum(axis=1) == 5).all()


def test_what_is_put_back_was_never_taken():
    turns = Turns(np.array([3, 2, 1]), rng=np.random.default_rng(3))
    before = turns.behind.copy()

    turns.note(-turns.take(4, most=np.full(3, 4)))

    assert turns.behind == pytest.approx(before)
