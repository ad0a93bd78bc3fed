from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import roots_genlaguerre
from scipy.stats import truncnorm

from steelyard.stats.worker_model import variational
from steelyard.stats.worker_model.effects import KIND_VARIANCE, ItemOrigin
from steelyard.stats.worker_model.problem import WorkerRatings
from steelyard.stats.worker_model.spread import spread
from steelyard.stats.worker_model.sums import RatingSums
from steelyard.stats.worker_model.variational import Learned, learn

HONEST, PER_ITEM, N_SYSTEMS, N_SEGMENTS = 12, 5, 3, 40
N_ITEMS = N_SYSTEMS * N_SEGMENTS


def _no_origin(n_items: int) -> ItemOrigin:
    """Items of one kind without system or segment."""
    nothing = np.zeros(n_items, dtype=np.int64)
    return ItemOrigin(nothing, nothing - 1, nothing - 1, nothing, 1, 0, 0, 1)


@dataclass(frozen=True)
class _Crowd:
    """Honest workers who rated translations of several systems, and the true quality of these."""

    ratings: WorkerRatings
    origin: ItemOrigin
    quality: np.ndarray


def _crowd(seed: int, *, n_items: int = N_ITEMS, in_parts: bool = False) -> _Crowd:
    rng = np.random.default_rng(seed)
    system, segment = np.arange(n_items) % N_SYSTEMS, np.arange(n_items) // N_SYSTEMS
    quality = rng.normal(0, 0.6, n_items) + rng.normal(0, 0.3, N_SYSTEMS)[system]
    item = np.repeat(np.arange(n_items), PER_ITEM)
    worker = np.concatenate([rng.permutation(HONEST)[:PER_ITEM] for _ in range(n_items)])
    slope, noise = np.abs(rng.normal(1, 0.3, HONEST)), rng.uniform(0.5, 0.9, HONEST)
    value = rng.normal(0, 0.2, HONEST)[worker] + slope[worker] * quality[item]
    value += rng.normal(size=len(item)) * noise[worker]
    part = np.unique(worker * N_SYSTEMS + system[item], return_inverse=True)[1] if in_parts else None
    kind = np.zeros(n_items, dtype=np.int64)
    origin = ItemOrigin(kind, system, segment, kind, 1, N_SYSTEMS, n_items // N_SYSTEMS, 1)
    return _Crowd(WorkerRatings(item, worker, value, n_items, HONEST, hit=part), origin, quality)


def _with_worker(crowd: _Crowd, item: np.ndarray, value: np.ndarray) -> WorkerRatings:
    """The ratings of the crowd and of one worker more, the last."""
    ratings = crowd.ratings
    return replace(
        ratings,
        item=np.concatenate([ratings.item, item]),
        worker=np.concatenate([ratings.worker, np.full(len(item), HONEST)]),
        value=np.concatenate([ratings.value, value]),
        n_workers=HONEST + 1,
    )


def _weights(learned: Learned) -> np.ndarray:
    return learned.workers.slope**2 * learned.workers.precision


@pytest.fixture(scope="module", params=[False, True], ids=["whole", "in parts"])
def crowd(request: pytest.FixtureRequest) -> _Crowd:
    return _crowd(1, in_parts=request.param)


@pytest.fixture(scope="module")
def learned(crowd: _Crowd) -> Learned:
    return learn(crowd.ratings, crowd.origin, tolerance=1e-10, most_sweeps=1000)


def test_a_small_crowd_settles(crowd: _Crowd) -> None:
    reached = learn(crowd.ratings, crowd.origin).reached

    assert reached.converged
    assert reached.turns < 50


def test_too_few_sweeps_are_reported(crowd: _Crowd) -> None:
    reached = learn(crowd.ratings, crowd.origin, most_sweeps=2).reached

    assert not reached.converged
    assert reached.turns == 2


def test_the_average_slope_is_one(learned: Learned) -> None:
    assert learned.workers.slope.mean() == pytest.approx(1)


def test_quality_follows_the_truth_better_than_the_mean_rating_does(crowd: _Crowd, learned: Learned) -> None:
    item = crowd.ratings.item
    mean = np.bincount(item, crowd.ratings.value) / np.bincount(item)

    agreement = np.corrcoef([crowd.quality, learned.quality, mean])[0]

    assert agreement[1] > agreement[2]
    assert agreement[1] > 0.8


# At the answer every number is what all the others lead to. The sums are done rating by rating here.


def test_an_items_quality_is_what_ratings_and_origin_lead_to(crowd: _Crowd, learned: Learned) -> None:
    ratings, workers, effects = crowd.ratings, learned.workers, learned.effects
    part = ratings.worker if ratings.hit is None else ratings.hit
    chosen = 7
    expected = (
        effects.kind[0, 0] + effects.system[chosen % N_SYSTEMS, 0] + effects.segment[chosen // N_SYSTEMS]
    )
    precision = 1 / effects.item_variance[0]
    pull = precision * expected

    for row in np.flatnonzero(ratings.item == chosen):
        j = ratings.worker[row]
        precision += workers.precision[j] * (workers.slope[j] ** 2 + workers.slope_variance[j])
        pull += workers.precision[j] * workers.slope[j] * (ratings.value[row] - workers.part[part[row]])

    assert learned.quality[chosen] == pytest.approx(pull / precision)
    assert learned.variance[chosen] == pytest.approx(1 / precision)


def test_a_slope_is_the_mean_of_what_is_left_above_nought(crowd: _Crowd, learned: Learned) -> None:
    ratings, workers = crowd.ratings, learned.workers
    part = ratings.worker if ratings.hit is None else ratings.hit
    tightness = np.full(HONEST, 1 / learned.priors.slope_sd**2)
    pull = tightness.copy()

    for row, j in enumerate(ratings.worker):
        i = ratings.item[row]
        tightness[j] += workers.precision[j] * (learned.quality[i] ** 2 + learned.variance[i])
        away = ratings.value[row] - workers.part[part[row]]
        pull[j] += workers.precision[j] * learned.quality[i] * away

    mean, sd = pull / tightness, tightness**-0.5
    slope = truncnorm.mean(-mean / sd, np.inf, loc=mean, scale=sd)
    # A sweep ends by making the average slope 1, and effects fit for it: nearly the same qualities.
    np.testing.assert_allclose(slope / slope.mean(), workers.slope, atol=0.01)


def test_a_precision_counts_the_squares_that_are_expected(crowd: _Crowd, learned: Learned) -> None:
    ratings, workers, shape = crowd.ratings, learned.workers, learned.priors.shape
    part = ratings.worker if ratings.hit is None else ratings.hit
    squares, number = np.zeros(HONEST), np.bincount(ratings.worker)
    # Sweeps take the precision from slopes before these are made 1 on average; the factor is nearly 1.

    for row, j in enumerate(ratings.worker):
        i, p = ratings.item[row], part[row]
        square = learned.quality[i] ** 2 + learned.variance[i]
        away = ratings.value[row] - workers.part[p] - workers.slope[j] * learned.quality[i]
        squares[j] += away**2 + workers.part_variance[p] - (workers.slope[j] * learned.quality[i]) ** 2
        squares[j] += (workers.slope[j] ** 2 + workers.slope_variance[j]) * square

    expected = (shape + number / 2) / (shape / learned.priors.precision + squares / 2)
    np.testing.assert_allclose(workers.precision, expected, rtol=0.02)


def test_the_usual_precision_is_that_of_the_mean_noise(learned: Learned) -> None:
    noise = (1 / learned.workers.precision).sum()

    # Five made-up workers of precision 1.
    assert learned.priors.precision == pytest.approx((HONEST + 5) / (noise + 5))


def test_the_spread_of_slopes_begins_with_ten_made_up_workers(learned: Learned) -> None:
    squares = ((learned.workers.slope - 1) ** 2 + learned.workers.slope_variance).sum()

    assert learned.priors.slope_sd**2 == pytest.approx((squares + 10 * 0.3**2) / (HONEST + 10))


# The exact posterior of a case so small that it can be integrated.


def _integrated(ratings: WorkerRatings, learned: Learned) -> tuple[np.ndarray, np.ndarray]:
    """Means and deviations of quality, hyperparameters as learned.

    Given slopes and precisions everything else is normal; over these two of each worker the sum is taken on
    a grid: Gauss-Legendre for slopes between 0 and far out, Gauss-Laguerre for precisions.
    """
    priors, item, worker = learned.priors, ratings.item, ratings.worker
    node, weight = np.polynomial.legendre.leggauss(20)
    slope = (node + 1) / 2 * (1 + 7 * priors.slope_sd)
    of_slope = weight * np.exp(-0.5 * ((slope - 1) / priors.slope_sd) ** 2)
    node, of_precision = roots_genlaguerre(12, priors.shape - 1)
    precision = node * priors.precision / priors.shape
    grids = np.meshgrid(slope, slope, precision, precision, indexing="ij")
    weights = np.meshgrid(of_slope, of_slope, of_precision, of_precision, indexing="ij")
    slopes, precisions = (np.stack([g.ravel() for g in pair], axis=1) for pair in (grids[:2], grids[2:]))
    n, places = len(item), np.arange(len(item))
    before = learned.effects.item_variance[0] * np.eye(ratings.n_items) + KIND_VARIANCE
    toward = np.zeros((len(slopes), n, ratings.n_items))
    toward[:, places, item] = slopes[:, worker]
    covariance = toward @ before @ toward.transpose(0, 2, 1)
    covariance += priors.offset_sd**2 * (worker[:, None] == worker)
    covariance[:, places, places] += 1 / precisions[:, worker]
    gain = np.linalg.solve(covariance, toward @ before)
    fit = np.linalg.solve(covariance, np.broadcast_to(ratings.value[:, None], (len(slopes), n, 1)))[..., 0]
    log_likelihood = -0.5 * (fit @ ratings.value + np.linalg.slogdet(covariance)[1])
    share = np.prod([w.ravel() for w in weights], axis=0) * np.exp(log_likelihood - log_likelihood.max())
    share /= share.sum()
    means = np.einsum("kni,n->ki", gain, ratings.value)
    variances = np.diag(before) - np.einsum("in,kni->ki", before, np.einsum("knj,kni->kji", toward, gain))
    mean = share @ means
    return mean, np.sqrt(share @ (variances + means**2) - mean**2)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # The three items of the published model's worked example.
        ([1.0, -0.5, -1.2], [0.6, 0.4, -0.2]),
        ([0.9, -0.3], [1.2, -0.8]),
        ([1.5, 0.2, -0.4, -1.1], [0.9, 0.6, -0.7, -0.6]),
    ],
)
def test_two_workers_are_judged_nearly_as_the_exact_posterior_does(
    first: list[float], second: list[float]
) -> None:
    n = len(first)
    ratings = WorkerRatings(np.tile(np.arange(n), 2), np.repeat([0, 1], n), np.array(first + second), n, 2)
    learned = learn(ratings, _no_origin(n), tolerance=1e-8, most_sweeps=500)

    mean, sd = _integrated(ratings, learned)

    # So few ratings leave slopes and precisions open, which is what the approximation takes too lightly.
    found = spread(learned, RatingSums(ratings), _no_origin(n))
    assert np.abs((learned.quality - mean) / sd).max() < 0.15
    np.testing.assert_allclose(np.sqrt(found.quality_variance), sd, rtol=0.15)


