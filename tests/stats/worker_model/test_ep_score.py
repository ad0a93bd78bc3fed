from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from steelyard.stats.worker_model.ep_bounds import Bounds
from steelyard.stats.worker_model.ep_score import predictive_log_score
from steelyard.stats.worker_model.problem import Gamma, Normal, Posterior, WorkerRatings

LOW, HIGH = -2.0, 1.5


def _posterior(*, shape: float = 6.0, contamination: float | None = None) -> Posterior:
    one = np.ones(1)
    return Posterior(
        quality=Normal(np.array([0.3]), np.array([0.5])),
        offset=Normal(np.array([-0.1]), np.array([0.2])),
        slope=Normal(one, 0 * one),
        precision=Gamma(np.array([shape]), np.array([shape / 2])),
        converged=True,
        sweeps=1,
        change=0.0,
        contamination=None if contamination is None else np.array([contamination]),
    )


def _rated(*values: float) -> WorkerRatings:
    zeros = np.zeros(len(values), dtype=np.int64)
    return WorkerRatings(zeros, zeros, np.array(values), 1, 1)


def _draws(n: int = 400_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(0.2, np.sqrt(0.5**2 + 0.2**2), n), rng.gamma(6.0, 1 / 3.0, n)


@pytest.mark.parametrize("value", [0.4, -1.7, 2.5])
def test_without_bounds_it_is_the_density_averaged_over_what_is_believed(value: float) -> None:
    middle, tau = _draws()

    found = predictive_log_score(_posterior(), _rated(value))

    assert found == pytest.approx(np.log(stats.norm.pdf(value, middle, tau**-0.5).mean()), abs=0.02)


def test_with_a_precision_all_but_known_it_is_a_normal_density() -> None:
    found = predictive_log_score(_posterior(shape=1e5), _rated(0.9))

    # Variance of quality, offset and rating: 0.25 + 0.04 + 1 / 2.
    assert found == pytest.approx(stats.norm.logpdf(0.9, 0.2, np.sqrt(0.79)), abs=1e-4)


@pytest.mark.parametrize("kind", ["censored", "truncated"])
@pytest.mark.parametrize("contamination", [None, 0.3])
def test_the_probabilities_of_all_steps_add_up_to_one(kind: str, contamination: float | None) -> None:
    # Clicks are spread over as many equal shares as there are steps: with both ends, one more.
    bounds = Bounds(LOW, HIGH, kind, steps=20)
    posterior = _posterior(contamination=contamination)

    values = np.linspace(LOW, HIGH, 21)
    chances = [np.exp(predictive_log_score(posterior, _rated(value), bounds=bounds)) for value in values]

    expected = 1.0 if contamination is None else 0.7 + 0.3 * 21 / 20
    assert sum(chances) == pytest.approx(expected, abs=1e-3)


def test_what_lies_beyond_an_end_belongs_to_the_last_step() -> None:
    middle, tau = _draws()
    bounds = Bounds(LOW, HIGH)

    found = predictive_log_score(_posterior(), _rated(HIGH), bounds=bounds)

    expected = stats.norm.sf((HIGH - bounds.step / 2 - middle) * np.sqrt(tau)).mean()
    assert found == pytest.approx(np.log(expected), abs=0.02)


def test_on_a_truncated_scale_nothing_lies_beyond_the_ends() -> None:
    middle, tau = _draws()
    bounds = Bounds(LOW, HIGH, "truncated")
    root = np.sqrt(tau)

    found = predictive_log_score(_posterior(), _rated(0.8), bounds=bounds)

    lower, upper = (stats.norm.cdf((0.8 + side * bounds.step / 2 - middle) * root) for side in (-1, 1))
    scale = stats.norm.cdf((HIGH - middle) * root) - stats.norm.cdf((LOW - middle) * root)
    assert found == pytest.approx(np.log(((upper - lower) / scale).mean()), abs=0.02)


def test_it_is_the_mean_over_ratings() -> None:
    both = predictive_log_score(_posterior(), _rated(0.4, -1.0))

    each = [predictive_log_score(_posterior(), _rated(value)) for value in (0.4, -1.0)]
    assert both == pytest.approx(np.mean(each))
