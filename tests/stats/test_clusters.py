from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from steelyard.stats.clusters import clusters, rank_ranges, significant, wins

NAN = np.nan
# A beats C and D; B beats D only; C and D do not differ.
CHAIN = np.array([[NAN, 0.3, 0.01, 0.01], [0.7, NAN, 0.2, 0.01], [0.9, 0.8, NAN, 0.4], [0.9, 0.9, 0.6, NAN]])
# A and B do not differ, both beat C and D; C beats D.
STEPS = np.array(
    [[NAN, 0.3, 0.01, 0.01], [0.7, NAN, 0.01, 0.01], [0.9, 0.9, NAN, 0.02], [0.9, 0.9, 0.9, NAN]]
)


def test_wins_count_systems_significantly_worse() -> None:
    assert wins(CHAIN, threshold=0.05).tolist() == [2, 1, 0, 0]


def test_a_win_over_a_higher_ranked_system_counts() -> None:
    upset = CHAIN.copy()
    upset[3, 0] = 0.04

    assert wins(upset, threshold=0.05)[3] == 1


def test_rank_ranges_leave_room_for_all_that_does_not_differ() -> None:
    low, high = rank_ranges(CHAIN, threshold=0.05)

    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]


def test_strict_clusters_need_everyone_above_to_beat_everyone_below() -> None:
    assert clusters(STEPS, rule="strict", threshold=0.05).tolist() == [1, 1, 2, 3]


def test_a_chain_of_overlaps_is_one_strict_cluster() -> None:
    assert clusters(CHAIN, rule="strict", threshold=0.05).tolist() == [1, 1, 1, 1]


def test_the_wmt21_rule_asks_only_the_last_system_above_the_border() -> None:
    p_values = STEPS.copy()
    p_values[0, 2] = 0.2

    assert clusters(p_values, rule="wmt21", threshold=0.05).tolist() == [1, 1, 2, 3]
    assert clusters(p_values, rule="strict", threshold=0.05).tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize(("included", "expected"), [(False, 0), (True, 1)])
def test_a_p_value_at_the_threshold_counts_only_if_included(included: bool, expected: int) -> None:
    p_values = np.array([[NAN, 0.05], [0.95, NAN]])

    assert wins(p_values, threshold=0.05, included=included)[0] == expected


def test_unknown_p_values_are_never_significant() -> None:
    assert not significant(np.full((2, 2), NAN), threshold=0.05, included=True).any()


@pytest.mark.parametrize("rule", ["strict", "wmt21"])
def test_a_single_system_is_the_first_cluster(rule: Literal["strict", "wmt21"]) -> None:
    assert clusters(np.array([[NAN]]), rule=rule, threshold=0.05).tolist() == [1]


def test_neighbours_alone_decide_where_asked_for() -> None:
    """B beats C, and A does not beat C: strictly one cluster, by neighbours a border after B."""
    p_values = np.array([[np.nan, 0.5, 0.2], [0.5, np.nan, 0.01], [0.8, 0.99, np.nan]])

    assert clusters(p_values, rule="neighbours", threshold=0.05).tolist() == [1, 1, 2]
    assert clusters(p_values, rule="strict", threshold=0.05).tolist() == [1, 1, 1]
    assert clusters(np.array([[np.nan]]), rule="neighbours", threshold=0.05).tolist() == [1]
