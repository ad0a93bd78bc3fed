from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats import bootstrap
from steelyard.stats.bootstrap import (
    CrossedRatings,
    bootstrap_p,
    rank_probabilities,
    system_scores,
    two_way_bootstrap,
    two_way_variance,
    weighted_scores,
)


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


def _slow_scores(
    ratings: CrossedRatings, worker_weight: np.ndarray, segment_weight: np.ndarray
) -> np.ndarray:
    """Rating by rating and draw by draw."""
    n_systems, n_draws = int(ratings.system.max()) + 1, worker_weight.shape[1]
    scores = np.full((n_draws, n_systems), np.nan)
    for draw in range(n_draws):
        top, bottom = np.zeros(n_systems), np.zeros(n_systems)
        for value, weight, worker, segment, system in zip(
            ratings.value, ratings.weight, ratings.worker, ratings.segment, ratings.system, strict=True
        ):
            times = weight * worker_weight[worker, draw] * segment_weight[segment, draw]
            top[system] += times * value
            bottom[system] += times
        np.divide(top, bottom, out=scores[draw], where=bottom > 0)
    return scores


@st.composite
def _any_crowd(draw: st.DrawFn) -> tuple[CrossedRatings, np.ndarray, np.ndarray]:
    """Small crossed ratings with gaps, repeats, constants, empty systems; and weights with many zeros."""
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_workers, n_segments, n_systems = (draw(st.integers(1, 8)) for _ in range(3))
    # Above 0, so that a sum of them is as exact as each of them.
    value = rng.choice([rng.uniform(0.1, 100, n), rng.integers(1, 4, n).astype(np.float64), np.full(n, 0.3)])
    ratings = CrossedRatings(
        value,
        rng.choice([1.0, 0.5, 1 / 3], n),
        rng.integers(n_workers, size=n),
        rng.integers(n_segments, size=n),
        rng.integers(n_systems, size=n),
    )
    return ratings, *(rng.integers(0, 3, (size, 4)).astype(np.float64) for size in (n_workers, n_segments))


@given(_any_crowd())
def test_scores_equal_a_slow_loop_with_the_same_weights(
    crowd: tuple[CrossedRatings, np.ndarray, np.ndarray],
) -> None:
    ratings, worker_weight, segment_weight = crowd

    scores = weighted_scores(ratings, worker_weight=worker_weight, segment_weight=segment_weight)

    np.testing.assert_allclose(scores, _slow_scores(*crowd), rtol=1e-12)


def test_weights_of_one_give_the_scores_themselves() -> None:
    ratings = _crowd(np.random.default_rng(4), n_workers=7, n_segments=10)

    scores = weighted_scores(ratings, worker_weight=np.ones((7, 1)), segment_weight=np.ones((10, 1)))

    np.testing.assert_allclose(scores[0], system_scores(ratings), rtol=1e-12)


def test_workers_and_segments_play_the_same_part() -> None:
    rng = np.random.default_rng(12)
    ratings = _crowd(rng, n_workers=7, n_segments=10)
    swapped = CrossedRatings(ratings.value, ratings.weight, ratings.segment, ratings.worker, ratings.system)
    of_workers, of_segments = rng.integers(0, 3, (7, 6)) * 1.0, rng.integers(0, 3, (10, 6)) * 1.0

    scores = weighted_scores(ratings, worker_weight=of_workers, segment_weight=of_segments)

    expected = weighted_scores(swapped, worker_weight=of_segments, segment_weight=of_workers)
    np.testing.assert_allclose(scores, expected, rtol=1e-11)


def test_a_system_nobody_judged_has_no_score_variance_or_draws() -> None:
    ratings = _crowd(np.random.default_rng(4), n_segments=20)
    without = CrossedRatings(
        ratings.value, ratings.weight, ratings.worker, ratings.segment, np.array([0, 1, 3])[ratings.system]
    )

    drawn = two_way_bootstrap(without, draws=10, rng=np.random.default_rng(0))

    assert np.isnan(system_scores(without)).tolist() == [False, False, True, False]
    assert np.isnan(two_way_variance(without)).tolist() == [False, False, True, False]
    assert np.isnan(drawn).all(axis=0).tolist() == [False, False, True, False]


