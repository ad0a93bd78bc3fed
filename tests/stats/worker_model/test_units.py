from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.pooling import rating_units
from steelyard.stats.standardise import worker_moments
from steelyard.stats.worker_model.units import OwnUnits, in_own_units

# Two workers, two ratings each; the mean of all is 6.
RATING = np.array([0.0, 8.0, 6.0, 10.0])
WORKER = np.array([0, 0, 1, 1])
ONE_CRITERION = np.zeros(4, dtype=np.int64)


def _units(rating: np.ndarray, worker: np.ndarray, criterion: np.ndarray | None = None) -> OwnUnits:
    if criterion is None:
        criterion = np.zeros(len(rating), dtype=np.int64)
    return in_own_units(
        rating,
        worker,
        criterion,
        n_workers=int(worker.max()) + 1,
        n_criteria=int(criterion.max()) + 1,
    )


def test_values_are_ratings_in_units_that_the_crowd_has_part_in() -> None:
    rng = np.random.default_rng(6)
    worker = rng.integers(0, 8, 60)
    rating = rng.integers(0, 101, 60).astype(float)

    units, expected = _units(rating, worker), rating_units(worker_moments(rating, worker))

    np.testing.assert_allclose(units.centre[:, 0], expected.centre)
    np.testing.assert_allclose(units.deviation, expected.deviation)
    np.testing.assert_allclose(units.own[:, 0], expected.own)
    np.testing.assert_allclose(units.value, (rating - expected.centre[worker]) / expected.deviation[worker])


def test_overall_mean_and_typical_deviation_are_those_of_all_ratings() -> None:
    units = _units(RATING, WORKER)

    # Squares around 6: 36, 4, 0 and 16.
    assert units.overall == 6
    assert units.typical == pytest.approx(np.sqrt(56 / 4))


def test_where_all_workers_see_criteria_alike_their_centres_are_shifted_alike() -> None:
    rating, criterion = np.array([10.0, 30.0, 20.0, 40.0]), np.array([0, 1, 0, 1])

    units = _units(rating, WORKER, criterion)

    # The second criterion lies 20 above the first, by either worker: nothing else sets the centres apart.
    np.testing.assert_allclose(units.centre[:, 1] - units.centre[:, 0], [20, 20])


def test_workers_who_see_criteria_differently_have_their_own_centres() -> None:
    rng = np.random.default_rng(4)
    worker, criterion = np.repeat([0, 1], 400), np.tile([0, 1], 400)
    level = np.array([[20.0, 80.0], [80.0, 20.0]])

    units = _units(level[worker, criterion] + rng.normal(0, 5, 800), worker, criterion)

    # 200 ratings each: the centres are known to 5 / sqrt(200) = 0.35.
    np.testing.assert_allclose(units.centre, level, atol=1.5)


def test_with_many_ratings_the_values_of_each_worker_and_criterion_average_nothing() -> None:
    rng = np.random.default_rng(1)
    worker, criterion = rng.integers(0, 3, 30_000), rng.integers(0, 2, 30_000)
    level = np.array([[20.0, 60.0], [50.0, 50.0], [90.0, 40.0]])
    rating = level[worker, criterion] + rng.normal(0, 10, 30_000)

    units = _units(rating, worker, criterion)

    cell = worker * 2 + criterion
    # About 5,000 ratings in a cell, each 10 points off: the crowd has next to no part in their mean.
    means = np.bincount(cell, units.value) / np.bincount(cell)
    assert np.abs(means * 10).max() < 10 / np.sqrt(5_000)


def test_with_many_ratings_values_are_ordinary_z_scores() -> None:
    rng = np.random.default_rng(2)
    worker = np.repeat([0, 1], 20_000)
    rating = np.where(worker == 0, rng.normal(20, 3, 40_000), rng.normal(80, 12, 40_000))

    units = _units(rating, worker)

    own = [rating[worker == w] for w in (0, 1)]
    z = np.concatenate([(part - part.mean()) / part.std(ddof=1) for part in own])
    np.testing.assert_allclose(units.value, z, atol=0.01)


def test_ratings_come_back_from_values_centres_and_deviations() -> None:
    rng = np.random.default_rng(3)
    worker, criterion, rating = rng.integers(0, 4, 50), rng.integers(0, 3, 50), rng.uniform(0, 100, 50)

    units = _units(rating, worker, criterion)

    back = units.centre[worker, criterion] + units.deviation[worker] * units.value
    np.testing.assert_allclose(back, rating)


def test_who_always_gives_the_same_rating_has_not_varied() -> None:
    rating, worker = np.array([50.0, 50.0, 50.0, 10.0, 11.0, 70.0]), np.array([0, 0, 0, 1, 1, 2])

    units = _units(rating, worker)

    # Neither has the last one, whose one rating can differ from no other.
    assert units.varied.tolist() == [False, True, False]


def test_a_worker_without_ratings_has_the_average_workers_centre_and_the_usual_deviation() -> None:
    units = in_own_units(RATING, WORKER, ONE_CRITERION, n_workers=3, n_criteria=1)

    # Means of 4 and 8; variances of 32 and 8, whose difference is chance with one degree of freedom each.
    assert units.centre[2, 0] == pytest.approx(6)
    usual = rating_units(worker_moments(RATING, WORKER))
    assert units.deviation[2] > usual.deviation.min()
    assert not units.varied[2]


def test_equal_ratings_of_everybody_have_value_nought() -> None:
    units = _units(np.full(4, 70.0), WORKER)

    np.testing.assert_array_equal(units.value, 0.0)
    assert np.isfinite(units.deviation).all()
    assert units.typical == 1


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(0, 3), st.integers(0, 1)), max_size=30),
    st.floats(0.01, 50),
    st.floats(-1000, 1000),
)
def test_stretching_and_shifting_all_ratings_changes_no_value(
    rows: list[tuple[int, int, int]], factor: float, shift: float
) -> None:
    # Somebody varies: otherwise there is no unit to speak of.
    rows = [(0, 0, 0), (10, 0, 0), *rows]
    rating, worker, criterion = (np.array(column) for column in zip(*rows, strict=True))
    units = in_own_units(rating.astype(float), worker, criterion, n_workers=4, n_criteria=2)

    other = in_own_units(factor * rating + shift, worker, criterion, n_workers=4, n_criteria=2)

    np.testing.assert_allclose(other.value, units.value, atol=1e-6)
    np.testing.assert_allclose(other.centre, factor * units.centre + shift, rtol=1e-9, atol=1e-7)


def test_the_ratings_given_are_left_untouched() -> None:
    rating = RATING.copy()

    _units(rating, WORKER)

    np.testing.assert_array_equal(rating, RATING)
