from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.kappa import (
    PairSums,
    chance_agreement,
    kappa,
    observed_agreement,
    pair_sums,
)

# [Graham2013] tables 2 and 3, every cell: categories, agreement in per cent, kappa as printed.
PUBLISHED = [
    (5, 60.4, ".505"),
    (5, 61.4, ".517"),
    (5, 59.7, ".496"),
    (5, 71.8, ".647"),
    (4, 64.6, ".528"),
    (4, 72.1, ".629"),
    (2, 85.2, ".704"),
    (2, 90.0, ".800"),
    (5, 33.0, ".16"),
    (5, 26.8, ".084"),
    (5, 29.5, ".119"),
    (5, 30.3, ".128"),
    (5, 30.2, ".1272"),
    (5, 33.5, ".169"),
    (4, 38.1, ".174"),
    (4, 38.5, ".180"),
    (4, 35.5, ".1403"),
    (4, 44.5, ".260"),
    (2, 66.5, ".331"),
    (2, 66.8, ".335"),
    (2, 75.5, ".5097"),
    (2, 73.8, ".475"),
]
CHANCES = ("uniform", "cohen", "scott")
every_chance = pytest.mark.parametrize("chance", CHANCES)
categories = st.integers(1, 4)
pairs = st.lists(st.tuples(categories, categories), min_size=1, max_size=30)


def test_the_published_tables_have_22_cells() -> None:
    assert len(PUBLISHED) == 22


@pytest.mark.parametrize(("n_categories", "per_cent", "printed"), PUBLISHED)
def test_the_published_kappas_follow_from_the_published_agreement(
    n_categories: int, per_cent: float, printed: str
) -> None:
    n_agreeing = round(10 * per_cent)
    first = np.ones(1000, dtype=np.int64)
    second = np.where(np.arange(1000) < n_agreeing, 1, 2)

    sums = pair_sums(first, second, n_categories=n_categories)

    tolerance = 0.0026 if len(printed) == 3 else 0.0011
    assert float(observed_agreement(sums)) == pytest.approx(per_cent / 100)
    assert abs(float(kappa(sums, chance="uniform")) - float(printed)) <= tolerance


@pytest.mark.parametrize(
    ("chance", "by_chance", "expected"),
    [
        # 50 pairs: 20 both yes, 15 both no, 5 yes-no, 10 no-yes, so 35 of 50 agree.
        ("uniform", 0.5, (0.7 - 0.5) / 0.5),
        # First says yes 25 of 50, second 30 of 50: 0.5 * 0.6 + 0.5 * 0.4.
        ("cohen", 0.5, (0.7 - 0.5) / 0.5),
        # Pooled: yes 55 of 100, no 45 of 100: 0.3025 + 0.2025.
        ("scott", 0.505, (0.7 - 0.505) / 0.495),
    ],
)
def test_chance_by_hand(chance: str, by_chance: float, expected: float) -> None:
    cells = {(1, 1): 20, (2, 2): 15, (1, 2): 5, (2, 1): 10}
    table = np.array([pair for pair, n in cells.items() for _ in range(n)])

    sums = pair_sums(table[:, 0], table[:, 1], n_categories=2)

    assert float(chance_agreement(sums, chance=chance)) == pytest.approx(by_chance, rel=1e-14)
    assert float(kappa(sums, chance=chance)) == pytest.approx(expected, rel=1e-14)


def slowly(pairs: list[tuple[int, int]], *, n_categories: int, chance: str) -> Fraction | None:
    """Kappa in exact fractions; None if it is undefined."""
    n = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    if chance == "uniform":
        expected = Fraction(1, n_categories)
    elif chance == "cohen":
        expected = sum(Fraction(first[c] * second[c], n * n) for c in first)
    else:
        pooled = first + second
        expected = sum(Fraction(k, 2 * n) ** 2 for k in pooled.values())
    if expected == 1:
        return None
    return (Fraction(sum(a == b for a, b in pairs), n) - expected) / (1 - expected)


@every_chance
@given(pairs=pairs)
def test_kappa_agrees_with_exact_fractions(chance: str, pairs: list[tuple[int, int]]) -> None:
    table = np.array(pairs)

    found = float(kappa(pair_sums(table[:, 0], table[:, 1], n_categories=4), chance=chance))

    expected = slowly(pairs, n_categories=4, chance=chance)
    assert np.isnan(found) if expected is None else found == pytest.approx(float(expected), abs=1e-14)


@every_chance
def test_swapping_the_members_changes_nothing(chance: str) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.integers(1, 6, 200), rng.integers(1, 6, 200)

    found = [
        kappa(pair_sums(a, b, n_categories=5), chance=chance) for a, b in [(first, second), (second, first)]
    ]

    assert found[0] == pytest.approx(found[1], rel=1e-14)


@every_chance
def test_perfect_agreement_is_one(chance: str) -> None:
    category = np.array([1, 2, 3, 1, 2])

    assert float(kappa(pair_sums(category, category, n_categories=3), chance=chance)) == pytest.approx(1.0)


@every_chance
def test_noise_is_about_zero(chance: str) -> None:
    rng = np.random.default_rng(4)
    n = 100_000

    sums = pair_sums(rng.integers(1, 6, n), rng.integers(1, 6, n), n_categories=5)

    # Standard error of kappa under independence: sqrt(Pr(e) / (1 - Pr(e)) / n) = 0.0016; four of them.
    assert abs(float(kappa(sums, chance=chance))) < 4 * np.sqrt(0.2 / 0.8 / n)


@pytest.mark.parametrize(
    ("chance", "n_categories"), [("uniform", 1), ("cohen", 1), ("cohen", 3), ("scott", 1), ("scott", 3)]
)
def test_kappa_is_undefined_where_chance_always_agrees(chance: str, n_categories: int) -> None:
    same = np.ones(5, dtype=np.int64)

    assert np.isnan(kappa(pair_sums(same, same, n_categories=n_categories), chance=chance))


@every_chance
def test_kappa_is_undefined_without_pairs(chance: str) -> None:
    nothing = np.empty(0, dtype=np.int64)

    sums = pair_sums(nothing, nothing, n_categories=3)

    assert np.isnan(kappa(sums, chance=chance))
    assert np.isnan(observed_agreement(sums))


def test_sums_alone_are_enough() -> None:
    sums = PairSums(np.array(35.0), np.array([25.0, 25.0]), np.array([30.0, 20.0]))

    assert float(kappa(sums, chance="uniform")) == pytest.approx(0.4)
