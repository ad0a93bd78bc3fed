"""The published replication of Spanish-English [Graham2015], and the formula of Spearman and Brown."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.evaluation.replication.fit import expected_r, fit_rho
from steelyard.planning.sample_size import ratings_for_reliability, reliability_of

# Read off the published scatter plots.
RATINGS = (1, 2, 5, 10, 15, 40)
PUBLISHED = (0.41, 0.60, 0.76, 0.86, 0.91, 0.97)


def test_a_reliability_of_41_fits_the_published_scatters() -> None:
    fit = fit_rho(RATINGS, PUBLISHED)

    assert fit.rho == pytest.approx(0.410, abs=0.0005)
    assert fit.residual == pytest.approx(0.0008, abs=0.00005)


@pytest.mark.parametrize(
    ("ratings", "expected"), [*zip(RATINGS, (0.410, 0.582, 0.777, 0.874, 0.912, 0.965), strict=True)]
)
def test_the_formula_gives_what_the_specification_says(ratings: int, expected: float) -> None:
    assert expected_r(ratings, rho=0.410) == pytest.approx(expected, abs=0.0005)


def test_the_published_scatters_are_not_of_n_against_all() -> None:
    same, full = fit_rho(RATINGS, PUBLISHED), fit_rho(RATINGS, PUBLISHED, full=40)

    assert full.residual / same.residual == pytest.approx(9, abs=0.5)


@pytest.mark.parametrize(("reliability", "ratings"), [(0.9, 13), (0.95, 28)])
def test_the_fitted_reliability_takes_the_ratings_of_the_specification(
    reliability: float, ratings: int
) -> None:
    assert ratings_for_reliability(reliability, rho=fit_rho(RATINGS, PUBLISHED).rho) == ratings


@settings(max_examples=20)
@given(st.floats(0.02, 0.98), st.none() | st.integers(1, 100))
def test_a_curve_without_noise_gives_its_rho_back(rho: float, full: int | None) -> None:
    curve = [expected_r(ratings, rho=rho, full=full) for ratings in RATINGS]

    fit = fit_rho(RATINGS, curve, full=full)

    assert fit.rho == pytest.approx(rho, abs=1e-6)
    assert fit.residual == pytest.approx(0, abs=1e-10)


def test_no_other_reliability_fits_better() -> None:
    fit = fit_rho(RATINGS, PUBLISHED)

    def residual(rho: float) -> float:
        # N rho / (1 + (N - 1) rho), written out.
        found = [n * rho / (1 + (n - 1) * rho) for n in RATINGS]
        return sum((x - y) ** 2 for x, y in zip(found, PUBLISHED, strict=True))

    assert fit.residual == pytest.approx(residual(fit.rho))
    assert fit.residual <= min(residual(k / 1000) for k in range(1, 1000))


def test_n_against_all_is_the_geometric_mean_of_two_reliabilities() -> None:
    found = expected_r(5, rho=0.3, full=20)

    assert found == pytest.approx(math.sqrt(reliability_of(5, rho=0.3) * reliability_of(20, rho=0.3)))
    assert expected_r(20, rho=0.3, full=20) == pytest.approx(expected_r(20, rho=0.3))


def test_as_many_correlations_as_numbers_are_needed() -> None:
    with pytest.raises(ValueError, match="as many correlations"):
        fit_rho([1, 2], [0.4])
