"""Means of N ratings drawn from each item: by hand, and against a slow loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from steelyard.stats.replication import (
    SortedRatings,
    correlations_by_place,
    prefix_means,
    same_places,
    sorted_ratings,
)


def _ratings(*items: list[float]) -> SortedRatings:
    """Ratings on one scale, a list for each item."""
    item = np.repeat(np.arange(len(items)), [len(ratings) for ratings in items])
    return sorted_ratings(np.concatenate(items)[np.newaxis], item, n_items=len(items))


@st.composite
def _collections(draw: st.DrawFn) -> SortedRatings:
    """Up to eight items with none to six ratings each, on two scales."""
    sizes = draw(st.lists(st.integers(0, 6), min_size=1, max_size=8).filter(any))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    item = np.repeat(np.arange(len(sizes)), sizes)
    return sorted_ratings(rng.normal(50, 20, (2, len(item))), item, n_items=len(sizes))


def test_places_and_means_of_a_hand_made_case() -> None:
    ratings = _ratings([10.0, 30.0], [], [70.0])

    assert ratings.first.tolist() == [0, 0, 2]
    assert ratings.place.tolist() == [0, 1, 0]
    assert ratings.size.tolist() == [2, 0, 1]
    np.testing.assert_array_equal(ratings.mean, [[20.0, np.nan, 70.0]])


def test_the_first_mean_is_one_rating_and_the_last_is_the_mean_of_all() -> None:
    ratings = _ratings([10.0, 30.0, 80.0], [5.0, 25.0])

    (means,) = prefix_means(ratings, np.random.default_rng(1))

    assert means[0] in (10.0, 30.0, 80.0)
    assert means[3] in (5.0, 25.0)
    # (10 + 30 + 80) / 3 and (5 + 25) / 2.
    assert means[[2, 4]] == pytest.approx([40.0, 15.0])


def test_every_order_of_ratings_is_as_likely_as_any_other() -> None:
    ratings, rng = _ratings([0.0, 1.0, 3.0]), np.random.default_rng(5)
    # By their first rating and the mean of two, six orders are told apart.
    orders = [(0, 0.5), (0, 1.5), (1, 0.5), (1, 2.0), (3, 1.5), (3, 2.0)]

    drawn = [tuple(prefix_means(ratings, rng)[0, :2]) for _ in range(1200)]

    # 200 of each are expected, with a deviation of 12.9.
    assert all(abs(drawn.count(order) - 200) < 52 for order in orders)


@settings(max_examples=30)
@given(_collections(), st.integers(0, 2**32))
def test_means_are_those_of_a_slow_loop_over_the_same_order(ratings: SortedRatings, seed: int) -> None:
    means = prefix_means(ratings, np.random.default_rng(seed))

    # The ratings drawn one by one follow from the means: k times the k-th minus k - 1 times the one before.
    for item in np.unique(ratings.item):
        rows = np.flatnonzero(ratings.item == item)
        for scale in range(2):
            totals = means[scale, rows] * np.arange(1, len(rows) + 1)
            drawn = np.diff(totals, prepend=0.0)
            assert np.sort(drawn) == pytest.approx(np.sort(ratings.values[scale, rows]), abs=1e-8)


@settings(max_examples=30)
@given(_collections(), st.integers(0, 2**32))
def test_all_scales_are_drawn_in_the_same_order(ratings: SortedRatings, seed: int) -> None:
    twice = ratings._replace(values=np.stack([ratings.values[0], 100 - 2 * ratings.values[0]]))

    means = prefix_means(twice, np.random.default_rng(seed))

    assert means[1] == pytest.approx(100 - 2 * means[0], abs=1e-8)


def test_ratings_of_the_last_of_very_many_items_stay_together() -> None:
    n_items = 3_000_000
    item = np.repeat([0, n_items - 2, n_items - 1], 2000)
    ratings = sorted_ratings(item[np.newaxis].astype(np.float64), item, n_items=n_items)

    (means,) = prefix_means(ratings, np.random.default_rng(2))

    assert means == pytest.approx(item)


def test_the_ratings_are_left_alone() -> None:
    ratings = _ratings([10.0, 30.0, 80.0], [5.0, 25.0])
    before = ratings.values.copy()

    prefix_means(ratings, np.random.default_rng(1))

    np.testing.assert_array_equal(ratings.values, before)


def test_pairs_have_the_same_item_and_the_same_place() -> None:
    one, other = _ratings([1.0, 2.0, 3.0], [4.0], [5.0, 6.0]), _ratings([7.0, 8.0], [], [9.0, 10.0, 11.0])

    pairs = same_places(one, other)

    # Two of the first item and two of the third; the second is missing in the other collection.
    assert pairs.row.tolist() == [0, 1, 4, 5]
    assert pairs.other_row.tolist() == [0, 1, 2, 3]
    assert pairs.place.tolist() == [0, 1, 0, 1]


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_correlations_are_pearsons_of_each_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 4, 60)
    value, other = rng.normal(50, 10, 60), rng.normal(0, 1, 60)

    found = correlations_by_place(value, other, place, n_places=4, least=3)

    expected = [
        stats.pearsonr(value[place == k], other[place == k]).statistic if (place == k).sum() >= 3 else np.nan
        for k in range(4)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_correlation_of_few_points_or_of_equal_ones_is_unknown() -> None:
    place = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    value = np.array([1.0, 2.0, 4.0, 1.0, 2.0, 0.1 + 0.2, 0.3, 0.3])
    other = np.array([1.0, 3.0, 2.0, 1.0, 2.0, 1.0, 2.0, 3.0])

    found = correlations_by_place(value, other, place, n_places=4, least=3)

    assert np.isfinite(found).tolist() == [True, False, False, False]


def test_places_beyond_those_asked_for_are_left_out() -> None:
    value, place = np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 0, 7])

    assert correlations_by_place(value, -value, place, n_places=1, least=2).tolist() == pytest.approx([-1.0])
