from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from steelyard.stats.arrays import FloatArray
from steelyard.stats.trueskill import (
    Corrections,
    Matches,
    SkillSettings,
    draw_corrections,
    online_skills,
    resampled_skills,
    win_corrections,
    wmt_skill_settings,
)

# The usual settings of games: those of every published example.
GAMES = SkillSettings(mu=25.0, sigma=25 / 3, beta=25 / 6, tau=25 / 300, draw_probability=0.1)
WIN, TIE, LOSS = 1, 0, -1


def _matches(*results: tuple[int, int, int], group: list[int] | None = None) -> Matches:
    first, second, outcome = np.array(results, dtype=np.int64).T
    return Matches(first, second, outcome, np.array(group or [0] * len(results)))


def _crowd(n: int, abilities: FloatArray, *, groups: int = 40, seed: int = 3) -> Matches:
    """Random comparisons of systems with these abilities, some of them ties."""
    rng = np.random.default_rng(seed)
    first = rng.integers(len(abilities), size=n)
    second = (first + rng.integers(1, len(abilities), size=n)) % len(abilities)
    seen = abilities[first] - abilities[second] + rng.normal(0, 1.5, n)
    outcome = np.where(np.abs(seen) < 0.3, 0, np.sign(seen)).astype(np.int64)
    return Matches(first, second, outcome, rng.integers(groups, size=n))


@pytest.mark.parametrize(
    ("outcome", "mu", "sigma"),
    # Printed to three decimals in the documentation of several public implementations.
    [(WIN, (29.396, 20.604), 7.171), (LOSS, (20.604, 29.396), 7.171), (TIE, (25.0, 25.0), 6.458)],
)
def test_the_published_example_of_two_newcomers(outcome: int, mu: tuple[float, float], sigma: float) -> None:
    skills = online_skills(_matches((0, 1, outcome)), GAMES, n_systems=2)

    np.testing.assert_allclose(skills.mu, mu, atol=5e-4)
    np.testing.assert_allclose(skills.sigma, sigma, atol=5e-4)


@pytest.mark.parametrize("outcome", [WIN, TIE])
def test_one_comparison_gives_the_moments_of_the_exact_posterior(outcome: int) -> None:
    # Second leg: integrate over the first ability; the difference of performances is normal given it.
    sd = np.sqrt(GAMES.sigma**2 + GAMES.tau**2)
    seen = stats.norm(0, np.sqrt(sd**2 + 2 * GAMES.beta**2))
    margin = stats.norm.ppf((GAMES.draw_probability + 1) / 2) * np.sqrt(2) * GAMES.beta

    def weight(ability: float, power: int) -> float:
        ahead = ability - GAMES.mu
        chance = seen.cdf(ahead - margin)
        if outcome == TIE:
            chance = seen.cdf(ahead + margin) - chance
        return float(ability**power * chance * stats.norm.pdf(ability, GAMES.mu, sd))

    moments = [quad(weight, -40, 90, args=(power,), epsabs=1e-12)[0] for power in range(3)]
    mean = moments[1] / moments[0]

    skills = online_skills(_matches((0, 1, outcome)), GAMES, n_systems=2)

    assert skills.mu[0] == pytest.approx(mean, rel=1e-8)
    assert skills.sigma[0] == pytest.approx(np.sqrt(moments[2] / moments[0] - mean**2), rel=1e-8)


@pytest.mark.parametrize("x", [-4.0, -0.7, 0.0, 0.2, 3.0])
@pytest.mark.parametrize(
    ("corrections", "probability"),
    [
        (win_corrections, lambda x, margin: stats.norm.cdf(x - margin)),
        (draw_corrections, lambda x, margin: stats.norm.cdf(x + margin) - stats.norm.cdf(x - margin)),
    ],
    ids=["win", "tie"],
)
def test_corrections_are_the_derivatives_of_the_log_probability(
    x: float,
    corrections: Callable[[float, float], Corrections],
    probability: Callable[[float, float], float],
) -> None:
    margin, h = 0.3, 1e-3
    below, here, above = (np.log(probability(x + step, margin)) for step in (-h, 0.0, h))

    slope, curvature = corrections(x, margin)

    assert slope == pytest.approx((above - below) / (2 * h), abs=1e-5)
    assert curvature == pytest.approx(-(above - 2 * here + below) / h**2, abs=1e-5)


@pytest.mark.parametrize("corrections", [win_corrections, draw_corrections])
def test_corrections_stay_finite_far_out(corrections: Callable[..., Corrections]) -> None:
    slope, curvature = corrections(np.array([-1e4, -60.0, 60.0, 1e4]), 0.3)

    assert np.isfinite(slope).all()
    # Far on the wrong side the truth is pulled back to the margin, with full weight.
    assert slope[0] == pytest.approx(1e4, rel=1e-3)
    np.testing.assert_allclose(curvature[:2], 1, atol=1e-3)


