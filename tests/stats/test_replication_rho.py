"""The interval of the reliability of one rating: by hand, by known theory, and by its coverage."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.intraclass import one_way_icc
from steelyard.stats.replication_rho import RatedItems, Rho, rho_with_interval
from steelyard.stats.standardise import standardise_by_worker

Ratings = tuple[FloatArray, IntArray, IntArray]


def _crossed(rng: np.random.Generator, *, n_items: int, n_workers: int, spread: float = 0.0) -> Ratings:
    """z of workers who all rate every item, with a noise of 1.2 deviations that differs by `spread`."""
    item, worker = (grid.ravel() for grid in np.indices((n_items, n_workers)))
    quality = rng.normal(size=n_items)
    noise = 1.2 * np.exp(rng.normal(0, spread, n_workers))
    rating = quality[item] + noise[worker] * rng.normal(size=len(item))
    return standardise_by_worker(rating, worker), item, worker


def _rho(ratings: Ratings, *, draws: int = 100, seed: int = 1) -> Rho:
    # Every item is a document of its own.
    rated = RatedItems(*ratings, np.arange(int(ratings[1].max()) + 1))
    return rho_with_interval(rated, draws=draws, rng=np.random.default_rng(seed))


def test_the_value_is_the_intraclass_correlation() -> None:
    ratings = _crossed(np.random.default_rng(2), n_items=30, n_workers=5)

    assert _rho(ratings).value == one_way_icc(ratings[0], ratings[1])


def test_the_interval_is_symmetric_where_estimates_spread_alike() -> None:
    k = 5
    found = _rho(_crossed(np.random.default_rng(2), n_items=30, n_workers=k))

    low, middle, high = (math.log((1 + (k - 1) * rho) / (1 - rho)) for rho in sorted(found))
    assert sorted(found) == [found.lower, found.value, found.upper]
    assert middle - low == pytest.approx(high - middle)


def test_the_interval_is_as_wide_as_normal_theory_says_where_workers_are_alike() -> None:
    n, k = 300, 8
    found = _rho(_crossed(np.random.default_rng(4), n_items=n, n_workers=k), draws=300)

    # The large-sample variance of ICC(1) for n units with k ratings each.
    rho = found.value
    variance = 2 * (1 - rho) ** 2 * (1 + (k - 1) * rho) ** 2 / (k * (k - 1) * (n - 1))
    assert (found.upper - found.lower) / 2 == pytest.approx(1.96 * math.sqrt(variance), rel=0.25)


def test_the_interval_covers_the_truth_where_workers_differ_in_care() -> None:
    rng = np.random.default_rng(6)
    shape = {"n_items": 50, "n_workers": 12, "spread": 0.4}
    truth = np.mean([one_way_icc(*_crossed(rng, **shape)[:2]) for _ in range(200)])

    found = [_rho(_crossed(rng, **shape), draws=40, seed=k) for k in range(40)]

    # 95 % of 40 is 38, with a deviation of 1.4: four of them. Draws of items alone would cover about 30.
    assert sum(rho.lower <= truth <= rho.upper for rho in found) >= 33


def test_copies_of_items_in_one_document_make_nothing_surer() -> None:
    value, item, worker = _crossed(np.random.default_rng(3), n_items=24, n_workers=12)
    copies = RatedItems(
        np.tile(value, 4),
        np.concatenate([item + 24 * k for k in range(4)]),
        np.concatenate([worker + 12 * k for k in range(4)]),
        np.tile(np.arange(24), 4),
    )
    as_items = replace(copies, document=np.arange(96))

    once = _rho((value, item, worker), draws=200)
    found, alone = (
        rho_with_interval(rated, draws=200, rng=np.random.default_rng(1)) for rated in (copies, as_items)
    )

    assert found.value == pytest.approx(once.value, abs=0.02)
    # Four times the items would have half the error; their documents are as many as before.
    assert alone.upper - alone.lower < 0.75 * (found.upper - found.lower)


def test_a_single_document_leaves_items_on_their_own() -> None:
    ratings = _crossed(np.random.default_rng(2), n_items=30, n_workers=5)
    single = RatedItems(*ratings, np.zeros(30, dtype=np.int64))

    assert rho_with_interval(single, draws=50, rng=np.random.default_rng(1)) == _rho(ratings, draws=50)


def test_ratings_without_agreement_have_an_interval_around_nothing() -> None:
    rng = np.random.default_rng(8)
    item, worker = (grid.ravel() for grid in np.indices((50, 4)))

    found = _rho((rng.normal(size=200), item, worker))

    # No agreement is no reliability; normal theory has a deviation of sqrt(2 / (4 * 3 * 49)) = 0.06.
    assert found.lower < 0 < found.upper
    assert 0.1 < found.upper - found.lower < 0.4


def test_the_seed_decides() -> None:
    ratings = _crossed(np.random.default_rng(2), n_items=30, n_workers=5)

    assert _rho(ratings, seed=1) == _rho(ratings, seed=1) != _rho(ratings, seed=2)


def test_single_ratings_have_no_reliability() -> None:
    found = _rho((np.array([1.0, 2.0, 3.0]), np.arange(3), np.arange(3)))

    assert all(math.isnan(part) for part in found)


def test_two_alike_workers_are_perfectly_reliable() -> None:
    value = np.repeat(np.arange(20.0), 2)

    found = _rho((value, np.repeat(np.arange(20), 2), np.tile([0, 1], 20)))

    assert found.value == pytest.approx(1.0)
