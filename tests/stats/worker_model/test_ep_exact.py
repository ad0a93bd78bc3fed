"""Expectation propagation against exact posteriors of small campaigns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, gammaln

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.ep import Contamination, EpOptions, expectation_propagation
from steelyard.stats.worker_model.problem import Normal, WorkerRatings
from steelyard.stats.worker_model.published import PublishedPriors

THREE_ITEMS = WorkerRatings(
    item=np.array([0, 1, 2, 0, 1, 2]),
    worker=np.array([0, 0, 0, 1, 1, 1]),
    value=np.array([1.0, -0.5, -1.2, 0.6, 0.4, -0.2]),
    n_items=3,
    n_workers=2,
)
A_ABOVE_C = replace(THREE_ITEMS, order=np.array([[0, 2]]))
TIGHT = EpOptions(tolerance=1e-8)
NEARLY_TIGHT = EpOptions(tolerance=1e-6)
# Precisions that are all but known leave a normal model, of which everything has a closed form.
KNOWN_PRECISION = PublishedPriors(shape=2e5, rate=1e5)


@dataclass(frozen=True)
class Exact:
    """Moments of the normal unknowns (items first, then offsets) and of the two precisions."""

    mean: FloatArray
    sd: FloatArray
    tau: FloatArray
    tau_sd: FloatArray
    log_evidence: float


def _exact(
    ratings: WorkerRatings,
    *,
    seen: FloatArray | None = None,
    prior_sd: FloatArray | None = None,
    above: FloatArray | None = None,
    used: FloatArray | None = None,
) -> Exact:
    """The posterior of two workers by summing over a grid of both log-precisions.

    Given the precisions the unknowns are normal. `seen` (ratings, unknowns): what each rating sees;
    `above`: a combination of unknowns known to be positive; `used`: 0 for ratings left out.
    """
    n, unknowns = len(ratings.value), ratings.n_items + ratings.n_workers
    if seen is None:
        seen = np.zeros((n, unknowns))
        seen[np.arange(n), ratings.item] = seen[np.arange(n), ratings.n_items + ratings.worker] = 1
    prior = np.diag((np.ones(seen.shape[1]) if prior_sd is None else prior_sd) ** -2.0)
    use = np.ones(n) if used is None else used
    u = np.linspace(-9, 4, 131)
    grid = np.stack(np.meshgrid(u, u, indexing="ij"), axis=-1).reshape(-1, 2)
    weight = np.exp(grid)[:, ratings.worker] * use
    precision = prior + np.einsum("gn,na,nb->gab", weight, seen, seen)
    covariance = np.linalg.inv(precision)
    mean = np.einsum("gab,gn,nb->ga", covariance, weight * ratings.value, seen)
    # log N(r; 0, S) by the matrix identities for S = H H' + 1 / tau.
    log_weight = 0.5 * np.linalg.slogdet(prior)[1] - 0.5 * np.linalg.slogdet(precision)[1]
    log_weight = log_weight + 0.5 * (use * (grid[:, ratings.worker] - np.log(2 * np.pi))).sum(axis=1)
    explained = np.einsum("ga,gab,gb->g", mean, precision, mean)
    log_weight -= 0.5 * ((weight * ratings.value**2).sum(axis=1) - explained)
    log_weight += (2 * grid - np.exp(grid)).sum(axis=1) - 2 * gammaln(2)
    second = covariance + np.einsum("ga,gb->gab", mean, mean)
    if above is not None:
        d, v = mean @ above, np.einsum("a,gab,b->g", above, covariance, above)
        t = d / np.sqrt(v)
        log_weight += stats.norm.logcdf(t) + np.log(2)
        slope = np.exp(stats.norm.logpdf(t) - stats.norm.logcdf(t))
        gain = covariance @ above / np.sqrt(v)[:, None]
        mean = mean + gain * slope[:, None]
        covariance = covariance - np.einsum("ga,gb->gab", gain, gain) * (slope * (slope + t))[:, None, None]
        second = covariance + np.einsum("ga,gb->gab", mean, mean)
    largest = log_weight.max()
    share = np.exp(log_weight - largest)
    log_evidence = largest + np.log(share.sum() * (u[1] - u[0]) ** 2)
    share /= share.sum()
    middle, tau = share @ mean, share @ np.exp(grid)
    variance = np.einsum("g,gaa->a", share, second) - middle**2
    return Exact(
        middle, np.sqrt(variance), tau, np.sqrt(share @ np.exp(2 * grid) - tau**2), float(log_evidence)
    )


def test_the_exact_posterior_of_the_example_is_the_specified_one() -> None:
    exact = _exact(THREE_ITEMS)

    np.testing.assert_allclose(exact.mean, [0.6092, -0.0353, -0.5525, -0.1973, 0.2187], atol=6e-5)
    np.testing.assert_allclose(exact.sd, [0.6073, 0.5940, 0.5980, 0.5694, 0.5568], atol=6e-5)
    np.testing.assert_allclose(exact.tau, [2.1590, 2.4910], atol=2e-4)
    np.testing.assert_allclose(exact.tau_sd, [1.3571, 1.4930], atol=2e-4)
    assert exact.log_evidence == pytest.approx(-8.5985, abs=6e-5)


def test_the_exact_posterior_with_the_order_is_the_specified_one() -> None:
    exact = _exact(THREE_ITEMS, above=np.array([1.0, 0, -1, 0, 0]))

    np.testing.assert_allclose(exact.mean, [0.6459, -0.0371, -0.5879, -0.1983, 0.2191], atol=6e-5)
    np.testing.assert_allclose(exact.sd, [0.5860, 0.5920, 0.5776, 0.5665, 0.5561], atol=6e-5)
    np.testing.assert_allclose(exact.tau, [2.2083, 2.5086], atol=2e-4)


def test_the_example_gives_the_specified_numbers() -> None:
    found = expectation_propagation(THREE_ITEMS, PublishedPriors(), TIGHT)

    np.testing.assert_allclose(found.quality.mean, [0.5941, -0.0327, -0.5398], atol=1e-3)
    np.testing.assert_allclose(found.quality.sd, [0.5734, 0.5634, 0.5668], atol=1e-3)
    np.testing.assert_allclose(found.offset.mean, [-0.2003, 0.2219], atol=1e-3)
    np.testing.assert_allclose(found.precision.mean, [2.1371, 2.4661], atol=1e-3)


def test_the_example_with_the_order_gives_the_specified_numbers() -> None:
    found = expectation_propagation(A_ABOVE_C, PublishedPriors(), TIGHT)

    np.testing.assert_allclose(found.quality.mean, [0.6483, -0.0364, -0.5911], atol=1e-3)
    np.testing.assert_allclose(found.quality.sd, [0.5270, 0.5546, 0.5219], atol=1e-3)


@pytest.mark.parametrize("moments", ["mean-variance", "mean-log"])
@pytest.mark.parametrize("ratings", [THREE_ITEMS, A_ABOVE_C], ids=["unordered", "ordered"])
def test_the_answer_is_close_to_the_exact_one(ratings: WorkerRatings, moments: str) -> None:
    found = expectation_propagation(ratings, PublishedPriors(), replace(TIGHT, moments=moments))

    exact = _exact(ratings, above=np.array([1.0, 0, -1, 0, 0]) if len(ratings.order) else None)
    np.testing.assert_allclose(np.r_[found.quality.mean, found.offset.mean], exact.mean, atol=0.02)
    np.testing.assert_allclose(np.r_[found.quality.sd, found.offset.sd], exact.sd, rtol=0.13)
    np.testing.assert_allclose(found.precision.mean, exact.tau, rtol=0.02)


def test_matching_the_mean_logarithm_changes_qualities_by_less_than_a_hundredth() -> None:
    first = expectation_propagation(THREE_ITEMS, PublishedPriors(), TIGHT)
    second = expectation_propagation(THREE_ITEMS, PublishedPriors(), replace(TIGHT, moments="mean-log"))

    np.testing.assert_allclose(first.quality.mean, second.quality.mean, atol=0.01)


def test_a_single_rating_is_exact() -> None:
    # One factor and nothing to approximate: moments by a grid over the log-precision. With both priors
    # N(0, 1) the sum has variance 2, and each half moves by half of what the sum does.
    one = WorkerRatings(np.array([0]), np.array([0]), np.array([1.5]), 1, 1)

    found = expectation_propagation(one, PublishedPriors(), TIGHT)

    u = np.linspace(-15, 5, 20_001)
    spread = 2 + np.exp(-u)
    weight = np.exp(2 * u - np.exp(u) - 0.5 * np.log(spread) - 1.5**2 / (2 * spread))
    weight /= weight.sum()
    sums = 2 / spread * 1.5
    variance = weight @ (2 - 4 / spread + sums**2) - (weight @ sums) ** 2
    assert found.quality.mean[0] == pytest.approx(weight @ sums / 2, abs=1e-6)
    assert found.offset.sd[0] == pytest.approx(np.sqrt(1 + (variance - 2) / 4), abs=1e-6)
    assert found.precision.mean[0] == pytest.approx(weight @ np.exp(u), rel=1e-6)


def test_a_repeat_is_exact_where_everything_is_normal() -> None:
    # A worker rates item 0 once; item 1 repeats it within 0.3. Unknowns mu_0, mu_1, beta; precision 2.
    ratings = WorkerRatings(
        np.array([0]), np.array([0]), np.array([1.2]), n_items=2, n_workers=1, repeat=np.array([[0, 1]])
    )

    found = expectation_propagation(ratings, replace(KNOWN_PRECISION, repeat_sd=0.3), NEARLY_TIGHT)

    joint = np.eye(3) + 2 * np.outer([1, 0, 1], [1, 0, 1]) + np.outer([1, -1, 0], [1, -1, 0]) / 0.3**2
    covariance = np.linalg.inv(joint)
    mean = covariance @ (2 * 1.2 * np.array([1, 0, 1]))
    np.testing.assert_allclose(np.r_[found.quality.mean, found.offset.mean], mean, atol=2e-5)
    sd = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(np.r_[found.quality.sd, found.offset.sd], sd, atol=2e-5)


def test_means_are_exact_where_everything_is_normal_even_round_a_circle() -> None:
    # Messages that go round give wrong deviations but right means; repeats and known qualities included.
    rng = np.random.default_rng(0)
    item, worker = np.tile(np.arange(6), 3), np.repeat(np.arange(3), 6)
    kappa = Normal(rng.normal(size=6), rng.uniform(0.3, 1, 6))
    ratings = WorkerRatings(item, worker, rng.normal(size=18), 6, 3, repeat=np.array([[0, 1], [2, 5]]))

    priors = replace(KNOWN_PRECISION, quality=kappa, repeat_sd=0.5)
    found = expectation_propagation(ratings, priors, NEARLY_TIGHT)

    seen = np.zeros((20, 9))
    seen[np.arange(18), item] = seen[np.arange(18), 6 + worker] = 1
    seen[[18, 19], [0, 2]], seen[[18, 19], [1, 5]] = 1, -1
    weight = np.r_[np.full(18, 2.0), np.full(2, 4.0)]
    prior = np.r_[kappa.sd**-2, np.ones(3)]
    joint = np.diag(prior) + seen.T @ (weight[:, None] * seen)
    pull = prior * np.r_[kappa.mean, np.zeros(3)] + seen.T @ (weight * np.r_[ratings.value, 0, 0])
    expected = np.linalg.solve(joint, pull)
    np.testing.assert_allclose(np.r_[found.quality.mean, found.offset.mean], expected, atol=2e-5)


def test_offsets_per_hit_are_close_to_the_exact_ones() -> None:
    ratings = replace(THREE_ITEMS, hit=np.array([0, 0, 1, 2, 2, 3]))

    found = expectation_propagation(ratings, PublishedPriors(), replace(TIGHT, hit_sd=0.5))

    # Unknowns: three items, two offsets, and what each of the four HITs adds, N(0, 0.5²).
    seen = np.zeros((6, 9))
    rows = np.arange(6)
    seen[rows, ratings.item] = seen[rows, 3 + ratings.worker] = seen[rows, 5 + ratings.hit] = 1
    exact = _exact(ratings, seen=seen, prior_sd=np.r_[np.ones(5), np.full(4, 0.5)])
    assert found.hit_offset is not None
    mean = np.r_[found.quality.mean, found.offset.mean, found.hit_offset.mean]
    np.testing.assert_allclose(mean, exact.mean, atol=0.02)
    sd = np.r_[found.quality.sd, found.offset.sd, found.hit_offset.sd]
    np.testing.assert_allclose(sd, exact.sd, rtol=0.13)


def test_offsets_per_hit_are_exact_where_everything_is_normal() -> None:
    # One rating in each of two HITs of one worker, of different items: no circle, precision 2.
    ratings = WorkerRatings(
        np.array([0, 1]), np.array([0, 0]), np.array([1.0, -2.0]), 2, 1, hit=np.array([0, 1])
    )

    found = expectation_propagation(ratings, KNOWN_PRECISION, replace(NEARLY_TIGHT, hit_sd=0.5))

    # Unknowns mu_0, mu_1, beta, delta_0, delta_1.
    seen = np.array([[1.0, 0, 1, 1, 0], [0, 1, 1, 0, 1]])
    covariance = np.linalg.inv(np.diag([1.0, 1, 1, 4, 4]) + 2 * seen.T @ seen)
    mean, sd = covariance @ (2 * seen.T @ ratings.value), np.sqrt(np.diag(covariance))
    assert found.hit_offset is not None
    np.testing.assert_allclose(found.hit_offset.mean, mean[3:], atol=2e-5)
    np.testing.assert_allclose(found.hit_offset.sd, sd[3:], atol=2e-5)
    np.testing.assert_allclose([found.offset.mean[0], found.offset.sd[0]], [mean[2], sd[2]], atol=2e-5)


def test_random_clicks_are_close_to_the_exact_posterior() -> None:
    # The exact one adds up all 64 ways in which the six ratings can be clicks, spread over 4 units.
    ratings = replace(THREE_ITEMS, value=np.array([1.0, -0.5, -1.2, 0.6, 1.8, -0.2]))
    clicks = Contamination(low=-2.0, high=2.0)

    found = expectation_propagation(ratings, PublishedPriors(), replace(TIGHT, contamination=clicks))

    log_weights, means, shares = [], [], []
    for ways in product([0, 1], repeat=6):
        click = np.array(ways, dtype=float)
        exact = _exact(ratings, used=1 - click)
        n_clicks = np.array([click[:3].sum(), click[3:].sum()])
        prior = (betaln(1 + n_clicks, 9 + 3 - n_clicks) - betaln(1, 9)).sum()
        log_weights.append(exact.log_evidence + prior - click.sum() * np.log(4))
        means.append(exact.mean)
        shares.append((1 + n_clicks) / 13)
    weight = np.exp(np.array(log_weights) - max(log_weights))
    weight /= weight.sum()
    np.testing.assert_allclose(
        np.r_[found.quality.mean, found.offset.mean], weight @ np.array(means), atol=0.05
    )
    assert found.contamination is not None
    np.testing.assert_allclose(found.contamination, weight @ np.array(shares), atol=0.01)
