from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from steelyard.stats.arrays import FloatArray
from steelyard.stats.kendall import kendall, kendall_b, kendall_rows

few_values = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12)


@pytest.fixture(params=[1, 2, 3, 4, 7, 12])
def table(request: pytest.FixtureRequest) -> tuple[FloatArray, FloatArray]:
    """Eight short rows with ties and gaps, twice."""
    rng = np.random.default_rng(request.param)
    first, second = rng.integers(0, 4, size=(2, 8, request.param)).astype(np.float64)
    first[rng.random(first.shape) < 0.15] = np.nan
    second[rng.random(second.shape) < 0.15] = np.nan
    return first, second


def test_tau_of_a_hand_made_case() -> None:
    # Of six pairs, five agree and one (2 and 3 swapped) does not: (5 - 1) / 6.
    assert kendall(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(4 / 6)


@given(few_values)
def test_tau_is_that_of_another_implementation(pairs: list[tuple[int, int]]) -> None:
    first, second = (np.array(side, dtype=np.float64) for side in zip(*pairs, strict=True))
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert np.isnan(kendall(first, second))
    else:
        assert kendall(first, second) == pytest.approx(kendalltau(first, second).statistic)


def test_tau_of_fewer_than_two_things_is_unknown() -> None:
    assert np.isnan(kendall(np.array([1.0]), np.array([2.0])))


def test_tau_without_all_pairs_is_the_same(table: tuple[FloatArray, FloatArray]) -> None:
    first, second = table
    known = ~(np.isnan(first[0]) | np.isnan(second[0]))

    expected = kendall(first[0, known], second[0, known])

    assert kendall_b(first[0], second[0]) == pytest.approx(expected, nan_ok=True)


def test_tau_of_rows_is_that_of_each(table: tuple[FloatArray, FloatArray]) -> None:
    alone = [kendall_b(*row) for row in zip(*table, strict=True)]

    assert kendall_rows(*table) == pytest.approx(alone, nan_ok=True)


@pytest.mark.parametrize("width", [199, 201])
def test_tau_of_long_rows_is_that_of_short_ones(width: int) -> None:
    rng = np.random.default_rng(width)
    first, second = rng.integers(0, 30, size=(2, 3, width)).astype(np.float64)

    found = kendall_rows(first, second)

    assert found == pytest.approx([kendall(*row) for row in zip(first, second, strict=True)])


def test_tau_of_many_rows_does_not_depend_on_how_they_are_cut() -> None:
    rng = np.random.default_rng(9)
    first, second = rng.integers(0, 5, size=(2, 900, 40)).astype(np.float64)

    # 780 pairs in 900 rows are more than are looked at in one go.
    assert kendall_rows(first, second)[-1] == pytest.approx(kendall(first[-1], second[-1]))


def test_one_row_goes_with_all() -> None:
    one, many = np.arange(4.0), np.array([[1.0, 3.0, 2.0, 4.0], [4.0, 3.0, 2.0, 1.0]])

    assert kendall_rows(one[None, :], many) == pytest.approx([4 / 6, -1])


def test_rows_of_one_are_unknown() -> None:
    assert np.isnan(kendall_rows(np.ones((2, 1)), np.ones((2, 1)))).all()
