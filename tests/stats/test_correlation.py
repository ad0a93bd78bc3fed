from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.correlation import pearson


def test_a_correlation_by_hand() -> None:
    # Deviations -1, 0, 1 and -2, 1, 1: 3 over the root of 2 times 6.
    assert pearson(np.array([1.0, 2.0, 3.0]), np.array([0.0, 3.0, 3.0])) == pytest.approx(3 / 12**0.5)


@pytest.mark.parametrize(("first", "second"), [([], []), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])])
def test_points_alike_have_no_correlation(first: list[float], second: list[float]) -> None:
    assert np.isnan(pearson(np.array(first), np.array(second)))


def test_correlations_are_those_of_numpy() -> None:
    first, second = np.random.default_rng(2).normal(size=(2, 50))

    assert pearson(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1], rel=1e-12)
