"""The factors of expectation propagation, one at a time, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma, gammaln

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.ep_bounds import Bounds, log_between, tilted_beyond, tilted_ratings
from steelyard.stats.worker_model.ep_order import order_site
from steelyard.stats.worker_model.ep_rating import (
    Cavity,
    Tilted,
    gamma_by_logarithm,
    gamma_by_variance,
    tilted_rating,
)

LOW, HIGH = -2.1, 1.4
BOUNDS = {"censored": Bounds(LOW, HIGH), "truncated": Bounds(LOW, HIGH, "truncated")}


def _random_cavity(seed: int) -> Cavity:
    """One cavity as a campaign has them: little or much known of item and worker."""
    rng = np.random.default_rng(seed)
    shape = np.exp(rng.uniform(np.log(1.5), np.log(100), 1))
    return Cavity(
        mean=rng.normal(0, 0.9, 1),
        variance=np.exp(rng.uniform(-4, 0.8, 1)),
        shape=shape,
        rate=shape / np.exp(rng.uniform(-1.2, 1.8, 1)),
    )


def _brute_force(log_likelihood: str, value: float, cavity: Cavity) -> list[float]:
    """Log-evidence and moments by a fine grid over quality plus offset and the logarithm of precision."""
    m, v, a, b = (float(part[0]) for part in (cavity.mean, cavity.variance, cavity.shape, cavity.rate))
    middle = np.log(a / b)
    u = np.linspace(middle - 14 / np.sqrt(a) - 14 / a - 3, middle + 8 / np.sqrt(a) + 1, 700)[:, None]
    s = (m + np.sqrt(v) * np.linspace(-9, 9, 1201))[None, :]
    tau = np.exp(u)
    root = np.sqrt(tau)
    if log_likelihood == "above":
        likelihood = stats.norm.logcdf((s - HIGH) * root)
    elif log_likelihood == "below":
        likelihood = stats.norm.logcdf((LOW - s) * root)
    else:
        likelihood = stats.norm.logpdf(value, s, 1 / root)
    if log_likelihood == "truncated":
        # In the tail that both ends share a difference of probabilities is exact.
        upper, lower = (HIGH - s) * root, (LOW - s) * root
        inside = stats.norm.sf(lower) - stats.norm.sf(upper)
        inside = np.where(lower + upper < 0, stats.norm.cdf(upper) - stats.norm.cdf(lower), inside)
        likelihood = likelihood - np.log(np.maximum(inside, 1e-300))
    log_weight = likelihood + stats.norm.logpdf(s, m, np.sqrt(v)) + a * u - b * tau
    log_weight += a * np.log(b) - gammaln(a)
    largest = log_weight.max()
    weight = np.exp(log_weight - largest)
    total = weight.sum()
    weight /= total
    mean = (weight * s).sum()
    return [
        largest + np.log(total * (u[1, 0] - u[0, 0]) * (s[0, 1] - s[0, 0])),
        mean - m,
        (weight * (s - mean) ** 2).sum(),
        (weight * tau).sum(),
        (weight * (tau - (weight * tau).sum()) ** 2).sum(),
        (weight * u).sum(),
    ]


def _numbers(tilted: Tilted) -> FloatArray:
    parts = (
        tilted.log_evidence,
        tilted.shift,
        tilted.variance,
        tilted.tau,
        tilted.tau_variance,
        tilted.log_tau,
    )
    return np.array([float(part[0]) for part in parts])


@pytest.mark.parametrize("seed", range(12))
def test_a_rating_gives_the_moments_of_brute_force(seed: int) -> None:
    cavity = _random_cavity(seed)
    value = np.random.default_rng(seed + 100).normal(0, 1.5, 1)

    tilted = tilted_rating(value, cavity)

    np.testing.assert_allclose(
        _numbers(tilted), _brute_force("normal", value[0], cavity), rtol=2e-4, atol=2e-5
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("end", "value"), [("above", HIGH), ("below", LOW)])
def test_a_censored_rating_gives_the_moments_of_brute_force(end: str, value: float, seed: int) -> None:
    cavity = _random_cavity(seed)

    tilted = tilted_ratings(np.array([value]), cavity, BOUNDS["censored"])

    np.testing.assert_allclose(_numbers(tilted), _brute_force(end, value, cavity), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("value", [LOW, 0.3, 1.2, HIGH])
def test_a_truncated_rating_gives_the_moments_of_brute_force(value: float, seed: int) -> None:
    cavity = _random_cavity(seed)

    tilted = tilted_ratings(np.array([value]), cavity, BOUNDS["truncated"])

    expected = _brute_force("truncated", value, cavity)
    np.testing.assert_allclose(_numbers(tilted), expected, rtol=2e-3, atol=2e-4)


def test_a_censored_rating_within_the_scale_is_an_ordinary_one() -> None:
    cavity = _random_cavity(3)

    tilted = tilted_ratings(np.array([0.5]), cavity, BOUNDS["censored"])

    np.testing.assert_array_equal(_numbers(tilted), _numbers(tilted_rating(np.array([0.5]), cavity)))


def test_the_two_ends_of_the_scale_mirror_each_other() -> None:
    cavity = _random_cavity(5)
    mirrored = Cavity(-cavity.mean, cavity.variance, cavity.shape, cavity.rate)

    above = tilted_beyond(np.array([1.4]), cavity, end=1.4, direction=1)
    below = tilted_beyond(np.array([-1.4]), mirrored, end=-1.4, direction=-1)

    np.testing.assert_allclose(_numbers(below) * [1, -1, 1, 1, 1, 1], _numbers(above), rtol=1e-12)


def test_ends_far_away_change_nothing() -> None:
    cavity, value = _random_cavity(1), np.array([0.4])

    truncated = tilted_ratings(value, cavity, Bounds(-60.0, 60.0, "truncated"))

    np.testing.assert_allclose(_numbers(truncated), _numbers(tilted_rating(value, cavity)), rtol=1e-3)


def test_blocks_do_not_change_the_moments() -> None:
    rng = np.random.default_rng(0)
    n = 700
    cavity = Cavity(rng.normal(size=n), rng.uniform(0.1, 1, n), rng.uniform(2, 9, n), rng.uniform(1, 4, n))
    value = rng.normal(size=n)

    in_blocks, at_once = tilted_ratings(value, cavity, None), tilted_rating(value, cavity)

    np.testing.assert_allclose(in_blocks.tau, at_once.tau, rtol=1e-13)
    np.testing.assert_allclose(in_blocks.variance, at_once.variance, rtol=1e-13)


@pytest.mark.parametrize("mean", [-6.0, -1.0, 0.0, 0.7, 3.0])
@pytest.mark.parametrize("margin", [0.0, 0.4])
def test_an_order_gives_the_moments_of_the_truncated_difference(mean: float, margin: float) -> None:
    variance = 0.8

    precision, weighted = (
        float(part[0]) for part in order_site(np.array([mean]), np.array([variance]), margin)
    )

    sd = np.sqrt(variance)
    exact = stats.truncnorm((margin - mean) / sd, np.inf, loc=mean, scale=sd)
    joint = 1 / variance + precision
    assert (mean / variance + weighted) / joint == pytest.approx(exact.mean(), rel=1e-8)
    assert 1 / joint == pytest.approx(exact.var(), rel=1e-6)


def test_an_order_beyond_doubt_says_nothing() -> None:
    precision, weighted = order_site(np.array([50.0]), np.array([1.0]), 0.0)

    assert precision[0] == 0
    assert weighted[0] == 0


def test_an_order_against_all_odds_stays_finite() -> None:
    # Far below the limit the truncated distribution is an exponential one of mean and sd 1 / |t|.
    precision, weighted = order_site(np.array([-100.0]), np.array([1.0]), 0.0)

    assert 1 / np.sqrt(1 + precision[0]) == pytest.approx(0.01, rel=1e-3)
    assert (weighted[0] - 100) / (1 + precision[0]) == pytest.approx(0.01, rel=1e-3)


def _of_precision(tau: float, tau_variance: float, log_tau: float) -> Tilted:
    zero = np.zeros(1)
    return Tilted(zero, zero, zero, np.array([tau]), np.array([tau_variance]), np.array([log_tau]))


@pytest.mark.parametrize(("shape", "rate"), [(0.6, 2.0), (2.0, 1.0), (80.0, 16.0)])
def test_both_ways_of_matching_return_a_gamma_distribution_to_itself(shape: float, rate: float) -> None:
    # The variance is a / b², and E log tau = digamma(a) - log b.
    own = _of_precision(shape / rate, shape / rate**2, digamma(shape) - np.log(rate))

    np.testing.assert_allclose(np.ravel(gamma_by_variance(own)), [shape, rate], rtol=1e-10)
    np.testing.assert_allclose(np.ravel(gamma_by_logarithm(own)), [shape, rate], rtol=1e-10)


@pytest.mark.parametrize(("lower", "upper"), [(-1.0, 2.0), (4.0, 5.5), (-9.0, -8.0), (20.0, 21.0)])
def test_probabilities_between_limits_are_exact_in_both_tails(lower: float, upper: float) -> None:
    found = float(log_between(np.array(lower), np.array(upper)))

    expected = np.log(np.trapezoid(stats.norm.pdf(x := np.linspace(lower, upper, 400_001)), x))
    assert found == pytest.approx(expected, rel=1e-8)
