from __future__ import annotations

from collections import Counter
from itertools import accumulate, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.sampling import Draw, Pool, draw_rounds

REGULAR_COUNTS = (35, 70, 140)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    n_regular = draw(st.sampled_from(REGULAR_COUNTS))
    n_systems = draw(st.integers(1, 12))
    least = -(-n_regular // n_systems)
    return Pool(n_systems, draw(st.integers(least, least + 150)), n_regular)


def drawn(pool: Pool, *, seed: int, n_rounds: int = 2) -> list[tuple[tuple[Draw, ...], ...]]:
    return list(draw_rounds(pool, n_rounds=n_rounds, rng=np.random.default_rng(seed)))


seeds = st.integers(0, 2**32)
hurried = settings(max_examples=40, deadline=None)


@hurried
@given(pools(), seeds)
def test_every_translation_comes_exactly_once_per_round(pool, seed):
    rounds = drawn(pool, seed=seed)

    everything = Counter(product(range(pool.n_systems), range(pool.n_segments)))
    for hits in rounds:
        assert Counter((d.system, d.segment) for hit in hits for d in hit if not d.is_padding) == everything


@hurried
@given(pools(), seeds)
def test_every_hit_is_full_and_only_the_last_one_padded(pool, seed):
    rounds = drawn(pool, seed=seed)

    for hits in rounds:
        assert [len(hit) for hit in hits] == [pool.n_regular] * -(-pool.size // pool.n_regular)
        assert not any(draw.is_padding for hit in hits[:-1] for draw in hit)


@hurried
@given(pools(), seeds)
def test_a_hit_never_holds_one_translation_twice(pool, seed):
    rounds = drawn(pool, seed=seed)

    assert all(len({(d.system, d.segment) for d in hit}) == len(hit) for hits in rounds for hit in hits)


@hurried
@given(pools(), seeds)
def test_each_hit_holds_as_many_of_each_system_as_of_any_other_or_one_more(pool, seed):
    rounds = drawn(pool, seed=seed)

    share = pool.n_regular / pool.n_systems
    counts = [Counter(d.system for d in hit) for hits in rounds for hit in hits]
    assert all(
        np.floor(share) <= count[s] <= np.ceil(share) for count in counts for s in range(pool.n_systems)
    )


@hurried
@given(pools(), seeds)
def test_cumulative_counts_of_systems_differ_by_at_most_one_over_hits_and_rounds(pool, seed):
    rounds = drawn(pool, seed=seed, n_rounds=4)

    per_hit = [Counter(d.system for d in hit) for hits in rounds for hit in hits]
    totals = accumulate(per_hit)
    assert all(max(t.values()) - min(t[s] for s in range(pool.n_systems)) <= 1 for t in totals)


@hurried
@given(pools(), seeds)
def test_no_segment_comes_twice_in_a_hit_if_there_are_enough_segments(pool, seed):
    pool = Pool(pool.n_systems, max(pool.n_segments, pool.n_regular), pool.n_regular)

    rounds = drawn(pool, seed=seed)

    assert all(len({d.segment for d in hit}) == len(hit) for hits in rounds for hit in hits)


@pytest.mark.parametrize(
    ("n_systems", "n_segments"), [(5, 70), (7, 70), (10, 75), (6, 72), (70, 71), (4, 140)]
)
def test_lengths_with_a_common_divisor_keep_segments_distinct_too(n_systems, n_segments):
    pool = Pool(n_systems, n_segments, 70)

    rounds = drawn(pool, seed=3, n_rounds=3)

    assert all(len({d.segment for d in hit}) == 70 for hits in rounds for hit in hits)


def test_padding_comes_from_the_start_of_the_list():
    pool = Pool(n_systems=3, n_segments=100, n_regular=70)

    (hits,) = drawn(pool, seed=5, n_rounds=1)

    padding = {(d.system, d.segment) for d in hits[-1] if d.is_padding}
    first_two = {(d.system, d.segment) for hit in hits[:2] for d in hit}
    assert len(padding) == 5 * 70 - 300
    assert padding <= first_two


def test_rounds_are_different_partitions():
    pool = Pool(n_systems=4, n_segments=200, n_regular=70)

    first, second = drawn(pool, seed=5)

    together = [{frozenset(pair) for hit in hits for pair in pairwise(hit)} for hits in (first, second)]
    assert len(together[0] & together[1]) < 0.1 * len(together[0])


def test_hits_share_segments_no_more_often_than_chance_has_it():
    # Each of 350 segments is in 5 of 25 HITs, so two HITs share 350 * 10 / 300 = 11.7 on average. Drawn
    # by chance the number varies with a deviation of about 3; a plain cycle would share 70 or none.
    pool = Pool(n_systems=5, n_segments=350, n_regular=70)

    (hits,) = drawn(pool, seed=11, n_rounds=1)

    sets = [{d.segment for d in hit} for hit in hits]
    shared = [len(a & b) for k, a in enumerate(sets) for b in sets[k + 1 :]]
    assert np.std(shared) < 5
    assert max(shared) < 28


def test_possible_bases_are_shared_out_among_the_hits():
    # One in five can be a base: 14 of 70 on average, but by chance alone some HITs would have fewer than 12.
    pool = Pool(6, 400, 70, can_be_base=lambda _system, segment: segment % 5 == 0, bases_wanted=12)

    (hits,) = drawn(pool, seed=2, n_rounds=1)

    assert min(sum(d.segment % 5 == 0 for d in hit) for hit in hits) >= 12


def test_the_same_seed_draws_the_same():
    pool = Pool(4, 120, 70)

    assert drawn(pool, seed=9) == drawn(pool, seed=9)
    assert drawn(pool, seed=9) != drawn(pool, seed=10)


def test_too_few_translations_are_refused():
    with pytest.raises(ValueError, match="69 translations cannot fill a HIT of 70"):
        drawn(Pool(3, 23, 70), seed=1)
