"""Power by simulation: against the t-test's own formula, at the null, and where ratings belong together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import nct, norm, t

from steelyard.planning.cost import Terms
from steelyard.planning.plan import Goal, Setup, make_plan
from steelyard.planning.power import SimulatedTests, simulate_tests
from steelyard.planning.search import sized
from steelyard.planning.variation import TYPICAL, Amounts, Variation, expected_errors
from steelyard.stats.clustered import ClusteredErrors, better_p_values
from steelyard.stats.components import VarianceComponents

NOTHING = VarianceComponents(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, residual=1.0)
SMALL = Amounts(hits=60, ratings=3000, systems=4, pass_rate=1.0, documents=None)
SETUP = Setup(
    systems=4,
    segments=None,
    items=None,
    usable_share=0.8,
    item_share=0.7,
    pass_rate=0.6,
    terms=Terms(hit_size=100, seconds_per_item=18, pay_per_hit=6.0),
    minimum_wage=12.0,
    rho=0.41,
    power=0.8,
    level=0.05,
)


def simulated(amounts: Amounts, variation: Variation, campaigns: int = 200) -> SimulatedTests:
    return simulate_tests(amounts, variation, campaigns=campaigns, rng=np.random.default_rng(5))


def test_independent_ratings_have_the_power_of_the_t_test() -> None:
    tests = simulated(SMALL, Variation(components=NOTHING))

    # 750 ratings of each system; the degrees of freedom are those of some 33 workers.
    distance = 0.15 / np.sqrt(2 / 750)
    df = float(tests.df.mean())
    exact = nct.sf(t.isf(0.025, df), df, distance)
    assert tests.power(0.15, level=0.05).power == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize(
    "variation",
    [
        Variation(components=NOTHING),
        Variation(components=replace(NOTHING, worker_system=0.1), workers=30),
        Variation(
            components=replace(NOTHING, cell=0.2, document_system=0.1), document_length=10, together=10
        ),
    ],
    ids=["independent", "worker x system", "documents"],
)
def test_no_difference_is_found_as_often_as_the_level_says(variation: Variation) -> None:
    # Each direction is half of a two-sided test.
    assert 2 * simulated(SMALL, variation).power(0.0, level=0.05).power == pytest.approx(0.05, abs=0.025)


def test_simulated_scores_vary_as_the_components_say() -> None:
    # Only the taste of 60 workers with a HIT each varies: 0.2 / 60 for each system, all judging all of them.
    taste = replace(NOTHING, worker_system=0.2, residual=0.0)

    tests = simulated(SMALL, Variation(components=taste, workers=60))

    assert tests.difference.var() == pytest.approx(2 * 0.2 / 60, rel=0.2)
    assert (tests.error**2).mean() == pytest.approx(2 * 0.2 / 60, rel=0.2)


def test_a_simulated_test_claims_what_the_p_value_of_the_ranking_does() -> None:
    tests = simulated(SMALL, TYPICAL, campaigns=8)
    moved = tests.difference + 0.1 * tests.shown
    errors = ClusteredErrors(
        variance=np.full(2, np.nan),
        df=np.full(2, np.nan),
        difference_variance=np.full((2, 2), tests.error[0, 0] ** 2),
        difference_df=np.full((2, 2), tests.df[0, 0]),
    )
    p_value = 2 * better_p_values(np.array([moved[0, 0], 0.0]), errors)[0, 1]

    assert (p_value < 0.05) == bool(moved[0, 0] > t.isf(0.025, tests.df[0, 0]) * tests.error[0, 0])
    # Just above and just below its own p-value.
    one = SimulatedTests(
        tests.difference[:1, :1], tests.error[:1, :1], tests.df[:1, :1], tests.shown[:1, :1], 1, 1
    )
    sides = [one.power(0.1, level=float(p_value) * factor).power for factor in (0.99, 1.01)]
    assert sides[1] - sides[0] == 0.5


def test_the_smallest_difference_is_found_with_the_power_asked_for() -> None:
    tests = simulated(SMALL, TYPICAL)

    smallest = tests.smallest_difference(power=0.8, level=0.01)

    assert smallest is not None
    assert tests.power(smallest, level=0.01).power == pytest.approx(0.8, abs=0.005)


@pytest.mark.parametrize(
    "variation",
    [
        TYPICAL,
        Variation(document_length=10, together=10, unevenness=0.6),
        Variation(document_length=10, together=5, workers=40),
        Variation(components=replace(TYPICAL.components, worker_system=0.1, document_system=0.05)),
    ],
)
@pytest.mark.parametrize("documents", [None, 40.0])
def test_the_formula_is_a_fair_guess(variation: Variation, documents: float | None) -> None:
    amounts = replace(SMALL, hits=100, ratings=7000, pass_rate=0.6, documents=documents)

    guessed = expected_errors(amounts, variation).smallest_difference(power=0.8, level=0.05)

    found = simulated(amounts, variation, campaigns=80).smallest_difference(power=0.8, level=0.05)
    assert guessed is not None
    assert found == pytest.approx(guessed, rel=0.25)


def test_the_error_of_the_power_is_that_between_campaigns_of_other_hits() -> None:
    # Four campaigns that share their HITs find it from both sides, four from neither: 1 and 0, whose mean
    # is 1 / 2, with the root of 1 / 2 divided by that of 2 as its error.
    one = np.ones((8, 1))
    tests = SimulatedTests(0 * one, np.repeat([[0.1], [10.0]], 4, axis=0), 1e6 * one, one, 5, 5)

    found = tests.power(1.0, level=0.05)

    assert (found.power, found.error) == (0.5, pytest.approx(0.5))


@pytest.mark.parametrize("length", [1, 10])
def test_the_size_found_has_the_power_wanted_in_fresh_simulations(length: int) -> None:
    setup = replace(SETUP, variation=Variation(document_length=length, together=length))

    found = sized(Goal("difference", 0.2), setup, seed=7)

    hits = make_plan(Goal("difference", 0.2), found.setup).expected.outlay.hits
    fresh = simulate_tests(
        setup.amounts(hits, pass_rate=0.6),
        setup.variation,
        campaigns=100,
        rng=np.random.default_rng(11),
    ).power(0.2, level=setup.pair_level)
    assert fresh.power == pytest.approx(0.8, abs=0.06)
    (own,) = (each for each in found.power if each.difference == 0.2)
    assert own.power == pytest.approx(0.8, abs=0.02)


def test_a_campaign_too_large_to_simulate_keeps_the_formula() -> None:
    found = sized(Goal("difference", 0.005), SETUP, seed=7)

    assert found.setup == SETUP
    assert found.power == ()


def test_the_formula_for_many_independent_ratings_by_hand() -> None:
    # 1,500 kept ratings per system: 2 / 1,500 is the variance of a difference, and with 2,000 workers the
    # quantiles are normal ones.
    amounts = Amounts(hits=100, ratings=6000, systems=2, pass_rate=0.5, documents=None)
    variation = Variation(components=NOTHING, workers=4000)

    found = expected_errors(amounts, variation).smallest_difference(power=0.9, level=0.01)

    assert found == pytest.approx((norm.isf(0.005) + norm.isf(0.1)) * np.sqrt(2 / 1500), rel=0.002)
