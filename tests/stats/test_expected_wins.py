from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from steelyard.stats.arrays import FloatArray
from steelyard.stats.expected_wins import expected_wins

NO_TIES = np.zeros((3, 3))
counts = arrays(np.float64, (4, 4), elements=st.integers(0, 9).map(float)).map(
    lambda table: table * (1 - np.eye(4))
)


def _slow(wins: FloatArray, ties: FloatArray, system: int) -> float:
    shares = []
    for opponent in range(len(wins)):
        won, lost = wins[system, opponent], wins[opponent, system]
        if won + lost:
            shares.append(won / (won + lost))
        elif ties[system, opponent]:
            shares.append(0.5)
    return float(np.mean(shares)) if shares else float("nan")


def test_seven_wins_of_ten_against_the_only_opponent_are_seven_tenths() -> None:
    wins = np.array([[0.0, 7.0], [3.0, 0.0]])

    assert expected_wins(wins, np.zeros((2, 2))).tolist() == [0.7, 0.3]


def test_a_cycle_leaves_all_equal() -> None:
    # Each beats the next 6:4 and loses to the one before 4:6.
    wins = np.array([[0.0, 6.0, 4.0], [4.0, 0.0, 6.0], [6.0, 4.0, 0.0]])

    np.testing.assert_allclose(expected_wins(wins, NO_TIES), (0.6 + 0.4) / 2)


def test_every_opponent_weighs_the_same_however_often_they_met() -> None:
    # 90:10 against the second, 1:1 against the third.
    wins = np.array([[0.0, 90.0, 1.0], [10.0, 0.0, 0.0], [1.0, 0.0, 0.0]])

    assert expected_wins(wins, NO_TIES)[0] == pytest.approx((0.9 + 0.5) / 2)


def test_ties_are_ignored_beside_decided_comparisons() -> None:
    wins = np.array([[0.0, 7.0], [3.0, 0.0]])

    assert expected_wins(wins, np.array([[0.0, 50.0], [50.0, 0.0]])).tolist() == [0.7, 0.3]


def test_systems_that_only_tied_are_even() -> None:
    ties = np.array([[0.0, 5.0], [5.0, 0.0]])

    assert expected_wins(np.zeros((2, 2)), ties).tolist() == [0.5, 0.5]


def test_an_opponent_never_met_is_left_out() -> None:
    wins = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])

    # The first met the second only, the second met both.
    np.testing.assert_allclose(expected_wins(wins, NO_TIES), [3 / 4, (1 / 4 + 2 / 4) / 2, 2 / 4])


def test_a_system_that_met_nobody_has_no_score() -> None:
    wins = np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])

    assert np.isnan(expected_wins(wins, NO_TIES)).tolist() == [False, False, True]


@given(counts, counts)
def test_many_tables_at_once_give_what_the_slow_formula_gives_for_each(
    wins: FloatArray, half: FloatArray
) -> None:
    ties = half + half.T
    expected = [[_slow(table, ties, system) for system in range(4)] for table in (wins, wins.T)]

    found = expected_wins(np.stack([wins, wins.T]), np.stack([ties, ties]))

    np.testing.assert_allclose(found, expected)
