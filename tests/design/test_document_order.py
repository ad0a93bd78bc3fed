"""The order of a HIT's documents: opposite halves, and as far apart as any order can have them."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.design.document_order import arrange

few = settings(max_examples=40)


def least_separation(length, order):
    """Least number of items between a document and its control; `order` has (document, is control)."""
    start, at = {}, 0
    for card in order:
        start[card] = at
        at += length[card[0]]
    return min(
        abs(start[document, True] - start[document, False]) - 1 for document, control in order if control
    )


def cards_of(arrangement):
    return list(zip(arrangement.document.tolist(), arrangement.is_control.tolist(), strict=True))


@st.composite
def hits(draw):
    lengths = draw(st.lists(st.integers(1, 15), min_size=2, max_size=14))
    repeated = draw(st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths)))
    return np.array(lengths), np.array(repeated)


@few
@given(hits(), st.integers(0, 2**32))
def test_every_document_comes_once_and_once_more_if_it_is_repeated(hit, seed):
    length, is_repeated = hit
    made = arrange(length, is_repeated, np.arange(len(length)), rng=np.random.default_rng(seed))
    expected = [(k, False) for k in range(len(length))] + [
        (int(k), True) for k in np.flatnonzero(is_repeated)
    ]

    assert sorted(cards_of(made)) == sorted(expected)


@few
@given(hits(), st.integers(0, 2**32))
def test_a_document_and_its_control_are_in_opposite_halves(hit, seed):
    length, is_repeated = hit
    made = arrange(length, is_repeated, np.arange(len(length)), rng=np.random.default_rng(seed))
    half = dict(zip(cards_of(made), made.half.tolist(), strict=True))

    assert made.half.tolist() == sorted(made.half.tolist())
    assert all(half[document, True] != half[document, False] for document, control in half if control)


@few
@given(hits(), st.integers(0, 2**32))
def test_as_many_controls_come_first_as_second(hit, seed):
    length, is_repeated = hit
    made = arrange(length, is_repeated, np.arange(len(length)), rng=np.random.default_rng(seed))
    first = int(np.sum(made.is_control & (made.half == 0)))
    second = int(np.sum(made.is_control & (made.half == 1)))

    assert abs(first - second) <= 1


@few
@given(hits(), st.integers(0, 2**32))
def test_the_halves_are_as_long_as_each_other_to_a_document(hit, seed):
    length, is_repeated = hit
    made = arrange(length, is_repeated, np.arange(len(length)), rng=np.random.default_rng(seed))
    sizes = [length[made.document[made.half == half]].sum() for half in (0, 1)]

    assert abs(sizes[0] - sizes[1]) <= length.max()


@pytest.mark.parametrize(
    ("length", "repeated"),
    [([5, 9, 7, 3], [1]), ([4, 4, 4, 4], [0, 2]), ([10, 2, 8], [2]), ([6, 1, 5, 2], [1, 3])],
)
def test_small_hits_are_as_far_apart_as_the_best_of_all_orders(length, repeated):
    is_repeated = np.isin(np.arange(len(length)), repeated)
    rest = [k for k in range(len(length)) if k not in repeated]
    best = 0
    # Every deal of documents and controls to halves whose rest is balanced, every order within them.
    for base_sides in product((0, 1), repeat=len(repeated)):
        if abs(2 * sum(base_sides) - len(repeated)) > 1:
            continue
        for rest_sides in product((0, 1), repeat=len(rest)):
            imbalance = sum(length[k] * (1 - 2 * side) for k, side in zip(rest, rest_sides, strict=True))
            if abs(imbalance) > max(length[k] for k in rest):
                continue
            halves: list[list[tuple[int, bool]]] = [[], []]
            for k, side in zip(repeated, base_sides, strict=True):
                halves[side].append((k, False))
                halves[1 - side].append((k, True))
            for k, side in zip(rest, rest_sides, strict=True):
                halves[side].append((k, False))
            for first, second in product(permutations(halves[0]), permutations(halves[1])):
                best = max(best, least_separation(length, [*first, *second]))

    made = arrange(np.array(length), is_repeated, np.arange(len(length)), rng=np.random.default_rng(1))

    # With two pairs, the members of both are at the same place of their half: a little is lost.
    allowed = 0 if len(repeated) == 1 else max(length)
    assert best - allowed <= least_separation(length, cards_of(made)) <= best


def test_the_same_document_by_two_systems_is_kept_apart():
    length = np.array([8, 8, 8, 8, 8, 8, 8, 8])
    document = np.array([0, 0, 1, 2, 3, 4, 5, 6])
    made = arrange(length, np.arange(8) == 7, document, rng=np.random.default_rng(1))
    start = 8 * np.arange(9)
    places = [int(at) for at, k in zip(start, made.document.tolist(), strict=True) if k in (0, 1)]

    assert abs(places[0] - places[1]) > 20


def test_without_controls_documents_are_only_shuffled():
    made = arrange(np.array([3, 4, 5]), np.zeros(3, dtype=bool), np.arange(3), rng=np.random.default_rng(1))

    assert sorted(made.document.tolist()) == [0, 1, 2]
    assert not made.is_control.any()
