from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.alpha import (
    UnitSums,
    alpha_totals,
    interval_alpha_of,
    nominal_alpha,
    unit_sums,
)

# The reliability data of Krippendorff's textbook: four observers, twelve units, 0 where one is missing.
TEXTBOOK = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
)
# A rating: unit, value (with ties), how often its worker was drawn.
ratings = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=14
)


def interval_alpha(value: np.ndarray, unit: np.ndarray, *, weight: np.ndarray | None = None) -> float:
    return float(interval_alpha_of(alpha_totals(unit_sums(value, unit, weight=weight))))


def squared(a: float, b: float) -> float:
    return (a - b) ** 2


def differs(a: float, b: float) -> float:
    return float(a != b)


def by_pairs(
    value: np.ndarray, unit: np.ndarray, weight: np.ndarray, difference: Callable[[float, float], float]
) -> float:
    """Alpha by two loops over ratings, straight from its definition; a pair counts w_i w_j times."""
    n = range(len(value))
    together = [[i for i in n if unit[i] == u] for u in np.unique(unit)]
    pairable = [unit for unit in together if sum(weight[i] > 0 for i in unit) > 1]

    def mean_difference(rows: list[int]) -> float:
        pairs = [(i, j) for i in rows for j in rows if i != j]
        top = sum(weight[i] * weight[j] * difference(value[i], value[j]) for i, j in pairs)
        return top / sum(weight[i] * weight[j] for i, j in pairs)

    size = [sum(weight[i] for i in rows) for rows in pairable]
    if not pairable:
        return float("nan")
    expected = mean_difference([i for rows in pairable for i in rows])
    observed = sum(s * mean_difference(rows) for s, rows in zip(size, pairable, strict=True)) / sum(size)
    return 1 - observed / expected if expected else float("nan")


def textbook() -> tuple[np.ndarray, np.ndarray]:
    unit, _ = np.nonzero(TEXTBOOK.T)
    return TEXTBOOK.T[TEXTBOOK.T > 0], unit


def test_interval_alpha_of_the_textbook() -> None:
    value, unit = textbook()

    assert interval_alpha(value.astype(np.float64), unit) == pytest.approx(0.849, abs=0.0005)


def test_nominal_alpha_of_the_textbook() -> None:
    assert nominal_alpha(*textbook()) == pytest.approx(0.743, abs=0.0005)


def test_interval_alpha_by_hand() -> None:
    value, unit = np.array([10.0, 20.0, 40.0, 60.0, 90.0]), np.array([0, 0, 1, 1, 1])

    alpha = interval_alpha(value, unit)

    # Unit 0: squared difference 100, counted 2 times. Unit 1: mean of 400, 2500, 900, counted 3 times.
    observed = (2 * 100 + 3 * (400 + 2500 + 900) / 3) / 5
    # All ten pairs: from 10: 100 900 2500 6400; from 20: 400 1600 4900; from 40: 400 2500; from 60: 900.
    expected = (100 + 900 + 2500 + 6400 + 400 + 1600 + 4900 + 400 + 2500 + 900) / 10
    assert alpha == pytest.approx(1 - observed / expected, rel=1e-14)


@given(ratings)
def test_interval_alpha_agrees_with_a_double_loop(rows: list[tuple[int, int, int]]) -> None:
    unit, value, weight = np.array(rows).T

    found = interval_alpha(value / 3.0, unit, weight=weight)

    assert found == pytest.approx(by_pairs(value / 3.0, unit, weight, squared), abs=1e-11, nan_ok=True)


@given(ratings)
def test_nominal_alpha_agrees_with_a_double_loop(rows: list[tuple[int, int, int]]) -> None:
    unit, value, weight = np.array(rows).T

    found = nominal_alpha(value, unit, weight=weight)

    assert found == pytest.approx(by_pairs(value, unit, weight, differs), abs=1e-12, nan_ok=True)


@given(ratings)
def test_weights_of_one_are_no_weights(rows: list[tuple[int, int, int]]) -> None:
    unit, value, _ = np.array(rows).T

    found = interval_alpha(value.astype(np.float64), unit, weight=np.ones(len(unit)))

    assert found == pytest.approx(interval_alpha(value.astype(np.float64), unit), abs=1e-15, nan_ok=True)


def test_a_worker_drawn_twice_does_not_agree_with_themself() -> None:
    value, unit = np.array([10.0, 90.0, 90.0, 10.0]), np.array([0, 0, 1, 1])

    # In both units the pair of different ratings differs by 80, whoever is drawn how often.
    alpha = interval_alpha(value, unit, weight=np.array([5, 1, 5, 1]))

    assert alpha == pytest.approx(by_pairs(value, unit, np.array([5, 1, 5, 1]), squared))
    assert alpha < interval_alpha(np.repeat(value, [5, 1, 5, 1]), np.repeat(unit, [5, 1, 5, 1]))


def test_a_unit_of_which_one_worker_is_left_does_not_count() -> None:
    value, unit = np.array([1.0, 2.0, 4.0, 5.0, 50.0, 80.0]), np.array([0, 0, 1, 1, 2, 2])

    alpha = interval_alpha(value, unit, weight=np.array([1, 1, 1, 1, 3, 0]))

    assert alpha == pytest.approx(0.85, rel=1e-13)


