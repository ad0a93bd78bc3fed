"""The Gibbs sampler with known precisions, where the posterior is one normal distribution.

Its mean and covariance come from dense linear algebra; with order pairs, from the draws of it that obey
them. Comparisons allow some Monte Carlo errors, computed from the draws' own autocorrelations.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.gibbs import GibbsOptions, GibbsPriors, PosteriorDraws, sample
from steelyard.stats.worker_model.gibbs_diagnostics import effective_draws
from steelyard.stats.worker_model.problem import Normal, WorkerRatings

# A Gamma distribution so narrow that the precision is known.
CERTAIN = 1e12
N_ITEMS, N_WORKERS, N_HITS, N_RATINGS = 12, 4, 8, 60


def some_campaign() -> tuple[WorkerRatings, GibbsPriors]:
    """Items of two kinds of groups, some of none, repeats, HIT offsets, slopes that are known."""
    rng = np.random.default_rng(11)
    hit = rng.integers(N_HITS, size=N_RATINGS)
    ratings = WorkerRatings(
        item=rng.integers(N_ITEMS, size=N_RATINGS),
        worker=hit // 2,
        value=rng.normal(size=N_RATINGS),
        n_items=N_ITEMS,
        n_workers=N_WORKERS,
        repeat=np.array([[0, 1], [2, 1], [7, 8]]),
        hit=hit,
    )
    system, segment = rng.integers(-1, 3, size=N_ITEMS), 3 + rng.integers(4, size=N_ITEMS)
    priors = GibbsPriors(
        quality=Normal(rng.normal(size=N_ITEMS), rng.uniform(0.3, 1.5, size=N_ITEMS)),
        offset_sd=rng.uniform(0.5, 1.5, size=N_WORKERS),
        slope=Normal(rng.uniform(0.6, 1.4, size=N_WORKERS), np.zeros(N_WORKERS)),
        shape=CERTAIN,
        rate=CERTAIN / rng.uniform(0.5, 3, size=N_WORKERS),
        groups=np.stack([system, segment], axis=1),
        effect=Normal(rng.normal(size=7), rng.uniform(0.3, 1.0, size=7)),
        hit_sd=0.5,
        repeat_sd=0.2,
    )
    return ratings, priors


def joint_normal(ratings: WorkerRatings, priors: GibbsPriors) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance of qualities, offsets, effects and HIT offsets, in this order.

    Every term of the log density is -1/2 weight (row @ unknowns - value)²: rows, values and weights are
    stacked, and the normal equations solved.
    """
    n_items, n_workers = ratings.n_items, ratings.n_workers
    n_groups, n_hits = len(priors.effect.mean), 0 if ratings.hit is None else int(ratings.hit.max()) + 1
    sizes = np.cumsum([0, n_items, n_workers, n_groups, n_hits])
    unit = np.eye(sizes[-1])
    quality, offset, effect, hit = (unit[begin:end] for begin, end in pairwise(sizes))
    slope, tau = priors.slope.mean[ratings.worker], np.broadcast_to(priors.shape / priors.rate, n_workers)
    rating = slope[:, None] * quality[ratings.item] + offset[ratings.worker]
    rating = rating if ratings.hit is None else rating + hit[ratings.hit]
    member = np.stack([(priors.groups == number).any(axis=1) for number in range(n_groups)], axis=1)
    first, second = ratings.repeat.T
    offset_weight = np.broadcast_to(priors.offset_sd, n_workers) ** -2.0
    terms = [
        (rating, ratings.value, tau[ratings.worker]),
        (quality - member @ effect, priors.quality.mean, priors.quality.sd**-2),
        (effect, priors.effect.mean, priors.effect.sd**-2),
        (offset, np.zeros(n_workers), offset_weight),
        (hit, np.zeros(n_hits), np.full(n_hits, (priors.hit_sd or 1.0) ** -2)),
        (quality[first] - quality[second], np.zeros(len(first)), np.full(len(first), priors.repeat_sd**-2)),
    ]
    row, value, weight = (np.concatenate(parts) for parts in zip(*terms, strict=True))
    covariance = np.linalg.inv(row.T @ (weight[:, None] * row))
    return covariance @ row.T @ (weight * value), covariance


def unknowns(draws: PosteriorDraws) -> FloatArray:
    """The draws of everything in `joint_normal`, in its order."""
    parts = [draws.quality, draws.offset, draws.effect, draws.hit_offset]
    return np.hstack([part for part in parts if part is not None]).astype(np.float64)


