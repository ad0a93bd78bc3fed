from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln, ndtr, stdtrit

from steelyard.stats.paired_tests import paired_t_by_group
from steelyard.stats.power import paired_t_power


def _power(n: int, sd: float, *, drop: float = 20.0, threshold: float = 0.05) -> float:
    return float(paired_t_power(np.array([n]), np.array([sd]), drop=drop, threshold=threshold)[0])


def _integrated(n: int, sd: float, *, threshold: float = 0.05) -> float:
    """The same by the definition of t.

    It exceeds its limit c iff a normal deviate exceeds c s - noncentrality, where s is the estimated
    over the true deviation: a chi variable over the root of its degrees of freedom.
    """
    df = n - 1
    noncentrality, limit = 20 / sd * math.sqrt(n), float(stdtrit(df, 1 - threshold))

    def integrand(s: float) -> float:
        log_density = math.log(2) + df / 2 * math.log(df / 2) - float(gammaln(df / 2))
        log_density += (df - 1) * math.log(s) - df * s**2 / 2
        return math.exp(log_density) * float(ndtr(noncentrality - limit * s))

    parts = [(1e-12, 0.5), (0.5, 1), (1, 2), (2, 8)]
    return sum(quad(integrand, *part, epsabs=1e-11)[0] for part in parts)


@pytest.mark.parametrize("n", [2, 5, 10, 24, 100])
@pytest.mark.parametrize("sd", [8.0, 28.0, 90.0])
@pytest.mark.parametrize("threshold", [0.05, 0.01])
def test_it_is_the_integral_over_estimated_deviations(n: int, sd: float, threshold: float) -> None:
    assert _power(n, sd, threshold=threshold) == pytest.approx(
        _integrated(n, sd, threshold=threshold), abs=1e-7
    )


@pytest.mark.parametrize(("n", "sd"), [(5, 20.0), (10, 28.3), (20, 40.0)])
def test_simulated_tests_find_the_drop_as_often(n: int, sd: float) -> None:
    rng = np.random.default_rng(n)

    p_values = paired_t_by_group(rng.normal(20, sd, 40_000 * n), np.full(40_000, n)).p_value

    # Four standard errors of a share of a half in 40,000: 0.01.
    assert _power(n, sd) == pytest.approx(np.mean(p_values < 0.05), abs=0.01)


def test_no_drop_is_found_as_often_as_the_threshold_says() -> None:
    assert _power(10, 20.0, drop=0.0) == pytest.approx(0.05, abs=1e-12)


def test_a_worker_without_scatter_finds_any_drop() -> None:
    assert _power(5, 0.0) == 1.0


@pytest.mark.parametrize(
    ("n", "sd"), [(0, 10.0), (1, 10.0), (10, math.nan)], ids=["no pair", "one pair", "unknown scatter"]
)
def test_it_is_unknown_where_there_is_nothing_to_go_by(n: int, sd: float) -> None:
    assert math.isnan(_power(n, sd))


@pytest.mark.parametrize("noncentrality", np.linspace(30, 80, 11))
def test_it_is_1_far_out_where_series_fail_to_converge(noncentrality: float) -> None:
    assert _power(1001, 20 * math.sqrt(1001) / noncentrality) == pytest.approx(1.0, abs=1e-9)


def test_more_pairs_find_more() -> None:
    power = paired_t_power(np.arange(2, 60), np.full(58, 30.0), drop=20.0, threshold=0.05)

    assert (np.diff(power) > 0).all()


def test_more_scatter_hides_more() -> None:
    power = paired_t_power(np.full(50, 10), np.linspace(0, 100, 50), drop=20.0, threshold=0.05)

    assert (np.diff(power) <= 0).all()


@pytest.mark.parametrize("threshold", [0.0, 1.0, -0.1])
def test_a_threshold_must_be_a_probability_between(threshold: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        _power(5, 10.0, threshold=threshold)
