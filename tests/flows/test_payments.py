"""What workers are owed: whole HITs, parts of released ones, and nothing less for a failed check."""

from __future__ import annotations

import csv
import io
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest

from steelyard.domain.judgement import Judgement
from steelyard.domain.payment import Payment
from steelyard.domain.running import CampaignState, Rules
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.payments import payments
from steelyard.flows.progress import Watch
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign
from steelyard.flows.verdicts import worker_verdicts
from steelyard.report.payments import payments_record, payments_sheet, payments_table
from steelyard.report.tables import table_csv, table_text
from steelyard.store import judgements, running, tables, work
from steelyard.store.actions import log_action

SECONDS = 18
LEASE = timedelta(minutes=120)


def judge(campaign: OpenCampaign, worker_id: str, n: int, *, now: datetime) -> None:
    """Let a worker judge that many items by `now`, each shown for 9 seconds, in one transaction: quickly."""
    view = next_item(campaign, worker_id, now=now - n * timedelta(seconds=9))
    assert isinstance(view, NextItem)
    with campaign.store.write() as connection:
        taken = work.assignment(connection, view.assignment_id)
        assert taken is not None
        for position in range(1, n + 1):
            item = work.placed_item(connection, taken, position)
            moment = now - (n - position) * timedelta(seconds=9)
            judgement = Judgement(
                str(uuid.uuid4()), taken.assignment_id, item.item_id, position, {"rating": 50}, 9_000, moment
            )
            judgements.append(connection, judgement)
        if n == taken.n_items:
            work.submit_assignment(connection, taken.assignment_id, now=now)


def set_rules(campaign: OpenCampaign, **rules: Any) -> None:
    with campaign.store.write() as connection:
        running.set_rules(connection, Rules(**rules))


def owed(campaign: OpenCampaign, *, now: datetime) -> dict[str, Payment]:
    source = from_campaign(campaign)
    found = payments(Watch(campaign), worker_verdicts(source, settings_from(source)), now=now)
    return {worker.worker_id: worker for worker in found.workers}


@pytest.fixture
def two_workers(campaign: OpenCampaign, noon: datetime) -> OpenCampaign:
    """HITs have 50 items: W0001 has judged one HIT and 5 items of another, W0002 10 items. W0003 nothing."""
    add_workers(campaign, 3, base_url="", now=noon)
    judge(campaign, "W0001", 50, now=noon)
    judge(campaign, "W0001", 5, now=noon)
    judge(campaign, "W0002", 10, now=noon)
    return campaign


def test_a_hit_that_is_open_is_not_due_yet(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers, wage=12)

    found = owed(two_workers, now=noon)

    assert set(found) == {"W0001", "W0002"}
    first, second = found["W0001"], found["W0002"]
    assert (first.hits, first.items, first.open_items) == (1, 50, 5)
    assert first.pay == pytest.approx(12 * 50 * SECONDS / 3600)
    assert first.hours == pytest.approx(50 * 9 / 3600)
    assert first.hourly_pay == pytest.approx(24)
    assert (second.hits, second.items, second.open_items, second.pay) == (0, 0, 10, 0)


def test_what_was_judged_of_an_idle_hit_is_due(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers, pay_per_hit=5)

    found = owed(two_workers, now=noon + LEASE + timedelta(seconds=1))

    assert (found["W0001"].hits, found["W0001"].pay) == (1.1, 5.5)
    assert (found["W0002"].hits, found["W0002"].pay) == (0.2, 1.0)


def test_when_a_campaign_is_closed_everything_judged_is_due(
    two_workers: OpenCampaign, noon: datetime
) -> None:
    set_rules(two_workers, pay_per_hit=5)
    with two_workers.store.write() as connection:
        running.set_state(connection, CampaignState.CLOSED)

    assert owed(two_workers, now=noon)["W0002"].pay == 1.0


def test_pay_is_rounded_to_what_can_be_paid(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers, pay_per_hit=0.99)

    assert owed(two_workers, now=noon + 2 * LEASE)["W0001"].pay == 1.09


