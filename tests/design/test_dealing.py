from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.design.builder import build
from steelyard.design.choice import NO_LANE
from steelyard.design.dealing import _greedy, _lane_room, deal, deal_controls
from steelyard.design.evening import even_out
from steelyard.design.layout import layout_of, layout_problems
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.work import CONTROL_KINDS, ItemKind

hurried = settings(max_examples=25)
seeds = st.integers(0, 2**32)
NUMBERS = (0, 5, 6, 7, 10, 13)


@st.composite
def layouts(draw: st.DrawFn, name: str = "2014"):
    groups = draw(st.sampled_from([4, 6, 8, 10, 12]))
    kinds = (*CONTROL_KINDS, ItemKind.CALIBRATION)
    chosen = DesignSettings(
        hit_size=groups * draw(st.integers(3, 14)),
        groups=groups,
        layout=name,
        quota={kind: draw(st.sampled_from(NUMBERS)) for kind in kinds},
    )
    assume(not layout_problems(chosen))
    return layout_of(chosen)


def lanes_of(layout):
    """(lane, slice of the controls) for each kind."""
    stops = np.cumsum([layout.quota[kind] for kind in CONTROL_KINDS]).tolist()
    return list(enumerate(slice(a, b) for a, b in zip([0, *stops], stops, strict=False)))