# Who is who, and in which order, does not matter.


def test_the_order_of_ratings_changes_no_bit(crowd: _Crowd) -> None:
    ratings = crowd.ratings
    order = np.random.default_rng(2).permutation(len(ratings.item))
    shuffled = replace(
        ratings,
        item=ratings.item[order],
        worker=ratings.worker[order],
        value=ratings.value[order],
        hit=None if ratings.hit is None else ratings.hit[order],
    )

    found, expected = learn(shuffled, crowd.origin), learn(ratings, crowd.origin)

    np.testing.assert_array_equal(found.quality, expected.quality)
    np.testing.assert_array_equal(found.workers.precision, expected.workers.precision)


def test_other_numbers_for_workers_and_items_change_nothing(crowd: _Crowd, learned: Learned) -> None:
    rng = np.random.default_rng(3)
    ratings, origin = crowd.ratings, crowd.origin
    of_worker, of_item = rng.permutation(HONEST), rng.permutation(N_ITEMS)
    back = np.argsort(of_item)
    renamed = replace(ratings, item=of_item[ratings.item], worker=of_worker[ratings.worker])
    places = replace(origin, system=origin.system[back], segment=origin.segment[back])

    other = learn(renamed, places, tolerance=1e-10, most_sweeps=1000)

    np.testing.assert_allclose(other.quality[of_item], learned.quality, atol=1e-6)
    np.testing.assert_allclose(other.workers.slope[of_worker], learned.workers.slope, atol=1e-6)


