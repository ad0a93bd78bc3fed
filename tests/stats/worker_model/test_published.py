from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.worker_model.problem import Normal, Posterior, WorkerRatings
from steelyard.stats.worker_model.published import NotConverged, PublishedPriors, mean_field

# Two workers, three items, every rating given: the example used throughout.
THREE_ITEMS = WorkerRatings(
    item=np.array([0, 1, 2, 0, 1, 2]),
    worker=np.array([0, 0, 0, 1, 1, 1]),
    value=np.array([1.0, -0.5, -1.2, 0.6, 0.4, -0.2]),
    n_items=3,
    n_workers=2,
)


def _campaign(seed: int, *, n: int = 400, n_items: int = 60, n_workers: int = 9) -> WorkerRatings:
    rng = np.random.default_rng(seed)
    item, worker = rng.integers(n_items, size=n), rng.integers(n_workers, size=n)
    quality, offset = rng.normal(size=n_items), rng.normal(0, 0.7, n_workers)
    noise = rng.normal(size=n) / np.sqrt(rng.gamma(2, 1, n_workers))[worker]
    return WorkerRatings(item, worker, quality[item] + offset[worker] + noise, n_items, n_workers)


def _one_by_one(ratings: WorkerRatings, priors: PublishedPriors) -> dict[str, np.ndarray]:
    """The update equations as they are written down, one unknown after the other, a thousand times."""
    item, worker, value = ratings.item, ratings.worker, ratings.value
    kappa = priors.of_items(ratings.n_items)
    mu, beta = np.zeros(ratings.n_items), np.zeros(ratings.n_workers)
    tau = np.full(ratings.n_workers, priors.shape / priors.rate)
    for _ in range(1000):
        precision = kappa.sd**-2 + np.bincount(item, tau[worker], len(mu))
        pull = np.bincount(item, tau[worker] * (value - beta[worker]), len(mu))
        mu = (kappa.mean * kappa.sd**-2 + pull) / precision
        n = np.bincount(worker, minlength=len(beta))
        beta_precision = priors.offset_sd**-2 + n * tau
        beta = tau * np.bincount(worker, value - mu[item], len(beta)) / beta_precision
        squares = (value - mu[item] - beta[worker]) ** 2 + 1 / precision[item] + 1 / beta_precision[worker]
        tau = (priors.shape + n / 2) / (priors.rate + np.bincount(worker, squares, len(beta)) / 2)
    return {"mu": mu, "mu_sd": precision**-0.5, "beta": beta, "tau": tau}


def test_the_example_gives_the_specified_numbers() -> None:
    found = mean_field(THREE_ITEMS, PublishedPriors())

    np.testing.assert_allclose(found.quality.mean, [0.6094, -0.0332, -0.5548], atol=5e-5)
    np.testing.assert_allclose(found.quality.sd, 0.4385, atol=5e-5)


@pytest.mark.parametrize(
    "priors",
    [
        PublishedPriors(),
        PublishedPriors(offset_sd=0.5, shape=3.0, rate=2.0),
        PublishedPriors(quality=Normal(np.linspace(-1, 1, 60), np.full(60, 0.5))),
    ],
)
def test_the_equations_one_by_one_end_at_the_same_place(priors: PublishedPriors) -> None:
    ratings = _campaign(0)

    found, slow = mean_field(ratings, priors), _one_by_one(ratings, priors)

    np.testing.assert_allclose(found.quality.mean, slow["mu"], atol=1e-6)
    np.testing.assert_allclose(found.quality.sd, slow["mu_sd"], atol=1e-6)
    np.testing.assert_allclose(found.offset.mean, slow["beta"], atol=1e-6)
    np.testing.assert_allclose(found.precision.mean, slow["tau"], rtol=1e-6)


def test_slopes_are_all_one() -> None:
    found = mean_field(THREE_ITEMS, PublishedPriors())

    np.testing.assert_array_equal(found.slope.mean, [1, 1])
    np.testing.assert_array_equal(found.slope.sd, [0, 0])


def test_items_and_workers_without_ratings_keep_their_priors() -> None:
    lonely = WorkerRatings(np.array([0]), np.array([0]), np.array([0.3]), n_items=2, n_workers=2)

    found = mean_field(lonely, PublishedPriors(offset_sd=0.7))

    assert (found.quality.mean[1], found.quality.sd[1]) == pytest.approx((0, 1))
    assert (found.offset.mean[1], found.offset.sd[1]) == pytest.approx((0, 0.7))
    assert (found.precision.shape[1], found.precision.rate[1]) == pytest.approx((2, 1))


def test_the_order_of_rows_is_of_no_consequence() -> None:
    ratings = _campaign(1)
    rows = np.random.default_rng(2).permutation(len(ratings.item))
    shuffled = WorkerRatings(ratings.item[rows], ratings.worker[rows], ratings.value[rows], 60, 9)

    before, after = (mean_field(given, PublishedPriors()) for given in (ratings, shuffled))

    np.testing.assert_array_equal(before.quality.mean, after.quality.mean)


def test_the_ratings_are_not_touched() -> None:
    ratings = _campaign(2)
    copies = [part.copy() for part in (ratings.item, ratings.worker, ratings.value)]

    mean_field(ratings, PublishedPriors())

    for part, copy in zip((ratings.item, ratings.worker, ratings.value), copies, strict=True):
        np.testing.assert_array_equal(part, copy)


def test_too_few_sweeps_are_an_error_that_says_how_many() -> None:
    with pytest.raises(NotConverged, match="after 2 sweeps") as raised:
        mean_field(_campaign(3), PublishedPriors(), most_sweeps=2)

    assert raised.value.sweeps == 2
    assert raised.value.change > 1e-8


def test_a_worker_who_contradicts_the_others_weighs_less() -> None:
    rng = np.random.default_rng(4)
    quality = rng.normal(size=80)
    agreed = np.concatenate([quality + rng.normal(0, 0.4, 80) for _ in range(3)])
    values = np.concatenate([agreed, rng.permutation(quality)])
    ratings = WorkerRatings(np.tile(np.arange(80), 4), np.repeat(np.arange(4), 80), values, 80, 4)

    found: Posterior = mean_field(ratings, PublishedPriors())

    assert np.argmin(found.precision.mean) == 3
