"""Lines through points with errors in both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as scipy_stats

from steelyard.stats.line_link import MeasuredPoints, drawn_lines, link_line, rising_p_value, unshrunken

# Pearson's points with York's weights: the test case of the field since 1966 [York2004].
X = np.array([0.0, 0.9, 1.8, 2.6, 3.3, 4.4, 5.2, 6.1, 6.5, 7.4])
Y = np.array([5.9, 5.4, 4.4, 4.6, 3.5, 3.7, 2.8, 2.8, 2.4, 1.5])
X_WEIGHT = np.array([1000.0, 1000.0, 500.0, 800.0, 200.0, 80.0, 60.0, 20.0, 1.8, 1.0])
Y_WEIGHT = np.array([1.0, 1.8, 4.0, 8.0, 20.0, 20.0, 70.0, 70.0, 100.0, 500.0])


def _points(seed: int, *, n: int = 12, scatter: float = 0.0) -> MeasuredPoints:
    """Points about the line 1 + 2 x with errors of different size."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 1, n)
    x_sd, y_sd = rng.uniform(0.1, 0.4, n), rng.uniform(0.1, 0.6, n)
    y = 1 + 2 * truth + rng.normal(0, 1, n) * y_sd + rng.normal(0, 1, n) * scatter
    return MeasuredPoints(truth + rng.normal(0, 1, n) * x_sd, y, x_sd**2, y_sd**2)


def _chi2(line: np.ndarray, points: MeasuredPoints, scatter: float = 0.0) -> float:
    """Minus twice the log-likelihood of a line, every point's true place at its most likely."""
    away = points.y - line[0] - line[1] * points.x
    return float(np.sum(away**2 / (points.y_variance + scatter**2 + line[1] ** 2 * points.x_variance)))


def test_the_published_line_through_pearsons_points() -> None:
    intercept, slope = drawn_lines(X[None], Y[None], variances=(1 / X_WEIGHT, 1 / Y_WEIGHT))

    assert intercept[0] == pytest.approx(5.47991022, abs=5e-9)
    assert slope[0] == pytest.approx(-0.480533407, abs=5e-10)


def test_the_published_fit_of_that_line() -> None:
    # Errors twice as large leave no room for scatter; the line stays, chi2 halves.
    found = link_line(MeasuredPoints(X, Y, 2 / X_WEIGHT, 2 / Y_WEIGHT))

    assert found.scatter == 0
    assert found.slope == pytest.approx(-0.480533407, abs=5e-10)
    assert 2 * found.chi2_per_df == pytest.approx(1.4833, abs=5e-5)


