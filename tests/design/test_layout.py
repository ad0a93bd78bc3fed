from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.layout import fitting_size, layout_of, layout_problems, layout_warnings
from steelyard.domain.campaign import DesignSettings
from steelyard.domain.work import CONTROL_KINDS, ItemKind


@pytest.mark.parametrize(
    ("hit_size", "n_regular", "n_of_each_control", "separations"),
    [(100, 70, 10, (40, 58)), (50, 35, 5, (20, 28)), (200, 140, 20, (80, 118))],
)
def test_layouts_have_the_specified_counts_and_separations(
    hit_size, n_regular, n_of_each_control, separations
):
    layout = layout_of(DesignSettings(hit_size))

    assert layout.n_regular == n_regular
    assert all(layout.quota[kind] == n_of_each_control for kind in CONTROL_KINDS)
    assert (layout.min_separation, layout.max_separation) == separations


def test_the_2013_layout_promises_40_to_60_items_between():
    layout = layout_of(DesignSettings(layout="2013"))

    assert (layout.min_separation, layout.max_separation) == (40, 60)
    assert layout.offsets == (4, 5, 5, 6)


def test_in_free_order_a_hit_is_one_group_and_promises_nothing():
    layout = layout_of(DesignSettings(97, order="free"))

    assert (layout.n_groups, layout.group_size) == (1, 97)
    assert (layout.min_separation, layout.max_separation) == (0, 95)


@pytest.mark.parametrize(
    ("hit_size", "n_groups"),
    # 48 has 8 and 12, equally near to 10; 98 has 14 (2 is too few); 64 has 8.
    [(50, 10), (100, 10), (200, 10), (48, 12), (98, 14), (64, 8), (72, 12), (120, 10), (52, 4)],
)
def test_a_hit_is_cut_into_about_ten_groups(hit_size, n_groups):
    assert layout_of(DesignSettings(hit_size)).n_groups == n_groups


@pytest.mark.parametrize("group", range(10))
def test_partners_lie_half_a_hit_apart_both_ways(group):
    layout = layout_of(DesignSettings())

    assert abs(layout.partner(group) - group) == 5
    assert layout.partner(layout.partner(group)) == group


def test_positions_fall_into_groups_of_ten():
    layout = layout_of(DesignSettings())

    assert [layout.group_of(position) for position in (1, 10, 11, 100)] == [0, 0, 1, 9]


def test_every_sixth_item_can_be_gold():
    layout = layout_of(DesignSettings(gold_every=6))

    # 6, 12, ..., 96: one in positions 1-10, two in 11-20, two in 21-30 (24, 30), two in 31-40, ...
    assert layout.n_gold == 16
    assert layout.gold_positions[:3] == (6, 12, 18)
    assert layout.room == (9, 8, 8, 9, 8, 8, 9, 8, 8, 9)
    assert layout.n_regular == 100 - 30 - 16


