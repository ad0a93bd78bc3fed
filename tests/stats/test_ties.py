from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from steelyard.stats.ties import are_equal, ranks_of

values = st.lists(st.integers(-8, 8), max_size=40)


@given(values)
def test_ranks_are_those_of_scipy(numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.float64)

    np.testing.assert_array_equal(ranks_of(array).rank, rankdata(array))


def test_the_tie_sum_is_that_of_each_group() -> None:
    # A group of three and a group of two: 27 - 3 + 8 - 2.
    assert ranks_of(np.array([4.0, 1.0, 4.0, 2.0, 4.0, 1.0])).tie_sum == 30


@given(values)
def test_ties_are_known_from_equal_values(numbers: list[int]) -> None:
    assert ranks_of(np.array(numbers, dtype=np.float64)).has_ties == (len(set(numbers)) < len(numbers))


def test_rounding_noise_is_a_tie() -> None:
    assert ranks_of(np.array([0.1 + 0.2, 0.3, 7.0])).rank.tolist() == [1.5, 1.5, 3.0]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([], True), ([2.0], True), ([0.0, 0.0], True), ([0.0, 1e-30], False), ([1.0, 1.0 + 1e-12], True)],
)
def test_equal_means_equal_but_for_rounding_noise(numbers: list[float], expected: bool) -> None:
    assert are_equal(np.array(numbers)) == expected


def test_input_is_left_untouched() -> None:
    array = np.array([3.0, 1.0, 2.0])

    ranks_of(array)

    assert array.tolist() == [3.0, 1.0, 2.0]