@pytest.mark.parametrize("seed", range(4))
def test_no_other_line_is_more_likely(seed: int) -> None:
    points = _points(seed)

    found = drawn_lines(points.x[None], points.y[None], variances=(points.x_variance, points.y_variance))

    best = optimize.minimize(
        _chi2, x0=[0.5, 1.5], args=(points,), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert np.ravel(found) == pytest.approx(best.x, abs=1e-6)


def test_equal_errors_on_both_sides_give_the_main_axis_of_the_points() -> None:
    # Sxx = 2, Syy = 6, Sxy = 3; slope = (Syy - Sxx + sqrt((Syy - Sxx)^2 + 4 Sxy^2)) / (2 Sxy).
    x, y = np.array([-1.0, 0.0, 1.0]), np.array([-2.0, 1.0, 1.0])

    found = link_line(MeasuredPoints(x, y, np.full(3, 4.0), np.full(3, 4.0)))

    assert found.slope == pytest.approx((4 + np.sqrt(16 + 36)) / 6)
    assert found.intercept == pytest.approx(0.0, abs=1e-12)


def test_x_and_y_may_change_places() -> None:
    points = _points(1)
    swapped = (points.y[None], points.x[None])

    intercept, slope = drawn_lines(
        points.x[None], points.y[None], variances=(points.x_variance, points.y_variance)
    )
    back_intercept, back_slope = drawn_lines(*swapped, variances=(points.y_variance, points.x_variance))

    assert back_slope[0] == pytest.approx(1 / slope[0])
    assert back_intercept[0] == pytest.approx(-intercept[0] / slope[0])


def test_errors_of_x_make_no_line_too_flat() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(0, 1, (400, 60))
    x, y = truth + rng.normal(0, 0.7, truth.shape), 2 * truth + rng.normal(0, 0.3, truth.shape)

    _, slopes = drawn_lines(x, y, variances=(np.full(60, 0.49), np.full(60, 0.09)))

    # Least squares would find 2 / (1 + 0.49) = 1.34.
    assert np.median(slopes) == pytest.approx(2, abs=0.05)


def test_scatter_fills_up_what_the_errors_leave_unexplained() -> None:
    points = _points(2, scatter=1.5)

    found = link_line(points)

    line = np.array([found.intercept, found.slope])
    assert found.scatter > 0.5
    assert _chi2(line, points, found.scatter) == pytest.approx(10, rel=1e-6)
    assert found.p_value == pytest.approx(scipy_stats.chi2.sf(found.chi2, 10))


def test_without_scatter_chi2_is_that_of_the_distances() -> None:
    points = _points(6)

    found = link_line(points)

    assert found.chi2 == pytest.approx(float((found.distance**2).sum()))
    assert found.df == 10


def test_a_slope_of_one_leaves_a_weighted_mean_of_differences() -> None:
    # Differences 2, 4, 3 with variances 1 + 1, 3 + 1, 1 + 1: weights 2 : 1 : 2, mean (4 + 4 + 6) / 5.
    x, y = np.array([0.0, 1.0, 5.0]), np.array([2.0, 5.0, 8.0])

    found = link_line(MeasuredPoints(x, y, np.array([1.0, 3.0, 1.0]), np.ones(3)), slope="one")

    assert found.intercept == pytest.approx(2.8)
    assert (found.slope, found.df) == (1.0, 2)


@settings(max_examples=25)
@given(
    shift=st.floats(-50, 50),
    factor=st.floats(0.05, 20),
    seed=st.integers(0, 1000),
    scatter=st.sampled_from([0.0, 1.0]),
)
def test_units_of_y_move_the_line_with_them(shift: float, factor: float, seed: int, scatter: float) -> None:
    points = _points(seed, scatter=scatter)
    other = MeasuredPoints(
        points.x, shift + factor * points.y, points.x_variance, factor**2 * points.y_variance
    )

    before, after = link_line(points), link_line(other)

    assert after.slope == pytest.approx(factor * before.slope, rel=1e-6)
    assert after.intercept == pytest.approx(shift + factor * before.intercept, rel=1e-6, abs=1e-6)
    assert after.scatter == pytest.approx(factor * before.scatter, rel=1e-4, abs=1e-6 * factor)


def test_every_row_of_draws_has_the_line_it_would_have_alone() -> None:
    rows = [_points(seed) for seed in range(3)]
    variances = (rows[0].x_variance, rows[0].y_variance)
    x, y = np.stack([row.x for row in rows]), np.stack([row.y for row in rows])

    together = np.transpose(drawn_lines(x, y, variances=variances))

    alone = [np.ravel(drawn_lines(x[[k]], y[[k]], variances=variances)) for k in range(3)]
    assert together == pytest.approx(np.array(alone), rel=1e-9)


def test_exact_points_are_met_exactly() -> None:
    x = np.array([0.0, 1.0, 3.0])

    found = link_line(MeasuredPoints(x, 5 - x, np.zeros(3), np.zeros(3)))

    assert (found.intercept, found.slope) == pytest.approx((5.0, -1.0))


def test_points_above_each_other_have_no_line() -> None:
    intercept, slope = drawn_lines(
        np.array([[1.0, 1.0, 1.0]]), np.array([[0.0, 1.0, 2.0]]), variances=(np.zeros(3), np.ones(3))
    )

    assert np.isnan(intercept).all()
    assert np.isnan(slope).all()


def test_two_points_are_too_few_for_a_line() -> None:
    with pytest.raises(ValueError, match="more points"):
        link_line(MeasuredPoints(np.arange(2.0), np.arange(2.0), np.ones(2), np.ones(2)))


@pytest.mark.parametrize("seed", range(3))
def test_rising_is_tested_as_correlations_are(seed: int) -> None:
    points = _points(seed, n=6, scatter=3.0)

    expected = scipy_stats.pearsonr(points.x, points.y, alternative="greater").pvalue

    assert rising_p_value(points.x, points.y) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("y", "expected"), [([1.0, 2.0, 3.0], 0.0), ([3.0, 2.0, 1.0], 1.0), ([2.0, 2.0, 2.0], 1.0)]
)
def test_perfect_and_constant_points_rise_surely_or_not_at_all(y: list[float], expected: float) -> None:
    assert rising_p_value(np.array([1.0, 2.0, 3.0]), np.array(y)) == expected


def test_scores_drawn_towards_their_mean_are_stretched_to_what_the_ratings_say() -> None:
    # Qualities of variance 4 about 10, rated with noise of variance 2 (many) and 6 (few): a model's scores.
    rng = np.random.default_rng(0)
    quality = 10 + 2 * rng.normal(0, 1, 4000)
    noise = np.where(np.arange(4000) % 2, 2.0, 6.0)
    rated = quality + rng.normal(0, 1, 4000) * np.sqrt(noise)
    drawn = 10 + (rated - 10) * 4 / (4 + noise)
    left = np.sqrt(4 * noise / (4 + noise))

    score, sd = unshrunken(drawn, left)

    # The variance of 4,000 qualities is known to some 3 %.
    assert sd**2 == pytest.approx(noise, rel=0.15)
    assert np.abs(score - rated).max() < 0.1 * np.abs(rated - 10).max()


def test_an_item_of_which_nothing_was_learnt_has_no_score() -> None:
    score, sd = unshrunken(np.array([0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]))

    assert np.isnan(score).all()
    assert np.isnan(sd).all()
