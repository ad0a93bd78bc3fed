"""Sample sizes: published numbers, hand arithmetic, reverses, and simulated tests."""

from __future__ import annotations

from math import inf, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

from steelyard.planning.sample_size import (
    difference_found,
    effective_ratings,
    ratings_for_difference,
    ratings_for_reliability,
    ratings_on_segments,
    reliability_of,
    whole,
)

differences = st.floats(0.01, 1)
powers = st.floats(0.5, 0.99)
levels = st.floats(0.001, 0.2)
reliabilities = st.floats(0.05, 0.95)


@pytest.mark.parametrize(("difference", "ratings"), [(0.2, 324), (0.1, 1295), (0.05, 5180)])
def test_the_published_sample_sizes_come_out(difference: float, ratings: int) -> None:
    assert ratings_for_difference(difference) == ratings


def test_the_formula_by_hand_with_tabled_quantiles() -> None:
    # 2 x (1.2816 + 1.2816)^2 / 0.5^2 x 3.1416 / 3 = 2 x 6.5696 / 0.25 x 1.0472 = 55.04
    assert ratings_for_difference(0.5, power=0.9, level=0.1) == 56


@given(difference=differences, power=powers, level=levels)
def test_the_number_is_the_least_that_scipy_finds_enough(
    difference: float, power: float, level: float
) -> None:
    exact = 2 * (norm.isf(level) + norm.ppf(power)) ** 2 * pi / 3 / difference**2

    found = ratings_for_difference(difference, power=power, level=level)

    assert exact * (1 - 1e-9) <= found < exact + 1


@given(ratings=st.integers(1, 10**7), power=powers, level=levels)
def test_the_difference_found_takes_just_these_ratings(ratings: int, power: float, level: float) -> None:
    difference = difference_found(ratings, power=power, level=level)

    assert ratings_for_difference(difference, power=power, level=level) == ratings


@given(difference=differences)
def test_half_the_difference_takes_four_times_the_ratings(difference: float) -> None:
    assert ratings_for_difference(difference / 2) == pytest.approx(
        4 * ratings_for_difference(difference), abs=4
    )


@given(ratings=st.floats(1, 1e6), more=st.floats(1.01, 10))
def test_more_ratings_find_smaller_differences(ratings: float, more: float) -> None:
    assert difference_found(ratings * more) < difference_found(ratings)


def test_more_power_takes_more_ratings() -> None:
    assert ratings_for_difference(0.1, power=0.9) > ratings_for_difference(0.1, power=0.8)


def test_a_stricter_level_takes_more_ratings() -> None:
    assert ratings_for_difference(0.1, level=0.01) > ratings_for_difference(0.1, level=0.05)


def test_the_rank_sum_test_has_the_promised_power() -> None:
    # 2,000 pairs of samples: the share found has a standard error of 0.009.
    rng = np.random.default_rng(7)
    better, worse = rng.normal(0.2, 1, (2000, 324)), rng.normal(0, 1, (2000, 324))

    p_values = mannwhitneyu(better, worse, alternative="greater", axis=1, method="asymptotic").pvalue

    assert np.mean(p_values < 0.05) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("reliability", "ratings"), [(0.9, 13), (0.95, 28)])
def test_the_published_numbers_of_ratings_per_item_come_out(reliability: float, ratings: int) -> None:
    assert ratings_for_reliability(reliability, rho=0.41) == ratings


@pytest.mark.parametrize(
    ("ratings", "reliability"),
    [(1, 0.410), (2, 0.582), (5, 0.777), (10, 0.874), (15, 0.912), (40, 0.965)],
)
def test_the_curve_of_the_published_replication_comes_out(ratings: int, reliability: float) -> None:
    assert reliability_of(ratings, rho=0.41) == pytest.approx(reliability, abs=0.0005)


@given(ratings=st.integers(1, 1000), rho=reliabilities)
def test_a_reliability_takes_the_ratings_that_give_it(ratings: int, rho: float) -> None:
    reliability = reliability_of(ratings, rho=rho)

    assert ratings_for_reliability(reliability, rho=rho) == ratings


@given(reliability=reliabilities, rho=reliabilities)
def test_one_rating_fewer_than_told_is_not_enough(reliability: float, rho: float) -> None:
    ratings = ratings_for_reliability(reliability, rho=rho)

    assert reliability_of(ratings, rho=rho) >= reliability * (1 - 1e-9)
    assert ratings == 1 or reliability_of(ratings - 1, rho=rho) < reliability


def test_reliability_is_the_correlation_of_two_simulated_collections() -> None:
    # True quality of variance 0.3 and a worker's noise of variance 0.7: one rating has rho = 0.3.
    rng = np.random.default_rng(7)
    quality = rng.normal(0, np.sqrt(0.3), 20_000)
    first, second = (quality + rng.normal(0, np.sqrt(0.7), (6, 20_000)).mean(axis=0) for _ in range(2))

    assert np.corrcoef(first, second)[0, 1] == pytest.approx(reliability_of(6, rho=0.3), abs=0.01)


def test_ratings_of_different_segments_all_count() -> None:
    assert effective_ratings(500, segments=500, rho=0.41) == 500


def test_further_ratings_of_a_segment_count_less() -> None:
    # 100 segments with 4 ratings each: variance 0.4 + 0.6 / 4 = 0.55, so 100 / 0.55 = 181.8.
    assert effective_ratings(400, segments=100, rho=0.4) == pytest.approx(100 / 0.55)


@given(ratings=st.floats(1, 1e6), segments=st.integers(1, 10_000), rho=reliabilities, more=st.floats(1.01, 5))
def test_effective_ratings_grow_but_never_beyond_the_ratings_themselves(
    ratings: float, segments: int, rho: float, more: float
) -> None:
    effective = effective_ratings(ratings, segments=segments, rho=rho)

    assert effective <= ratings * (1 + 1e-9)
    assert effective < effective_ratings(ratings * more, segments=segments, rho=rho)


@given(ratings=st.floats(1, 1e5), segments=st.integers(10, 10_000), rho=reliabilities)
def test_the_ratings_that_are_worth_so_much_are_found_again(
    ratings: float, segments: int, rho: float
) -> None:
    effective = effective_ratings(ratings, segments=segments, rho=rho)

    assert ratings_on_segments(effective, segments=segments, rho=rho) == pytest.approx(ratings, rel=1e-4)


def test_few_segments_are_never_worth_more_than_their_number_over_rho() -> None:
    assert ratings_on_segments(251, segments=100, rho=0.4) == inf
    assert ratings_on_segments(249, segments=100, rho=0.4) < inf


def test_the_rank_sum_test_on_segment_means_has_the_promised_power() -> None:
    # 150 segments with 4 ratings each find the difference promised for what these are worth.
    rng = np.random.default_rng(7)
    effective = effective_ratings(600, segments=150, rho=0.41)
    shift = difference_found(effective)
    better, worse = (
        rng.normal(mean, np.sqrt(0.41), (2000, 150))
        + rng.normal(0, np.sqrt(0.59), (4, 2000, 150)).mean(axis=0)
        for mean in (shift, 0)
    )

    p_values = mannwhitneyu(better, worse, alternative="greater", axis=1, method="asymptotic").pvalue

    assert np.mean(p_values < 0.05) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("number", "rounded"), [(3, 3), (3.0000000000000004, 3), (3.001, 4), (0.2, 1)])
def test_only_a_real_rest_is_rounded_up(number: float, rounded: int) -> None:
    assert whole(number) == rounded