def test_a_far_off_rating_that_is_not_drawn_costs_no_precision() -> None:
    value, unit = np.array([1.0, 2.0, 4.0, 5.0, 1e12]), np.array([0, 0, 1, 1, 1])

    assert interval_alpha(value, unit, weight=np.array([1, 1, 1, 1, 0])) == pytest.approx(0.85, rel=1e-13)


def test_many_draws_at_once_are_as_each_alone() -> None:
    rng = np.random.default_rng(1)
    unit, value = rng.integers(0, 20, 60), rng.normal(size=60)
    weight = rng.integers(0, 3, (60, 7))

    each = [unit_sums(value, unit, weight=draw) for draw in weight.T]
    together = interval_alpha_of(
        alpha_totals(UnitSums(*(np.stack(parts, axis=1) for parts in zip(*each, strict=True))))
    )

    np.testing.assert_allclose(together, [interval_alpha_of(alpha_totals(sums)) for sums in each], rtol=1e-13)


def test_missing_ratings_are_as_if_absent() -> None:
    value = np.array([1.0, np.nan, 2.0, 4.0, 5.0, np.nan])

    assert interval_alpha(value, np.array([0, 0, 0, 1, 1, 2])) == pytest.approx(0.85)


def test_units_with_a_single_rating_do_not_count() -> None:
    value, unit = np.array([1.0, 2.0, 4.0, 5.0, 1000.0]), np.array([0, 0, 1, 1, 2])

    assert interval_alpha(value, unit) == pytest.approx(0.85)
    assert nominal_alpha(np.array([1, 1, 2, 1, 7]), unit) == nominal_alpha(np.array([1, 1, 2, 1]), unit[:4])


def test_perfect_agreement_is_one() -> None:
    unit = np.repeat(np.arange(20), 3)

    assert interval_alpha(0.1 * unit, unit) == 1.0
    assert nominal_alpha(unit, unit) == 1.0


def test_noise_is_about_zero() -> None:
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(5000), 4)
    value = rng.uniform(0, 100, len(unit))

    # The variance of 4 uniform ratings has a relative deviation of sqrt((1.8 - 1 / 3) / 4) = 0.61, the mean
    # of 5,000 of them 0.0086; the share of differing pairs has less. Four of those.
    assert abs(interval_alpha(value, unit)) < 0.035
    assert abs(nominal_alpha((value // 20).astype(np.int64), unit)) < 0.035


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ([], []),
        ([1.0, 2.0, 3.0], [0, 1, 2]),
        ([0.1, 0.1, 0.1, 0.1], [0, 0, 1, 1]),
        ([1 / 3] * 6, [0, 0, 0, 1, 1, 1]),
    ],
    ids=["nothing", "single ratings", "all the same", "all the same, three each"],
)
def test_alpha_is_undefined_without_pairs_or_variation(value: list[float], unit: list[int]) -> None:
    units = np.array(unit, dtype=np.int64)

    assert np.isnan(interval_alpha(np.array(value), units))
    assert np.isnan(nominal_alpha(np.unique(value, return_inverse=True)[1], units))


@pytest.mark.parametrize("constant", [0.1, 70.0, 1 / 3])
def test_alpha_of_a_draw_without_variation_is_undefined(constant: float) -> None:
    value, unit = np.array([constant] * 4 + [3.0, 99.0]), np.array([0, 0, 1, 1, 2, 2])

    assert np.isnan(interval_alpha(value, unit, weight=np.array([1, 2, 1, 3, 0, 0])))


def _random() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    unit = rng.integers(0, 30, 100)
    return rng.normal(unit, 10.0), unit, rng.integers(0, 4, 100)


def test_the_order_of_ratings_and_names_of_units_do_not_matter() -> None:
    value, unit, weight = _random()
    order, names = np.random.default_rng(9).permutation(100), np.random.default_rng(10).permutation(30)

    shuffled = interval_alpha(value[order], names[unit][order], weight=weight[order])

    assert shuffled == pytest.approx(interval_alpha(value, unit, weight=weight), rel=1e-12)


@pytest.mark.parametrize(("origin", "step"), [(1e6, 1.0), (-40.0, 1e-3), (0.0, -7.0), (1e9, 1.0)])
def test_interval_alpha_knows_neither_origin_nor_unit_of_the_scale(origin: float, step: float) -> None:
    value, unit, weight = _random()
    # Quarters, so that adding a far origin changes no digit.
    value = np.round(4 * value) / 4

    moved = interval_alpha(origin + step * value, unit, weight=weight)

    assert moved == pytest.approx(interval_alpha(value, unit, weight=weight), rel=1e-10)


def test_the_ratings_are_left_untouched() -> None:
    value, unit, weight = _random()
    before = value.copy(), unit.copy(), weight.copy()

    interval_alpha(value, unit, weight=weight)

    for array, copy in zip((value, unit, weight), before, strict=True):
        np.testing.assert_array_equal(array, copy)
