"""Plans: goal to cost, budget to precision, ranges, warnings, and goals out of reach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.domain.errors import NotEnoughData
from steelyard.planning.cost import Terms
from steelyard.planning.plan import Goal, GoalName, Setup, make_plan
from steelyard.planning.variation import Variation
from steelyard.stats.components import VarianceComponents

# 5 systems, 80 % of the items usable, 61 % of the ratings kept, 18 s an item, 12 an hour, a fifth as fee.
EXAMPLE = Setup(
    systems=5,
    segments=None,
    items=None,
    usable_share=0.8,
    item_share=0.7,
    pass_rate=0.61,
    terms=Terms(hit_size=100, seconds_per_item=18, pay_per_hit=6.0, fee=0.2),
    minimum_wage=12.0,
    rho=0.41,
    power=0.8,
    level=0.05,
)
WITH_SEGMENTS = replace(EXAMPLE, segments=1000, items=5000)
setups = st.builds(
    replace,
    st.just(EXAMPLE),
    systems=st.integers(2, 20),
    pass_rate=st.floats(0.1, 1),
    usable_share=st.floats(0.3, 1),
)


def test_the_worked_example() -> None:
    plan = make_plan(Goal("ratings_per_system", 1500), EXAMPLE)

    spent = plan.expected.outlay
    assert (spent.hits, spent.hours, round(spent.cost, 2)) == (154, 77.0, 1108.80)


def test_the_range_of_the_worked_example() -> None:
    # 7,500 / (80 x 0.46) = 203.8; 7,500 / (80 x 0.76) = 123.4
    plan = make_plan(Goal("ratings_per_system", 1500), EXAMPLE)

    assert (plan.at_low.outlay.hits, plan.at_high.outlay.hits) == (204, 124)


def test_the_saving_of_the_worker_model_in_the_worked_example() -> None:
    # 7,500 / 80 = 93.75, so 94 HITs for 676.80: 60 HITs at 7.20 less.
    model = make_plan(Goal("ratings_per_system", 1500), EXAMPLE).with_worker_model

    assert model.outlay.hits == 94
    assert model.saving == pytest.approx(432.00)


def test_with_one_rating_per_item_the_saving_is_called_doubtful() -> None:
    model = make_plan(Goal("ratings_per_system", 1500), EXAMPLE).with_worker_model

    assert "Do not count on it here" in model.caveat


def test_with_many_ratings_per_item_the_saving_is_an_expectation_only() -> None:
    model = make_plan(Goal("ratings_per_item", 15), WITH_SEGMENTS).with_worker_model

    assert model.caveat.startswith("At best")
    assert "Do not count on it here" not in model.caveat


def test_independent_ratings_take_the_number_of_the_t_test() -> None:
    # 2 x (1.96 + 0.8416)^2 / 0.1^2 = 1,569.8 per system; a HIT has 70 ratings of two, all kept.
    alone = VarianceComponents(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, residual=1.0)
    variation = Variation(components=alone, workers=10_000)
    setup = replace(EXAMPLE, systems=2, pass_rate=1.0, correction="none", variation=variation)

    assert make_plan(Goal("difference", 0.1), setup).expected.outlay.hits == 45


def test_ratings_that_belong_together_take_more_hits() -> None:
    by_document = replace(EXAMPLE, variation=Variation(document_length=10, together=10))

    alone, together = (make_plan(Goal("difference", 0.1), each) for each in (EXAMPLE, by_document))

    # One part shares 0.1 of about 0.7: ten of them are worth 10 / (1 + 9 x 0.14), fewer than half.
    assert 1.5 < together.expected.outlay.hits / alone.expected.outlay.hits < 3


def test_holm_shares_the_level_by_all_pairs() -> None:
    assert EXAMPLE.pair_level == pytest.approx(0.05 / 10)
    assert replace(EXAMPLE, correction="none").pair_level == 0.05


def test_what_simulation_adds_to_the_formula_takes_its_square_in_hits() -> None:
    plain, larger = (
        make_plan(Goal("difference", 0.1), replace(EXAMPLE, calibration=factor)) for factor in (1.0, 1.1)
    )

    assert larger.expected.outlay.hits == pytest.approx(1.21 * plain.expected.outlay.hits, rel=0.03)


def test_a_reliability_takes_ratings_of_every_item_and_repeats_do_not_count() -> None:
    plan = make_plan(Goal("reliability", 0.9), WITH_SEGMENTS)

    # 5,000 items x 13 / (0.7 x 100 x 0.61) = 65,000 / 42.7 = 1,522.2
    assert plan.ratings_wanted == 13
    assert plan.expected.outlay.hits == 1523


def test_the_rounds_of_a_campaign_allow_for_workers_who_fail() -> None:
    # 13 / 0.61 = 21.3
    assert make_plan(Goal("reliability", 0.9), WITH_SEGMENTS).rounds == 22


def test_goals_on_systems_have_no_rounds() -> None:
    assert make_plan(Goal("difference", 0.1), WITH_SEGMENTS).rounds is None


@given(setup=setups, difference=st.floats(0.02, 0.5))
def test_a_plan_reaches_the_difference_it_was_made_for(setup: Setup, difference: float) -> None:
    reached = make_plan(Goal("difference", difference), setup).expected.precision.difference

    assert reached is not None
    assert reached <= difference * (1 + 1e-9)


@given(setup=setups, name=st.sampled_from(["difference", "reliability"]), value=st.floats(0.05, 0.9))
def test_the_cost_of_a_plan_buys_its_precision_back(setup: Setup, name: GoalName, value: float) -> None:
    setup = replace(setup, segments=20_000, items=20_000 * setup.systems)
    there = make_plan(Goal(name, value), setup)

    back = make_plan(Goal("budget", there.expected.outlay.cost), setup)

    assert back.expected == there.expected


@given(setup=setups, budget=st.floats(10, 1e6), more=st.floats(1.5, 10))
def test_a_larger_budget_never_shows_less(setup: Setup, budget: float, more: float) -> None:
    small, large = (
        make_plan(Goal("budget", money), setup).expected.precision for money in (budget, budget * more)
    )

    assert small.difference is not None
    assert large.difference is not None
    assert large.difference <= small.difference


@given(setup=setups, difference=st.floats(0.02, 0.5))
def test_a_lower_pass_rate_costs_more_and_shows_less(setup: Setup, difference: float) -> None:
    plan = make_plan(Goal("difference", difference), setup)

    assert plan.at_high.outlay.cost <= plan.expected.outlay.cost <= plan.at_low.outlay.cost
    differences = [case.precision.difference for case in (plan.at_high, plan.expected, plan.at_low)]
    assert differences == sorted(differences)


def test_a_budget_spends_the_same_whatever_the_pass_rate() -> None:
    plan = make_plan(Goal("budget", 1000), EXAMPLE)

    assert plan.at_low.outlay == plan.expected.outlay == plan.at_high.outlay


def test_a_budget_below_one_hit_is_refused_with_the_least_that_helps() -> None:
    with pytest.raises(NotEnoughData, match=r"5\.00 does not pay for one HIT: that costs 7\.20"):
        make_plan(Goal("budget", 5), EXAMPLE)


def test_a_difference_that_the_segments_cannot_show_is_refused_with_what_they_can() -> None:
    # Segments differ by 0.018 for a system; 2 x 0.018 / 500 has the root 0.00849, and normal quantiles of
    # 0.9975 and 0.8 are 2.807 and 0.842: 0.0310, a little more with 499 degrees of freedom.
    setup = replace(EXAMPLE, segments=500, items=2500)

    with pytest.raises(NotEnoughData, match=r"500 segments cannot show .* 0\.02, .* about 0\.031\."):
        make_plan(Goal("difference", 0.02), setup)


def test_too_few_to_test_anything_is_said() -> None:
    setup = replace(EXAMPLE, segments=1, items=5)

    with pytest.raises(NotEnoughData, match="1 segment cannot show any difference"):
        make_plan(Goal("difference", 0.5), setup)


def test_few_workers_limit_what_can_be_shown() -> None:
    setup = replace(EXAMPLE, variation=Variation(workers=5))

    with pytest.raises(NotEnoughData, match=r"5 workers cannot show a difference of 0\.05"):
        make_plan(Goal("difference", 0.05), setup)


def test_few_segments_take_more_ratings() -> None:
    setups = (replace(EXAMPLE, segments=n, items=5 * n) for n in (3000, 300))
    plenty, few = (make_plan(Goal("difference", 0.1), setup) for setup in setups)

    assert plenty.ratings_wanted is not None
    assert few.ratings_wanted is not None
    assert few.ratings_wanted > plenty.ratings_wanted


def test_below_one_rating_per_item_no_reliability_is_promised() -> None:
    plan = make_plan(Goal("ratings_per_system", 500), WITH_SEGMENTS)

    assert plan.expected.precision.reliability is None
    assert any("many will have none" in warning for warning in plan.warnings)


def test_one_system_has_no_difference() -> None:
    plan = make_plan(Goal("budget", 1000), replace(EXAMPLE, systems=1, segments=100, items=100))

    assert plan.expected.precision.difference is None
    assert plan.measure == "reliability"


def test_pay_below_the_minimum_is_warned_of_with_what_would_be_fair() -> None:
    setup = replace(EXAMPLE, terms=replace(EXAMPLE.terms, pay_per_hit=0.60))

    (warning,) = make_plan(Goal("budget", 100), setup).warnings

    assert "1.20 an hour, below the minimum of 12.00. Pay at least 6.00 per HIT." in warning


@given(wage=st.floats(1, 100), seconds=st.floats(1, 100), size=st.integers(10, 300))
def test_pay_worked_out_from_the_minimum_raises_no_warning(wage: float, seconds: float, size: int) -> None:
    paid = Terms(hit_size=size, seconds_per_item=seconds, pay_per_hit=wage * seconds * size / 3600)

    plan = make_plan(Goal("difference", 0.1), replace(EXAMPLE, terms=paid, minimum_wage=wage))

    assert plan.warnings == ()


@pytest.mark.parametrize(("name", "value"), [("difference", 0.1), ("reliability", 0.9), ("budget", 8)])
def test_the_curve_passes_through_the_plan(name: GoalName, value: float) -> None:
    plan = make_plan(Goal(name, value), WITH_SEGMENTS)

    at_plan = [point for point in plan.curve if point.outlay == plan.expected.outlay]
    assert [point.expected for point in at_plan] == [getattr(plan.expected.precision, plan.measure)]


def test_the_curve_of_reliability_reaches_where_there_is_one() -> None:
    plan = make_plan(Goal("budget", 40), replace(EXAMPLE, systems=1, segments=1000, items=1000))

    assert plan.curve[-1].at_low is not None
