from __future__ import annotations

import numpy as np
import pytest

from steelyard.stats.worker_model.anderson import fixed_point

# A contraction: x -> A x + b, whose slowest direction shrinks by 0.95 only.
_ROTATION, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))
MATRIX = _ROTATION @ np.diag([0.95, 0.9, 0.7, 0.4, -0.5]) @ _ROTATION.T
ADDED = np.arange(1.0, 6.0)
START = np.zeros(5)


def _turn(state: np.ndarray) -> np.ndarray:
    return MATRIX @ state + ADDED


class _Scripted:
    """A map that moves its state by given steps, whatever the state; it remembers where it was asked."""

    def __init__(self, *changes: list[float]) -> None:
        self.changes = [np.array(change) for change in changes]
        self.asked: list[np.ndarray] = []

    def __call__(self, state: np.ndarray) -> np.ndarray:
        self.asked.append(state)
        return state + self.changes[len(self.asked) - 1]


def test_a_linear_contraction_reaches_its_fixed_point() -> None:
    reached = fixed_point(_turn, START, tolerance=1e-10, most_turns=200)

    assert reached.converged
    # Where the last change is c, the fixed point is at most c / (1 - 0.95) away in length.
    np.testing.assert_allclose(reached.state, np.linalg.solve(np.eye(5) - MATRIX, ADDED), atol=1e-8)


def test_it_takes_far_fewer_turns_than_plain_iteration() -> None:
    state, turns = START, 1
    while np.abs(_turn(state) - state).max() > 1e-6:
        state, turns = _turn(state), turns + 1

    reached = fixed_point(_turn, START, tolerance=1e-6, most_turns=500)

    # Five directions are known after six turns; plain steps gain 5 % each in the slowest.
    assert turns > 200
    assert reached.turns < 20


def test_a_non_linear_map_reaches_its_fixed_point() -> None:
    reached = fixed_point(np.cos, np.array([0.0, 1.0]), tolerance=1e-12, most_turns=100)

    # The number that is its own cosine.
    np.testing.assert_allclose(reached.state, 0.7390851332151607, atol=1e-11)


def test_not_having_settled_is_reported() -> None:
    reached = fixed_point(_turn, START, tolerance=1e-10, most_turns=3)

    assert not reached.converged
    assert reached.turns == 3
    assert reached.change > 1e-10


def test_the_reported_change_is_the_last_ones_largest_number() -> None:
    scripted = _Scripted([3.0, -4.0], [0.5, 0.25])

    reached = fixed_point(scripted, np.zeros(2), tolerance=0.6, most_turns=10)

    assert reached.converged
    assert (reached.turns, reached.change) == (2, 0.5)


def test_a_state_that_already_stands_still_takes_one_turn() -> None:
    reached = fixed_point(lambda state: state, START, tolerance=0.0, most_turns=10)

    assert (reached.converged, reached.turns, reached.change) == (True, 1, 0.0)


def test_an_empty_state_stands_still() -> None:
    reached = fixed_point(lambda state: state, np.zeros(0), tolerance=1e-6, most_turns=10)

    assert reached.converged


def test_the_second_step_goes_where_a_line_through_two_changes_is_nought() -> None:
    scripted = _Scripted([1.0], [0.5], [0.25])

    fixed_point(scripted, np.zeros(1), tolerance=0.0, most_turns=3)

    # From 0 to 1 and from 1 to 1.5: half the change went in one step of 1, so all is gone at 2.
    np.testing.assert_allclose([float(state[0]) for state in scripted.asked], [0.0, 1.0, 2.0], atol=1e-6)


@pytest.mark.parametrize("change", [1.6, 100.0])
def test_where_the_change_grew_threefold_memory_is_dropped(change: float) -> None:
    scripted = _Scripted([1.0], [0.5], [change], [0.1])

    fixed_point(scripted, np.zeros(1), tolerance=0.0, most_turns=4)

    # A plain step: on from where the third turn led.
    np.testing.assert_array_equal(scripted.asked[3], scripted.asked[2] + change)


def test_where_the_change_grew_less_memory_is_kept() -> None:
    scripted = _Scripted([1.0], [0.5], [1.4], [0.1])

    fixed_point(scripted, np.zeros(1), tolerance=0.0, most_turns=4)

    assert abs(scripted.asked[3][0] - (scripted.asked[2][0] + 1.4)) > 0.1


def test_a_state_that_keeps_drifting_is_reported_and_stays_finite() -> None:
    reached = fixed_point(lambda state: state + 1, np.zeros(2), tolerance=1e-3, most_turns=8)

    # Equal changes teach nothing of where they would end.
    assert not reached.converged
    assert np.isfinite(reached.state).all()


def test_the_start_is_left_untouched() -> None:
    start = np.zeros(5)

    fixed_point(_turn, start, tolerance=1e-6, most_turns=50)

    np.testing.assert_array_equal(start, 0.0)
