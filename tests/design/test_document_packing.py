"""Packing documents by their lengths: even HITs, even systems, control documents by length."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.document_packing import ControlPicker, Stack, Target, number_of_hits, pack

HUNDRED = Target(100)
few = settings(max_examples=30)


def stack_of(lengths, n_systems):
    """Every system has all documents."""
    return Stack(
        system=np.repeat(np.arange(n_systems), len(lengths)),
        document=np.tile(np.arange(len(lengths)), n_systems),
        length=np.tile(np.array(lengths), n_systems),
    )


def random_stack(seed, *, n_documents, longest, n_systems):
    return stack_of(np.random.default_rng(seed).integers(1, longest + 1, n_documents), n_systems)


stacks = st.builds(
    random_stack,
    st.integers(0, 2**32),
    n_documents=st.integers(20, 80),
    longest=st.integers(1, 15),
    n_systems=st.integers(1, 8),
)


def test_a_hit_as_wanted_has_no_misfit():
    assert HUNDRED.misfit(np.array([85.0, 64.0, 70.0]), np.array([30.0, 22.0, 30.0])).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("regular", "controls", "misfit"),
    [
        (90, 35, 0.10),  # 125 items are 10 % too many; 28 % controls
        (60, 15, 0.10 + 2 * 0.05),  # 75 items are 10 % too few; 20 % controls are 5 % too few
        (50, 50, 2 * 0.20),  # 50 % controls are 20 % too many
    ],
)
def test_misfit_adds_what_is_off_in_size_and_twice_what_is_off_in_controls(regular, controls, misfit):
    found = HUNDRED.misfit(np.array([float(regular)]), np.array([float(controls)]))

    assert found[0] == pytest.approx(misfit)


def test_the_longest_document_leaves_a_quarter_of_the_longest_hit_to_another_and_its_control():
    # 115 items: 28.75 for a second document, 28.75 for its control, 57.5 for the longest.
    assert HUNDRED.longest_document == 57


@few
@given(stacks)
def test_every_document_is_packed_once_apart_from_padding(stack):
    n_hits = number_of_hits(stack, HUNDRED, rng=np.random.default_rng(1))
    packing = pack(stack, n_hits, HUNDRED, rng=np.random.default_rng(2))
    own = [row for rows, pad in zip(packing.rows, packing.is_padding, strict=True) for row in rows[~pad]]

    assert sorted(own) == list(range(len(stack)))
    assert all(len(set(rows.tolist())) == len(rows) for rows in packing.rows)


@few
@given(stacks)
def test_hits_of_a_round_are_as_long_as_each_other_to_two_documents(stack):
    n_hits = max(1, int(stack.length.sum()) // 70)
    packing = pack(stack, n_hits, Target(10), rng=np.random.default_rng(2))
    volumes = [stack.length[rows].sum() for rows in packing.rows]

    assert max(volumes) - min(volumes) <= 2 * stack.length.max()


def test_systems_are_spread_evenly_over_hits():
    stack = random_stack(3, n_documents=100, longest=10, n_systems=4)
    packing = pack(stack, 30, HUNDRED, rng=np.random.default_rng(2))

    for rows in packing.rows:
        volume = np.bincount(stack.system[rows], stack.length[rows], 4)
        assert volume.max() - volume.min() <= 10


def test_a_document_by_two_systems_shares_a_hit_only_if_it_must():
    stack = stack_of([10] * 14, 8)
    enough = pack(stack, 16, HUNDRED, rng=np.random.default_rng(2))
    too_few = pack(stack, 7, HUNDRED, rng=np.random.default_rng(2))

    assert all(len(set(stack.document[rows].tolist())) == len(rows) for rows in enough.rows)
    # Eight systems, seven HITs: each document is twice in one HIT at least.
    assert sum(len(rows) - len(set(stack.document[rows].tolist())) for rows in too_few.rows) >= 14


def test_a_hit_that_stays_too_short_is_padded_with_documents_it_has_not():
    stack = stack_of([10] * 8, 1)
    packing = pack(stack, 2, HUNDRED, rng=np.random.default_rng(2))

    # 40 in each; at least 100 x 0.85 x 0.7 = 59.5 are wanted: two more.
    assert [len(rows) for rows in packing.rows] == [6, 6]
    assert [int(pad.sum()) for pad in packing.is_padding] == [2, 2]
    assert all(len(set(rows.tolist())) == 6 for rows in packing.rows)


def test_many_hits_are_packed_in_blocks_as_evenly_as_few():
    stack = random_stack(4, n_documents=3000, longest=20, n_systems=2)
    n_hits = int(stack.length.sum()) // 72
    packing = pack(stack, n_hits, HUNDRED, rng=np.random.default_rng(2))
    volumes = [stack.length[rows].sum() for rows in packing.rows]

    assert len(packing.rows) == n_hits > 800
    assert max(volumes) - min(volumes) <= 20


def test_the_number_of_hits_suits_long_documents():
    # Documents of 25: three and one control make 100; two or four never come to 25-30 % controls.
    stack = stack_of([25] * 30, 2)

    assert number_of_hits(stack, HUNDRED, rng=np.random.default_rng(1)) == 20


@few
@given(stacks)
def test_some_documents_are_picked_but_never_all(stack):
    rng = np.random.default_rng(3)
    picker = ControlPicker(stack, HUNDRED, rng=rng)
    for rows in pack(stack, max(1, int(stack.length.sum()) // 70), HUNDRED, rng=rng).rows:
        picked = picker.pick(stack.take(rows))
        assert 0 < picked.sum() < len(rows)


def test_short_documents_are_picked_until_the_share_fits():
    stack = random_stack(5, n_documents=200, longest=8, n_systems=3)
    rng = np.random.default_rng(3)
    picker = ControlPicker(stack, HUNDRED, rng=rng)

    for rows in pack(stack, int(stack.length.sum()) // 72, HUNDRED, rng=rng).rows:
        hit = stack.take(rows)
        repeated = hit.length[picker.pick(hit)].sum()
        assert 0.25 <= repeated / (repeated + hit.length.sum()) <= 0.30


def test_a_document_twice_as_long_is_picked_about_twice_as_often():
    hit = stack_of([2] * 20 + [4] * 10, 1)
    picker = ControlPicker(hit, HUNDRED, rng=np.random.default_rng(4))
    picks = Counter(length for _ in range(600) for length in hit.length[picker.pick(hit)].tolist())

    # Ten documents of 4 and twenty of 2: as many picks of either kind if chances go by length.
    # Drawing without replacement favours the short ones a little.
    assert 0.85 <= picks[4] / picks[2] <= 1.05


def test_systems_take_turns_in_being_repeated():
    stack = stack_of([6] * 60, 5)
    rng = np.random.default_rng(3)
    picker = ControlPicker(stack, HUNDRED, rng=rng)
    served = np.zeros(5)
    for rows in pack(stack, 25, HUNDRED, rng=rng).rows:
        hit = stack.take(rows)
        picked = picker.pick(hit)
        served += np.bincount(hit.system[picked], hit.length[picked], 5)

    assert served.max() - served.min() <= 12


def test_nothing_is_picked_where_no_controls_are_wanted():
    hit = stack_of([5] * 20, 1)

    assert not ControlPicker(hit, Target(100, (0.0, 0.0)), rng=np.random.default_rng(4)).pick(hit).any()
