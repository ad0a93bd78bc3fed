from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from steelyard.design.layout import (
    deal_controls,
    layout_for,
    regular_per_group,
    smaller_layouts,
    supported_sizes,
)
from steelyard.domain.work import CONTROL_KINDS, ItemKind


@pytest.mark.parametrize(
    ("hit_size", "n_regular", "n_of_each_control", "separations"),
    [(100, 70, 10, (40, 58)), (50, 35, 5, (20, 28)), (200, 140, 20, (80, 118))],
)
def test_layouts_have_the_specified_counts_and_separations(
    hit_size, n_regular, n_of_each_control, separations
):
    layout = layout_for(hit_size)

    assert layout.n_regular == n_regular
    assert all(layout.quota[kind] == n_of_each_control for kind in CONTROL_KINDS)
    assert (layout.min_separation, layout.max_separation) == separations


def test_an_unknown_size_is_refused_with_the_sizes_on_offer():
    with pytest.raises(ValueError, match="hit_size 60 is not offered; choose one of: 50, 100, 200"):
        layout_for(60)


@pytest.mark.parametrize(
    ("n_translations", "sizes"), [(34, ()), (35, (50,)), (69, (50,)), (70, (50, 100)), (140, (50, 100, 200))]
)
def test_a_layout_fits_from_its_number_of_regular_items_on(n_translations, sizes):
    assert smaller_layouts(n_translations) == sizes


@pytest.mark.parametrize("group", range(10))
def test_partners_lie_half_a_hit_apart_both_ways(group):
    layout = layout_for(100)

    assert abs(layout.partner(group) - group) == 5
    assert layout.partner(layout.partner(group)) == group


def test_positions_fall_into_groups_of_ten():
    layout = layout_for(100)

    assert [layout.group_of(position) for position in (1, 10, 11, 100)] == [0, 0, 1, 9]


@pytest.mark.parametrize("hit_size", supported_sizes())
@pytest.mark.parametrize("seed", range(5))
class TestDealing:
    def test_every_quota_is_met(self, hit_size, seed):
        layout = layout_for(hit_size)

        pairs = deal_controls(layout, rng=np.random.default_rng(seed))

        assert Counter(pair.kind for pair in pairs) == Counter(dict(layout.quota))

    def test_every_base_is_in_the_partner_group(self, hit_size, seed):
        layout = layout_for(hit_size)

        pairs = deal_controls(layout, rng=np.random.default_rng(seed))

        assert all(pair.base_group == layout.partner(pair.control_group) for pair in pairs)

    @pytest.mark.parametrize("kinds", [(kind,) for kind in CONTROL_KINDS] + [CONTROL_KINDS])
    def test_groups_differ_by_at_most_one_control(self, hit_size, seed, kinds: tuple[ItemKind, ...]):
        layout = layout_for(hit_size)

        pairs = deal_controls(layout, rng=np.random.default_rng(seed))

        counts = [sum(p.control_group == group and p.kind in kinds for p in pairs) for group in range(10)]
        assert max(counts) - min(counts) <= 1

    @pytest.mark.parametrize("kind", CONTROL_KINDS)
    def test_half_of_the_controls_precede_their_base(self, hit_size, seed, kind):
        layout = layout_for(hit_size)

        pairs = [pair for pair in deal_controls(layout, rng=np.random.default_rng(seed)) if pair.kind is kind]

        before = sum(pair.control_group < pair.base_group for pair in pairs)
        assert abs(2 * before - len(pairs)) <= 1

    def test_the_regular_items_fill_the_rest_of_each_group(self, hit_size, seed):
        layout = layout_for(hit_size)

        room = regular_per_group(layout, deal_controls(layout, rng=np.random.default_rng(seed)))

        assert sum(room) == layout.n_regular
        assert max(room) - min(room) <= 1


def test_a_group_of_the_published_layout_has_seven_regular_items():
    layout = layout_for(100)

    room = regular_per_group(layout, deal_controls(layout, rng=np.random.default_rng(3)))

    assert room == [7] * 10
