from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.stats.connectivity import number_of_blocks

hurried = settings(max_examples=50)
edges = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=25)


def ends(pairs):
    return tuple(np.array([pair[side] for pair in pairs], dtype=np.int32) for side in (0, 1))


def slowly(pairs):
    """Union-find over the two sides."""
    parent = {}

    def find(node):
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for left, right in pairs:
        parent[find(("left", left))] = find(("right", right))
    return len({find(node) for node in list(parent)})


def test_hits_that_share_an_item_directly_or_through_others_are_one_block():
    # HIT 0 has items 0 and 1, HIT 1 items 1 and 2, HIT 2 item 2: a chain. HIT 5 has item 9 to itself.
    left, right = ends([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (5, 9)])

    assert number_of_blocks(left, right) == 2


def test_equal_numbers_on_the_two_sides_are_different_things():
    left, right = ends([(0, 1), (1, 0)])

    assert number_of_blocks(left, right) == 2


def test_nothing_has_no_block():
    assert number_of_blocks(*ends([])) == 0


@pytest.mark.parametrize("times", [2, 300])
def test_an_edge_that_comes_several_times_counts_as_one(times):
    left, right = ends([(0, 0)] * times + [(1, 1)])

    assert number_of_blocks(left, right) == 2


@hurried
@given(edges)
def test_it_agrees_with_union_find(pairs):
    assert number_of_blocks(*ends(pairs)) == slowly(pairs)


@hurried
@given(edges, st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(pairs, random):
    renamed = [random.sample(range(13), 13) for _ in range(2)]
    shuffled = [(renamed[0][left], renamed[1][right]) for left, right in random.sample(pairs, len(pairs))]

    assert number_of_blocks(*ends(shuffled)) == number_of_blocks(*ends(pairs))
