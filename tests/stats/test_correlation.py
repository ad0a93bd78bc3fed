from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from steelyard.stats.arrays import FloatArray
from steelyard.stats.correlation import pearson, pearson_rows, spearman, spearman_rows


@pytest.fixture(params=[1, 2, 3, 4, 6, 9])
def table(request: pytest.FixtureRequest) -> tuple[FloatArray, FloatArray]:
    """Twelve short rows with ties and gaps, twice."""
    rng = np.random.default_rng(request.param)
    first, second = rng.integers(0, 4, size=(2, 12, request.param)).astype(np.float64)
    first[rng.random(first.shape) < 0.15] = np.nan
    second[rng.random(second.shape) < 0.15] = np.nan
    return first, second


def one_by_one(
    first: FloatArray, second: FloatArray, statistic: Callable[..., tuple[float, float]]
) -> list[float]:
    """Each row by another implementation, over the cells both have; NaN where that refuses or warns."""
    found = []
    for one, other in zip(first, second, strict=True):
        known = ~(np.isnan(one) | np.isnan(other))
        one, other = one[known], other[known]
        varies = len(one) > 1 and np.ptp(one) > 0 and np.ptp(other) > 0
        found.append(float(statistic(one, other)[0]) if varies else float("nan"))
    return found


def test_a_correlation_by_hand() -> None:
    # Deviations -1, 0, 1 and -2, 1, 1: 3 over the root of 2 times 6.
    assert pearson(np.array([1.0, 2.0, 3.0]), np.array([0.0, 3.0, 3.0])) == pytest.approx(3 / 12**0.5)


@pytest.mark.parametrize(("first", "second"), [([], []), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])])
def test_points_alike_have_no_correlation(first: list[float], second: list[float]) -> None:
    assert np.isnan(pearson(np.array(first), np.array(second)))


def test_correlations_are_those_of_numpy() -> None:
    first, second = np.random.default_rng(2).normal(size=(2, 50))

    assert pearson(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1], rel=1e-12)


def test_a_rank_correlation_by_hand() -> None:
    # Ranks 1 2 3 4 and 1 3.5 3.5 2: deviations -1.5 -.5 .5 1.5 and -1.5 1 1 -.5, so 1.5 / sqrt(5 x 4.5).
    found = spearman(np.array([1.0, 2.0, 5.0, 9.0]), np.array([0.0, 7.0, 7.0, 3.0]))

    assert found == pytest.approx(1.5 / np.sqrt(5 * 4.5))


def test_a_row_by_hand() -> None:
    # The last cell lacks one side: deviations -1, 0, 1 and -2, 1, 1 remain.
    first, second = np.array([[1.0, 2.0, 3.0, 9.0]]), np.array([[0.0, 3.0, 3.0, np.nan]])

    assert pearson_rows(first, second)[0] == pytest.approx(3 / 12**0.5)


def test_pearson_of_rows_is_that_of_another_implementation(
    table: tuple[FloatArray, FloatArray],
) -> None:
    expected = one_by_one(*table, pearsonr)

    assert pearson_rows(*table) == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_spearman_of_rows_is_that_of_another_implementation(
    table: tuple[FloatArray, FloatArray],
) -> None:
    expected = one_by_one(*table, spearmanr)

    assert spearman_rows(*table) == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_spearman_of_thousands_is_that_of_another_implementation() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=5000).round(1), rng.normal(size=5000).round(1)

    assert spearman(first, second) == pytest.approx(spearmanr(first, second).statistic, rel=1e-12)


@pytest.mark.parametrize("of_rows", [pearson_rows, spearman_rows])
def test_one_row_goes_with_all(of_rows: Callable[[FloatArray, FloatArray], FloatArray]) -> None:
    one, many = np.random.default_rng(4).normal(size=8), np.random.default_rng(5).normal(size=(3, 8))

    assert of_rows(one[None, :], many) == pytest.approx(of_rows(np.stack([one] * 3), many))


def test_numbers_that_are_equal_but_for_their_mean_do_not_vary() -> None:
    # The mean of three times 0.1 is not 0.1.
    rows = np.array([[0.1, 0.1, 0.1]])

    assert np.isnan(pearson_rows(rows, np.array([[1.0, 2.0, 3.0]]))[0])


@pytest.mark.parametrize("of_rows", [pearson_rows, spearman_rows])
def test_rows_without_cells_are_unknown(of_rows: Callable[[FloatArray, FloatArray], FloatArray]) -> None:
    assert np.isnan(of_rows(np.empty((2, 0)), np.empty((2, 0)))).tolist() == [True, True]


@pytest.mark.parametrize("of_rows", [pearson_rows, spearman_rows])
def test_input_stays_as_it_was(of_rows: Callable[[FloatArray, FloatArray], FloatArray]) -> None:
    first, second = np.array([[1.0, np.nan, 3.0, 2.0]]), np.array([[4.0, 5.0, 4.0, np.nan]])
    before = first.copy(), second.copy()

    of_rows(first, second)

    assert np.array_equal(first, before[0], equal_nan=True)
    assert np.array_equal(second, before[1], equal_nan=True)
