"""How far each rating moved a coefficient, against what happens when ratings are taken away."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.agreement_influence import (
    correlation_influence,
    match_influence,
    repeat_influence,
    spread_influence,
)
from steelyard.stats.alpha import alpha_totals, centred, interval_alpha_of, nominal_alpha, unit_sums
from steelyard.stats.intraclass import one_way_icc
from steelyard.stats.kappa import kappa, pair_sums

N_UNITS = 400


@pytest.fixture(scope="module")
def ratings() -> tuple[np.ndarray, np.ndarray]:
    """Values and units of one to six ratings."""
    rng = np.random.default_rng(4)
    unit = np.repeat(np.arange(N_UNITS), rng.integers(1, 7, N_UNITS))
    return rng.normal(size=N_UNITS)[unit] + rng.normal(size=len(unit)), unit


def alpha(value: np.ndarray, unit: np.ndarray) -> float:
    return float(interval_alpha_of(alpha_totals(unit_sums(value, unit))))


@pytest.mark.parametrize(("coefficient", "with_singles"), [(alpha, False), (one_way_icc, True)])
def test_units_taken_away_change_alpha_and_icc_by_their_influence(
    ratings: tuple[np.ndarray, np.ndarray], coefficient: object, with_singles: bool
) -> None:
    value, unit = ratings
    moved, share, _ = spread_influence(value, unit, with_singles=with_singles)

    whole = coefficient(value, unit)  # type: ignore[operator]
    lost = [whole - coefficient(value[unit != u], unit[unit != u]) for u in range(40)]  # type: ignore[operator]

    by_unit = np.bincount(unit, moved)[:40]
    assert np.abs(lost - by_unit).max() < 0.06 * np.abs(by_unit).max()
    assert (moved.sum(), share.sum()) == pytest.approx((0, 1), abs=1e-9)


@pytest.mark.parametrize("chance", ["uniform", "scott"])
def test_units_taken_away_change_kappa_by_their_influence(
    ratings: tuple[np.ndarray, np.ndarray], chance: str
) -> None:
    value, unit = ratings
    category = (value > 0).astype(np.int64) + (value > 1)

    def coefficient(keep: np.ndarray) -> float:
        pairs = [(a, b) for u in np.unique(unit[keep]) for a, b in _ordered(category[keep & (unit == u)])]
        first, second = np.array(pairs).T + 1
        return float(kappa(pair_sums(first, second, n_categories=3), chance=chance))

    size = np.bincount(unit).astype(np.float64)
    moved, _, _ = match_influence(category, unit, weight=size * (size - 1), chance=chance, n_categories=3)
    some = [u for u in range(12) if size[u] > 1]
    whole = coefficient(unit >= 0)
    lost = np.array([whole - coefficient(unit != u) for u in some])

    by_unit = np.bincount(unit, moved)[some]
    assert np.abs(lost - by_unit).max() < 0.06 * np.abs(by_unit).max()


def _ordered(values: np.ndarray) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for i, a in enumerate(values) for j, b in enumerate(values) if i != j]


def test_kappa_of_units_that_count_by_their_ratings_is_alpha_for_categories(
    ratings: tuple[np.ndarray, np.ndarray],
) -> None:
    value, unit = ratings
    category = (value > 0).astype(np.int64)
    size = np.bincount(unit).astype(np.float64)
    moved, _, _ = match_influence(category, unit, weight=size * (size > 1), chance="scott", n_categories=2)
    whole = nominal_alpha(category, unit)

    lost = [whole - nominal_alpha(category[unit != u], unit[unit != u]) for u in range(40)]

    by_unit = np.bincount(unit, moved)[:40]
    assert np.abs(lost - by_unit).max() < 0.06 * np.abs(by_unit).max()


def test_of_many_ratings_of_a_unit_each_answers_for_itself() -> None:
    # One unit far larger than the others, its ratings 0 but for one of 9: that one made the spread.
    value = np.concatenate([[9.0], np.zeros(99), np.repeat(np.tile([-10.0, 10.0], 25), 2)])
    unit = np.concatenate([np.zeros(100, dtype=np.int64), 1 + np.repeat(np.arange(50), 2)])

    moved, _, _ = spread_influence(value, unit, with_singles=False)

    # All ratings of the unit have a common part: what the unit as a whole did.
    own = moved[:100] - moved[1]
    assert own[0] < 0
    assert np.abs(own[1:]).max() < 1e-12


@pytest.mark.parametrize("chance", ["uniform", "cohen", "scott"])
def test_repeats_taken_away_change_kappa_and_correlation_by_their_influence(chance: str) -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=300)
    y = x + rng.normal(size=300)
    first, second = (1 + (side > 0.3).astype(np.int64) for side in (x, y))
    sums = pair_sums(first, second, n_categories=2)
    r = float(np.corrcoef(x, y)[0, 1])
    keeps = [np.arange(300) != k for k in range(30)]

    of_kappa = repeat_influence(first, second, sums=sums, chance=chance).moved[:30]
    of_r = correlation_influence(centred(x), centred(y), r).moved[:30]

    whole = float(kappa(sums, chance=chance))
    lost = [
        whole - float(kappa(pair_sums(first[k], second[k], n_categories=2), chance=chance)) for k in keeps
    ]
    assert np.abs(lost - of_kappa).max() < 0.02 * np.abs(of_kappa).max()
    lost = [r - float(np.corrcoef(x[k], y[k])[0, 1]) for k in keeps]
    assert np.abs(lost - of_r).max() < 0.05 * np.abs(of_r).max()


def test_pairs_of_a_unit_move_a_coefficient_as_its_ratings_do(
    ratings: tuple[np.ndarray, np.ndarray],
) -> None:
    value, unit = ratings
    size = np.bincount(unit).astype(np.float64)
    category = (value > 0).astype(np.int64)
    found = [
        spread_influence(value, unit, with_singles=False),
        spread_influence(value, unit, with_singles=True),
        match_influence(category, unit, weight=size * (size - 1), chance="scott", n_categories=2),
    ]

    of_four = np.flatnonzero(size == 4)[:5]
    for moved, _, of_pair in found:
        assert of_pair is not None
        for u in of_four:
            i, j = np.array([(i, j) for i in np.flatnonzero(unit == u) for j in np.flatnonzero(unit == u)]).T
            assert of_pair(i[i < j], j[i < j]).sum() == pytest.approx(moved[unit == u].sum(), abs=1e-12)
