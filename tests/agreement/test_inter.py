"""Agreement of different workers against loops over all pairs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.agreement.cuts import rating_cuts
from steelyard.agreement.inter import inter_rows
from steelyard.agreement.item_ratings import ItemRatings, inter_pair_sums
from steelyard.agreement.options import AgreementOptions
from steelyard.domain.scale import VAS
from steelyard.stats.alpha import alpha_totals, interval_alpha_of, unit_sums
from steelyard.stats.intraclass import one_way_icc


def interval_alpha(value: np.ndarray, unit: np.ndarray, *, weight: np.ndarray | None = None) -> float:
    return float(interval_alpha_of(alpha_totals(unit_sums(value, unit, weight=weight))))


N_WORKERS = 6
# A few ratings: (item, worker) -> value, NaN where it could not be standardised.
ratings = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, N_WORKERS - 1)),
    st.sampled_from([0.0, 10.0, 30.0, 45.0, 60.0, 90.0, 100.0, float("nan")]),
    max_size=20,
)
weights = pytest.mark.parametrize("weight", ["pair", "item"])
chances = pytest.mark.parametrize("chance", ["uniform", "cohen", "scott"])


def items_of(ratings: dict[tuple[int, int], float]) -> ItemRatings:
    keys = np.array(sorted(ratings), dtype=np.int64).reshape(-1, 2)
    value = np.array([ratings[item, worker] for item, worker in keys.tolist()])
    return ItemRatings(value, keys[:, 0], keys[:, 1], keys[:, 0])


def by_pairs(
    ratings: dict[tuple[int, int], float], *, n_categories: int, weight: str, chance: str
) -> tuple[float, float]:
    """Agreement and kappa by going through all ordered pairs of workers of every item."""
    agreeing = total = 0.0
    shares = np.zeros(n_categories)
    for item in {item for item, _ in ratings}:
        known = {w: r for (i, w), r in ratings.items() if i == item and not np.isnan(r)}
        pairs = list(permutations(known.values(), 2))
        vote = 1.0 if weight == "pair" else 1.0 / max(len(pairs), 1)
        for first, second in pairs:
            a, b = (min(n_categories, int(r * n_categories // 100) + 1) for r in (first, second))
            agreeing += vote * (a == b)
            total += vote
            shares[a - 1] += vote
    if not total:
        return float("nan"), float("nan")
    by_chance = 1 / n_categories if chance == "uniform" else float(np.sum((shares / total) ** 2))
    observed = agreeing / total
    return observed, (observed - by_chance) / (1 - by_chance) if by_chance < 1 - 1e-9 else float("nan")


@weights
@chances
@given(ratings=ratings)
def test_kappa_agrees_with_a_loop_over_pairs(
    weight: str, chance: str, ratings: dict[tuple[int, int], float]
) -> None:
    options = AgreementOptions(weight=weight, chance=chance)
    cuts = rating_cuts(np.arange(101.0), scale=VAS, wanted=(5, 2))

    rows = inter_rows(items_of(ratings), scale="rating", cuts=cuts, options=options)

    for row, n in zip(rows, (5, 2), strict=False):
        observed, kappa = by_pairs(ratings, n_categories=n, weight=weight, chance=chance)
        assert row.agreement == pytest.approx(observed, abs=1e-12, nan_ok=True)
        assert row.value == pytest.approx(kappa, abs=1e-9, nan_ok=True)


@given(ratings=ratings)
def test_alpha_and_icc_are_those_of_the_known_ratings(ratings: dict[tuple[int, int], float]) -> None:
    alpha, icc = inter_rows(items_of(ratings), scale="rating", cuts=[], options=AgreementOptions())

    item = np.array(sorted(ratings), dtype=np.int64).reshape(-1, 2)[:, 0]
    value = np.array([ratings[key] for key in sorted(ratings)])
    assert alpha.value == pytest.approx(interval_alpha(value, item), abs=1e-12, nan_ok=True)
    assert icc.value == pytest.approx(one_way_icc(value, item), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_ratings_far_from_zero_lose_no_precision(origin: float) -> None:
    rng = np.random.default_rng(6)
    rated = np.argwhere(rng.random((60, N_WORKERS)) < 0.6).tolist()
    near = {(item, worker): float(rng.integers(0, 101)) for item, worker in rated}
    far = {key: origin + value for key, value in near.items()}

    found, expected = (
        [
            (row.value, row.lower, row.upper)
            for row in inter_rows(items_of(each), scale="rating", cuts=[], options=AgreementOptions())
        ]
        for each in (far, near)
    )

    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_items_with_a_vote_each_by_hand() -> None:
    # One item that three workers put in 1, 1, 2: 1 of 3 pairs agrees. One that two put in 2, 2: 1 of 1.
    ratings = {(0, 0): 10.0, (0, 1): 20.0, (0, 2): 90.0, (1, 0): 80.0, (1, 1): 90.0}
    cuts = rating_cuts(np.arange(101.0), scale=VAS, wanted=(2,))

    found = {
        weight: inter_rows(
            items_of(ratings), scale="rating", cuts=cuts, options=AgreementOptions(weight=weight)
        )[0]
        for weight in ("pair", "item")
    }

    assert found["pair"].agreement == pytest.approx(2 / 4)
    assert found["item"].agreement == pytest.approx((1 / 3 + 1) / 2)
    assert [row.n_pairs for row in found.values()] == [4, 4]


@weights
def test_very_many_ratings_are_counted_as_few_are(weight: str) -> None:
    # More ratings than are counted at once, by one item and by many.
    sizes = [3, 250_000, 1, *[2] * 120_000, 5]
    item = np.repeat(np.arange(len(sizes)), sizes)
    value = np.random.default_rng(5).integers(0, 101, len(item)).astype(np.float64)
    (cut,) = rating_cuts(value, scale=VAS, wanted=(2,))

    sums = inter_pair_sums(ItemRatings(value, item, item, item), cut, weight=weight)

    high = np.bincount(item, value >= 50)
    low, pairs = np.array(sizes) - high, np.array(sizes) * (np.array(sizes) - 1)
    vote = 1 / np.maximum(pairs, 1) if weight == "item" else np.ones(len(sizes))
    assert float(sums.agreeing) == pytest.approx(np.sum(vote * (high * (high - 1) + low * (low - 1))))
    assert float(sums.n_pairs) == pytest.approx(np.sum(vote * pairs))
    assert sums.first.tolist() == pytest.approx(
        [np.sum(vote * n * (np.array(sizes) - 1)) for n in (low, high)]
    )
