"""Draws of systems and common items together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steelyard.domain.errors import NotEnoughData
from steelyard.longitudinal.link_draws import ItemScores, item_errors, score_draws
from steelyard.stats.bootstrap import CrossedRatings, system_scores, two_way_variance

DRAWS = 4000


def _ratings(
    seed: int, *, targets: int = 3, offset: float = 0.0, workers: int = 20, n: int = 600
) -> CrossedRatings:
    """Every rating of a worker is off by the same; workers, segments and systems mixed at random."""
    rng = np.random.default_rng(seed)
    worker, segment, target = rng.integers(workers, size=n), rng.integers(40, size=n), np.arange(n) % targets
    generous = np.random.default_rng(99).normal(0, offset, workers) if offset else np.zeros(workers)
    value = generous[worker] + rng.normal(0, 0.4, 40)[segment] + 0.3 * target + rng.normal(0, 0.8, n)
    return CrossedRatings(value, np.ones(n), worker, segment, target)


def _items(seed: int, *, offset: float = 0.0) -> CrossedRatings:
    ratings = _ratings(seed, targets=12, offset=offset, n=240)
    return replace(ratings, segment=ratings.system)


def test_systems_spread_as_their_two_way_variance_says() -> None:
    systems = _ratings(1, offset=0.5)

    drawn, _ = score_draws(systems, None, draws=DRAWS, rng=np.random.default_rng(2))

    assert drawn.mean(axis=0) == pytest.approx(system_scores(systems), abs=0.02)
    # A variance of 4,000 draws is known to 2.2 %.
    assert drawn.var(axis=0) == pytest.approx(two_way_variance(systems), rel=0.09)


def test_items_spread_as_their_judgements_do() -> None:
    items = _items(3)

    _, drawn = score_draws(_ratings(1), items, draws=DRAWS, rng=np.random.default_rng(2))

    # By hand for the first item, each worker's judgements together.
    here = items.system == 0
    off = (items.value[here] - items.value[here].mean()) / here.sum()
    sums = np.bincount(items.worker[here], off)
    n = len(np.unique(items.worker[here]))
    assert drawn[:, 0].var() == pytest.approx((sums**2).sum() * n / (n - 1), rel=0.09)


def test_what_one_worker_thinks_moves_systems_and_items_together() -> None:
    rng = np.random.default_rng(2)

    systems, items = score_draws(_ratings(1, offset=1.0), _items(3, offset=1.0), draws=DRAWS, rng=rng)

    assert np.corrcoef(systems.mean(axis=1), items.mean(axis=1))[0, 1] > 0.7


def test_generosity_that_all_items_share_is_no_error_between_them() -> None:
    # Everybody judges everything once, so only the noise is left.
    rng = np.random.default_rng(4)
    worker, item = np.repeat(np.arange(50), 10), np.tile(np.arange(10), 50)
    noise = rng.normal(0, 0.8, 500)
    value = 3 * rng.normal(0, 1, 50)[worker] + rng.normal(0, 1, 10)[item] + noise

    found = item_errors(CrossedRatings(value, np.ones(500), worker, item, item))

    assert found == pytest.approx(np.full(10, 0.8 / np.sqrt(50)), rel=0.1)


def test_an_item_that_many_judged_errs_less() -> None:
    rng = np.random.default_rng(5)
    item = np.concatenate([np.repeat(np.arange(10), 4), np.repeat(np.arange(10, 20), 16)])
    worker = np.arange(len(item))

    found = item_errors(CrossedRatings(rng.normal(0, 1, 200), np.ones(200), worker, item, item))

    assert found[:10] == pytest.approx(2 * found[10:])
    assert found[0] == pytest.approx(0.5, rel=0.2)


def test_an_item_judged_once_errs_as_judgements_of_the_others_do() -> None:
    rng = np.random.default_rng(6)
    item = np.concatenate([np.repeat(np.arange(20), 10), [20]])
    items = CrossedRatings(rng.normal(0, 0.5, 201), np.ones(201), np.arange(201), item, item)
    systems = replace(items, system=np.zeros(201, dtype=np.int64))

    _, drawn = score_draws(systems, items, draws=DRAWS, rng=rng)

    assert drawn[:, 20].std() == pytest.approx(0.5, rel=0.15)


def test_items_that_one_worker_each_judged_are_refused() -> None:
    alone = CrossedRatings(np.arange(4.0), np.ones(4), np.arange(4), np.arange(4), np.arange(4))

    with pytest.raises(NotEnoughData, match="No common item was judged by two workers"):
        item_errors(alone)


def test_some_items_can_be_asked_for_in_any_order() -> None:
    scores = ItemScores(("a", "b", "c"), np.arange(3.0), np.arange(3.0) + 10, np.arange(6.0).reshape(2, 3))

    found = scores.of(("c", "a"))

    assert found.names == ("c", "a")
    assert found.score.tolist() == [2.0, 0.0]
    assert found.sd.tolist() == [12.0, 10.0]
    assert found.draws.tolist() == [[2.0, 0.0], [5.0, 3.0]]
