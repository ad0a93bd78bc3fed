from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from steelyard.domain.errors import CampaignError
from steelyard.domain.running import Rules
from steelyard.flows.open import OpenCampaign
from steelyard.flows.rules import campaign_rules, change_rules
from steelyard.store.actions import logged_actions


def test_only_the_rules_named_change(toy: OpenCampaign, noon: datetime) -> None:
    change_rules(toy, {"wage": 14.5, "currency": "EUR"}, by="manager", now=noon)

    after = change_rules(toy, {"lease_minutes": 30.0}, by="manager", now=noon)

    assert after == campaign_rules(toy) == replace(Rules(), lease_minutes=30.0, wage=14.5, currency="EUR")


def test_a_limit_can_be_taken_away(toy: OpenCampaign, noon: datetime) -> None:
    change_rules(toy, {"hits_per_worker": 2}, by="manager", now=noon)

    assert change_rules(toy, {"hits_per_worker": None}, by="manager", now=noon) == Rules()


def test_a_change_is_logged_with_the_old_and_the_new_value(toy: OpenCampaign, noon: datetime) -> None:
    change_rules(toy, {"lease_minutes": 30.0, "open_link": True}, by="command line", now=noon)

    with toy.store.read() as connection:
        [action] = logged_actions(connection)
    assert action.verb == "change-rules"
    assert action.detail == {"lease_minutes": {"before": 120.0, "after": 30.0}}


def test_what_stays_as_it_was_is_not_logged(toy: OpenCampaign, noon: datetime) -> None:
    change_rules(toy, {"open_link": True, "fee": 0.0}, by="manager", now=noon)

    with toy.store.read() as connection:
        assert logged_actions(connection) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"lease_minutes": 0.0}, '[rules] "lease_minutes" should be greater than 0, not 0.0.'),
        ({"lease_minutes": None}, '[rules] "lease_minutes" needs a number.'),
        ({"lease_minutes": float("inf")}, '[rules] "lease_minutes" needs a finite number, not inf.'),
        # Larger ones would be dates that there are not, and numbers that no database holds.
        (
            {"lease_minutes": 1e12},
            '"lease_minutes" should be less than or equal to 525600, not 1000000000000.0.',
        ),
        ({"hits_per_worker": 2**63}, '"hits_per_worker" should be less than or equal to 1000000, not 922'),
        ({"wage": 1e308}, '[pay] "wage" should be less than or equal to 1000000000, not 1e+308.'),
        ({"pay_per_hit": 1e308}, '[pay] "per_hit" should be less than or equal to 1000000000, not 1e+308.'),
        ({"hits_per_worker": 0}, '[rules] "hits_per_worker" should be greater than or equal to 1, not 0.'),
        ({"wage": -3.0}, '[pay] "wage" should be greater than 0, not -3.0.'),
        ({"currency": "euro"}, '[pay] "currency" needs a code of three capital letters, such as "EUR"'),
        ({"pay_per_hit": 0.0}, '[pay] "per_hit" should be greater than 0, not 0.0.'),
        ({"fee": 40.0}, '[pay] "fee" is a share of the pay: write 0.4 for 40 %, not 40.0.'),
    ],
)
def test_an_impossible_rule_is_refused_and_nothing_changes(
    toy: OpenCampaign, noon: datetime, changes: dict[str, Any], expected: str
) -> None:
    with pytest.raises(CampaignError) as caught:
        change_rules(toy, {"open_link": False, **changes}, by="manager", now=noon)

    assert expected in str(caught.value)
    assert campaign_rules(toy) == Rules()


def test_all_problems_come_in_one_message(toy: OpenCampaign, noon: datetime) -> None:
    with pytest.raises(CampaignError) as caught:
        change_rules(toy, {"wage": 0.0, "currency": "", "lease_minutes": -1.0}, by="manager", now=noon)

    assert len(caught.value.problems) == 3


def test_several_managers_at_once_lose_no_change(toy: OpenCampaign, noon: datetime) -> None:
    changes: dict[str, Any] = {"wage": 9.5, "fee": 0.2, "hits_per_worker": 4, "open_link": False}

    def change(name: str) -> None:
        change_rules(toy, {name: changes[name]}, by="manager", now=noon)

    with ThreadPoolExecutor(len(changes)) as managers:
        list(managers.map(change, changes))

    assert campaign_rules(toy) == replace(Rules(), **changes)
    with toy.store.read() as connection:
        assert [action.number for action in logged_actions(connection)] == [1, 2, 3, 4]
