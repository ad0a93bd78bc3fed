"""The rule for enough ratings of single items, against simulated truths and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.stopping import precise_items, predicted_correlation, usual_target
from steelyard.stats.worker_model.ep import expectation_propagation
from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.published import PublishedPriors

N_ITEMS, N_CAMPAIGNS = 140, 8


def _campaign(per_item: int, seed: int) -> tuple[WorkerRatings, FloatArray]:
    """Workers as the model expects them, each with half of the items."""
    rng = np.random.default_rng(seed)
    quality, n_workers = rng.normal(size=N_ITEMS), 2 * per_item
    item = np.concatenate([rng.permutation(N_ITEMS) for _ in range(per_item)])
    worker = np.repeat(np.arange(n_workers), N_ITEMS // 2)
    offset, precision = rng.normal(size=n_workers), rng.gamma(2, 1, n_workers)
    value = quality[item] + offset[worker] + rng.normal(size=len(item)) / np.sqrt(precision)[worker]
    return WorkerRatings(item, worker, (value - value.mean()) / value.std(), N_ITEMS, n_workers), quality


@pytest.mark.parametrize(
    ("per_item", "actual", "predicted"), [(2, 0.877, 0.873), (5, 0.956, 0.949), (8, 0.961, 0.961)]
)
def test_the_correlation_is_predicted_as_in_an_independent_simulation(
    per_item: int, actual: float, predicted: float
) -> None:
    campaigns = [_campaign(per_item, seed) for seed in range(N_CAMPAIGNS)]
    learnt = [expectation_propagation(ratings, PublishedPriors()).quality for ratings, _ in campaigns]
    truth = np.array(
        [np.corrcoef(quality, each.mean)[0, 1] for (_, quality), each in zip(campaigns, learnt, strict=True)]
    )
    prediction = np.array([predicted_correlation(each.mean, each.sd) for each in learnt])

    # The published figures are one more campaign among ours: that bears them out as far as campaigns agree.
    for figures, published in ((truth, actual), (prediction, predicted)):
        one_more = figures.std(ddof=1) * np.sqrt(1 + 1 / N_CAMPAIGNS)
        assert abs(published - figures.mean()) < 2.4 * one_more  # t with 7 degrees of freedom: 95 %.
    # Within a campaign prediction and truth differ less than campaigns do: by a hundredth on average, if any.
    by = prediction - truth
    assert abs(by.mean()) < 0.01 + 2.4 * by.std(ddof=1) / np.sqrt(N_CAMPAIGNS)


def test_what_is_known_and_what_is_not_make_the_correlation() -> None:
    # Variance of the means 1, of each item 1/4: r = sqrt(1 / 1.25).
    assert predicted_correlation(np.array([1.0, 3.0]), np.array([0.5, 0.5])) == pytest.approx(np.sqrt(0.8))
    assert predicted_correlation(np.array([1.0, 3.0]), np.zeros(2)) == 1.0
    assert predicted_correlation(np.array([2.0, 2.0]), np.ones(2)) == 0.0


def test_points_or_deviations_make_no_difference() -> None:
    means, sds = np.random.default_rng(1).normal(size=(2, 30))

    assert predicted_correlation(50 + 20 * means, 20 * np.abs(sds)) == pytest.approx(
        predicted_correlation(means, np.abs(sds))
    )


def test_with_every_item_at_the_usual_target_the_correlation_is_that_of_the_rule() -> None:
    means, sds = np.array([-1.0, 0.0, 1.0]), np.array([0.9, 0.1, 0.5])

    target = usual_target(means, sds)

    # The truth varies as before; what of it is known is the rest.
    whole = np.var(means) + np.mean(sds**2)
    known = means * np.sqrt((whole - target**2) / np.var(means))
    assert predicted_correlation(known, np.full(3, target)) == pytest.approx(0.9)


@pytest.mark.parametrize(("means", "sds"), [([], []), ([1.0], [0.5]), ([2.0, 2.0], [0.0, 0.0])])
def test_nothing_is_predicted_from_nothing(means: list[float], sds: list[float]) -> None:
    assert np.isnan(predicted_correlation(np.array(means), np.array(sds)))


def test_no_item_is_finished_with_one_worker() -> None:
    found = precise_items(np.array([0.0, 0.3, 0.3, 0.31]), np.array([1, 1, 2, 9]), target=0.3)

    assert found.tolist() == [False, False, True, False]
