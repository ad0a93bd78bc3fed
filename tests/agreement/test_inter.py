"""Agreement of different workers against loops over all pairs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.agreement.cuts import rating_cuts
from steelyard.agreement.inter import inter_part
from steelyard.agreement.item_ratings import ItemRatings, inter_pair_sums, shared_and_single
from steelyard.agreement.options import AgreementOptions
from steelyard.agreement.resample import worker_counts
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
counts = st.lists(st.integers(0, 3), min_size=N_WORKERS, max_size=N_WORKERS)
weights = pytest.mark.parametrize("weight", ["pair", "item"])
chances = pytest.mark.parametrize("chance", ["uniform", "cohen", "scott"])


def items_of(ratings: dict[tuple[int, int], float]) -> ItemRatings:
    keys = np.array(sorted(ratings), dtype=np.int64).reshape(-1, 2)
    value = np.array([ratings[item, worker] for item, worker in keys.tolist()])
    return ItemRatings(value, keys[:, 0], keys[:, 1], N_WORKERS)


def by_pairs(
    ratings: dict[tuple[int, int], float], counts: list[int], *, n_categories: int, weight: str, chance: str
) -> tuple[float, float]:
    """Agreement and kappa by going through all ordered pairs of workers of every item."""
    agreeing = total = 0.0
    shares = np.zeros(n_categories)
    for item in {item for item, _ in ratings}:
        known = {w: r for (i, w), r in ratings.items() if i == item and not np.isnan(r)}
        pairs = [(counts[v] * counts[w], known[v], known[w]) for v, w in permutations(known, 2)]
        of_item = sum(n for n, _, _ in pairs)
        vote = 1.0 if weight == "pair" else 1.0 / max(of_item, 1)
        for n, first, second in pairs:
            a, b = (min(n_categories, int(r * n_categories // 100) + 1) for r in (first, second))
            agreeing += vote * n * (a == b)
            total += vote * n
            shares[a - 1] += vote * n
    if not total:
        return float("nan"), float("nan")
    by_chance = 1 / n_categories if chance == "uniform" else float(np.sum((shares / total) ** 2))
    observed = agreeing / total
    return observed, (observed - by_chance) / (1 - by_chance) if by_chance < 1 - 1e-9 else float("nan")


@weights
@chances
@given(ratings=ratings, counts=counts)
def test_kappa_agrees_with_a_loop_over_pairs_in_any_draw(
    weight: str, chance: str, ratings: dict[tuple[int, int], float], counts: list[int]
) -> None:
    options = AgreementOptions(categories=(4, 2), weight=weight, chance=chance)
    items = items_of(ratings)

    part = inter_part(
        items, scale="z", cuts=rating_cuts(np.arange(101.0), scale=VAS, wanted=(4, 2)), options=options
    )
    drawn = part.redraw()(np.array([[1] * N_WORKERS, counts], dtype=np.float64).T)

    for k, n_categories in enumerate((4, 2)):
        slowly = [
            by_pairs(ratings, c, n_categories=n_categories, weight=weight, chance=chance)
            for c in ([1] * N_WORKERS, counts)
        ]
        expected = [kappa for _, kappa in slowly]
        assert part.rows[k].agreement == pytest.approx(slowly[0][0], abs=1e-12, nan_ok=True)
        assert part.rows[k].value == pytest.approx(expected[0], abs=1e-9, nan_ok=True)
        np.testing.assert_allclose(drawn[k], expected, atol=1e-9)


@given(ratings=ratings, counts=counts)
def test_alpha_and_icc_of_a_draw_are_those_of_weighted_ratings(
    ratings: dict[tuple[int, int], float], counts: list[int]
) -> None:
    part = inter_part(items_of(ratings), scale="rating", cuts=[], options=AgreementOptions())

    drawn = part.redraw()(np.array(counts, dtype=np.float64)[:, None])[:, 0]

    item, worker = np.array(sorted(ratings), dtype=np.int64).reshape(-1, 2).T
    value = np.array([ratings[key] for key in sorted(ratings)])
    weight = np.array(counts)[worker]
    assert drawn[0] == pytest.approx(interval_alpha(value, item, weight=weight), abs=1e-9, nan_ok=True)
    assert drawn[1] == pytest.approx(one_way_icc(value, item, weight=weight), abs=1e-9, nan_ok=True)
    assert part.rows[0].value == pytest.approx(interval_alpha(value, item), abs=1e-12, nan_ok=True)
    assert part.rows[1].value == pytest.approx(one_way_icc(value, item), abs=1e-12, nan_ok=True)


@pytest.fixture(scope="module")
def many() -> dict[tuple[int, int], float]:
    """Ratings of more items than are taken at once, by none to six workers each."""
    rng = np.random.default_rng(6)
    rated = np.argwhere(rng.random((700, N_WORKERS)) < 0.4).tolist()
    return {(item, worker): float(rng.integers(0, 101)) for item, worker in rated}


@weights
@chances
def test_many_items_in_many_draws_agree_with_loops(
    weight: str, chance: str, many: dict[tuple[int, int], float]
) -> None:
    options = AgreementOptions(weight=weight, chance=chance)
    cuts = rating_cuts(np.arange(101.0), scale=VAS, wanted=(5, 2))
    counts = worker_counts(N_WORKERS, 3, np.random.default_rng(1))

    drawn = inter_part(items_of(many), scale="rating", cuts=cuts, options=options).redraw()(counts)

    expected = [
        [by_pairs(many, draw, n_categories=n, weight=weight, chance=chance)[1] for draw in counts.T.tolist()]
        for n in (5, 2)
    ]
    np.testing.assert_allclose(drawn[:2], expected, rtol=1e-9)


@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_many_items_far_from_zero_lose_no_precision(
    origin: float, many: dict[tuple[int, int], float]
) -> None:
    far = {key: origin + value for key, value in many.items()}
    counts = worker_counts(N_WORKERS, 5, np.random.default_rng(1))

    drawn = inter_part(items_of(far), scale="rating", cuts=[], options=AgreementOptions()).redraw()(counts)

    item, worker = np.array(list(many)).T
    value = np.array(list(many.values()))
    expected = [
        [measure(value, item, weight=draw[worker]) for draw in counts.T]
        for measure in (interval_alpha, one_way_icc)
    ]
    np.testing.assert_allclose(drawn, expected, rtol=1e-9)


def test_items_of_several_workers_are_numbered_anew() -> None:
    ratings = ItemRatings(
        np.array([1.0, 2.0, 3.0, 5.0, 6.0, 7.0]),
        np.array([0, 3, 3, 4, 8, 8]),
        np.array([0, 0, 1, 1, 0, 1]),
        n_workers=2,
    )

    shared, single = shared_and_single(ratings)

    assert (shared.value.tolist(), shared.item.tolist()) == ([2, 3, 6, 7], [0, 0, 1, 1])
    assert (shared.worker.tolist(), shared.n_items) == ([0, 1, 0, 1], 2)
    assert (single.value.tolist(), single.worker.tolist()) == ([1, 5], [0, 1])


def test_items_with_a_vote_each_by_hand() -> None:
    # One item that three workers put in 1, 1, 2: 1 of 3 pairs agrees. One that two put in 2, 2: 1 of 1.
    ratings = {(0, 0): 10.0, (0, 1): 20.0, (0, 2): 90.0, (1, 0): 80.0, (1, 1): 90.0}
    cuts = rating_cuts(np.arange(101.0), scale=VAS, wanted=(2,))

    found = {
        weight: inter_part(
            items_of(ratings), scale="rating", cuts=cuts, options=AgreementOptions(weight=weight)
        ).rows[0]
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

    sums = inter_pair_sums(ItemRatings(value, item, item, n_workers=len(sizes)), cut, weight=weight)

    high = np.bincount(item, value >= 50)
    low, pairs = np.array(sizes) - high, np.array(sizes) * (np.array(sizes) - 1)
    vote = 1 / np.maximum(pairs, 1) if weight == "item" else np.ones(len(sizes))
    assert float(sums.agreeing) == pytest.approx(np.sum(vote * (high * (high - 1) + low * (low - 1))))
    assert float(sums.n_pairs) == pytest.approx(np.sum(vote * pairs))
    assert sums.first.tolist() == pytest.approx(
        [np.sum(vote * n * (np.array(sizes) - 1)) for n in (low, high)]
    )
