from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.alpha import UnitSums, unit_sums
from steelyard.stats.intraclass import one_way_icc, one_way_icc_of, one_way_totals

# [Shrout1979] table 2: six targets in rows, four judges.
PUBLISHED = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
# A rating: unit, value, how often its worker was drawn.
ratings = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=14
)


def test_the_published_example() -> None:
    unit = np.repeat(np.arange(6), 4)

    icc = one_way_icc(PUBLISHED.ravel().astype(np.float64), unit)

    assert icc == pytest.approx(0.17, abs=0.005)
    # With the mean squares the paper prints: 11.24 between, 6.26 within.
    assert icc == pytest.approx((11.24 - 6.26) / (11.24 + 3 * 6.26), abs=0.0005)


def test_unbalanced_groups_by_hand() -> None:
    value = np.array([2.0, 4.0, 6.0, 8.0, 10.0, 30.0])
    unit = np.array([0, 0, 1, 1, 1, 2])

    icc = one_way_icc(value, unit)

    # Means 3, 8, 30 of 2, 3, 1 ratings; over all 60 / 6 = 10.
    between = (2 * 49 + 3 * 4 + 1 * 400) / 2
    # Within: 1 + 1, 4 + 0 + 4, 0 on 1 + 2 + 0 degrees of freedom.
    within = (2 + 8) / 3
    k0 = (6 - (4 + 9 + 1) / 6) / 2
    assert icc == pytest.approx((between - within) / (between + (k0 - 1) * within), rel=1e-14)


def by_anova(value: np.ndarray, unit: np.ndarray) -> float:
    """ICC(1,1) as the analysis of variance has it, group by group."""
    groups = [value[unit == u] for u in np.unique(unit)]
    n, n_units = len(value), len(groups)
    between = sum(len(g) * (g.mean() - value.mean()) ** 2 for g in groups) / (n_units - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - n_units)
    k0 = (n - sum(len(g) ** 2 for g in groups) / n) / (n_units - 1)
    return (between - within) / (between + (k0 - 1) * within)


def by_matrices(value: np.ndarray, unit: np.ndarray, weight: np.ndarray) -> float:
    """ICC(1,1) of drawn workers from n x n matrices: sums of squares and what they are on average.

    For values with variance b between units and e within, a sum of squares x'Ax is on average
    b tr(A Z Z') + e tr(A), Z telling which rating is of which unit.
    """
    w = weight.astype(np.float64)
    z = (unit[:, None] == np.unique(unit[w > 0])).astype(np.float64)
    total = w.sum()
    centre = np.eye(len(w)) - np.outer(np.ones(len(w)), w) / total
    means = z @ np.diag(1 / (z.T @ w)) @ (z * w[:, None]).T
    about_mean = centre.T @ np.diag(w) @ centre
    within = (np.eye(len(w)) - means).T @ np.diag(w) @ (np.eye(len(w)) - means)
    between = about_mean - within
    same = z @ z.T
    e = value @ within @ value / np.trace(within)
    b = (value @ between @ value - e * np.trace(between)) / np.trace(between @ same)
    return float(b / (b + e))


def is_defined(value: np.ndarray, unit: np.ndarray, weight: np.ndarray) -> bool:
    present = weight > 0
    sizes = np.unique(unit[present], return_counts=True)[1]
    return len(sizes) > 1 and sizes.max() > 1 and len(np.unique(value[present])) > 1


@given(ratings)
def test_it_agrees_with_the_analysis_of_variance(rows: list[tuple[int, int, int]]) -> None:
    unit, value, _ = np.array(rows).T

    found = one_way_icc(value.astype(np.float64), unit)

    if is_defined(value, unit, np.ones(len(unit))):
        assert found == pytest.approx(by_anova(value, unit), abs=1e-12)
    else:
        assert np.isnan(found)


@given(ratings)
def test_draws_agree_with_expected_sums_of_squares(rows: list[tuple[int, int, int]]) -> None:
    unit, value, weight = np.array(rows).T

    found = one_way_icc(value.astype(np.float64), unit, weight=weight)

    if is_defined(value, unit, weight):
        assert found == pytest.approx(by_matrices(value.astype(np.float64), unit, weight), abs=1e-9)
    else:
        assert np.isnan(found)


def test_a_worker_drawn_twice_does_not_agree_with_themself() -> None:
    rng = np.random.default_rng(2)
    unit, value = np.repeat(np.arange(4000), 2), rng.normal(size=8000)
    twice = np.tile([3, 1], 4000)

    drawn = one_way_icc(value, unit, weight=twice)

    # Pure noise: about 0, though plain repetition of every other rating looks like strong agreement.
    # Standard error with 4,000 pairs 1 / sqrt(4000) = 0.016, more with unequal weights: five of those.
    assert abs(drawn) < 0.08
    assert one_way_icc(np.repeat(value, twice), np.repeat(unit, twice)) > 0.4


def test_it_finds_the_share_of_variance_between_units() -> None:
    rng = np.random.default_rng(3)
    unit = np.repeat(np.arange(3000), rng.integers(1, 9, 3000))
    value = rng.normal(0, 2, 3000)[unit] + rng.normal(0, 3, len(unit))

    # 4 / (4 + 9); the standard error with 3,000 units of four or so is below 0.012: three of them.
    assert one_way_icc(value, unit) == pytest.approx(4 / 13, abs=0.036)


def test_many_draws_at_once_are_as_each_alone() -> None:
    rng = np.random.default_rng(1)
    unit, value = rng.integers(0, 20, 60), rng.normal(size=60)
    weight = rng.integers(0, 3, (60, 7))

    each = [unit_sums(value, unit, weight=draw) for draw in weight.T]
    together = one_way_icc_of(
        one_way_totals(UnitSums(*(np.stack(parts, axis=1) for parts in zip(*each, strict=True))))
    )

    np.testing.assert_allclose(together, [one_way_icc_of(one_way_totals(sums)) for sums in each], rtol=1e-12)


def test_perfect_agreement_is_one() -> None:
    unit = np.repeat(np.arange(20), 3)

    assert one_way_icc(0.1 * unit, unit) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize(
    ("value", "unit"),
    [([], []), ([1.0, 2.0, 3.0], [0, 1, 2]), ([1.0, 2.0, 3.0], [0, 0, 0]), ([1 / 3] * 6, [0, 0, 0, 1, 1, 1])],
    ids=["nothing", "single ratings", "one unit", "all the same"],
)
def test_it_is_undefined_without_pairs_units_or_variation(value: list[float], unit: list[int]) -> None:
    assert np.isnan(one_way_icc(np.array(value), np.array(unit, dtype=np.int64)))


@pytest.mark.parametrize(("origin", "step"), [(1e6, 1.0), (-40.0, 1e-3), (1e9, -1.0)])
def test_neither_order_nor_names_nor_the_scale_matter(origin: float, step: float) -> None:
    rng = np.random.default_rng(8)
    unit, weight = rng.integers(0, 30, 100), rng.integers(0, 4, 100)
    value = np.round(4 * rng.normal(unit, 10.0)) / 4
    order, names = rng.permutation(100), rng.permutation(30)

    moved = one_way_icc((origin + step * value)[order], names[unit][order], weight=weight[order])

    assert moved == pytest.approx(one_way_icc(value, unit, weight=weight), rel=1e-9)
