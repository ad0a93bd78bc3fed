from __future__ import annotations

import math
from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from steelyard.stats import rank_sum
from steelyard.stats.rank_sum import rank_sum_common_matrix, rank_sum_matrix


def _groups(seed: int) -> list[np.ndarray]:
    """Random groups: continuous, heavily tied, constant, a single value."""
    rng = np.random.default_rng(seed)
    return [
        rng.normal(0, 1, 40),
        rng.integers(-2, 3, 55).astype(np.float64),
        rng.integers(-1, 2, 7).astype(np.float64),
        np.full(9, 1.0),
        np.full(4, 1.0),
        np.array([0.5]),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_scipy_for_every_ordered_pair(seed: int) -> None:
    groups = _groups(seed)

    p_values = rank_sum_matrix(groups)

    expected = np.full((len(groups), len(groups)), np.nan)
    for i, j in permutations(range(len(groups)), 2):
        expected[i, j] = mannwhitneyu(groups[i], groups[j], alternative="greater", method="asymptotic").pvalue
    np.testing.assert_allclose(p_values, expected, atol=1e-12, rtol=0)


def _slow(first: np.ndarray, second: np.ndarray) -> float:
    """The formula as the books give it, comparing every value with every other."""
    m, n = len(first), len(second)
    if not m or not n:
        return math.nan
    wins = sum((a > b) + (a == b) / 2 for a in first.tolist() for b in second.tolist())
    _, counts = np.unique(np.concatenate([first, second]), return_counts=True)
    ties = float(np.sum(counts**3 - counts))
    variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)))
    if variance <= 0:
        return 1.0
    return NormalDist().cdf(-(wins - m * n / 2 - 0.5) / math.sqrt(variance))


# From nearly all distinct to nearly all equal, and lengths from nothing to several blocks.
_group = st.tuples(st.integers(0, 45), st.sampled_from([2, 5, 40, 10_000]), st.integers(0, 2**32)).map(
    lambda drawn: np.random.default_rng(drawn[2]).integers(0, drawn[1], drawn[0]) / 4
)