def squared_error(values: FloatArray, chains: int) -> FloatArray:
    """The squared Monte Carlo error of the mean of each column."""
    folded = values.reshape(chains, -1, values.shape[1])
    return values.var(axis=0) / effective_draws(folded)


@pytest.fixture(scope="module")
def campaign() -> tuple[WorkerRatings, GibbsPriors]:
    return some_campaign()


@pytest.fixture(scope="module")
def draws(campaign: tuple[WorkerRatings, GibbsPriors]) -> PosteriorDraws:
    options = GibbsOptions(sweeps=1500, warm_up=200, chains=2)
    return sample(*campaign, options, np.random.default_rng(1))


def test_means_are_those_of_the_joint_normal(
    draws: PosteriorDraws, campaign: tuple[WorkerRatings, GibbsPriors]
) -> None:
    mean, _ = joint_normal(*campaign)

    found = unknowns(draws)

    assert np.max(np.abs(found.mean(axis=0) - mean) / np.sqrt(squared_error(found, 2))) < 4


def test_covariances_are_those_of_the_joint_normal(
    draws: PosteriorDraws, campaign: tuple[WorkerRatings, GibbsPriors]
) -> None:
    mean, covariance = joint_normal(*campaign)
    # Each unknown with itself and with one other: enough to show every block.
    other = (np.arange(len(mean)) + 5) % len(mean)
    expected = np.concatenate([np.diag(covariance), covariance[np.arange(len(mean)), other]])

    centred = unknowns(draws) - mean
    products = np.hstack([centred**2, centred * centred[:, other]])

    assert np.max(np.abs(products.mean(axis=0) - expected) / np.sqrt(squared_error(products, 2))) < 4


def test_order_pairs_leave_what_obeys_them_of_the_joint_normal(
    campaign: tuple[WorkerRatings, GibbsPriors],
) -> None:
    # A chain of three, one tied to a repeat, and one across groups: all kinds of neighbours.
    order, margin = np.array([[0, 3], [3, 4], [5, 1], [6, 9]]), 0.2
    ratings, priors = replace(campaign[0], order=order), replace(campaign[1], margin=margin)
    rng = np.random.default_rng(12)
    mean, covariance = joint_normal(ratings, priors)
    anywhere = rng.multivariate_normal(mean, covariance, size=100_000)
    kept = anywhere[np.all(anywhere[:, order[:, 0]] > anywhere[:, order[:, 1]] + margin, axis=1)]
    assert len(kept) > 1000

    found = unknowns(sample(ratings, priors, GibbsOptions(sweeps=800, warm_up=100), rng))

    for power in (1, 2):
        expected, values = (kept - mean) ** power, (found - mean) ** power
        error = np.sqrt(squared_error(values, 2) + expected.var(axis=0) / len(kept))
        assert np.max(np.abs(values.mean(axis=0) - expected.mean(axis=0)) / error) < 4


def test_more_groups_than_are_drawn_together_give_the_same_posterior() -> None:
    rng = np.random.default_rng(13)
    n_segments, n_systems, n_workers = 300, 2, 5
    system, segment = np.divmod(np.arange(n_segments * n_systems), n_segments)
    n_items, n_groups = len(system), n_systems + 2 * n_segments
    # Another column of groups, each of two items in another arrangement.
    other = n_systems + n_segments + rng.permutation(n_items) // 2
    item = np.repeat(np.arange(n_items), 2)
    worker = rng.integers(n_workers, size=len(item))
    ratings = WorkerRatings(item, worker, rng.normal(size=len(item)), n_items, n_workers)
    priors = GibbsPriors(
        quality=Normal(np.zeros(n_items), np.full(n_items, 0.7)),
        slope=Normal(np.ones(n_workers), np.zeros(n_workers)),
        shape=CERTAIN,
        rate=CERTAIN,
        groups=np.stack([system, n_systems + segment, other], axis=1),
        effect=Normal(np.zeros(n_groups), np.full(n_groups, 0.5)),
    )
    mean, covariance = joint_normal(ratings, priors)

    found = unknowns(sample(ratings, priors, GibbsOptions(sweeps=600, warm_up=100), rng))

    assert n_groups > 500
    # Of 1,200 unknowns the worst is looked at: five errors.
    assert np.max(np.abs(found.mean(axis=0) - mean) / np.sqrt(squared_error(found, 2))) < 5
    ratio = found.var(axis=0) / np.diag(covariance)
    assert ratio.mean() == pytest.approx(1, abs=0.02)
