"""Distances from gold, agreement with it, and the weights made of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.scale import VAS, Scale
from steelyard.stats.arrays import FloatArray
from steelyard.stats.gold import (
    GoldForm,
    RatingPoints,
    agreement_with_gold,
    beyond_uniform,
    categories,
    expected_difference,
    expected_from_gold,
    gold_differences,
    k_delta,
    largest_difference,
    rating_points,
    shift_if_closer,
    shrunk,
)

FOUR = RatingPoints(1, 4, 4)
LINE = RatingPoints(0, 100)
# [Denkowski2010] table 1, every P(A) beside its K: with gold, then among workers.
TABLE_1 = [
    *((0.356, 0.142), (0.347, 0.129), (0.356, 0.142), (0.356, 0.142), (0.317, 0.089), (0.366, 0.155)),
    *((0.484, 0.312), (0.664, 0.552), (0.944, 0.925), (0.484, 0.312)),
]
# [Denkowski2010] table 2: 101 gold items, so that each Delta is a whole number of them.
TABLE_2 = [
    (103, 1.02, 0.184),
    (133, 1.317, -0.053),
    (108, 1.069, 0.145),
    (97, 0.96, 0.232),
    (124, 1.228, 0.018),
]
every_scale = pytest.mark.parametrize(
    "points", [*(RatingPoints(1, n, n) for n in range(2, 8)), RatingPoints(0, 1, 5), LINE], ids=str
)


@pytest.mark.parametrize(("agreement", "printed"), TABLE_1)
def test_the_published_k_follow_from_the_published_agreement(agreement: float, printed: float) -> None:
    # Both are rounded to three digits: an error of half a digit in P(A) is 4/3 of it in K.
    assert float(beyond_uniform(np.array(agreement), FOUR)) == pytest.approx(printed, abs=0.0012)


@pytest.mark.parametrize(("n_agreeing", "printed"), [(36, 0.142), (35, 0.129), (32, 0.089), (37, 0.155)])
def test_the_published_k_with_gold_follow_to_the_digit_from_whole_numbers(
    n_agreeing: int, printed: float
) -> None:
    assert round(float(beyond_uniform(np.array(n_agreeing / 101), FOUR)), 3) == printed


@pytest.mark.parametrize(("n_off", "delta", "printed"), TABLE_2)
@pytest.mark.parametrize("form", ["usual", "printed"])
def test_the_published_weights_of_random_workers(
    n_off: int, delta: float, printed: float, form: GoldForm
) -> None:
    weight = k_delta(np.array(n_off / 101), FOUR, form=form)

    assert round(n_off / 101, 3) == delta
    assert round(float(weight), 3) == printed


def _mean_distance(n: int) -> Fraction:
    """E of the points 1..n, from all pairs of them."""
    return Fraction(sum(abs(a - b) for a, b in product(range(n), repeat=2)), n * n)


@pytest.mark.parametrize("n", range(2, 12))
@pytest.mark.parametrize("step", [1.0, 0.25])
def test_expected_and_largest_difference_are_means_over_the_points(n: int, step: float) -> None:
    points = RatingPoints(3.0, 3.0 + step * (n - 1), n)

    largest = Fraction(sum(max(a, n - 1 - a) for a in range(n)), n)
    assert expected_difference(points) == pytest.approx(step * float(_mean_distance(n)))
    assert largest_difference(points) == pytest.approx(step * float(largest))


@pytest.mark.parametrize("n", range(2, 12))
def test_both_forms_are_the_same_on_scales_of_2_4_and_5_points_and_no_others(n: int) -> None:
    points = RatingPoints(1, n, n)

    same = largest_difference(points) == pytest.approx(2 * expected_difference(points))

    assert same == (n in (2, 4, 5))


def test_a_line_is_the_limit_of_many_points() -> None:
    many = RatingPoints(0, 100, 100_001)

    assert expected_difference(LINE) == pytest.approx(expected_difference(many), rel=1e-4)
    assert largest_difference(LINE) == pytest.approx(largest_difference(many), rel=1e-4)


def _uniform(points: RatingPoints, n: int, rng: np.random.Generator) -> FloatArray:
    if points.n_points is None:
        return rng.uniform(points.low, points.high, n)
    return rng.choice(points.values(), n)


def _clicked_at_random(points: RatingPoints, form: GoldForm) -> float:
    rng = np.random.default_rng(5)
    rating, known = (_uniform(points, 100_000, rng) for _ in range(2))
    worker = np.zeros(100_000, dtype=np.int64)
    found = gold_differences(rating, known, worker, n_workers=1)
    return float(k_delta(found.distance, points, form=form)[0])


@every_scale
def test_a_random_clicker_gets_no_weight_on_any_scale(points: RatingPoints) -> None:
    # The error of a mean of 100,000 distances is below 0.003 of E.
    assert _clicked_at_random(points, "usual") == pytest.approx(0, abs=0.01)


def test_a_random_clicker_on_a_line_would_get_a_fifth_with_the_printed_form() -> None:
    assert _clicked_at_random(LINE, "printed") == pytest.approx(0.2, abs=0.01)


@every_scale
@pytest.mark.parametrize("form", ["usual", "printed"])
def test_the_gold_itself_has_weight_one(points: RatingPoints, form: GoldForm) -> None:
    assert float(k_delta(np.array(0.0), points, form=form)) == 1.0


def test_chance_may_be_that_of_the_gold_shown() -> None:
    known, worker = np.array([1.0, 4, 2, 3, 1, 2]), np.array([0, 0, 1, 1, 2, 2])

    found = expected_from_gold(known, worker, points=FOUR, n_workers=4)

    # 1.5 for gold at an end, (0 + 1 + 2 + 3) / 4; 1.0 for gold in the middle, (1 + 0 + 1 + 2) / 4.
    np.testing.assert_array_equal(found, [1.5, 1.0, 1.25, np.nan])
    np.testing.assert_allclose(
        k_delta(np.array([0.75, 0.75, 0.75, np.nan]), FOUR, expected=found), [0.5, 0.25, 0.4, np.nan]
    )
    # Printed: 1 - Delta / (2.5 - E).
    np.testing.assert_allclose(
        k_delta(np.array([0.75, 0.75]), FOUR, form="printed", expected=found[:2]), [0.25, 0.5]
    )


@pytest.mark.parametrize(("known", "expected"), [(0.0, 50.0), (50.0, 25.0), (100.0, 50.0), (20.0, 34.0)])
def test_the_distance_of_a_random_click_on_a_line_from_gold(known: float, expected: float) -> None:
    # Of gold 20: a fifth of clicks below, 10 off on average, and four fifths above, 40 off.
    found = expected_from_gold(np.array([known]), np.array([0]), points=LINE, n_workers=1)

    assert found[0] == pytest.approx(expected)


def test_distances_and_shifts_by_hand() -> None:
    rating, known = np.array([1.0, 3, 4, 2, 3]), np.array([2.0, 3, 2, 2, 1])

    found = gold_differences(rating, known, np.array([0, 0, 0, 2, 2]), n_workers=3)

    # Worker 0: gold less rating 1, 0, -2. Worker 2: 0, -2. Nobody is known of worker 1.
    assert found.n.tolist() == [3, 0, 2]
    np.testing.assert_allclose(found.distance, [1.0, np.nan, 1.0])
    np.testing.assert_allclose(found.shift, [-1 / 3, np.nan, -1.0])


def test_a_shift_is_taken_only_if_it_brings_the_ratings_closer() -> None:
    # Worker 0 is always 2 too high; worker 1 once 2 too high, once 2 too low, once 1 too high.
    rating, known = np.array([3.0, 4, 3, 1, 3]), np.array([1.0, 2, 1, 3, 2])
    worker = np.array([0, 0, 1, 1, 1])

    shift, found = shift_if_closer(rating, known, worker, points=FOUR, n_workers=3)

    # Worker 1 moved by -1/3: 5/3, 7/3 and 2/3 off, 14/9 on average, against 5/3: closer, by chance.
    np.testing.assert_allclose(shift, [-2, -1 / 3, np.nan])
    np.testing.assert_allclose(found.distance, [0, 14 / 9, np.nan])


@pytest.mark.parametrize("off", [(1, 0), (1, 1, 0, 0), (0, 0, 1), (1, -1), (0, 0), (0.1, 0.1, 0, 0)])
def test_a_shift_that_leaves_the_distance_as_it_is_or_worse_is_not_taken(off: tuple[float, ...]) -> None:
    known = np.full(len(off), 2.0)

    shift, found = shift_if_closer(
        known + np.array(off), known, np.zeros(len(off), dtype=np.int64), points=FOUR, n_workers=1
    )

    assert shift.tolist() == [0.0]
    assert found.distance[0] == pytest.approx(np.abs(off).mean())


def test_agreement_with_gold_counts_equal_points() -> None:
    rating, known = np.array([1.0, 2, 3, 4, 4]), np.array([1.0, 3, 3, 4, 2])

    found = agreement_with_gold(rating, known, np.array([0, 0, 0, 1, 1]), points=FOUR, n_workers=3)

    np.testing.assert_array_equal(found, [2 / 3, 1 / 2, np.nan])


def test_gold_between_two_points_agrees_with_the_nearest_and_in_the_middle_with_the_upper() -> None:
    rating, known = np.array([2.0, 2, 3, 3]), np.array([2.4, 2.5, 2.5, 3.6])

    found = agreement_with_gold(rating, known, np.arange(4), points=FOUR, n_workers=4)

    assert found.tolist() == [1, 0, 1, 0]


def test_on_a_line_ratings_agree_in_the_same_fifth_of_it() -> None:
    rating, known = np.array([0.0, 19, 20, 99, 100]), np.array([19.0, 21, 39, 100, 81])

    found = agreement_with_gold(rating, known, np.arange(5), points=LINE, n_workers=5)

    assert found.tolist() == [1, 0, 1, 1, 1]


@every_scale
def test_every_point_is_a_category_of_its_own_and_ends_hold_what_lies_beyond(points: RatingPoints) -> None:
    n = points.n_categories
    inner = points.values() if points.n_points else np.arange(10, 100, 20.0)

    assert categories(inner, points).tolist() == list(range(1, n + 1))
    assert categories(np.array([points.low - 1, points.high + 1]), points).tolist() == [1, n]


@pytest.mark.parametrize(
    ("rating", "scale", "n_points"),
    [
        ([1, 2, 4], Scale(1, 4), 4),
        ([1, 4], Scale(1, 4), 4),
        ([0, 10], Scale(0, 10), 11),
        ([0, 0.5, 1], Scale(0, 1), 3),
        ([0.2, 0.8], Scale(0, 1), 6),
        ([1, 1.5], Scale(1, 4), 7),
        ([0.1, 0.37], Scale(0, 1), None),
        ([0.5, 3.21], Scale(0, 10), None),
        ([0, 2.5], Scale(0, 2.5), 2),
        ([0, 1], VAS, None),
        ([], Scale(1, 5), 5),
    ],
)
def test_the_points_of_a_scale(rating: list[float], scale: Scale, n_points: int | None) -> None:
    found = rating_points(np.array(rating, dtype=np.float64), scale)

    assert found == RatingPoints(scale.minimum, scale.maximum, n_points)


def test_shrinking_draws_towards_the_mean_by_five_items() -> None:
    found = shrunk(np.array([1.0, 0.0, np.nan, -1.0]), np.array([1, 5, 0, 10]))

    # The mean of the three is 0: (1 + 0) / 6, (0 + 0) / 10, the mean itself, (-10 + 0) / 15.
    np.testing.assert_allclose(found, [1 / 6, 0, 0, -2 / 3])


def test_without_any_gold_nobody_has_a_weight() -> None:
    assert np.isnan(shrunk(np.full(2, np.nan), np.zeros(2, dtype=np.int64))).all()


@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(0, 3)), min_size=1, max_size=30
    ).flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows)))
)
def test_the_order_of_showings_does_not_matter(
    rows: tuple[list[tuple[int, ...]], list[tuple[int, ...]]],
) -> None:
    found = []
    for listed in rows:
        rating, known, worker = np.array(listed).T
        shift, moved = shift_if_closer(
            rating.astype(float), known.astype(float), worker, points=FOUR, n_workers=4
        )
        found.append((shift, moved.distance, moved.n))

    for first, second in zip(*found, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)