def test_turning_all_ratings_round_turns_quality_round(crowd: _Crowd, learned: Learned) -> None:
    other = learn(
        replace(crowd.ratings, value=-crowd.ratings.value), crowd.origin, tolerance=1e-10, most_sweeps=1000
    )

    np.testing.assert_allclose(other.quality, -learned.quality, atol=1e-6)
    np.testing.assert_allclose(other.variance, learned.variance, atol=1e-6)


def test_a_worker_without_ratings_changes_nothing(crowd: _Crowd, learned: Learned) -> None:
    more = replace(crowd.ratings, n_workers=HONEST + 1)

    other = learn(more, crowd.origin, tolerance=1e-10, most_sweeps=1000)

    np.testing.assert_allclose(other.quality, learned.quality, atol=1e-6)


def test_parts_are_not_taken_for_workers_where_they_are_as_many() -> None:
    rng = np.random.default_rng(1)
    item, worker = np.tile(np.arange(20), 3), np.repeat([0, 1, 2], 20)
    part = worker * 2 + item % 2
    value = rng.normal(0, 0.7, 20)[item] + rng.normal(0, 0.3, 6)[part] + rng.normal(0, 0.5, 60)
    ratings = WorkerRatings(item, worker, value, 20, 3, hit=part)
    # Three who rated nothing come first: six workers, six parts.
    more = replace(ratings, worker=worker + 3, n_workers=6)

    expected, found = (learn(each, _no_origin(20), tolerance=1e-8) for each in (ratings, more))

    np.testing.assert_allclose(found.quality, expected.quality, atol=1e-6)
    np.testing.assert_allclose(found.workers.part, expected.workers.part, atol=1e-6)


