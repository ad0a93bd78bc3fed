from __future__ import annotations

import numpy as np
import pytest

from steelyard.aggregation._segment_draws import MOST_GROUPS, draw_segments


def test_the_first_row_is_the_data_as_they_are() -> None:
    draws = draw_segments(np.arange(12), draws=5, rng=np.random.default_rng(1))

    assert draws.times.shape == (6, 12)
    assert (draws.times[0] == 1).all()


def test_every_draw_takes_as_many_segments_as_there_are() -> None:
    draws = draw_segments(np.arange(12), draws=50, rng=np.random.default_rng(1))

    assert (draws.times.sum(axis=1) == 12).all()


def test_few_segments_are_drawn_one_by_one() -> None:
    draws = draw_segments(np.arange(MOST_GROUPS), draws=0, rng=np.random.default_rng(1))

    assert draws.group.tolist() == list(range(MOST_GROUPS))


def test_many_segments_are_drawn_in_groups_of_equal_size() -> None:
    draws = draw_segments(np.arange(2 * MOST_GROUPS + 5), draws=1, rng=np.random.default_rng(1))

    sizes = np.bincount(draws.group)
    assert draws.times.shape == (2, MOST_GROUPS)
    assert set(sizes) == {2, 3}


@pytest.mark.parametrize("n_segments", [500, 4 * MOST_GROUPS])
def test_the_mean_of_a_draw_varies_as_a_mean_of_segments_does(n_segments: int) -> None:
    rng = np.random.default_rng(2)
    value = rng.normal(0, 1, n_segments)
    draws = draw_segments(np.arange(n_segments), draws=2000, rng=rng)

    total = np.bincount(draws.group, value)
    means = draws.times[1:] @ total / (draws.times[1:] @ np.bincount(draws.group))

    # 2,000 draws know a deviation to 1.6 %, 3,000 groups to 1.3 %: five times that of both together.
    assert means.std() == pytest.approx(value.std() / np.sqrt(n_segments), rel=0.1)


def test_segments_of_one_document_are_drawn_together() -> None:
    document = np.array([0, 1, 0, 2, 2])

    draws = draw_segments(document, draws=20, rng=np.random.default_rng(1))

    assert draws.times.shape == (21, 3)
    assert (draws.times.sum(axis=1) == 3).all()
    assert draws.group.tolist() == document.tolist()
