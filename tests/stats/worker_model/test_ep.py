"""Expectation propagation on campaigns: hard ones, shuffled ones, and those of the specification."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from steelyard.stats.arrays import FloatArray
from steelyard.stats.worker_model.ep import Contamination, EpOptions, expectation_propagation
from steelyard.stats.worker_model.ep_bounds import Bounds
from steelyard.stats.worker_model.ep_model import model
from steelyard.stats.worker_model.ep_network import Sites, joint_means, network, share_of_step
from steelyard.stats.worker_model.ep_sweep import Problem, first_state, sweep
from steelyard.stats.worker_model.problem import Normal, Posterior, WorkerRatings
from steelyard.stats.worker_model.published import NotConverged, PublishedPriors, mean_field

PUBLISHED = PublishedPriors()


def _standardised(points: FloatArray) -> tuple[FloatArray, float, float]:
    """Ratings from 0 to 100 standardised together, and where 0 and 100 end up."""
    mean, sd = points.mean(), points.std()
    return (points - mean) / sd, float(-mean / sd), float((100 - mean) / sd)


def _points(kind: str, quality: FloatArray, h: int, rng: np.random.Generator) -> FloatArray:
    """How a worker of this kind rates these items in HIT h."""
    n = len(quality)
    drawn = {
        "honest": 60 + 22 * (quality + rng.normal(0, 0.7, n)),
        "noisy": 60 + 22 * (quality + rng.normal(0, 1.8, n)),
        "constant": np.full(n, 37.0),
        "all 0": np.zeros(n),
        "all 100": np.full(n, 100.0),
        "0 then 100": np.full(n, 100.0 * (h % 2)),
        "random": rng.uniform(0, 100, n),
    }
    return np.clip(np.round(drawn[kind]), 0, 100)


KINDS = ["honest"] * 8 + ["noisy"] * 4 + ["constant", "all 0", "all 100", "0 then 100", "random"]


def _hard(seed: int, *, order: bool = False) -> tuple[WorkerRatings, float, float]:
    """Two HITs of 40 for each kind of worker; one worker and one item with a single rating.

    With `order`, fifty pairs are ordered of which half are the wrong way round.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=150)
    items = [rng.choice(150, 40, replace=False) for _ in range(2 * len(KINDS))]
    points = [_points(KINDS[h // 2], quality[given], h, rng) for h, given in enumerate(items)]
    value, low, high = _standardised(np.concatenate([*points, [0.0]]))
    last = len(KINDS)
    ratings = WorkerRatings(
        item=np.concatenate([*items, [150]]),
        worker=np.append(np.repeat(np.arange(last), 80), last),
        value=value,
        n_items=151,
        n_workers=last + 1,
        order=np.arange(100).reshape(50, 2) if order else np.zeros((0, 2), dtype=np.int64),
        hit=np.append(np.repeat(np.arange(2 * last), 40), 2 * last),
    )
    return ratings, low, high


@pytest.mark.parametrize("order", [False, True], ids=["unordered", "contradicted orders"])
@pytest.mark.parametrize("extension", ["none", "mean-log", "censored", "contamination", "hits", "all"])
def test_hard_campaigns_converge(extension: str, order: bool) -> None:
    ratings, low, high = _hard(int(order), order=order)
    bounds, clicks = Bounds(low, high), Contamination(low, high)
    options = {
        "none": EpOptions(),
        "mean-log": EpOptions(moments="mean-log"),
        "censored": EpOptions(bounds=bounds),
        "contamination": EpOptions(contamination=clicks),
        "hits": EpOptions(hit_sd=0.5),
        "all": EpOptions(bounds=bounds, contamination=clicks, hit_sd=0.5),
    }[extension]

    found = expectation_propagation(ratings, PUBLISHED, options)

    assert found.converged
    assert found.change <= options.tolerance
    assert np.all(found.quality.sd > 0)
    assert np.all(found.precision.shape > 0)


def test_a_truncated_scale_converges_where_items_are_rated_often() -> None:
    ratings, _, _ = _crossed(0, n_items=25, n_workers=4)
    bounds = Bounds(-1.8, 1.3, "truncated")
    clipped = replace(ratings, value=np.clip(ratings.value, bounds.low, bounds.high))

    found = expectation_propagation(clipped, PUBLISHED, EpOptions(bounds=bounds))

    assert found.converged


def _crossed(seed: int, *, n_items: int, n_workers: int) -> tuple[WorkerRatings, FloatArray, FloatArray]:
    """Every worker rates every item; also the true qualities and precisions."""
    rng = np.random.default_rng(seed)
    quality, offset = rng.normal(size=n_items), rng.normal(0, 0.6, n_workers)
    tau = rng.gamma(2, 1, n_workers)
    item, worker = np.tile(np.arange(n_items), n_workers), np.repeat(np.arange(n_workers), n_items)
    noise = rng.normal(size=len(item)) / np.sqrt(tau)[worker]
    value = quality[item] + offset[worker] + noise
    return WorkerRatings(item, worker, value, n_items, n_workers), quality, tau


def _numbers(found: Posterior) -> FloatArray:
    parts = [found.quality.mean, found.quality.sd, found.offset.mean, found.offset.sd]
    return np.concatenate([*parts, found.precision.shape, found.precision.rate])


def test_the_order_of_rows_and_pairs_is_of_no_consequence() -> None:
    ratings, _, _ = _hard(3, order=True)
    rng = np.random.default_rng(0)
    rows, pairs = rng.permutation(len(ratings.item)), rng.permutation(len(ratings.order))
    shuffled = replace(
        ratings,
        item=ratings.item[rows],
        worker=ratings.worker[rows],
        value=ratings.value[rows],
        hit=None,
        order=ratings.order[pairs],
    )

    before = expectation_propagation(ratings, PUBLISHED)
    after = expectation_propagation(shuffled, PUBLISHED)

    np.testing.assert_allclose(_numbers(before), _numbers(after), rtol=0, atol=1e-10)


def test_relabelling_items_and_workers_relabels_the_answer() -> None:
    ratings, _, _ = _crossed(1, n_items=30, n_workers=5)
    rng = np.random.default_rng(1)
    items, workers = rng.permutation(30), rng.permutation(5)
    renamed = replace(ratings, item=items[ratings.item], worker=workers[ratings.worker])
    options = EpOptions(tolerance=1e-8)

    before = expectation_propagation(ratings, PUBLISHED, options)
    after = expectation_propagation(renamed, PUBLISHED, options)

    np.testing.assert_allclose(after.quality.mean[items], before.quality.mean, atol=1e-8)
    np.testing.assert_allclose(after.precision.mean[workers], before.precision.mean, atol=1e-7)


def test_shifting_ratings_and_known_qualities_shifts_qualities_only() -> None:
    ratings, _, _ = _crossed(2, n_items=30, n_workers=5)
    options = EpOptions(tolerance=1e-8)

    before = expectation_propagation(ratings, PUBLISHED, options)
    priors = PublishedPriors(quality=Normal(np.full(30, 0.8), np.ones(30)))
    after = expectation_propagation(replace(ratings, value=ratings.value + 0.8), priors, options)

    np.testing.assert_allclose(after.quality.mean, before.quality.mean + 0.8, atol=1e-7)
    np.testing.assert_allclose(after.offset.mean, before.offset.mean, atol=1e-7)
    np.testing.assert_allclose(after.precision.mean, before.precision.mean, atol=1e-6)


def test_turning_the_scale_over_turns_qualities_and_orders_over() -> None:
    ratings, low, high = _hard(4, order=True)
    turned = replace(ratings, value=-ratings.value, order=ratings.order[:, ::-1])
    options = EpOptions(bounds=Bounds(low, high), tolerance=1e-7)

    before = expectation_propagation(ratings, PUBLISHED, options)
    after = expectation_propagation(turned, PUBLISHED, replace(options, bounds=Bounds(-high, -low)))

    np.testing.assert_allclose(after.quality.mean, -before.quality.mean, atol=1e-5)
    np.testing.assert_allclose(after.quality.sd, before.quality.sd, atol=1e-5)


def test_an_earlier_posterior_leads_to_the_same_answer() -> None:
    ratings, _, _ = _crossed(3, n_items=40, n_workers=6)
    cold = expectation_propagation(ratings, PUBLISHED)

    warm = expectation_propagation(ratings, PUBLISHED, start=cold)

    np.testing.assert_allclose(warm.quality.mean, cold.quality.mean, atol=1e-6)
    np.testing.assert_allclose(warm.precision.mean, cold.precision.mean, rtol=1e-6)


def test_the_ratings_are_not_touched() -> None:
    ratings, _, _ = _hard(5)
    copies = [part.copy() for part in (ratings.item, ratings.worker, ratings.value)]

    expectation_propagation(ratings, PUBLISHED)

    for part, copy in zip((ratings.item, ratings.worker, ratings.value), copies, strict=True):
        np.testing.assert_array_equal(part, copy)


def test_items_workers_and_hits_without_ratings_keep_their_priors() -> None:
    one = WorkerRatings(np.array([0]), np.array([0]), np.array([0.3]), 2, 2, hit=np.array([1]))

    found = expectation_propagation(one, PUBLISHED, EpOptions(hit_sd=0.5))

    assert (found.quality.mean[1], found.quality.sd[1]) == pytest.approx((0, 1))
    assert (found.offset.mean[1], found.offset.sd[1]) == pytest.approx((0, 1))
    assert (found.precision.shape[1], found.precision.rate[1]) == pytest.approx((2, 1))
    assert found.hit_offset is not None
    assert (found.hit_offset.mean[0], found.hit_offset.sd[0]) == pytest.approx((0, 0.5))


def test_too_few_sweeps_are_an_error_that_says_how_many() -> None:
    ratings, _, _ = _hard(0)

    with pytest.raises(NotConverged, match="after 3 sweeps") as raised:
        expectation_propagation(ratings, PUBLISHED, EpOptions(most_sweeps=3))

    assert raised.value.change > 1e-5


def test_updates_that_make_no_sense_are_left_out_and_counted() -> None:
    # Without the first rating's message nothing proper would be left of the worker's precision.
    ratings = WorkerRatings(np.arange(3), np.zeros(3, dtype=int), np.array([0.5, 0.0, -0.4]), 3, 1)
    problem = Problem(ratings, PUBLISHED, EpOptions(), model(ratings, PUBLISHED, None))
    state = first_state(problem, mean_field(ratings, PUBLISHED))
    messages = state.shape_message + np.array([9.0, 0.0, 0.0])

    done = sweep(problem, replace(state, shape_message=messages), 0.7)

    assert done.skipped == 1
    assert done.state.shape_message[0] == messages[0]
    assert np.all(done.state.shape_message[1:] != messages[1:])


def test_a_step_leaves_positive_values_positive() -> None:
    value, step = np.array([1.0, 1.0, 2.0, 2.0]), np.array([3.0, -0.5, -2.0, -50.0])

    share = share_of_step(value, step)

    np.testing.assert_allclose(value + share * step, [4.0, 0.5, 0.2, 0.2])


def test_a_joint_distribution_that_is_none_is_noticed() -> None:
    # Precision 1 of each of two unknowns, and a tie of precision -0.9 that sees their sum: 1 - 1.8 < 0.
    ties = network(np.ones(2), np.zeros(2), first=np.array([0]), second=np.array([1]), sign=np.array([1.0]))

    assert joint_means(ties, Sites(np.array([-0.9]), np.array([1.0])), np.zeros(2)) is None


@pytest.mark.parametrize("order", [[[0, 1], [1, 0]], [[0, 1], [1, 2], [2, 0]], [[1, 1]]])
def test_orders_in_a_circle_are_refused(order: list[list[int]]) -> None:
    ratings = WorkerRatings(np.arange(3), np.zeros(3, dtype=int), np.zeros(3), 3, 1, order=np.array(order))

    with pytest.raises(ValueError, match="better than itself"):
        expectation_propagation(ratings, PUBLISHED)


def test_a_hit_of_two_workers_is_refused() -> None:
    shared = WorkerRatings(np.array([0, 1]), np.array([0, 1]), np.zeros(2), 2, 2, hit=np.array([0, 0]))

    with pytest.raises(ValueError, match="two workers"):
        expectation_propagation(shared, PUBLISHED, EpOptions(hit_sd=0.5))


def test_ratings_outside_the_bounds_are_refused() -> None:
    ratings = WorkerRatings(np.array([0]), np.array([0]), np.array([3.0]), 1, 1)

    with pytest.raises(ValueError, match="outside"):
        expectation_propagation(ratings, PUBLISHED, EpOptions(bounds=Bounds(-2.0, 2.0)))


def test_repeats_without_any_difference_are_refused() -> None:
    ratings = WorkerRatings(np.array([0]), np.array([0]), np.zeros(1), 2, 1, repeat=np.array([[0, 1]]))

    with pytest.raises(ValueError, match="one item"):
        expectation_propagation(ratings, PublishedPriors(repeat_sd=0.0))


def _two_groups(per_item: int, seed: int) -> tuple[WorkerRatings, FloatArray]:
    """140 items in HITs of 70; a third of the workers with precisions near 4, the rest near 0.3."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=140)
    item = np.concatenate([rng.permutation(140) for _ in range(per_item)])
    n_workers = 2 * per_item
    worker = np.repeat(np.arange(n_workers), 70)
    good = rng.permutation(n_workers) < max(1, round(n_workers / 3))
    tau = np.where(good, 4.0, 0.3) * rng.uniform(0.8, 1.25, n_workers)
    offset = rng.normal(0, 0.7, n_workers)
    value = quality[item] + offset[worker] + rng.normal(size=len(item)) / np.sqrt(tau)[worker]
    return WorkerRatings(item, worker, (value - value.mean()) / value.std(), 140, n_workers), quality


def _mean_z(ratings: WorkerRatings) -> FloatArray:
    rows = [ratings.value[ratings.worker == worker] for worker in range(ratings.n_workers)]
    mean, sd = np.array([part.mean() for part in rows]), np.array([part.std(ddof=1) for part in rows])
    z = (ratings.value - mean[ratings.worker]) / sd[ratings.worker]
    return np.bincount(ratings.item, z, 140) / np.bincount(ratings.item, minlength=140)


@cache
def _correlations(per_item: int) -> FloatArray:
    """With the true qualities, mean over five campaigns: mean z, mean-field, expectation propagation."""
    found = []
    for seed in range(5):
        ratings, quality = _two_groups(per_item, seed)
        estimates = (
            _mean_z(ratings),
            mean_field(ratings, PUBLISHED).quality.mean,
            expectation_propagation(ratings, PUBLISHED).quality.mean,
        )
        found.append([np.corrcoef(quality, estimate)[0, 1] for estimate in estimates])
    return np.mean(found, axis=0)


@pytest.mark.parametrize("per_item", [2, 5, 10])
def test_both_solutions_agree_in_their_correlation_with_the_truth(per_item: int) -> None:
    _, by_mean_field, by_propagation = _correlations(per_item)

    assert by_propagation == pytest.approx(by_mean_field, abs=0.002)


@pytest.mark.parametrize("per_item", [5, 10])
def test_the_model_beats_mean_z_with_five_ratings_of_an_item(per_item: int) -> None:
    by_z, _, by_propagation = _correlations(per_item)

    assert by_propagation > by_z


def _with_an_outlier(seed: int) -> tuple[WorkerRatings, float, float]:
    """Forty workers with two HITs of 70; the first gives 0 throughout one HIT and 100 in the next."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=280)
    items = [rng.choice(280, 70, replace=False) for _ in range(80)]
    offset, tau = rng.normal(0, 0.6, 40), rng.gamma(2, 1, 40)
    points = [np.zeros(70), np.full(70, 100.0)]
    for h in range(2, 80):
        noise = rng.normal(size=70) / np.sqrt(tau[h // 2])
        points.append(np.clip(np.round(60 + 25 * (quality[items[h]] + offset[h // 2] + noise)), 0, 100))
    value, low, high = _standardised(np.concatenate(points))
    hit = np.repeat(np.arange(80), 70)
    return WorkerRatings(np.concatenate(items), hit // 2, value, 280, 40, hit=hit), low, high


@cache
def _fitted_with_an_outlier(seed: int, *, censored: bool) -> tuple[FloatArray, FloatArray]:
    """How probably each worker clicks, and the mean of their precision."""
    ratings, low, high = _with_an_outlier(seed)
    options = EpOptions(
        contamination=Contamination(low, high), bounds=Bounds(low, high) if censored else None
    )
    found = expectation_propagation(ratings, PUBLISHED, options)
    assert found.contamination is not None
    return found.contamination, found.precision.mean


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("censored", [False, True])
def test_a_worker_with_0_in_one_hit_and_100_in_the_next_hardly_counts(censored: bool, seed: int) -> None:
    contamination, precision = _fitted_with_an_outlier(seed, censored=censored)

    weight = (1 - contamination) * precision
    assert weight[0] < np.quantile(weight, 0.1)


def test_such_a_worker_is_taken_for_one_who_clicks() -> None:
    contamination, _ = _fitted_with_an_outlier(0, censored=False)

    assert contamination[0] > 0.5
    assert np.median(contamination) < 0.2
