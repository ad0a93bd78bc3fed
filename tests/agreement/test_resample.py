"""Draws of workers, and intervals from them."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard.agreement.resample import interval_ends, resampled, worker_counts


def test_every_draw_has_as_many_workers_as_there_are() -> None:
    counts = worker_counts(7, 50, np.random.default_rng(1))

    assert counts.shape == (7, 50)
    assert (counts.sum(axis=0) == 7).all()


def test_each_worker_is_drawn_as_a_multinomial_says() -> None:
    counts = worker_counts(10, 20_000, np.random.default_rng(2))

    # Mean 1 and variance 0.9; of 200,000 counts the mean is exact and the variance has an error of 0.004.
    assert counts.mean() == 1.0
    assert counts.var() == pytest.approx(0.9, abs=0.016)
    np.testing.assert_allclose(counts.mean(axis=1), 1.0, atol=4 * np.sqrt(0.9 / 20_000))


def test_draws_in_several_batches_are_all_there() -> None:
    rng = np.random.default_rng(3)

    first, second = resampled(
        [lambda counts: counts, lambda counts: counts[:1] ** 2], n_workers=4, draws=300, rng=rng
    )

    assert first.shape == (4, 300)
    np.testing.assert_array_equal(second, first[:1] ** 2)
    assert len({tuple(draw) for draw in first.T.tolist()}) > 20


def test_the_interval_is_the_spread_of_the_draws_about_the_value() -> None:
    drawn = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])

    ends = interval_ends(drawn, value=np.array([0.35]), level=0.5)

    # Quartiles 0.2 and 0.4, moved by 0.35 - 0.3.
    np.testing.assert_allclose(ends, [[0.25], [0.45]])


def test_no_interval_reaches_beyond_one() -> None:
    drawn = np.array([[0.5, 0.9, 1.0, 1.0]])

    ends = interval_ends(drawn, value=np.array([0.95]), level=0.9)

    assert ends[1, 0] == 1.0


def test_undefined_draws_are_left_out() -> None:
    drawn = np.array([[0.0, np.nan, 1.0, np.nan], [np.nan] * 4, [0.0, 1.0, 0.5, 0.5]])

    ends = interval_ends(drawn, value=np.array([0.5, 0.5, np.nan]), level=0.5)

    np.testing.assert_allclose(ends, [[0.25, np.nan, np.nan], [0.75, np.nan, np.nan]])
