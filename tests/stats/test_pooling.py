"""Means and deviations of workers with few ratings, drawn towards everyone's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import polygamma

from steelyard.stats.pooling import pooled_deviation, pooled_mean, rating_units, spread_between
from steelyard.stats.standardise import WorkerMoments, standardise_by_worker, worker_moments


def _crowd(
    n_workers: int, n_each: int, *, mean_sd: float, sd_spread: float, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ratings, workers, and each worker's true mean and deviation."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(50, mean_sd, n_workers)
    deviation = 10 * np.exp(rng.normal(0, sd_spread, n_workers))
    worker = np.repeat(np.arange(n_workers), n_each)
    return rng.normal(mean[worker], deviation[worker]), worker, mean, deviation


def test_values_that_scatter_as_their_errors_do_measure_one_thing() -> None:
    assert spread_between(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0])) == (2.0, 0.0)


def test_the_variance_between_makes_values_scatter_as_they_should() -> None:
    rng = np.random.default_rng(0)
    value, error = rng.normal(0, 3, 20), rng.uniform(0.5, 4, 20)

    mean, variance = spread_between(value, error)

    # An independent way to the same root.
    def excess(size: float) -> float:
        weight = 1 / (size + error)
        return float((weight * (value - np.average(value, weights=weight)) ** 2).sum()) - 19

    assert variance == pytest.approx(brentq(excess, 0, 100))
    assert mean == pytest.approx(np.average(value, weights=1 / (variance + error)))


def test_deviations_that_differ_by_chance_only_are_the_same_for_all() -> None:
    # Variances of 1, 1 and 1 by two, three and five ratings.
    moments = WorkerMoments(np.array([2, 3, 5]), np.zeros(3), np.ones(3))

    pooled = pooled_deviation(moments)

    assert np.ptp(pooled) == 0


def test_a_crowds_prior_is_found_from_its_variances() -> None:
    # Variances from an inverse-gamma distribution worth 6 ratings around 4, as the model has it.
    rng = np.random.default_rng(1)
    prior, usual, n_each = 6.0, 4.0, 40
    variance = prior * usual / rng.chisquare(prior, 4_000)
    sample = variance * rng.chisquare(n_each - 1, 4_000) / (n_each - 1)

    pooled = pooled_deviation(WorkerMoments(np.full(4_000, n_each), np.zeros(4_000), np.sqrt(sample)))

    drawn = (prior * usual + (n_each - 1) * sample) / (prior + n_each - 1)
    np.testing.assert_allclose(pooled**2, drawn, rtol=0.05)
    # Of the prior's weight the trigamma function is the inverse.
    assert np.var(np.log(variance)) == pytest.approx(float(polygamma(1, prior / 2)), rel=0.1)


@pytest.mark.parametrize(("mean_sd", "sd_spread"), [(2, 0.1), (15, 0.5)])
def test_drawn_means_and_deviations_are_closer_to_the_truth(mean_sd: float, sd_spread: float) -> None:
    rating, worker, mean, deviation = _crowd(300, 4, mean_sd=mean_sd, sd_spread=sd_spread, seed=2)
    moments = worker_moments(rating, worker)

    pooled = pooled_deviation(moments)
    drawn = pooled_mean(moments, pooled)[0]

    assert np.mean((drawn - mean) ** 2) < np.mean((moments.mean - mean) ** 2)
    own_error, error = (np.log(sd / deviation) for sd in (moments.sd, pooled))
    assert np.mean(error**2) < np.mean(own_error**2)


def test_with_many_ratings_units_are_the_workers_own() -> None:
    rating, worker, _, _ = _crowd(20, 2_000, mean_sd=15, sd_spread=0.5, seed=3)
    units = rating_units(worker_moments(rating, worker))

    z = (rating - units.centre[worker]) / units.deviation[worker]

    np.testing.assert_allclose(z, standardise_by_worker(rating, worker), atol=0.03)


def test_a_rating_is_the_mean_of_two_views_of_its_worker() -> None:
    rating, worker, _, _ = _crowd(30, 3, mean_sd=15, sd_spread=0.5, seed=4)
    moments = worker_moments(rating, worker)
    units = rating_units(moments)

    z = (rating - units.centre[worker]) / units.deviation[worker]

    pooled = pooled_deviation(moments)
    together = (rating - pooled_mean(moments, pooled)[0][worker]) / pooled[worker]
    np.testing.assert_allclose(z, (standardise_by_worker(rating, worker) + together) / 2)


def test_who_always_gives_the_same_rating_comes_to_nought_the_more_there_are() -> None:
    rating, worker, _, _ = _crowd(30, 10, mean_sd=15, sd_spread=0.3, seed=5)

    def value(n: int) -> float:
        moments = worker_moments(np.append(rating, np.full(n, 90.0)), np.append(worker, np.full(n, 30)))
        units = rating_units(moments)
        return float((90 - units.centre[30]) / units.deviation[30])

    values = [value(n) for n in (1, 2, 5, 20, 100)]
    assert values == sorted(values, reverse=True)
    # A single rating, 40 points above everyone's mean, keeps something; a hundred of them nothing.
    assert values[0] > 0.3
    assert 0 <= values[-1] < 0.02


def test_one_worker_alone_is_the_crowd() -> None:
    units = rating_units(worker_moments(np.array([10.0, 30.0]), np.array([0, 0])))

    assert units.centre.tolist() == [20]
    np.testing.assert_allclose(units.deviation, np.std([10, 30], ddof=1))


def test_a_crowd_that_never_varies_has_no_units() -> None:
    units = rating_units(worker_moments(np.array([10.0, 10.0, 30.0]), np.array([0, 0, 1])))

    assert np.isnan(units.deviation).all()


def test_stretching_and_shifting_all_ratings_changes_no_value() -> None:
    rating, worker, _, _ = _crowd(10, 3, mean_sd=15, sd_spread=0.5, seed=6)
    units = rating_units(worker_moments(rating, worker))
    other = rating_units(worker_moments(0.01 * rating + 7, worker))

    np.testing.assert_allclose(other.centre, 0.01 * units.centre + 7)
    np.testing.assert_allclose(other.deviation, 0.01 * units.deviation)
