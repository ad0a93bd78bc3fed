from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from steelyard.stats.rank_distributions import mann_whitney_p_value, signed_rank_p_value


@pytest.mark.parametrize("n", [1, 2, 6, 9])
def test_signed_rank_sums_are_counted_as_one_by_one(n: int) -> None:
    sums = np.array([np.dot(signs, np.arange(1, n + 1)) for signs in product((0, 1), repeat=n)])

    tail = [signed_rank_p_value(total, n) for total in range(n * (n + 1) // 2 + 1)]

    assert tail == [np.mean(sums >= total) for total in range(n * (n + 1) // 2 + 1)]


@pytest.mark.parametrize(("n_first", "n_second"), [(1, 1), (2, 5), (5, 2), (4, 4)])
def test_mann_whitney_counts_are_counted_as_one_by_one(n_first: int, n_second: int) -> None:
    # The ranks of the first group, less the least they can sum to.
    chosen = combinations(range(1, n_first + n_second + 1), n_first)
    wins = np.array([sum(ranks) - n_first * (n_first + 1) // 2 for ranks in chosen])

    tail = [mann_whitney_p_value(count, n_first, n_second) for count in range(n_first * n_second + 1)]

    assert tail == pytest.approx([np.mean(wins >= count) for count in range(n_first * n_second + 1)])


@pytest.mark.parametrize("n", [4, 5])
def test_four_pairs_cannot_be_significant_but_five_can(n: int) -> None:
    # All ranks positive: one pattern of signs in 2^n.
    assert signed_rank_p_value(n * (n + 1) // 2, n) == 0.5**n


@pytest.mark.parametrize(
    ("statistic", "n", "p_value"), [(45, 10, 43 / 1024), (44, 10, 54 / 1024)], ids=["45", "44"]
)
def test_ten_differences_have_their_known_critical_value(statistic: int, n: int, p_value: float) -> None:
    # One-sided 0.05 lies between the two: 45 is significant, 44 is not.
    assert signed_rank_p_value(statistic, n) == p_value


def test_more_than_there_is_has_no_chance() -> None:
    assert signed_rank_p_value(7, 3) == 0
    assert mann_whitney_p_value(7, 2, 3) == 0


def test_the_largest_exact_cases_are_symmetric() -> None:
    # P(W >= w) + P(W >= 326 - w) = 1 for n = 25; the same for U of 10 and 10 values about 50.
    assert signed_rank_p_value(200, 25) + signed_rank_p_value(126, 25) == pytest.approx(1, abs=1e-12)
    assert mann_whitney_p_value(70, 10, 10) + mann_whitney_p_value(31, 10, 10) == pytest.approx(1, abs=1e-12)
