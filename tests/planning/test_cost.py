"""Costs: the worked example, hand arithmetic, and what must hold whatever the numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.planning.cost import (
    Terms,
    hits_for,
    hits_within,
    outlay,
    pass_rate_range,
    pay_per_hit,
    platform_fee,
)

ADEQUACY = Terms(hit_size=100, seconds_per_item=18, pay_per_hit=6.0, fee=0.2)
shares = st.floats(0.05, 1)
terms = st.builds(
    Terms,
    hit_size=st.integers(10, 500),
    seconds_per_item=st.floats(1, 60),
    pay_per_hit=st.floats(0.1, 100),
    fee=st.floats(0, 0.5),
)


def test_the_hits_of_the_worked_example() -> None:
    # 5 x 1,500 / (0.8 x 100 x 0.61) = 7,500 / 48.8 = 153.7
    assert hits_for(7500, usable_share=0.8, hit_size=100, pass_rate=0.61) == 154


def test_the_pay_of_the_worked_example() -> None:
    # 12 x 18 x 100 / 3,600
    assert pay_per_hit(12, seconds_per_item=18, hit_size=100) == 6.00


def test_hours_and_money_of_the_worked_example() -> None:
    # 154 x 6.00 = 924.00; a fifth of that is 184.80
    spent = outlay(154, ADEQUACY)

    assert (spent.hits, spent.hours, spent.paid_to_workers) == (154, 77.0, 924.0)
    assert spent.platform_fee == pytest.approx(184.80)
    assert spent.cost == pytest.approx(1108.80)


@pytest.mark.parametrize(("pay", "seconds", "hourly"), [(0.60, 18, 1.20), (1.00, 18, 2.00), (1.00, 13, 2.77)])
def test_the_published_pay_comes_to_the_published_hourly_pay(
    pay: float, seconds: float, hourly: float
) -> None:
    paid = Terms(hit_size=100, seconds_per_item=seconds, pay_per_hit=pay)

    assert paid.hourly_pay == pytest.approx(hourly, abs=0.005)


def test_no_hit_is_added_for_a_rounding_error() -> None:
    # 70 % of 100 items, 70 % of them kept, in floating point a little less than 49.
    assert hits_for(490, usable_share=0.7, hit_size=100, pass_rate=0.7) == 10


@given(ratings=st.integers(1, 10**6), share=shares, rate=shares, size=st.integers(10, 500))
def test_hits_are_the_least_that_are_enough(ratings: int, share: float, rate: float, size: int) -> None:
    hits = hits_for(ratings, usable_share=share, hit_size=size, pass_rate=rate)

    assert hits * share * size * rate >= ratings * (1 - 1e-9)
    assert hits == 1 or (hits - 1) * share * size * rate < ratings


@given(ratings=st.integers(1, 10**6), rates=st.tuples(shares, shares))
def test_a_higher_pass_rate_never_takes_more_hits(ratings: int, rates: tuple[float, float]) -> None:
    low, high = sorted(rates)

    hits = [hits_for(ratings, usable_share=0.8, hit_size=100, pass_rate=rate) for rate in (low, high)]

    assert hits[0] >= hits[1]


@given(hits=st.integers(1, 10**6), terms=terms)
def test_the_cost_of_hits_buys_just_these_hits(hits: int, terms: Terms) -> None:
    assert hits_within(outlay(hits, terms).cost, terms) == hits


@given(budget=st.floats(0.01, 1e6), terms=terms)
def test_a_budget_is_kept_and_used_up(budget: float, terms: Terms) -> None:
    hits = hits_within(budget, terms)

    assert outlay(hits, terms).cost <= budget * (1 + 1e-9)
    assert outlay(hits + 1, terms).cost > budget


@given(hits=st.integers(1, 10**6), terms=terms)
def test_money_is_what_workers_and_platform_get(hits: int, terms: Terms) -> None:
    spent = outlay(hits, terms)

    assert spent.cost == pytest.approx(spent.paid_to_workers + spent.platform_fee)
    assert spent.paid_to_workers == pytest.approx(spent.hours * terms.hourly_pay)


@given(rate=shares)
def test_the_range_of_pass_rates_holds_the_expected_one(rate: float) -> None:
    low, high = pass_rate_range(rate)

    assert 0 < low <= rate <= high <= 1


@pytest.mark.parametrize(
    ("rate", "low", "high"), [(0.61, 0.46, 0.76), (0.1, 0.05, 0.25), (0.95, 0.8, 1.0), (0.03, 0.03, 0.18)]
)
def test_the_range_is_fifteen_points_either_way_within_reason(rate: float, low: float, high: float) -> None:
    assert pass_rate_range(rate) == pytest.approx((low, high))


@pytest.mark.parametrize(("assignments", "fee"), [(1, 0.2), (9, 0.2), (10, 0.4), (40, 0.4)])
def test_the_fee_doubles_from_ten_assignments_of_a_hit(assignments: int, fee: float) -> None:
    assert platform_fee(assignments) == fee