def test_any_quota_is_taken_as_it_is():
    quota = {ItemKind.DEGRADED: 10, ItemKind.REPEAT: 5, ItemKind.CALIBRATION: 4}

    layout = layout_of(DesignSettings(quota=quota))

    assert dict(layout.quota) == {**quota, ItemKind.REFERENCE: 0}
    assert (layout.n_controls, layout.n_calibration, layout.n_regular) == (15, 4, 81)


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        (DesignSettings(97), "97 items cannot be cut .* hit_size = 96 and 98 can"),
        # Two groups of 47 would not keep anything apart.
        (DesignSettings(94), "94 items cannot be cut .* hit_size = 92 and 96 can"),
        (DesignSettings(100, groups=12), "100 items cannot be cut into 12 .* groups = 4 and 10 can"),
        (DesignSettings(100, groups=5), "100 items cannot be cut into 5 .* groups = 4 and 10 can"),
        (DesignSettings(40), "would hold 4 degraded .* set hit_size = 48 or more, or give a quota"),
        (DesignSettings(12), "would hold 1 degraded"),
        (DesignSettings(0), "hit_size must be at least 1"),
        (DesignSettings(quota={ItemKind.DEGRADED: 4}), "tested on 4 degraded items; give 5 or more, or 0"),
        (
            DesignSettings(quota={ItemKind.DEGRADED: 10, ItemKind.REPEAT: -1}),
            "-1 repeat items are impossible",
        ),
        (DesignSettings(quota={ItemKind.GOLD: 5}), "quota cannot set the number of gold items"),
        (DesignSettings(quota={ItemKind.DEGRADED: 60}), "60 of 100 items are controls.* Lower the quota"),
        (DesignSettings(gold_every=2), "80 of 100 items .* Set gold_every = 3 or more, or lower the quota"),
        (DesignSettings(gold_every=1), "gold_every = 1 must be between 2 and hit_size, which is 100"),
        (DesignSettings(gold_every=101), "gold_every = 101"),
        (DesignSettings(order="free", groups=10), 'groups = 10 means nothing with order = "free"'),
        (DesignSettings(order="free", layout="2013"), 'layout = "2013" keeps controls'),
    ],
)
def test_what_cannot_be_promised_is_refused_with_what_can(chosen, told):
    with pytest.raises(ValueError, match=told):
        layout_of(chosen)


def test_all_problems_of_a_layout_are_told_at_once():
    quota = {ItemKind.REPEAT: -1, ItemKind.REGULAR: 3}

    problems = layout_problems(DesignSettings(0, quota=quota, gold_every=1, order="free", groups=2))

    assert len(problems) == 5


def test_hits_that_a_file_has_laid_out_need_no_layout():
    assert layout_problems(DesignSettings(97, order="given")) == []


sizes = st.integers(1, 240)


@settings(max_examples=200)
@given(sizes, st.sampled_from([None, 5, 6, 9]))
def test_what_is_advised_instead_works(hit_size, gold_every):
    chosen = DesignSettings(hit_size, gold_every=gold_every)

    for problem in layout_problems(chosen):
        for setting, first, second in re.findall(r"(?:set|;) (\w+) = (\d+)(?: and (\d+))?", problem, re.I):
            for value in (first, second):
                assert not value or layout_problems(replace(chosen, **{setting: int(value)})) == []


@given(sizes, st.sampled_from(["2014", "2013"]))
def test_groups_cut_the_hit_without_remainder_and_are_even_in_number(hit_size, name):
    chosen = DesignSettings(hit_size, layout=name)
    if layout_problems(chosen):
        return
    layout = layout_of(chosen)

    assert layout.n_groups * layout.group_size == hit_size
    assert layout.n_groups % 2 == 0
    assert layout.n_groups >= 4
    assert layout.group_size >= 2


@pytest.mark.parametrize(
    # 98 items have 68 regular ones, 96 have 66; 48 is the least size with 5 degraded items: 33.
    ("n_entries", "size"),
    [(32, None), (33, 48), (67, 96), (68, 98), (70, 100), (1000, 100)],
)
def test_a_size_fits_from_its_number_of_regular_items_on(n_entries, size):
    assert fitting_size(DesignSettings(), n_entries) == size


def test_a_size_that_fits_still_has_room_for_gold():
    # 60 items are the fewest with a 60th; they have 41 regular ones, 18 controls and 1 gold item.
    design = DesignSettings(gold_every=60)

    assert (fitting_size(design, 41), fitting_size(design, 40)) == (60, None)


@pytest.mark.parametrize("hit_size", [48, 50, 96, 100, 200])
def test_the_usual_layouts_need_no_warning(hit_size):
    assert layout_warnings(layout_of(DesignSettings(hit_size))) == []


def test_few_regular_items_are_warned_of():
    # 100 - 30 controls - 16 gold items.
    assert layout_warnings(layout_of(DesignSettings(gold_every=6)))[0].startswith("only 54 of 100 items")


def test_a_layout_without_degraded_items_is_warned_of():
    assert "no check" in layout_warnings(layout_of(DesignSettings(quota={})))[0]