@given(st.lists(_group, max_size=5))
def test_it_equals_the_slow_formula_with_ties_constants_and_empty_groups(groups: list[np.ndarray]) -> None:
    p_values = rank_sum_matrix(groups)

    expected = np.full((len(groups), len(groups)), np.nan)
    for i, j in permutations(range(len(groups)), 2):
        expected[i, j] = _slow(groups[i], groups[j])
    np.testing.assert_allclose(p_values, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("n_values", [3, 50, 800, 10**9], ids=["few", "some", "many", "all distinct"])
def test_it_equals_scipy_however_many_values_are_distinct(n_values: int) -> None:
    rng = np.random.default_rng(n_values)
    groups = [rng.integers(0, n_values, size) / 8 for size in (300, 299, 1, 77)]

    p_values = rank_sum_matrix(groups)

    expected = np.full((4, 4), np.nan)
    for i, j in permutations(range(4), 2):
        expected[i, j] = mannwhitneyu(groups[i], groups[j], alternative="greater", method="asymptotic").pvalue
    np.testing.assert_allclose(p_values, expected, atol=1e-12, rtol=0)


def test_a_case_by_hand() -> None:
    p_values = rank_sum_matrix([np.array([2.0, 3.0]), np.array([1.0, 4.0])])

    # U = 1 + 1 = 2 is its own mean; variance 2 * 2 * 5 / 12; half a point of continuity.
    expected = NormalDist().cdf(0.5 / math.sqrt(20 / 12))
    assert p_values[0, 1] == pytest.approx(expected)
    assert p_values[1, 0] == pytest.approx(expected)


@pytest.mark.parametrize("scale", [1e9, 8.0, 1.0], ids=["mostly distinct", "repeated", "few values"])
def test_working_in_pieces_gives_the_same(scale: float) -> None:
    groups = [(group * scale).round() for group in _groups(9)]

    pieces = rank_sum._wins_and_ties(groups, rows_at_once=3)

    np.testing.assert_array_equal(pieces, rank_sum._wins_and_ties(groups))


def test_an_empty_group_has_no_p_values() -> None:
    p_values = rank_sum_matrix([np.array([1.0, 2.0]), np.empty(0), np.array([0.0, 3.0])])

    assert np.isnan(p_values).tolist() == [[True, True, False], [True, True, True], [False, True, True]]


def test_order_preserving_changes_of_scale_change_nothing() -> None:
    groups = _groups(3)

    stretched = [np.exp(group) for group in groups]

    np.testing.assert_array_equal(rank_sum_matrix(stretched), rank_sum_matrix(groups))


def test_one_system_has_nobody_to_be_compared_with() -> None:
    assert np.isnan(rank_sum_matrix([np.array([1.0, 2.0])])).all()


def test_the_order_within_groups_changes_nothing() -> None:
    rng = np.random.default_rng(8)
    groups = _groups(5)

    shuffled = [rng.permutation(group) for group in groups]

    np.testing.assert_array_equal(rank_sum_matrix(shuffled), rank_sum_matrix(groups))


def test_the_order_of_groups_orders_the_matrix() -> None:
    groups = _groups(6)

    reverse = rank_sum_matrix(groups[::-1])

    np.testing.assert_array_equal(reverse[::-1, ::-1], rank_sum_matrix(groups))


def test_inputs_stay_as_they_are() -> None:
    groups = _groups(7)

    rank_sum_matrix(groups)

    np.testing.assert_array_equal(np.concatenate(groups), np.concatenate(_groups(7)))


def test_a_value_that_is_absent_is_refused() -> None:
    with pytest.raises(ValueError, match="leave absent values out"):
        rank_sum_matrix([np.array([1.0, np.nan]), np.array([2.0])])


def test_no_system_at_all_gives_an_empty_matrix() -> None:
    assert rank_sum_matrix([]).shape == (0, 0)


@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(0, 5), st.integers(0, 25)),
    st.sampled_from([1, 3, 20, 10_000]),
    st.sampled_from([0.0, 0.3, 0.9]),
)
def test_on_common_segments_it_equals_the_slow_formula_for_each_pair(
    seed: int, shape: tuple[int, int], n_values: int, absent: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(-n_values, n_values, shape) / 7
    scores[rng.random(shape) < absent] = np.nan

    p_values = rank_sum_common_matrix(scores)

    expected = np.full((shape[0], shape[0]), np.nan)
    for i, j in permutations(range(shape[0]), 2):
        both = ~np.isnan(scores[i] + scores[j])
        expected[i, j] = _slow(scores[i, both], scores[j, both])
    np.testing.assert_allclose(p_values, expected, atol=1e-12, rtol=0)


def test_on_common_segments_it_equals_scipy() -> None:
    rng = np.random.default_rng(14)
    scores = rng.normal(0, 1, (4, 1500)).round(2)
    scores[rng.random(scores.shape) < 0.4] = np.nan

    p_values = rank_sum_common_matrix(scores)

    both = ~np.isnan(scores[1] + scores[3])
    expected = mannwhitneyu(
        scores[3, both], scores[1, both], alternative="greater", method="asymptotic"
    ).pvalue
    assert p_values[3, 1] == pytest.approx(expected, abs=1e-12)


def test_common_segments_of_complete_scores_are_all_segments() -> None:
    scores = np.random.default_rng(1).integers(0, 9, (3, 30)).astype(np.float64)
    with_a_gap = np.vstack([scores, np.full(30, np.nan)])

    complete = rank_sum_matrix(list(scores))

    np.testing.assert_array_equal(rank_sum_common_matrix(scores), complete)
    np.testing.assert_allclose(rank_sum_common_matrix(with_a_gap)[:3, :3], complete, rtol=1e-14)
