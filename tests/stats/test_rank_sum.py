from __future__ import annotations

import math
from itertools import permutations
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from steelyard.stats import rank_sum
from steelyard.stats.rank_sum import rank_sum_matrix


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


def test_a_case_by_hand() -> None:
    p_values = rank_sum_matrix([np.array([2.0, 3.0]), np.array([1.0, 4.0])])

    # U = 1 + 1 = 2 is its own mean; variance 2 * 2 * 5 / 12; half a point of continuity.
    expected = NormalDist().cdf(0.5 / math.sqrt(20 / 12))
    assert p_values[0, 1] == pytest.approx(expected)
    assert p_values[1, 0] == pytest.approx(expected)


def test_working_in_pieces_gives_the_same() -> None:
    groups = _groups(9)

    pieces = rank_sum._wins_and_ties(groups, cells_at_once=60)

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
