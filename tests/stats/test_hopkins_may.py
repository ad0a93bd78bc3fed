from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from steelyard.stats.arrays import FloatArray
from steelyard.stats.expected_wins import expected_wins
from steelyard.stats.hopkins_may import hopkins_may_abilities

# Deviation of the difference seen between two translations, and the decision radius, from the paper's
# deviations within systems (0.5) and of observations (1).
SPREAD, RADIUS = np.sqrt(2 * (0.5**2 + 1.0**2)), 0.5
WINS = np.array([[0.0, 12.0, 9.0], [5.0, 0.0, 8.0], [3.0, 6.0, 0.0]])
TIES = np.array([[0.0, 4.0, 0.0], [4.0, 0.0, 7.0], [0.0, 7.0, 0.0]])


def _minus_log_posterior(abilities: FloatArray, wins: FloatArray, ties: FloatArray) -> float:
    total = -0.5 * float(np.sum(abilities**2))
    for i in range(len(wins)):
        for j in range(len(wins)):
            ahead = abilities[i] - abilities[j]
            total += wins[i, j] * stats.norm.logcdf((ahead - RADIUS) / SPREAD)
            if i < j:
                tie = stats.norm.cdf((ahead + RADIUS) / SPREAD) - stats.norm.cdf((ahead - RADIUS) / SPREAD)
                total += ties[i, j] * np.log(tie)
    return -total


def test_abilities_are_those_that_a_general_optimiser_finds() -> None:
    found = optimize.minimize(_minus_log_posterior, np.zeros(3), args=(WINS, TIES), tol=1e-10)

    np.testing.assert_allclose(hopkins_may_abilities(WINS, TIES), found.x, atol=1e-5)


def test_seven_to_three_solves_its_equation() -> None:
    # Abilities m and -m. The derivative of 7 log P(win) + 3 log P(loss) - m squared in m must vanish.
    def derivative(m: float) -> float:
        win, loss = (sign * 2 * m / SPREAD - RADIUS / SPREAD for sign in (1, -1))
        slopes = [stats.norm.pdf(x) / stats.norm.cdf(x) * 2 / SPREAD for x in (win, loss)]
        return float(7 * slopes[0] - 3 * slopes[1] - 2 * m)

    m = optimize.brentq(derivative, 0, 5, xtol=1e-12)

    abilities = hopkins_may_abilities(np.array([[0.0, 7.0], [3.0, 0.0]]), np.zeros((2, 2)))

    np.testing.assert_allclose(abilities, [m, -m], atol=1e-9)


@pytest.mark.parametrize(
    "wins",
    [
        np.array([[0.0, 6.0, 4.0], [4.0, 0.0, 6.0], [6.0, 4.0, 0.0]]),
        np.full((3, 3), 5.0) - 5.0 * np.eye(3),
        np.zeros((3, 3)),
    ],
    ids=["cycle", "even", "nothing"],
)
def test_nobody_is_ahead_where_nothing_tells_systems_apart(wins: FloatArray) -> None:
    np.testing.assert_allclose(hopkins_may_abilities(wins, np.zeros((3, 3))), 0, atol=1e-12)


def test_exchanging_systems_exchanges_abilities() -> None:
    order = [2, 0, 1]

    exchanged = hopkins_may_abilities(WINS[np.ix_(order, order)], TIES[np.ix_(order, order)])

    np.testing.assert_allclose(exchanged, hopkins_may_abilities(WINS, TIES)[order], atol=1e-9)


def test_many_tables_at_once_give_what_each_gives_alone() -> None:
    wins, ties = np.stack([WINS, WINS.T, 3 * WINS]), np.stack([TIES, TIES, 0 * TIES])

    together = hopkins_may_abilities(wins, ties)

    alone = [hopkins_may_abilities(w, t) for w, t in zip(wins, ties, strict=True)]
    np.testing.assert_allclose(together, alone, atol=1e-9)


def test_holding_out_against_a_strong_opponent_counts_for_more() -> None:
    # The first beats the second 90:10; the third is even with the first, the fourth with the second.
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0] = 90, 10
    wins[0, 2] = wins[2, 0] = wins[1, 3] = wins[3, 1] = 10

    abilities = hopkins_may_abilities(wins, np.zeros((4, 4)))

    assert abilities[2] > abilities[3] + 1
    assert expected_wins(wins, np.zeros((4, 4)))[2:].tolist() == [0.5, 0.5]


def test_ties_bring_systems_together() -> None:
    wins = np.array([[0.0, 7.0], [3.0, 0.0]])

    without, with_ties = (hopkins_may_abilities(wins, np.array([[0.0, n], [n, 0.0]])) for n in (0.0, 30.0))

    assert 0 < with_ties[0] < without[0]


@pytest.mark.parametrize("n", [1.0, 1e3, 1e9])
def test_a_system_that_never_lost_still_has_an_ability(n: float) -> None:
    abilities = hopkins_may_abilities(np.array([[0.0, n], [0.0, 0.0]]), np.zeros((2, 2)))

    assert 0 < abilities[0] < 10
    assert abilities.sum() == pytest.approx(0, abs=1e-9)


def test_true_abilities_are_recovered() -> None:
    rng = np.random.default_rng(8)
    truth = np.array([0.6, 0.25, 0.0, -0.25, -0.6])
    wins, ties = np.zeros((2, 5, 5))
    for i in range(5):
        for j in range(i):
            seen = rng.normal(truth[i] - truth[j], SPREAD, size=3000)
            wins[i, j], wins[j, i] = np.sum(seen > RADIUS), np.sum(seen < -RADIUS)
            ties[i, j] = ties[j, i] = np.sum(np.abs(seen) <= RADIUS)

    # 12,000 comparisons each: a standard error of about 1.6 / sqrt(12,000) = 0.015.
    np.testing.assert_allclose(hopkins_may_abilities(wins, ties), truth, atol=0.06)