def test_a_system_with_equal_values_has_equal_draws() -> None:
    ratings = _crowd(np.random.default_rng(4), n_segments=50)
    constant = np.where(ratings.system == 1, 0.1, ratings.value)

    drawn = two_way_bootstrap(
        CrossedRatings(constant, ratings.weight, ratings.worker, ratings.segment, ratings.system),
        draws=200,
        rng=np.random.default_rng(0),
    )

    np.testing.assert_allclose(drawn[:, 1], 0.1, rtol=1e-12)


@pytest.mark.parametrize("draws", [1, 199, 200, 201, 450])
def test_as_many_draws_are_made_as_asked_for(draws: int) -> None:
    drawn = two_way_bootstrap(
        _crowd(np.random.default_rng(2), n_segments=20), draws=draws, rng=np.random.default_rng(6)
    )

    assert drawn.shape == (draws, 3)
    assert len(np.unique(drawn[:, 0])) == draws


def test_each_draw_takes_as_many_as_there_are() -> None:
    weights = np.empty((13, 50))

    bootstrap._draw_weights(weights, np.random.default_rng(0))

    assert (weights.sum(axis=0) == 13).all()


def test_how_often_one_is_taken_is_binomial() -> None:
    weights = np.empty((4, 20_000))

    bootstrap._draw_weights(weights, np.random.default_rng(0))

    # Four takes, each with probability 1/4: C(4, k) 3^(4 - k) / 4^4. Standard error below 0.0035.
    share = np.array([np.mean(weights == k) for k in range(5)])
    np.testing.assert_allclose(share, np.array([81, 108, 54, 12, 1]) / 256, atol=0.01)


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


def test_draws_of_first_order_go_together_as_the_full_ones_do() -> None:
    # Enough ratings that the denominators hardly vary: 40 per worker and 90 per segment.
    rng = np.random.default_rng(21)
    n = 18_000
    worker, segment, system = rng.integers(450, size=n), rng.integers(200, size=n), rng.integers(3, size=n)
    value = rng.normal(0, 1, 450)[worker] + rng.normal(0, 1, 200)[segment] + rng.normal(0, 1, n)
    ratings = CrossedRatings(value, np.ones(n), worker, segment, system)

    full = two_way_bootstrap(ratings, draws=4000, rng=np.random.default_rng(1))
    first_order = bootstrap._first_order_draws(ratings, draws=4000, rng=np.random.default_rng(2))

    # The product of weights counts the noise of single ratings up to three times, first order once each
    # for worker and segment; both are brought to one variance afterwards. Standard error of a
    # correlation of 4,000 draws at most 0.016.
    np.testing.assert_allclose(np.corrcoef(full.T), np.corrcoef(first_order.T), atol=0.07)
    spread = bootstrap._with_variance(
        first_order, scores=system_scores(ratings), variance=two_way_variance(ratings)
    )
    ends = [np.quantile(drawn, [0.025, 0.975], axis=0) for drawn in (full, spread)]
    np.testing.assert_allclose(ends[0], ends[1], atol=0.1 * np.ptp(ends[0], axis=0).max())


def test_first_order_moves_scores_by_the_shares_of_those_drawn() -> None:
    # One system, two workers with one rating each on two segments: influences (1 - 2) / 2 and (3 - 2) / 2.
    pair = np.array([0, 1])
    ratings = CrossedRatings(np.array([1.0, 3.0]), np.ones(2), pair, pair, np.zeros(2, int))

    drawn = bootstrap._first_order_draws(ratings, draws=500, rng=np.random.default_rng(3))

    # A worker drawn twice, the other not at all: 2 - 1 or 2 + 1; the same for segments: 0 to 4 in all.
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    # Each side is -1, 0, 1 with probabilities 1/4, 1/2, 1/4: sums with 1/16, 4/16, 6/16, 4/16, 1/16.
    np.testing.assert_allclose(counts / 500, np.array([1, 4, 6, 4, 1]) / 16, atol=0.07)


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