@hurried
@given(layouts(), seeds)
def test_every_base_is_in_the_partner_group(layout, seed):
    groups = deal_controls(layout, n_hits=5, rng=np.random.default_rng(seed))

    assert groups.control.shape == (5, layout.n_controls)
    assert (groups.base == (groups.control + layout.n_groups // 2) % layout.n_groups).all()


@hurried
@given(layouts(), seeds)
def test_groups_differ_by_at_most_one_control_of_a_kind_and_in_all(layout, seed):
    groups = deal_controls(layout, n_hits=5, rng=np.random.default_rng(seed))

    everything = np.concatenate([groups.control, groups.calibration], axis=1)
    dealt = [groups.control[:, own] for _, own in lanes_of(layout)] + [everything, groups.calibration]
    for rows in dealt:
        for row in rows.tolist():
            counts = [row.count(group) for group in range(layout.n_groups)]
            assert max(counts) - min(counts) <= 1


@hurried
@given(layouts(), seeds)
def test_half_of_the_controls_of_a_kind_precede_their_base(layout, seed):
    groups = deal_controls(layout, n_hits=5, rng=np.random.default_rng(seed))

    for _, own in lanes_of(layout):
        before = (groups.control[:, own] < groups.base[:, own]).sum(axis=1)
        assert (abs(2 * before - (own.stop - own.start)) <= 1).all()


def test_a_group_of_the_published_layout_has_seven_regular_items():
    layout = layout_of(DesignSettings())

    groups = deal_controls(layout, n_hits=3, rng=np.random.default_rng(3))

    assert groups.room(layout).tolist() == [[7] * 10] * 3


@hurried
@given(layouts(name="2013"), seeds)
def test_bases_of_the_2013_layout_fit_into_their_groups(layout, seed):
    groups = deal_controls(layout, n_hits=5, rng=np.random.default_rng(seed))

    half = layout.n_groups // 2
    assert set(((groups.base - groups.control) % layout.n_groups).ravel().tolist()) <= {
        half - 1,
        half,
        half + 1,
    }
    for bases, room in zip(groups.base.tolist(), groups.room(layout).tolist(), strict=True):
        assert all(bases.count(group) <= room[group] for group in range(layout.n_groups))


def test_offsets_of_the_2013_layout_have_weights_1_2_1():
    layout = layout_of(DesignSettings(layout="2013"))

    groups = deal_controls(layout, n_hits=2000, rng=np.random.default_rng(5))

    counts = Counter(((groups.base - groups.control) % 10).ravel().tolist())
    # 60,000 draws: a standard deviation of 0.002 in each share.
    assert [counts[offset] / 60000 for offset in (4, 5, 6)] == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


def cards(layout, n_systems, n_hits, rng):
    """Systems in turn, and lanes at random."""
    system = (np.arange(n_hits * layout.n_regular) % n_systems).reshape(n_hits, -1).astype(np.int32)
    kinds = np.repeat(np.arange(NO_LANE), [layout.quota[kind] for kind in CONTROL_KINDS])
    lane = np.full((n_hits, layout.n_regular), NO_LANE, dtype=np.int8)
    lane[:, : len(kinds)] = kinds
    return system, rng.permuted(lane, axis=1)


@hurried
@given(st.one_of(layouts(), layouts(name="2013")), st.integers(1, 30), seeds)
def test_every_lane_fills_its_room_in_every_group(layout, n_systems, seed):
    rng = np.random.default_rng(seed)
    system, lane = cards(layout, n_systems, 5, rng)

    dealt = deal(system, lane, layout=layout, rng=rng)

    for number, own in lanes_of(layout):
        for row in range(5):
            placed = Counter(dealt.regular[row, lane[row] == number].tolist())
            assert placed == Counter(dealt.controls.base[row, own].tolist())
    room = [Counter(row) for row in dealt.regular.tolist()]
    assert [[each[g] for g in range(layout.n_groups)] for each in room] == dealt.controls.room(
        layout
    ).tolist()


@pytest.mark.parametrize("n_systems", [1, 2, 3, 5, 8, 12, 20, 30, 70])
@pytest.mark.parametrize("name", ["2014", "2013"])
def test_no_system_has_two_more_in_one_group_than_in_another(n_systems, name):
    rng = np.random.default_rng(n_systems)
    layout = layout_of(DesignSettings(layout=name))
    system, lane = cards(layout, n_systems, 100, rng)

    dealt = deal(system, lane, layout=layout, rng=rng)

    for row in range(100):
        for number in range(n_systems):
            counts = Counter(dealt.regular[row, system[row] == number].tolist())
            assert max(counts.values(), default=0) - min(counts[group] for group in range(10)) <= 1


@hurried
@given(layouts(), st.integers(1, 12), seeds)
def test_dealing_all_hits_at_once_keeps_the_rule_of_dealing_card_by_card(layout, n_systems, seed):
    rng = np.random.default_rng(seed)
    system, lane = cards(layout, n_systems, 3, rng)
    room = _lane_room(deal_controls(layout, n_hits=3, rng=rng), layout)

    dealt, mix = _greedy(system, lane, room=room, n_systems=n_systems, rng=rng)

    for row in range(3):
        left, counts = room[row].copy(), np.zeros((n_systems, layout.n_groups), dtype=int)
        for card in range(layout.n_regular):
            own, free = counts[system[row, card]], left[lane[row, card]]
            best = min((own[g], -free[g]) for g in range(layout.n_groups) if free[g])
            group = dealt[row, card]
            assert (own[group], -free[group]) == best
            own[group] += 1
            free[group] -= 1
        assert (counts == mix[row]).all()


def test_a_chain_of_exchanges_helps_where_a_single_one_does_not():
    # Two groups. System 0 has both its cards in group 0, in lane 0. There, lane 0 offers system 1 only,
    # which has as many in either group; but it can pass one on in lane 1 to system 2.
    system = np.array([[0, 0, 1, 1, 2]], dtype=np.int32)
    lane = np.array([[0, 0, 1, 0, 1]], dtype=np.int8)
    group = np.array([[0, 0, 0, 1, 1]], dtype=np.int16)
    mix = np.array([[[2, 0], [1, 1], [0, 1]]])

    is_even = even_out(system, lane, group, mix, rng=np.random.default_rng(1))

    assert is_even.tolist() == [True]
    assert mix.tolist() == [[[1, 1], [1, 1], [1, 0]]]
    assert [sorted(lane[0, group[0] == g].tolist()) for g in (0, 1)] == [[0, 0, 1], [0, 1]]


def test_a_hit_that_cannot_be_even_is_left_as_near_as_can_be():
    # Both cards of the only lane in group 0 are by the same system, and no other card may take their place.
    system, lane = np.array([[0, 0, 1]], dtype=np.int32), np.array([[0, 0, 1]], dtype=np.int8)
    group, mix = np.array([[0, 0, 1]], dtype=np.int16), np.array([[[2, 0], [0, 1]]])

    is_even = even_out(system, lane, group, mix, rng=np.random.default_rng(1))

    assert is_even.tolist() == [False]
    assert group.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("seed", range(12))
def test_weights_far_apart_in_small_hits_still_fit_the_layout(campaign_of, shape_of, seed):
    shape = shape_of(
        n_systems=2, n_segments=120, design=DesignSettings(hit_size=50), words=(9, 9), weights=(1.0, 0.1)
    )

    design = build(
        campaign_of(shape), rng=np.random.default_rng(seed), new_ids=lambda n: [f"{k:06x}" for k in range(n)]
    )

    least, most = design.separation
    assert least >= 20
    assert most <= 28
