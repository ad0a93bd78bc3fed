from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.known import APART, SAME_TEXT, GoldDealer, Rotation, deal_calibration

hurried = settings(max_examples=40)
seeds = st.integers(0, 2**32)


@hurried
@given(st.integers(1, 20), st.data(), seeds)
def test_each_number_comes_as_often_as_any_other_or_once_more(n, data, seed):
    number = data.draw(st.integers(1, n))
    rotation = Rotation(n, rng=np.random.default_rng(seed))

    counts = Counter(dict.fromkeys(range(n), 0))
    for _ in range(15):
        taken = rotation.take(number)
        assert len(set(taken)) == number
        counts.update(taken)
        assert max(counts.values()) - min(counts.values()) <= 1


@hurried
@given(st.integers(2, 20), st.data(), seeds)
def test_what_does_not_fit_waits_but_is_not_forgotten(n, data, seed):
    number = data.draw(st.integers(1, n))
    rng = np.random.default_rng(seed)
    rotation = Rotation(n, rng=rng)

    counts = Counter(dict.fromkeys(range(n), 0))
    for _ in range(15):
        bad = set(rng.permutation(n)[: n // 3].tolist())
        taken = rotation.take(number, fit=lambda each, _, bad=bad: SAME_TEXT if each in bad else APART)
        assert len(set(taken)) == number
        counts.update(taken)
        assert max(counts.values()) - min(counts.values()) <= 2


def test_what_does_not_fit_is_taken_only_if_there_is_nothing_else():
    rotation = Rotation(6, rng=np.random.default_rng(1))

    taken = rotation.take(4, fit=lambda each, _: SAME_TEXT if each < 2 else APART)

    assert sorted(taken) == [2, 3, 4, 5]


@pytest.mark.parametrize(("n_hits", "per_hit"), [(5, 3), (4, 0)])
def test_calibration_texts_have_a_row_per_hit(n_hits, per_hit):
    rotation = Rotation(4, rng=np.random.default_rng(1))

    texts = deal_calibration(rotation, n_hits=n_hits, per_hit=per_hit)

    assert texts.shape == (n_hits, per_hit)
    assert all(len(set(row)) == per_hit for row in texts.tolist())


def gold_dealer(positions):
    # Ten gold entries 0..9, one for each of the segments 0..9.
    gold, segment = np.arange(10, dtype=np.int32), np.arange(10, dtype=np.int32)
    return GoldDealer(gold, segment, positions=positions, rng=np.random.default_rng(1))


def test_gold_of_segments_that_the_hit_has_is_avoided():
    dealer = gold_dealer((2, 4))
    # Entries 0..3 are there themselves; entry 14 is another text of segment 4.
    entries, segments = [0, -1, 1, -1, 2, 3, 14], [0, -1, 1, -1, 2, 3, 4]

    dealt = [entry for _ in range(10) for entry in dealer.deal(entries, segments)]

    assert set(dealt[:10]) == {5, 6, 7, 8, 9}


def test_where_it_cannot_be_avoided_gold_sits_far_from_its_segment():
    dealer = gold_dealer((1, 6, 12))
    # Every gold segment is in the HIT once; those beside a gold position could come right next to it.
    segments = [-1, 0, 1, 2, 3, -1, 4, 5, 6, 7, 8, -1, 9]

    chosen = dealer.deal([-1] * 13, segments)

    for position, entry in zip((1, 6, 12), chosen, strict=True):
        home = segments.index(entry) + 1
        assert abs(position - home) > 1
