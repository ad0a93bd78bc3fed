from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.standardise import standardise_by_worker, standardise_rows, worker_moments


def test_a_worker_is_centred_and_divided_by_the_sample_deviation() -> None:
    rating = np.array([10.0, 20.0, 60.0])

    z = standardise_by_worker(rating, np.zeros(3, dtype=np.int64))

    # mean 30, squared deviations 400 + 100 + 900, over n - 1 = 2: deviation sqrt(700)
    np.testing.assert_allclose(z, np.array([-20, -10, 30]) / np.sqrt(700))


def test_moments_agree_with_numpy_for_every_worker() -> None:
    rng = np.random.default_rng(1)
    worker = rng.permutation(np.repeat(np.arange(5), 8))
    rating = rng.uniform(0, 100, 40)

    moments = worker_moments(rating, worker)

    expected = np.array([[len(r), r.mean(), r.std(ddof=1)] for r in (rating[worker == w] for w in range(5))])
    np.testing.assert_allclose(np.column_stack(moments), expected, rtol=1e-13)


def test_a_far_off_scale_loses_no_precision() -> None:
    rating = np.array([1.0, 2.0, 3.0, 4.0])

    far = standardise_by_worker(rating + 1e9, np.zeros(4, dtype=np.int64))

    np.testing.assert_allclose(far, standardise_by_worker(rating, np.zeros(4, dtype=np.int64)), rtol=1e-12)


def test_only_marked_rows_define_the_mean_but_all_are_standardised() -> None:
    rating = np.array([0.0, 2.0, 11.0])
    over = np.array([True, True, False])

    z = standardise_by_worker(rating, np.zeros(3, dtype=np.int64), over=over)

    np.testing.assert_allclose(z, np.array([-1, 1, 10]) / np.sqrt(2))


@pytest.mark.parametrize("constant", [50.0, 0.1, 1 / 3])
def test_identical_ratings_cannot_be_standardised(constant: float) -> None:
    rating = np.array([constant] * 3 + [0.0, 1.0])

    z = standardise_by_worker(rating, np.array([0, 0, 0, 1, 1]))

    assert np.isnan(z).tolist() == [True, True, True, False, False]


def test_workers_below_the_minimum_get_nan() -> None:
    rating = np.array([1.0, 2.0, 3.0, 1.0, 2.0])

    z = standardise_by_worker(rating, np.array([0, 0, 0, 1, 1]), minimum=3)

    assert np.isnan(z).tolist() == [False, False, False, True, True]


def test_rescaling_a_worker_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    worker = np.repeat([0, 1], 10)
    rating = rng.uniform(0, 100, 20)

    rescaled = np.where(worker == 1, 7 + 0.3 * rating, rating)

    np.testing.assert_allclose(standardise_by_worker(rescaled, worker), standardise_by_worker(rating, worker))


def test_the_input_is_left_untouched() -> None:
    rating, worker = np.array([1.0, 5.0, 9.0]), np.array([0, 0, 0])
    before = rating.copy()

    standardise_by_worker(rating, worker)

    np.testing.assert_array_equal(rating, before)


def test_nothing_in_gives_nothing_out() -> None:
    assert len(standardise_by_worker(np.empty(0), np.empty(0, dtype=np.int64))) == 0


def test_rows_are_standardised_over_what_they_have() -> None:
    # Mean 4, deviation sqrt((9 + 1 + 16) / 3).
    found = standardise_rows(np.array([[1.0, np.nan, 3.0, 8.0], [np.nan] * 4]))

    assert found[0] == pytest.approx(np.array([-3.0, np.nan, -1.0, 4.0]) / np.sqrt(26 / 3), nan_ok=True)
    assert np.isnan(found[1]).all()


def test_units_of_a_row_do_not_matter() -> None:
    rows = np.random.default_rng(4).normal(size=(2, 9))

    assert standardise_rows(7 - 3 * rows) == pytest.approx(-standardise_rows(rows))
