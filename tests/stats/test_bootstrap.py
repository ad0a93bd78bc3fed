from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats import bootstrap
from steelyard.stats.bootstrap import CrossedRatings, system_scores, two_way_bootstrap, two_way_variance


def _crowd(
    rng: np.random.Generator, *, n_workers: int = 30, n_segments: int = 200, worker_sd: float = 0.0
) -> CrossedRatings:
    """Three systems of true score 0; every translation judged once by a random worker."""
    n = 3 * n_segments
    system, segment = np.divmod(np.arange(n), n_segments)
    worker = rng.permutation(np.arange(n) % n_workers)
    taste = rng.normal(0, worker_sd, (n_workers, 3))
    difficulty = rng.normal(0, 0.5, n_segments)
    value = taste[worker, system] + difficulty[segment] + rng.normal(0, 1, n)
    return CrossedRatings(value, np.ones(n), worker, segment, system)


def test_scores_are_weighted_means() -> None:
    system = np.array([0, 0, 0, 1])
    ratings = CrossedRatings(
        np.array([1.0, 3.0, 8.0, 5.0]),
        np.array([0.5, 0.5, 1.0, 1.0]),
        np.zeros(4, int),
        np.array([0, 0, 1, 0]),
        system,
    )

    # Segment means 2 and 8, so 5; the other system has one rating.
    assert system_scores(ratings).tolist() == [5.0, 5.0]


def test_draws_equal_a_slow_loop_with_the_same_weights() -> None:
    rng = np.random.default_rng(4)
    ratings = _crowd(rng, n_workers=7, n_segments=10)
    worker_weight = bootstrap._multinomial_weights(7, 5, rng)
    segment_weight = bootstrap._multinomial_weights(10, 5, rng)

    drawn = bootstrap._CellSums(ratings).scores(worker_weight, segment_weight)

    expected = np.zeros((5, 3))
    for draw in range(5):
        top, bottom = np.zeros(3), np.zeros(3)
        for value, weight, worker, segment, system in zip(
            ratings.value, ratings.weight, ratings.worker, ratings.segment, ratings.system, strict=True
        ):
            times = weight * worker_weight[worker, draw] * segment_weight[segment, draw]
            top[system] += times * value
            bottom[system] += times
        expected[draw] = np.divide(top, bottom, out=np.full(3, np.nan), where=bottom > 0)
    np.testing.assert_allclose(drawn, expected, rtol=1e-12)


def test_each_draw_takes_as_many_as_there_are() -> None:
    weights = bootstrap._multinomial_weights(13, 50, np.random.default_rng(0))

    assert (weights.sum(axis=0) == 13).all()
    assert weights.var() == pytest.approx(1 - 1 / 13, abs=0.15)


def test_variance_of_independent_ratings_is_that_of_a_mean() -> None:
    rng = np.random.default_rng(3)
    n = 400
    ratings = CrossedRatings(rng.normal(size=n), np.ones(n), np.arange(n), np.arange(n), np.zeros(n, int))

    variance = two_way_variance(ratings)

    # Every rating has its own worker and segment: both clusterings are the plain variance of a mean.
    assert variance[0] == pytest.approx(ratings.value.var(ddof=1) / n)


def test_draws_spread_as_the_variance_says() -> None:
    ratings = _crowd(np.random.default_rng(8), worker_sd=0.3)

    drawn = two_way_bootstrap(ratings, draws=800, rng=np.random.default_rng(1))

    spread = np.mean((drawn - system_scores(ratings)) ** 2, axis=0)
    np.testing.assert_allclose(spread, two_way_variance(ratings))


def test_a_system_without_weight_in_a_draw_is_unknown_there() -> None:
    two = np.array([0, 1])
    ratings = CrossedRatings(np.array([1.0, 2.0]), np.ones(2), two, two, two)

    drawn = two_way_bootstrap(ratings, draws=100, rng=np.random.default_rng(1))

    assert np.isnan(drawn).any()
    assert set(drawn[~np.isnan(drawn[:, 0]), 0]) == {1.0}


def test_the_same_seed_gives_the_same_draws() -> None:
    ratings = _crowd(np.random.default_rng(2), n_segments=20)

    first, second = (two_way_bootstrap(ratings, draws=20, rng=np.random.default_rng(6)) for _ in range(2))

    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("worker_sd", [0.0, 0.3], ids=["workers alike", "workers with tastes"])
def test_intervals_of_95_percent_cover_95_percent(worker_sd: float) -> None:
    rng = np.random.default_rng(21)
    covered = []

    for _ in range(150):
        drawn = two_way_bootstrap(_crowd(rng, worker_sd=worker_sd), draws=300, rng=rng)
        lower, upper = np.quantile(drawn, [0.025, 0.975], axis=0)
        covered.extend((lower <= 0) & (upper >= 0))

    # 450 intervals, three to a campaign: four standard errors are about 0.05.
    assert np.mean(covered) == pytest.approx(0.95, abs=0.04)
