"""What a worker who has finished a set is told: a code, an address, what they have earned."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.flows.payments import payments
from steelyard.flows.progress import Watch
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign
from steelyard.flows.verdicts import worker_verdicts

ADDRESS = "https://app.example.org/done"


def test_the_completion_code_is_told_once_a_set_is_finished(people: Any) -> None:
    [worker] = people.add()
    people.rules(completion_code="C1A2", completion_url=ADDRESS)
    people.judge(worker, 1)
    before = people.status(worker).completion

    people.finish(worker)

    after = people.status(worker).completion
    assert before is None
    assert (after.code, after.url) == ("C1A2", ADDRESS)
    people.rules(completion_url=ADDRESS)
    assert people.status(worker).completion.code is None
    people.rules()
    assert people.status(worker).completion is None


def owed(people: Any, minute: float) -> dict[str, float | None]:
    """What `steelyard payments` says, by worker."""
    source = from_campaign(people.campaign)
    verdicts = worker_verdicts(source, settings_from(source, check="none"))
    found = payments(Watch(people.campaign), verdicts, now=people.at(minute))
    return {each.worker_id: each.pay for each in found.workers}


@pytest.mark.parametrize("terms", [{"wage": 12.0}, {"pay_per_hit": 3.0, "currency": "JPY"}])
def test_workers_read_that_they_earned_what_payments_owe_them(people: Any, terms: dict[str, Any]) -> None:
    finished, left, at_work = people.add(3)
    people.rules(tell_pay=True, lease_minutes=60.0, **terms)
    people.finish(finished)
    people.judge(left, 3, minute=0)
    people.judge(at_work, 1, minute=100)

    told = {worker: people.status(worker, 110).pay.earned for worker in (finished, left, at_work)}

    assert told == owed(people, 110)
    assert told[finished] > told[left] > told[at_work] == 0
    people.state("closed", 120)
    assert people.status(at_work, 121).pay.earned == owed(people, 121)[at_work] > 0


def test_the_price_of_a_set_follows_from_the_wage_or_is_its_own(people: Any) -> None:
    [worker] = people.add()
    people.rules(tell_pay=True, wage=12.0)
    by_hour = people.status(worker).pay
    people.rules(tell_pay=True, wage=12.0, pay_per_hit=0.5, currency="EUR")
    by_set = people.status(worker).pay

    # Four items of 18 seconds each: 72 seconds at 12 an hour.
    assert (by_hour.currency, by_hour.per_hour, by_hour.per_set, by_hour.earned) == ("USD", 12.0, 0.24, 0.0)
    assert (by_set.currency, by_set.per_hour, by_set.per_set) == ("EUR", None, 0.5)


@pytest.mark.parametrize("rules", [{"wage": 12.0}, {"tell_pay": True}])
def test_nothing_is_said_of_pay_unless_it_is_wanted_and_known(people: Any, rules: dict[str, Any]) -> None:
    [worker] = people.add()
    people.rules(**rules)

    assert people.status(worker).pay is None
