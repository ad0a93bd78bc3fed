from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.categories import by_cuts, equal_width, percentile_cuts

every_number = pytest.mark.parametrize("n_categories", range(2, 11))


def exactly(rating: Fraction, *, n_categories: int, low: int, high: int) -> int:
    """The definition in exact fractions."""
    return min(n_categories, math.floor((rating - low) * n_categories / Fraction(high - low)) + 1)


@every_number
def test_whole_ratings_fall_where_exact_fractions_put_them(n_categories: int) -> None:
    rating = np.arange(101.0)

    found = equal_width(rating, n_categories=n_categories, low=0.0, high=100.0)

    expected = [exactly(Fraction(r), n_categories=n_categories, low=0, high=100) for r in range(101)]
    assert found.tolist() == expected


@every_number
@pytest.mark.parametrize(("low", "high"), [(0, 1), (1, 5), (-3, 3)])
def test_hundredths_fall_where_exact_fractions_put_them(n_categories: int, low: int, high: int) -> None:
    hundredths = range(100 * low, 100 * high + 1)
    rating = np.array([h / 100 for h in hundredths])

    found = equal_width(rating, n_categories=n_categories, low=float(low), high=float(high))

    expected = [exactly(Fraction(h, 100), n_categories=n_categories, low=low, high=high) for h in hundredths]
    assert found.tolist() == expected


def test_a_border_that_floating_point_misses_is_still_a_border() -> None:
    # 0.29 * 100 is 28.999999999999996 in floating point: without care it would fall one category short.
    found = equal_width(np.array([0.28, 0.29, 0.57, 1.0]), n_categories=100, low=0.0, high=1.0)

    assert found.tolist() == [29, 30, 58, 100]


def test_points_of_a_five_point_scale_are_its_five_categories() -> None:
    points = np.array([1.0, 2.0, 3.0, 4.0, 5.0])

    assert equal_width(points, n_categories=5, low=1.0, high=5.0).tolist() == [1, 2, 3, 4, 5]


def test_beyond_the_ends_counts_as_the_ends() -> None:
    found = equal_width(np.array([-5.0, 0.0, 100.0, 130.0]), n_categories=4, low=0.0, high=100.0)

    assert found.tolist() == [1, 1, 4, 4]


@pytest.mark.parametrize(("n_categories", "low", "high"), [(0, 0.0, 1.0), (2, 1.0, 1.0), (2, 2.0, 1.0)])
def test_an_impossible_cut_is_refused(n_categories: int, low: float, high: float) -> None:
    with pytest.raises(ValueError, match="cannot cut"):
        equal_width(np.array([0.5]), n_categories=n_categories, low=low, high=high)


def test_percentiles_are_interpolated_linearly() -> None:
    z = np.array([4.0, 1.0, 10.0, 2.0])

    cuts = percentile_cuts(z, 5)

    # Sorted 1, 2, 4, 10 at places 0 to 3; the c/5 percentile is at place 3 c/5: 0.6, 1.2, 1.8, 2.4.
    np.testing.assert_allclose(cuts, [1.6, 2.4, 3.6, 6.4], rtol=1e-15)


def test_a_value_on_a_cut_goes_down() -> None:
    assert by_cuts(np.array([1.0, 2.0, 2.5, 3.0, 9.0]), np.array([2.0, 3.0])).tolist() == [1, 1, 2, 2, 3]


@given(st.integers(2, 7), st.integers(1, 30))
def test_distinct_values_are_cut_into_parts_of_equal_size(n_categories: int, size: int) -> None:
    z = np.random.default_rng(size).permutation(size * n_categories).astype(np.float64)

    category = by_cuts(z, percentile_cuts(z, n_categories))

    assert np.bincount(category, minlength=n_categories + 1)[1:].tolist() == [size] * n_categories


def test_nothing_has_no_percentiles() -> None:
    assert np.isnan(percentile_cuts(np.empty(0), 4)).tolist() == [True] * 3


def test_the_ratings_are_left_untouched() -> None:
    rating = np.array([10.0, 90.0, 120.0])

    equal_width(rating, n_categories=2, low=0.0, high=100.0)

    assert rating.tolist() == [10.0, 90.0, 120.0]
