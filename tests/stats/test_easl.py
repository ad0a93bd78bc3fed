from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from steelyard.stats.easl import item_beliefs


def test_two_ratings_by_hand() -> None:
    # Beta(1 + 0.2 + 0.4, 1 + 0.8 + 0.6) = Beta(1.6, 2.4): mode 0.6 / 2, variance 1.6 * 2.4 / (4 * 4 * 5).
    beliefs = item_beliefs(np.array([0.2, 0.4]), np.array([0, 0]))

    assert beliefs.mode.tolist() == pytest.approx([0.3])
    assert beliefs.sd.tolist() == pytest.approx([np.sqrt(0.048)])


def test_the_mode_is_where_the_density_is_highest() -> None:
    beliefs = item_beliefs(np.array([0.9, 0.7, 0.8]), np.array([0, 0, 0]))

    grid = np.linspace(0, 1, 10_001)
    assert beliefs.mode[0] == pytest.approx(grid[np.argmax(stats.beta.pdf(grid, 3.4, 1.6))], abs=1e-4)
    assert beliefs.sd[0] == pytest.approx(stats.beta.std(3.4, 1.6))


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=30))
def test_all_ratings_at_once_are_ratings_one_by_one(ratings: list[tuple[int, float]]) -> None:
    ratings = [*((item, 0.5) for item in range(4)), *ratings]
    alpha, beta = [1.0] * 4, [1.0] * 4
    for item, rating in ratings:
        alpha[item] += rating
        beta[item] += 1 - rating

    beliefs = item_beliefs(np.array([r for _, r in ratings]), np.array([i for i, _ in ratings]))

    modes = [(a - 1) / (a + b - 2) for a, b in zip(alpha, beta, strict=True)]
    np.testing.assert_allclose(beliefs.mode, modes, atol=1e-12)
    np.testing.assert_allclose(beliefs.sd, stats.beta.std(alpha, beta), rtol=1e-9)


def test_more_ratings_leave_less_doubt() -> None:
    few, many = (item_beliefs(np.full(n, 0.6), np.zeros(n, dtype=np.int64)) for n in (2, 50))

    assert many.sd[0] < few.sd[0] / 3