def _draws(rng: np.random.Generator, *, n_draws: int = 60, n_systems: int = 5) -> np.ndarray:
    """Draws with many equal scores and a few absent ones."""
    draws = rng.integers(0, 4, (n_draws, n_systems)).astype(np.float64)
    draws[rng.random(draws.shape) < 0.05] = np.nan
    return draws


def test_rank_probabilities_by_hand() -> None:
    draws = np.array([[5.0, 3.0, 1.0], [1.0, 3.0, 5.0], [4.0, 4.0, 4.0], [2.0, 9.0, 2.0], [np.nan, 1.0, 2.0]])

    probabilities = rank_probabilities(draws)

    # Four draws count. Ranks of the first system: 1; 3; a third of each; half of 2 and of 3.
    third = 1 / 3
    expected = np.array([[1 + third, third + 0.5, 1 + third + 0.5], [third + 1, 2 + third, third]]) / 4
    np.testing.assert_allclose(probabilities[:2], expected, rtol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_rank_probabilities_equal_the_mean_over_all_ways_to_break_ties(seed: int) -> None:
    draws = _draws(np.random.default_rng(seed), n_systems=4)

    probabilities = rank_probabilities(draws)

    expected = np.zeros((4, 4))
    complete = draws[~np.isnan(draws).any(axis=1)]
    orders = list(permutations(range(4)))
    for draw in complete:
        fitting = [order for order in orders if (np.diff(draw[list(order)]) <= 0).all()]
        for order in fitting:
            expected[list(order), range(4)] += 1 / len(fitting) / len(complete)
    np.testing.assert_allclose(probabilities, expected, atol=1e-12)


@given(st.integers(0, 2**32), st.integers(1, 7))
def test_every_system_has_a_rank_and_every_rank_a_system(seed: int, n_systems: int) -> None:
    rng = np.random.default_rng(seed)

    probabilities = rank_probabilities(rng.integers(0, 5, (20, n_systems)).astype(np.float64))

    np.testing.assert_allclose(probabilities.sum(axis=0), 1)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_without_a_complete_draw_no_rank_is_known() -> None:
    assert np.isnan(rank_probabilities(np.array([[1.0, np.nan], [np.nan, 2.0]]))).all()


@pytest.mark.parametrize("seed", range(5))
def test_bootstrap_p_equals_counting(seed: int) -> None:
    draws = _draws(np.random.default_rng(seed))

    p_values = bootstrap_p(draws)

    expected = np.full((5, 5), np.nan)
    for i, j in permutations(range(5), 2):
        pairs = [(a, b) for a, b in draws[:, [i, j]] if not np.isnan(a + b)]
        expected[i, j] = (1 + sum(a <= b for a, b in pairs)) / (1 + len(pairs))
    np.testing.assert_allclose(p_values, expected, rtol=1e-14)


def test_a_pair_never_drawn_together_stays_unknown() -> None:
    draws = np.array([[1.0, np.nan, 0.0], [np.nan, 2.0, 0.0]])

    values = bootstrap_p(draws)

    assert np.isnan(values).tolist() == [[True, True, False], [True, True, False], [False, False, True]]


def test_bootstrap_p_agrees_with_the_normal_tail_of_a_difference() -> None:
    rng = np.random.default_rng(5)

    p_values = bootstrap_p(rng.normal([0.2, 0.0], [0.06, 0.08], (40_000, 2)))

    # The difference is normal, mean 0.2, sd 0.1: two deviations, 0.02275; standard error 0.0008.
    assert p_values[0, 1] == pytest.approx(0.02275, abs=0.003)