def test_money_adds_up_to_what_is_owed(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers, wage=12, fee=0.25, currency="EUR")
    for now in (noon, noon + 2 * LEASE):
        found = owed(two_workers, now=now)
        money = Watch(two_workers).overview(now=now).money
        spent = money.spent

        assert spent.pay == sum(worker.pay or 0 for worker in found.values())
        # The fee is rounded to the cent as well.
        assert spent.cost == pytest.approx(1.25 * (spent.pay or 0), abs=0.0051)
    # Idle: 15 judged items beside 500 that are to be judged, as nobody is likely to finish those HITs.
    assert (money.committed.items, money.expected.items) == (0, 515)
    assert Watch(two_workers).overview(now=noon).money.committed.items == 100


def test_without_a_wage_there_are_hours_only(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers)
    found = owed(two_workers, now=noon)["W0001"]
    money = Watch(two_workers).overview(now=noon).money

    assert (found.pay, found.hourly_pay) == (None, None)
    assert found.hours > 0
    assert (money.spent.cost, money.expected.pay) == (None, None)
    assert money.expected.hours == pytest.approx(500 * SECONDS / 3600)


def test_failing_or_being_excluded_takes_no_pay_away(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers, wage=12)
    before = owed(two_workers, now=noon)["W0001"]
    with two_workers.store.write() as connection:
        log_action(connection, "exclude", by="manager", now=noon, worker_id="W0001", reason="random clicks")

    after = owed(two_workers, now=noon)["W0001"]

    # The same rating for everything distinguishes nothing.
    assert before.verdict == after.verdict == "fail"
    assert after.pay == before.pay
    assert (before.excluded, after.excluded) == ("", "random clicks")
    assert after.n_pairs
    assert after.reason


def test_a_currency_without_cents_has_none_in_any_sum(two_workers: OpenCampaign, noon: datetime) -> None:
    set_rules(two_workers, wage=1111, currency="JPY", fee=0.07)
    later = noon + 2 * LEASE
    source = from_campaign(two_workers)
    found = payments(Watch(two_workers), worker_verdicts(source, settings_from(source)), now=later)

    # 55 items of 18 s are 305.5 yen, 10 are 55.55; the fee on 362 is 25.34.
    assert [worker.pay for worker in found.workers] == [306, 56]
    assert (found.total.pay, found.total.fee, found.total.cost) == (362, 25, 387)
    assert Watch(two_workers).overview(now=later).money.spent.cost == 387
    assert "306.00" not in table_text(payments_table(found))


def test_no_cell_of_the_file_is_a_formula(two_workers: OpenCampaign, noon: datetime) -> None:
    texts = ["=1+1", "+49 30", "-2", "@sum"]
    with two_workers.store.write() as connection:
        person = {"worker_id": "W0001", "name": texts[0], "email": texts[3]}
        connection.execute(tables.people.insert(), [person])
        log_action(connection, "exclude", by="manager", now=noon, worker_id="W0002", reason=texts[2])
    source = from_campaign(two_workers)
    found = payments(Watch(two_workers), worker_verdicts(source, settings_from(source)), now=noon)

    rows = list(csv.DictReader(io.StringIO(table_csv(payments_sheet(found, people=True)))))

    assert (rows[0]["name"], rows[0]["email"], rows[1]["excluded"]) == ("'=1+1", "'@sum", "'-2")
    assert "name" not in payments_record(found, people=False)["workers"][0]
    assert "=1+1" not in table_text(payments_table(found))
    assert "=1+1" in table_text(payments_table(found, people=True))


def test_a_wage_below_the_minimum_is_warned_of(campaign: OpenCampaign, noon: datetime) -> None:
    set_rules(campaign, wage=6)
    [warning] = Watch(campaign).overview(now=noon).warnings
    assert "USD 6.00 an hour, less than USD 12.00" in warning

    set_rules(campaign, wage=12)
    assert Watch(campaign).overview(now=noon).warnings == ()
