from __future__ import annotations

from collections import Counter
from itertools import accumulate, combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.design.sampling import Draws, Mixer, Need, Pool, draw_rounds, repeated

REGULAR_COUNTS = (7, 35, 70, 140)


def grid(n_systems: int, n_segments: int, n_regular: int, **options) -> Pool:
    """Every system has every segment."""
    system, segment = np.divmod(np.arange(n_systems * n_segments, dtype=np.int32), np.int32(n_segments))
    return Pool(system, segment, n_systems, n_segments, n_regular, **options)


@st.composite
def grids(draw: st.DrawFn) -> Pool:
    n_regular = draw(st.sampled_from(REGULAR_COUNTS))
    n_systems = draw(st.integers(1, 12))
    least = -(-n_regular // n_systems)
    return grid(n_systems, draw(st.integers(least, least + 150)), n_regular)


@st.composite
def ragged(draw: st.DrawFn) -> Pool:
    """Systems that have some of the segments each, and give some of these to a round."""
    n_regular = draw(st.sampled_from((7, 35, 70)))
    n_systems, n_segments = draw(st.integers(1, 9)), 3 * n_regular
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    share = rng.uniform(0.4, 1.0, size=n_systems)
    full = grid(n_systems, n_segments, n_regular)
    kept = rng.random(len(full.system)) < share[full.system]
    owned = np.bincount(full.system[kept], minlength=n_systems)
    quota = np.rint(owned * rng.choice([1.0, 0.8], size=n_systems)).astype(np.int64)
    assume(quota.sum() >= n_regular)
    return Pool(full.system[kept], full.segment[kept], n_systems, n_segments, n_regular, quota)


def drawn(pool: Pool, *, seed: int, n_rounds: int = 2) -> list[Draws]:
    return list(draw_rounds(pool, n_rounds=n_rounds, rng=np.random.default_rng(seed)))


def own(draws: Draws) -> list[int]:
    """The entries that are no padding."""
    entries = draws.entry.ravel().tolist()
    return entries[: len(entries) - draws.n_padding]


def per_hit(pool: Pool, rounds: list[Draws]) -> list[Counter[int]]:
    """How many of each system are in each HIT."""
    return [Counter(pool.system[hit].tolist()) for draws in rounds for hit in draws.entry]


seeds = st.integers(0, 2**32)
hurried = settings(max_examples=12)


@hurried
@given(grids(), seeds)
def test_every_entry_comes_exactly_once_per_round(pool, seed):
    for draws in drawn(pool, seed=seed):
        assert sorted(own(draws)) == list(range(len(pool.system)))


@hurried
@given(ragged(), seeds)
def test_of_uneven_systems_each_gives_its_quota_and_none_twice(pool, seed):
    for draws in drawn(pool, seed=seed):
        assert len(set(own(draws))) == len(own(draws))
        assert np.bincount(pool.system[own(draws)], minlength=pool.n_systems).tolist() == pool.quota.tolist()


@hurried
@given(st.one_of(grids(), ragged()), seeds)
def test_every_hit_is_full_and_only_the_last_one_padded(pool, seed):
    for draws in drawn(pool, seed=seed):
        assert draws.entry.shape == (-(-pool.size // pool.n_regular), pool.n_regular)
        assert draws.n_padding == draws.entry.size - pool.size
        assert (draws.entry >= 0).all()


@hurried
@given(st.one_of(grids(), ragged()), seeds)
def test_a_hit_never_holds_one_entry_twice(pool, seed):
    rounds = drawn(pool, seed=seed)

    assert all(len(set(hit.tolist())) == len(hit) for draws in rounds for hit in draws.entry)


@hurried
@given(grids(), seeds)
def test_each_hit_holds_as_many_of_each_system_as_of_any_other_or_one_more(pool, seed):
    counts = per_hit(pool, drawn(pool, seed=seed))

    share = pool.n_regular / pool.n_systems
    assert all(
        np.floor(share) <= count[s] <= np.ceil(share) for count in counts for s in range(pool.n_systems)
    )


@hurried
@given(grids(), seeds)
def test_cumulative_counts_of_systems_differ_by_at_most_one_over_hits_and_rounds(pool, seed):
    totals = accumulate(per_hit(pool, drawn(pool, seed=seed, n_rounds=4)))

    assert all(max(t.values()) - min(t[s] for s in range(pool.n_systems)) <= 1 for t in totals)


@hurried
@given(ragged(), seeds)
def test_uneven_systems_keep_to_their_shares_over_hits_and_rounds(pool, seed):
    totals = accumulate(per_hit(pool, drawn(pool, seed=seed, n_rounds=3)))

    share = pool.quota / pool.quota.sum()
    for total in totals:
        exact = total.total() * share
        assert all(abs(total[s] - exact[s]) < 3 for s in range(pool.n_systems))


@hurried
@given(grids(), seeds)
def test_no_segment_comes_twice_in_a_hit_if_there_are_enough_segments(pool, seed):
    pool = grid(pool.n_systems, max(pool.n_segments, pool.n_regular), pool.n_regular)

    assert not any(repeated(pool.segment[draws.entry]).any() for draws in drawn(pool, seed=seed))


@hurried
@given(ragged(), seeds)
def test_nor_where_systems_lack_segments(pool, seed):
    assert not any(repeated(pool.segment[draws.entry]).any() for draws in drawn(pool, seed=seed))


@pytest.mark.parametrize(
    ("n_systems", "n_segments"), [(5, 70), (7, 70), (10, 75), (6, 72), (70, 71), (4, 140)]
)
def test_lengths_with_a_common_divisor_keep_segments_distinct_too(n_systems, n_segments):
    pool = grid(n_systems, n_segments, 70)

    rounds = drawn(pool, seed=3, n_rounds=3)

    assert not any(repeated(pool.segment[draws.entry]).any() for draws in rounds)


@pytest.mark.parametrize(("n_systems", "n_segments"), [(3, 45), (4, 60), (10, 10), (30, 20)])
def test_with_few_segments_none_comes_much_more_often_than_another(n_systems, n_segments):
    pool = grid(n_systems, n_segments, 70)

    (draws,) = drawn(pool, seed=4, n_rounds=1)

    for hit in draws.entry:
        counts = Counter(pool.segment[hit].tolist())
        assert max(counts.values()) - min(counts[segment] for segment in range(n_segments)) <= 1


def test_padding_comes_from_the_start_of_the_list():
    pool = grid(3, 100, 70)

    (draws,) = drawn(pool, seed=5, n_rounds=1)

    padding = set(draws.entry[-1, -draws.n_padding :].tolist())
    assert len(padding) == draws.n_padding == 5 * 70 - 300
    assert padding <= set(draws.entry[:2].ravel().tolist())


def together(draws: Draws) -> set[frozenset[int]]:
    return {frozenset(pair) for hit in draws.entry.tolist() for pair in combinations(hit, 2)}


def test_rounds_are_different_partitions():
    # 4 x 200 entries in HITs of 70: by chance 69 of 799 mates of an entry meet it again.
    first, second = drawn(grid(4, 200, 70), seed=5)

    pairs = together(first)
    assert len(pairs & together(second)) < 0.13 * len(pairs)


@pytest.mark.parametrize("n_segments", [350, 140])
def test_hits_share_segments_no_more_often_than_chance_has_it(n_segments):
    # Each of 350 segments is in 5 of 25 HITs, so two HITs share 350 * 10 / 300 = 11.7 on average. Drawn
    # by chance the number varies with a deviation of about 3; a plain cycle would share 70 or none.
    # Of 140, each is in 5 of 10: two HITs share 140 * 10 / 45 = 31.1.
    pool = grid(5, n_segments, 70)

    (draws,) = drawn(pool, seed=11, n_rounds=1)

    sets = [set(pool.segment[hit].tolist()) for hit in draws.entry]
    shared = [len(a & b) for a, b in combinations(sets, 2)]
    assert np.mean(shared) == pytest.approx(n_segments * 10 / (len(sets) * (len(sets) - 1) / 2))
    assert np.std(shared) < 5
    assert max(shared) < np.mean(shared) + 17


def test_an_entry_is_equally_likely_in_every_hit():
    # 250 rounds of 5 HITs: each entry 50 times in each, give or take 6; 500 numbers stay within 5 of these.
    pool = grid(2, 50, 20)

    where = np.zeros((100, 5))
    for draws in drawn(pool, seed=3, n_rounds=250):
        for number, hit in enumerate(draws.entry):
            where[hit, number] += 1

    assert np.abs(where - 50).max() < 5 * 6


def test_possible_bases_are_shared_out_among_the_hits():
    # One in five can be a base: 14 of 70 on average, but by chance alone some HITs would have fewer than 12.
    full = grid(6, 400, 70)
    pool = grid(6, 400, 70, needs=(Need(full.segment % 5 == 0, 12),))

    (draws,) = drawn(pool, seed=2, n_rounds=1)

    assert (pool.segment[draws.entry] % 5 == 0).sum(axis=1).min() >= 12
    assert not repeated(pool.segment[draws.entry]).any()


def test_scarce_bases_are_shared_out_evenly():
    # 10.5 of 70 on average, where 15 are wanted: every HIT has 10 at least.
    full = grid(6, 400, 70)
    pool = grid(6, 400, 70, needs=(Need(full.segment % 20 < 3, 15),))

    (draws,) = drawn(pool, seed=2, n_rounds=1)

    assert (pool.segment[draws.entry] % 20 < 3).sum(axis=1).min() >= 10


def test_sharing_out_for_one_need_does_not_undo_another():
    full = grid(6, 400, 70)
    needs = (Need(full.segment % 5 == 0, 12), Need(full.segment % 7 < 2, 18))
    pool = grid(6, 400, 70, needs=needs)

    (draws,) = drawn(pool, seed=2, n_rounds=1)

    assert (pool.segment[draws.entry] % 5 == 0).sum(axis=1).min() >= 12
    assert (pool.segment[draws.entry] % 7 < 2).sum(axis=1).min() >= 18


def test_the_same_seed_draws_the_same():
    pool = grid(4, 120, 70)
    first, again, other = (drawn(pool, seed=seed)[1].entry.tolist() for seed in (9, 9, 10))

    assert first == again
    assert first != other


def test_too_few_translations_are_refused():
    with pytest.raises(ValueError, match="69 translations cannot fill a HIT of 70"):
        drawn(grid(3, 23, 70), seed=1)


@given(st.lists(st.lists(st.integers(-3, 9), min_size=6, max_size=6), min_size=1, max_size=5))
def test_repeated_numbers_are_found_as_a_slow_search_finds_them(rows):
    found = repeated(np.array(rows, dtype=np.int32))

    assert found.tolist() == [[number in row[:k] for k, number in enumerate(row)] for row in rows]


def mixed(pool, entry):
    """HITs of as many entries of each system, in order of systems, before and after mixing."""
    counts = np.stack([np.bincount(pool.system[row], minlength=pool.n_systems) for row in entry])
    mixer = Mixer(entry.copy(), counts, pool=pool, rng=np.random.default_rng(1))
    mixer.mix()
    return mixer


@pytest.mark.parametrize("n_segments", [8, 12, 40])
def test_mixing_leaves_each_system_its_places_and_no_segment_twice(n_segments):
    n_hits = n_segments * 3 // 6
    pool = grid(3, n_segments, 6)
    # HIT by HIT the cycle of the three systems, whose segments follow one another.
    order = np.arange(3 * n_segments)
    entry = ((order % 3) * n_segments + (order + order // np.lcm(3, n_segments)) % n_segments).astype(
        np.int32
    )
    entry = np.sort(entry[: n_hits * 6].reshape(n_hits, 6), axis=1)

    mixer = mixed(pool, entry)

    assert (mixer.entry != entry).any()
    assert (pool.system[mixer.entry] == pool.system[entry]).all()
    assert sorted(mixer.entry.ravel().tolist()) == sorted(entry.ravel().tolist())
    assert not repeated(pool.segment[mixer.entry]).any()
    assert (mixer.found == pool.segment[mixer.entry]).all()


def test_repeated_segments_are_exchanged_away_where_they_can_be():
    # Two HITs of four: each has one segment twice, and the other HIT can take it.
    pool = grid(2, 6, 4)
    entry_of = {(s, g): s * 6 + g for s, g in product(range(2), range(6))}
    rows = [[(0, 0), (0, 1), (1, 0), (1, 2)], [(0, 3), (0, 4), (1, 3), (1, 5)]]
    entry = np.array([[entry_of[pair] for pair in row] for row in rows], dtype=np.int32)

    mixer = mixed(pool, entry)

    assert not repeated(pool.segment[mixer.entry]).any()


def test_a_shuffle_of_plenty_of_segments_is_repaired():
    # 50 segments for each regular item: a shuffle repeats one in two thirds of the HITs.
    pool = grid(8, 50 * 70, 70)

    for draws in drawn(pool, seed=1):
        assert sorted(own(draws)) == list(range(len(pool.system)))
        assert not repeated(pool.segment[draws.entry]).any()
