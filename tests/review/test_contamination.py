from __future__ import annotations

import numpy as np
import pytest

from steelyard.review.contamination import contamination


def test_half_random_clickers_leave_one_in_nineteen() -> None:
    # 0.05 x 0.5 + 0.9 x 0.5 = 0.475 pass, of whom 0.025 / 0.475 = 1/19 by luck.
    found = contamination(n_pass=475, n_tested=1000, power=0.9)

    assert found == pytest.approx(1 / 19)


def test_the_threshold_is_the_chance_of_luck() -> None:
    # q = (0.8 - 0.45) / (0.8 - 0.1) = 0.5; 0.05 / (0.05 + 0.4) = 1/9.
    found = contamination(n_pass=45, n_tested=100, power=0.8, threshold=0.1)

    assert found == pytest.approx(1 / 9)


def test_as_many_passes_as_the_power_explains_mean_no_random_clicker() -> None:
    assert contamination(n_pass=90, n_tested=100, power=0.9) == 0.0


@pytest.mark.parametrize("n_pass", [91, 95, 100])
def test_more_passes_than_the_power_explains_tell_nothing(n_pass: int) -> None:
    # Whoever tells larger drops than the power is about passes more often: half of these may click at
    # random and the others pass always.
    assert contamination(n_pass=n_pass, n_tested=100, power=0.9) is None


def test_fewer_passes_than_luck_explains_mean_nobody_else() -> None:
    assert contamination(n_pass=4, n_tested=100, power=0.9) == 1.0


@pytest.mark.parametrize(
    ("n_pass", "n_tested", "power"), [(0, 0, 0.9), (0, 50, 0.9), (20, 50, 0.05), (20, 50, 0.01)]
)
def test_it_is_unknown_without_anybody_passed_or_any_power(n_pass: int, n_tested: int, power: float) -> None:
    assert contamination(n_pass=n_pass, n_tested=n_tested, power=power) is None


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.8])
def test_a_higher_pass_rate_means_fewer_random_clickers(rate: float) -> None:
    lower, higher = (
        contamination(n_pass=round(1000 * r), n_tested=1000, power=0.9) for r in (rate, rate + 0.05)
    )

    assert lower is not None
    assert higher is not None
    assert higher < lower


@pytest.mark.parametrize(("share", "power"), [(0.2, 0.95), (0.5, 0.8), (0.8, 0.6)])
def test_simulated_crowds_are_as_contaminated_as_expected(share: float, power: float) -> None:
    rng = np.random.default_rng(8)
    is_random = rng.random(200_000) < share
    passed = rng.random(200_000) < np.where(is_random, 0.05, power)

    found = contamination(n_pass=int(passed.sum()), n_tested=len(passed), power=power)

    # The share of random clickers among those who passed, counted; its Monte Carlo error is below 0.002.
    assert found == pytest.approx(is_random[passed].mean(), abs=0.006)