def test_beginning_with_some_of_the_items_changes_nothing(
    crowd: _Crowd, learned: Learned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(variational, "MANY_RATINGS", 10)

    other = learn(crowd.ratings, crowd.origin, tolerance=1e-10, most_sweeps=1000)

    np.testing.assert_allclose(other.quality, learned.quality, atol=1e-6)


# Workers of all sorts.


@pytest.mark.parametrize("seed", range(4))
def test_a_worker_who_rates_at_random_counts_less_than_a_third_of_the_others(seed: int) -> None:
    crowd, rng = _crowd(seed), np.random.default_rng(100 + seed)
    item, value = rng.permutation(N_ITEMS)[:50], rng.normal(0, 1, 50)

    weights = _weights(learn(_with_worker(crowd, item, value), crowd.origin))

    assert weights[-1] < 0.3 * weights[:-1].mean()


@pytest.mark.parametrize("seed", range(4))
def test_a_worker_who_rates_backwards_gets_a_slope_near_nought_and_never_below(seed: int) -> None:
    crowd = _crowd(seed)
    value = -crowd.quality / crowd.quality.std()

    learned = learn(_with_worker(crowd, np.arange(N_ITEMS), value), crowd.origin)

    assert 0 <= learned.workers.slope[-1] < 0.1
    assert _weights(learned)[-1] < 0.05 * _weights(learned)[:-1].mean()


def test_thousands_of_backward_ratings_leave_a_slope_that_is_a_number() -> None:
    crowd = _crowd(1, n_items=6000)

    workers = learn(_with_worker(crowd, np.arange(6000), -crowd.quality), crowd.origin).workers

    # More than thirty deviations below 0: what is left is tiny, spread like an exponential distribution.
    assert 0 < workers.slope[-1] < 0.01
    assert np.sqrt(workers.slope_variance[-1]) == pytest.approx(workers.slope[-1], rel=0.01)


def test_a_worker_of_one_rating_is_taken_for_an_average_one() -> None:
    crowd = _crowd(1)

    workers = learn(_with_worker(crowd, np.array([3]), np.array([0.5])), crowd.origin).workers

    assert workers.slope[-1] == pytest.approx(1, abs=0.1)
    assert workers.precision[-1] == pytest.approx(np.median(workers.precision), rel=0.3)


def test_one_bad_worker_hardly_moves_the_qualities() -> None:
    crowd = _crowd(1)
    extreme = np.where(np.arange(N_ITEMS) % 2, 3.0, -3.0)
    alone = learn(crowd.ratings, crowd.origin).quality

    found = learn(_with_worker(crowd, np.arange(N_ITEMS), extreme), crowd.origin).quality

    assert np.corrcoef(found, alone)[0, 1] > 0.98


@pytest.mark.parametrize(
    ("item", "worker"),
    [
        ([0, 1, 2, 3], [0, 0, 0, 0]),
        ([0, 0, 0, 0], [0, 1, 2, 3]),
        ([0, 1, 2, 3], [0, 1, 2, 3]),
        ([0, 0], [0, 0]),
        ([0], [0]),
    ],
    ids=["one worker", "one item", "nobody shares an item", "an item twice", "one rating"],
)
def test_little_is_enough_for_numbers(item: list[int], worker: list[int]) -> None:
    value = np.array([1.0, -0.5, 0.3, 0.8])[: len(item)]
    n_items, n_workers = max(item) + 1, max(worker) + 1
    ratings = WorkerRatings(np.array(item), np.array(worker), value, n_items, n_workers)

    learned = learn(ratings, _no_origin(n_items))

    assert learned.reached.converged
    assert np.isfinite(learned.quality).all()
    assert (learned.variance > 0).all()


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 3), st.floats(-3, 3)), min_size=1, max_size=25),
    in_parts=st.booleans(),
    n_criteria=st.integers(1, 2),
)
def test_whatever_was_rated_the_answer_is_numbers(
    rows: list[tuple[int, int, float]], in_parts: bool, n_criteria: int
) -> None:
    item, worker, value = (np.array(column) for column in zip(*rows, strict=True))
    number = np.arange(8)
    # The last item is of a kind without system.
    system, kind = np.where(number < 7, number % 3, -1), (number == 7).astype(np.int64)
    origin = ItemOrigin(kind, system, number // 2, number % n_criteria, 2, 3, 4, n_criteria)
    part = np.unique(worker * 3 + system[item], return_inverse=True)[1] if in_parts else None
    ratings = WorkerRatings(item, worker, value.astype(np.float64), 8, 4, hit=part)

    learned = learn(ratings, origin)
    found = spread(learned, RatingSums(ratings), origin)

    workers = learned.workers
    for numbers in (learned.quality, workers.offset, workers.part, workers.slope, workers.precision):
        assert np.isfinite(numbers).all()
    assert (workers.slope >= 0).all()
    assert (workers.precision > 0).all()
    assert np.isfinite(found.quality_variance).all()
    assert (found.quality_variance >= learned.variance * (1 - 1e-9)).all()
