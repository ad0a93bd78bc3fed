from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.crowded import crowded_category
from steelyard.stats.gold import RatingPoints

FOUR, LINE = RatingPoints(1, 4, 4), RatingPoints(0, 100)


@pytest.mark.parametrize(("n_threes", "is_crowded"), [(8, False), (9, True)])
def test_more_than_eighty_per_cent_in_one_category_are_a_crowd(n_threes: int, is_crowded: bool) -> None:
    score = np.array([3.1] * n_threes + [1.0] * (10 - n_threes))

    crowded = crowded_category(score, FOUR)

    assert (crowded == (3.0, 3.0, 0.9)) if is_crowded else crowded is None


def test_a_crowd_on_a_line_lies_between_two_ends() -> None:
    assert crowded_category(np.full(10, 25.0), LINE) == (20.0, 40.0, 1.0)


def test_fewer_than_ten_scores_are_no_crowd() -> None:
    # The tenth is none.
    assert crowded_category(np.array([3.0] * 9 + [np.nan]), FOUR) is None
