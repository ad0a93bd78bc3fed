"""The Gibbs sampler against posteriors small enough to integrate on a grid.

Every campaign is sampled in many copies at once, which are independent of each other; comparisons allow
four Monte Carlo errors, as the differences between the copies show them.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln, log_ndtr, logsumexp, ndtr
from scipy.stats import beta as beta_distribution
from scipy.stats import norm

from steelyard.stats.arrays import FloatArray, IntArray
from steelyard.stats.worker_model.gibbs import GibbsOptions, GibbsPriors, PosteriorDraws, sample
from steelyard.stats.worker_model.problem import Normal, WorkerRatings

COPIES = 400
OPTIONS = GibbsOptions(sweeps=330, warm_up=80, chains=1)


def copied(ratings: WorkerRatings) -> WorkerRatings:
    """Many copies of one small campaign that share nothing: each sweep gives a draw from every copy."""
    copy = np.repeat(np.arange(COPIES), len(ratings.value))
    of_order = np.repeat(np.arange(COPIES), len(ratings.order))[:, None]
    return WorkerRatings(
        np.tile(ratings.item, COPIES) + copy * ratings.n_items,
        np.tile(ratings.worker, COPIES) + copy * ratings.n_workers,
        np.tile(ratings.value, COPIES),
        COPIES * ratings.n_items,
        COPIES * ratings.n_workers,
        order=np.tile(ratings.order, (COPIES, 1)) + of_order * ratings.n_items,
    )


def monte_carlo_errors(draws: FloatArray, exact: FloatArray) -> FloatArray:
    """How many Monte Carlo errors the means of the draws (draws, copies * n) are from the exact ones."""
    of_copies = draws.mean(axis=0, dtype=np.float64).reshape(COPIES, -1)
    error = of_copies.std(axis=0, ddof=1) / np.sqrt(COPIES)
    return np.abs(of_copies.mean(axis=0) - exact) / error


def assert_moments(draws: FloatArray, mean: FloatArray, sd: FloatArray) -> None:
    """Means, and squared distances from the exact means, both within four Monte Carlo errors."""
    assert monte_carlo_errors(draws, mean).max() < 4
    assert monte_carlo_errors((draws - np.tile(mean, COPIES)) ** 2, sd**2).max() < 4


def log_gamma_prior(log_tau: FloatArray) -> FloatArray:
    """Log density of log tau for tau ~ Gamma(2, 1)."""
    return 2 * log_tau - np.exp(log_tau) - gammaln(2)


# Test vector TV-6: items A, B, C; worker 1 gives 1.0, -0.5, -1.2 and worker 2 gives 0.6, 0.4, -0.2.
TV6 = np.array([[1.0, -0.5, -1.2], [0.6, 0.4, -0.2]])


def two_workers(value: FloatArray, order: IntArray | None = None) -> WorkerRatings:
    """Everybody judges everything; rows of `value` are workers."""
    n_workers, n_items = value.shape
    worker, item = np.divmod(np.arange(value.size), n_items)
    pairs = np.zeros((0, 2), dtype=np.int64) if order is None else order
    return WorkerRatings(item, worker, value.ravel(), n_items, n_workers, order=pairs)


@pytest.fixture(scope="module")
def tv6_draws() -> PosteriorDraws:
    return sample(copied(two_workers(TV6)), GibbsPriors(), OPTIONS, np.random.default_rng(1))


@pytest.fixture(scope="module")
def tv6_ordered_draws() -> PosteriorDraws:
    ratings = two_workers(TV6, order=np.array([[0, 2]]))
    return sample(copied(ratings), GibbsPriors(), OPTIONS, np.random.default_rng(2))


def test_tv6_qualities_are_those_of_the_exact_posterior(tv6_draws: PosteriorDraws) -> None:
    assert_moments(
        tv6_draws.quality, np.array([0.6092, -0.0353, -0.5525]), np.array([0.6073, 0.5940, 0.5980])
    )


def test_tv6_offsets_are_those_of_the_exact_posterior(tv6_draws: PosteriorDraws) -> None:
    assert_moments(tv6_draws.offset, np.array([-0.1973, 0.2187]), np.array([0.5694, 0.5568]))


def test_tv6_precisions_are_those_of_the_exact_posterior(tv6_draws: PosteriorDraws) -> None:
    assert_moments(tv6_draws.precision, np.array([2.1590, 2.4910]), np.array([1.3571, 1.4930]))


def test_tv6_with_order_has_the_exact_qualities(tv6_ordered_draws: PosteriorDraws) -> None:
    mean, sd = np.array([0.6459, -0.0371, -0.5879]), np.array([0.5860, 0.5920, 0.5776])

    assert_moments(tv6_ordered_draws.quality, mean, sd)


def test_tv6_with_order_has_the_exact_offsets(tv6_ordered_draws: PosteriorDraws) -> None:
    assert_moments(tv6_ordered_draws.offset, np.array([-0.1983, 0.2191]), np.array([0.5665, 0.5561]))


def test_tv6_with_order_has_the_exact_precisions(tv6_ordered_draws: PosteriorDraws) -> None:
    assert monte_carlo_errors(tv6_ordered_draws.precision, np.array([2.2083, 2.5086])).max() < 4


def test_ordered_items_never_change_places(tv6_ordered_draws: PosteriorDraws) -> None:
    better, worse = tv6_ordered_draws.quality[:, 0::3], tv6_ordered_draws.quality[:, 2::3]

    assert np.all(better >= worse)


def tv6_by_quadrature(margin: float) -> FloatArray:
    """Exact means of the qualities of TV-6 if A is better than C by more than the margin.

    Given both precisions everything is normal, so a grid over the two is enough; the order multiplies a
    point's weight by its probability and shifts the mean as for a truncated normal difference.
    """
    first, second = (axis.ravel() for axis in np.meshgrid(*[np.linspace(-7, 3, 61)] * 2))
    # Columns: qualities of A, B, C, offsets of both workers.
    design = np.hstack([np.vstack([np.eye(3), np.eye(3)]), np.repeat(np.eye(2), 3, axis=0)])
    contrast = np.array([1.0, 0.0, -1.0, 0.0, 0.0])
    value = TV6.ravel()
    precision = np.exp(np.stack([first, second], axis=1).repeat(3, axis=1))
    covariance = np.linalg.inv(np.eye(5) + np.einsum("ra,gr,rb->gab", design, precision, design))
    pull = (precision * value) @ design
    centre = np.einsum("gab,gb->ga", covariance, pull)
    along = covariance @ contrast
    sd = np.sqrt(along @ contrast)
    t = (centre @ contrast - margin) / sd
    log_weight = log_gamma_prior(first) + log_gamma_prior(second) + log_ndtr(t)
    log_weight += 0.5 * (np.linalg.slogdet(covariance)[1] + np.log(precision).sum(axis=1))
    log_weight -= 0.5 * (precision @ value**2 - np.sum(centre * pull, axis=1))
    mean = centre + along * (np.exp(norm.logpdf(t) - log_ndtr(t)) / sd)[:, None]
    return (np.exp(log_weight - logsumexp(log_weight)) @ mean)[:3]


def test_the_grid_gives_the_published_numbers_of_tv6_with_order() -> None:
    assert tv6_by_quadrature(0.0) == pytest.approx([0.6459, -0.0371, -0.5879], abs=1e-4)


def test_a_margin_keeps_ordered_items_apart_as_the_exact_posterior_does() -> None:
    ratings = two_workers(TV6, order=np.array([[0, 2]]))

    draws = sample(copied(ratings), GibbsPriors(margin=1.5), OPTIONS, np.random.default_rng(3))

    assert monte_carlo_errors(draws.quality, tv6_by_quadrature(1.5)).max() < 4


SLOPE_VALUE = np.array([[0.9, -0.7], [0.2, 0.4]])


def slopes_by_quadrature() -> tuple[FloatArray, FloatArray]:
    """Exact means of two qualities and two slopes: a grid over qualities, slope and log precision.

    Given the qualities the workers are independent; a worker's offset is integrated in closed form: two
    ratings with mean slope * quality and covariance 1 + I / tau.
    """
    mu = np.linspace(-4, 4, 41)
    alpha = (np.arange(48) + 0.5) / 16
    log_tau = np.linspace(-6, 2.5, 30)
    one, two = mu[:, None, None, None], mu[None, :, None, None]
    slope, noise = alpha[None, None, :, None], np.exp(-log_tau)[None, None, None, :]
    prior = norm.logpdf(slope, 1, 0.5) + log_gamma_prior(log_tau)[None, None, None, :]
    log_weight = norm.logpdf(mu)[:, None] + norm.logpdf(mu)[None, :]
    slope_mean = []
    for first, second in SLOPE_VALUE:
        a, b = first - slope * one, second - slope * two
        determinant = noise * (noise + 2)
        square = ((1 + noise) * (a * a + b * b) - 2 * a * b) / determinant
        log_joint = prior - 0.5 * (square + np.log(determinant))
        evidence = logsumexp(log_joint, axis=(2, 3))
        slope_mean.append((np.exp(log_joint - evidence[:, :, None, None]) * slope).sum(axis=(2, 3)))
        log_weight = log_weight + evidence
    weight = np.exp(log_weight - logsumexp(log_weight))
    quality = np.array([(weight.sum(axis=1) @ mu), (weight.sum(axis=0) @ mu)])
    return quality, np.array([(weight * mean).sum() for mean in slope_mean])


@pytest.fixture(scope="module")
def slope_draws() -> PosteriorDraws:
    priors = GibbsPriors(slope=Normal(np.array(1.0), np.array(0.5)), positive=True)
    return sample(copied(two_workers(SLOPE_VALUE)), priors, OPTIONS, np.random.default_rng(4))


@pytest.fixture(scope="module")
def slope_exact() -> tuple[FloatArray, FloatArray]:
    return slopes_by_quadrature()


def test_qualities_under_positive_slopes_are_exact(
    slope_draws: PosteriorDraws, slope_exact: tuple[FloatArray, FloatArray]
) -> None:
    assert monte_carlo_errors(slope_draws.quality, slope_exact[0]).max() < 4


def test_positive_slopes_are_exact(
    slope_draws: PosteriorDraws, slope_exact: tuple[FloatArray, FloatArray]
) -> None:
    assert monte_carlo_errors(slope_draws.slope, slope_exact[1]).max() < 4


def test_positive_slopes_are_never_negative(slope_draws: PosteriorDraws) -> None:
    assert slope_draws.slope.min() >= 0


LOW, HIGH = -1.5, 1.2
AT_BOUNDS = np.array([1.2, 0.7, 1.2, -1.5])


def one_item(value: FloatArray) -> WorkerRatings:
    """One worker without offset who judges one item again and again."""
    nothing = np.zeros(len(value), dtype=np.int64)
    return WorkerRatings(nothing, nothing, value, 1, 1)


def one_item_by_quadrature(value: FloatArray, *, censored: bool, clicks: bool) -> FloatArray:
    """Exact means of quality, precision and share of clicks, with a grid over the three."""
    mu = np.linspace(-5, 5, 161)[:, None, None]
    log_tau = np.linspace(-7, 3.5, 85)[None, :, None]
    share = ((np.arange(60) + 0.5) / 60 if clicks else np.zeros(1))[None, None, :]
    root = np.exp(log_tau / 2)
    log_joint = norm.logpdf(mu) + log_gamma_prior(log_tau)
    log_joint = log_joint + (beta_distribution.logpdf(share, 1, 9) if clicks else 0.0)
    for rating in value:
        if censored and rating == HIGH:
            genuine = ndtr((mu - HIGH) * root)
        elif censored and rating == LOW:
            genuine = ndtr((LOW - mu) * root)
        else:
            genuine = root * norm.pdf((rating - mu) * root)
        log_joint = log_joint + np.log((1 - share) * genuine + share / (HIGH - LOW) + 1e-300)
    weight = np.exp(log_joint - logsumexp(log_joint))
    return np.array([(weight * unknown).sum() for unknown in (mu, root**2, share)])


@pytest.mark.parametrize("censored", [True, False], ids=["censored", "as it is"])
@pytest.mark.parametrize("clicks", [True, False], ids=["clicks", "no clicks"])
def test_bounds_and_clicks_at_random_are_exact(censored: bool, clicks: bool) -> None:
    contamination = (1.0, 9.0) if clicks else None
    priors = GibbsPriors(offset_sd=0.0, bounds=(LOW, HIGH), censored=censored, contamination=contamination)
    exact = one_item_by_quadrature(AT_BOUNDS, censored=censored, clicks=clicks)

    draws = sample(copied(one_item(AT_BOUNDS)), priors, OPTIONS, np.random.default_rng(5))

    parts = [draws.quality, draws.precision] + ([draws.contamination] if clicks else [])
    found = np.stack(parts, axis=2).reshape(len(draws.quality), -1)
    assert monte_carlo_errors(found, exact[: len(parts)]).max() < 4


def test_a_rating_outside_the_bounds_is_no_click() -> None:
    priors = GibbsPriors(offset_sd=0.0, bounds=(-1.0, 1.0), contamination=(50.0, 1.0), shape=1e9, rate=1e9)

    draws = sample(copied(one_item(np.array([3.0]))), priors, OPTIONS, np.random.default_rng(6))

    # The only rating counts for certain: mean 3 / (1 + 1), variance 1 / (1 + 1).
    assert_moments(draws.quality, np.array([1.5]), np.array([np.sqrt(0.5)]))
