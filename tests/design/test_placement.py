from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.choice import NO_LANE
from steelyard.design.dealing import deal
from steelyard.design.layout import layout_of
from steelyard.design.placement import check, keep_distance, place
from steelyard.design.shuffle import shuffled_by
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.work import CONTROL_KINDS, ItemKind

hurried = settings(max_examples=30)
seeds = st.integers(0, 2**32)
SETTINGS = [
    DesignSettings(),
    DesignSettings(layout="2013"),
    DesignSettings(48, groups=8, gold_every=7, quota={ItemKind.DEGRADED: 5, ItemKind.CALIBRATION: 3}),
    DesignSettings(layout="2013", gold_every=6),
    DesignSettings(97, order="free"),
]


def placed(chosen, seed, n_hits=20):
    """A layout, with HITs of three systems dealt and placed."""
    layout, rng = layout_of(chosen), np.random.default_rng(seed)
    system = np.tile(np.arange(layout.n_regular, dtype=np.int32) % 3, (n_hits, 1))
    lane = np.full(system.shape, NO_LANE, dtype=np.int8)
    lane[:, : layout.n_controls] = np.repeat(np.arange(NO_LANE), [layout.quota[k] for k in CONTROL_KINDS])
    dealt = deal(system, lane, layout=layout, rng=rng)
    return layout, lane, dealt, place(dealt, lane, layout=layout, rng=rng), rng


@pytest.mark.parametrize("chosen", SETTINGS)
def test_everything_but_gold_has_a_position_of_its_own(chosen):
    layout, _, _, placing, _ = placed(chosen, seed=1)

    for row in np.concatenate([placing.regular, placing.control, placing.calibration], axis=1).tolist():
        assert sorted([*row, *layout.gold_positions]) == list(range(1, layout.hit_size + 1))


@pytest.mark.parametrize("chosen", SETTINGS)
def test_every_control_has_a_base_of_its_own_in_the_group_meant_for_it(chosen):
    layout, lane, dealt, placing, _ = placed(chosen, seed=2)

    kinds = np.repeat(np.arange(NO_LANE), [layout.quota[kind] for kind in CONTROL_KINDS])
    assert (np.take_along_axis(lane, placing.base, axis=1) == kinds).all()
    assert (np.take_along_axis(dealt.regular, placing.base, axis=1) == dealt.controls.base).all()
    assert all(len(set(row)) == layout.n_controls for row in placing.base.tolist())


@hurried
@given(st.sampled_from(["2014", "2013"]), seeds)
def test_repairs_of_the_2013_layout_bring_all_pairs_within_40_to_60(name, seed):
    layout, lane, dealt, placing, rng = placed(DesignSettings(layout=name), seed)

    solved = keep_distance(placing, layout=layout, rng=rng)

    assert solved.all()
    between = placing.between()
    assert between.min() >= 40
    assert between.max() <= (60 if name == "2013" else 58)
    check(placing, dealt, lane, layout=layout)


def test_before_the_repair_many_pairs_of_the_2013_layout_are_too_near_or_too_far():
    _, _, _, placing, _ = placed(DesignSettings(layout="2013"), seed=3)

    # A quarter of the pairs has offset 4, of which half are too near; likewise too far.
    assert ((placing.between() < 40) | (placing.between() > 60)).mean() > 0.15


def test_gold_positions_stay_free_in_repairs():
    layout, _, _, placing, rng = placed(DesignSettings(layout="2013", gold_every=6), seed=4)

    keep_distance(placing, layout=layout, rng=rng)

    taken = np.concatenate([placing.regular, placing.control], axis=1)
    assert not np.isin(taken, layout.gold_positions).any()


def test_a_broken_promise_is_noticed():
    layout, lane, dealt, placing, _ = placed(DesignSettings(), seed=5)
    first, second = placing.regular[0, :2].tolist()
    placing.regular[0, :2] = second, first

    with pytest.raises(AssertionError, match="items are in their groups"):
        check(placing, dealt, lane, layout=layout)


def test_rows_are_shuffled_within_equal_values_only():
    major = np.tile(np.array([2, 0, 1, 0, 1, 2]), (2000, 1))

    order = shuffled_by(major, rng=np.random.default_rng(1))

    assert (np.take_along_axis(major, order, axis=1) == [0, 0, 1, 1, 2, 2]).all()
    # Each of two orders half of the time: 1000 of 2000, give or take 22.
    assert abs((order[:, 0] == 1).sum() - 1000) < 100