def test_exchanging_names_exchanges_skills() -> None:
    results = [(0, 1, WIN), (1, 2, TIE), (0, 2, LOSS), (1, 2, WIN)]
    renamed = [(2 - first, 2 - second, outcome) for first, second, outcome in results]

    skills, mirrored = (online_skills(_matches(*r), GAMES, n_systems=3) for r in (results, renamed))

    np.testing.assert_allclose(mirrored.mu[::-1], skills.mu, rtol=1e-12)


def test_saying_a_comparison_the_other_way_round_changes_nothing() -> None:
    results = [(0, 1, WIN), (1, 2, TIE), (0, 2, LOSS), (1, 2, WIN)]
    turned = [(second, first, -outcome) for first, second, outcome in results]

    skills, same = (online_skills(_matches(*r), GAMES, n_systems=3) for r in (results, turned))

    np.testing.assert_allclose(same.mu, skills.mu, rtol=1e-12)


def test_a_true_order_is_recovered() -> None:
    matches = _crowd(4000, np.array([-0.2, 0.6, 0.1, -0.5]))

    skills = online_skills(matches, wmt_skill_settings(4000), n_systems=4)

    assert np.argsort(-skills.mu).tolist() == [1, 2, 0, 3]


def test_with_the_settings_of_wmt_the_order_of_comparisons_hardly_matters() -> None:
    matches = _crowd(4000, np.array([-0.2, 0.6, 0.1, -0.5]))
    backwards = Matches(
        *(column[::-1] for column in (matches.first, matches.second, matches.outcome)), matches.group
    )

    skills, turned = (online_skills(m, wmt_skill_settings(4000), n_systems=4) for m in (matches, backwards))

    # One comparison moves an ability by about 0.8 sigma^2 / (sqrt(2) beta) = 0.2 / 70.7; the chance of
    # 2,000 of them makes a standard error of sqrt(2000) times that. The order must matter far less.
    standard_error = np.sqrt(2000) * 0.2 / 70.7
    np.testing.assert_allclose(turned.mu, skills.mu, atol=standard_error / 10)


def test_the_settings_of_wmt_grow_with_the_number_of_comparisons() -> None:
    assert wmt_skill_settings(1000) == SkillSettings(0.0, 0.5, 0.5 * 1000 / 40, 0.0, 0.25)


@pytest.mark.parametrize("settings", [GAMES, wmt_skill_settings(80)], ids=["games", "wmt"])
def test_one_step_per_comparison_is_learning_one_by_one(settings: SkillSettings) -> None:
    matches = _crowd(80, np.array([-0.3, 0.0, 0.3]), groups=5)

    run = resampled_skills(matches, settings, n_systems=3, times=np.ones((1, 5)), steps=80)

    expected = online_skills(matches, settings, n_systems=3)
    np.testing.assert_allclose(run.mu[0], expected.mu, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.sigma[0], expected.sigma, rtol=1e-9)


@pytest.mark.parametrize("settings", [GAMES, wmt_skill_settings(80)], ids=["games", "wmt"])
def test_a_group_that_counts_zero_times_leaves_no_trace(settings: SkillSettings) -> None:
    matches = _crowd(80, np.array([-0.3, 0.0, 0.3]), groups=5)
    left = matches.group != 2
    rest = Matches(matches.first[left], matches.second[left], matches.outcome[left], matches.group[left])
    times = np.array([[1.0, 1.0, 0.0, 1.0, 1.0]])

    run = resampled_skills(matches, settings, n_systems=3, times=times, steps=80)

    expected = online_skills(rest, settings, n_systems=3)
    np.testing.assert_allclose(run.mu[0], expected.mu, rtol=1e-9, atol=1e-12)


def test_counting_twice_is_nearly_meeting_twice_in_a_row() -> None:
    matches = _crowd(400, np.array([-0.3, 0.0, 0.3]))
    twice = Matches(
        *(np.repeat(c, 2) for c in (matches.first, matches.second, matches.outcome, matches.group))
    )

    run = resampled_skills(
        matches, wmt_skill_settings(800), n_systems=3, times=np.full((1, 40), 2.0), steps=400
    )

    expected = online_skills(twice, wmt_skill_settings(800), n_systems=3)
    np.testing.assert_allclose(run.mu[0], expected.mu, rtol=0.01)


@pytest.mark.parametrize("n", [200, 2000])
def test_fifty_steps_are_nearly_one_by_one(n: int) -> None:
    matches = _crowd(n, np.array([-0.4, 0.0, 0.4]))
    rng = np.random.default_rng(5)
    times = np.vstack([np.ones(40), rng.multinomial(40, np.full(40, 1 / 40), size=200)])

    runs = resampled_skills(matches, wmt_skill_settings(n), n_systems=3, times=times, steps=50)

    expected = online_skills(matches, wmt_skill_settings(n), n_systems=3)
    # A tenth of a deviation of the draws is far below what anyone would notice.
    np.testing.assert_array_less(np.abs(runs.mu[0] - expected.mu), 0.1 * runs.mu[1:].std(axis=0))
