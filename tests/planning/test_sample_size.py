"""Ratings of a translation: published numbers, reverses, and simulated collections."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.planning.sample_size import (
    ratings_for_reliability,
    reliability_of,
    whole,
)

reliabilities = st.floats(0.05, 0.95)


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


@pytest.mark.parametrize(("number", "rounded"), [(3, 3), (3.0000000000000004, 3), (3.001, 4), (0.2, 1)])
def test_only_a_real_rest_is_rounded_up(number: float, rounded: int) -> None:
    assert whole(number) == rounded
