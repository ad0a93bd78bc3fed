from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steelyard.design.groups import deal_groups
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


class Dealt:
    """The groups of five HITs, by what is in the columns."""

    def __init__(self, layout, seed, n_hits=5):
        groups = deal_groups(layout, n_hits=n_hits, rng=np.random.default_rng(seed))
        self.all = groups
        self.regular = groups[:, : layout.n_regular]
        self.base = groups[:, : layout.n_controls]
        self.control = groups[:, layout.n_regular : layout.n_regular + layout.n_controls]
        self.calibration = groups[:, layout.n_regular + layout.n_controls :]

    def room(self, layout):
        return [[row.count(group) for group in range(layout.n_groups)] for row in self.regular.tolist()]


def slices_of(layout):
    """The controls of each kind."""
    stops = np.cumsum([layout.quota[kind] for kind in CONTROL_KINDS]).tolist()
    return [slice(a, b) for a, b in zip([0, *stops], stops, strict=False)]


@hurried
@given(layouts(), seeds)
def test_every_base_is_in_the_partner_group(layout, seed):
    dealt = Dealt(layout, seed)

    assert dealt.control.shape == (5, layout.n_controls)
    assert (dealt.base == (dealt.control + layout.n_groups // 2) % layout.n_groups).all()


@hurried
@given(st.one_of(layouts(), layouts(name="2013")), seeds)
def test_every_group_is_full(layout, seed):
    dealt = Dealt(layout, seed)

    for row in dealt.all.tolist():
        assert Counter(row) == Counter(dict.fromkeys(range(layout.n_groups), layout.group_size))


@hurried
@given(layouts(), seeds)
def test_groups_differ_by_at_most_one_control_of_a_kind_and_in_all(layout, seed):
    dealt = Dealt(layout, seed)

    everything = np.concatenate([dealt.control, dealt.calibration], axis=1)
    for rows in [dealt.control[:, own] for own in slices_of(layout)] + [everything, dealt.calibration]:
        for row in rows.tolist():
            counts = [row.count(group) for group in range(layout.n_groups)]
            assert max(counts) - min(counts) <= 1


@hurried
@given(layouts(), seeds)
def test_half_of_the_controls_of_a_kind_precede_their_base(layout, seed):
    dealt = Dealt(layout, seed)

    for own in slices_of(layout):
        before = (dealt.control[:, own] < dealt.base[:, own]).sum(axis=1)
        assert (abs(2 * before - (own.stop - own.start)) <= 1).all()


def test_a_group_of_the_published_layout_has_seven_regular_items():
    layout = layout_of(DesignSettings())

    assert Dealt(layout, seed=3, n_hits=3).room(layout) == [[7] * 10] * 3


@hurried
@given(layouts(name="2013"), seeds)
def test_bases_of_the_2013_layout_fit_into_their_groups(layout, seed):
    dealt = Dealt(layout, seed)

    half = layout.n_groups // 2
    offsets = set(((dealt.base - dealt.control) % layout.n_groups).ravel().tolist())
    assert offsets <= {half - 1, half, half + 1}
    for bases, room in zip(dealt.base.tolist(), dealt.room(layout), strict=True):
        assert all(bases.count(group) <= room[group] for group in range(layout.n_groups))


def test_offsets_of_the_2013_layout_have_weights_1_2_1():
    layout = layout_of(DesignSettings(layout="2013"))

    dealt = Dealt(layout, seed=5, n_hits=2000)

    counts = Counter(((dealt.base - dealt.control) % 10).ravel().tolist())
    # 60,000 draws: a standard deviation of 0.002 in each share.
    assert [counts[offset] / 60000 for offset in (4, 5, 6)] == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


def test_gold_takes_its_places_from_the_groups_it_falls_into():
    layout = layout_of(DesignSettings(gold_every=6))

    for row in Dealt(layout, seed=2).all.tolist():
        assert [row.count(group) for group in range(10)] == list(layout.room)
