from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from steelyard.stats.paired_tests import paired_t

BASE = np.array([80, 65, 90, 70, 55, 75, 60, 85, 50, 78], dtype=np.float64)
DEGRADED = np.array([50, 60, 62, 71, 30, 40, 58, 49, 35, 60], dtype=np.float64)


def test_the_specified_vector_gives_its_statistic_and_p_value() -> None:
    test = paired_t(BASE - DEGRADED)

    # Test vector 1 of the methods specification.
    assert (test.n, test.df) == (10, 9)
    assert test.statistic == pytest.approx(4.461641, abs=5e-7)
    assert test.p_value == pytest.approx(0.000786762, abs=5e-10)


@pytest.mark.parametrize("seed", range(5))
def test_it_equals_scipy_on_random_differences(seed: int) -> None:
    difference = np.random.default_rng(seed).normal(0.3, 1, 3 + seed * 7)

    test = paired_t(difference)

    expected = ttest_1samp(difference, 0, alternative="greater")
    assert test.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert test.p_value == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize(
    ("difference", "p_value"),
    [
        ([0.0] * 6, 1.0),
        ([3.0] * 6, 2**-6),
        ([-3.0] * 6, 1.0),
        ([70.3 - 60.2, 80.3 - 70.2, 50.3 - 40.2], 2**-3),
    ],
    ids=["all zero", "all equal and positive", "all equal and negative", "equal up to rounding"],
)
def test_equal_differences_leave_only_their_sign(difference: list[float], p_value: float) -> None:
    test = paired_t(np.array(difference))

    assert test.p_value == p_value
    assert test.sd == 0
    assert math.isnan(test.statistic)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_differences_give_no_p_value(n: int) -> None:
    test = paired_t(np.ones(n))

    assert test.n == n
    assert math.isnan(test.p_value)


def test_random_clickers_are_found_significant_as_often_as_the_threshold_says() -> None:
    rng = np.random.default_rng(11)
    ratings = rng.uniform(0, 100, (4000, 2, 10))

    rejected = np.mean([paired_t(base - degraded).p_value < 0.05 for base, degraded in ratings])

    # Four standard errors of a share of 0.05 in 4000: 0.014.
    assert rejected == pytest.approx(0.05, abs=0.014)
