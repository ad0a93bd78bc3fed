"""Listings that are over, gone or changed in between, and people who come for a second one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from tests.emulators.conftest import Study
from tests.emulators.test_faults import BY, Instead, one_done

from steelyard.domain.crowd import ListingState, SessionReport, SessionState
from steelyard.domain.errors import Conflict, PlatformError
from steelyard.flows.approve import approve, request_return
from steelyard.flows.bonus import Owed, pay_bonuses
from steelyard.flows.exclude import Decision, exclude
from steelyard.flows.listings import add_places, resume_listing, stop_listing
from steelyard.flows.progress import Watch
from steelyard.flows.publish import Wish, publish
from steelyard.flows.rules import change_rules
from steelyard.flows.sync import sync, sync_if_due
from steelyard.store import work

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
EVERY = timedelta(minutes=5)


def n_free(study: Study) -> int:
    return Watch(study.campaign).progress(now=study.now).places.free


def stop(study: Study) -> None:
    stop_listing(study.campaign, study.client, by=BY, now=study.now)


@pytest.mark.parametrize("is_known", [True, False])
def test_who_gave_a_place_back_keeps_the_one_they_have_in_a_later_listing(
    study: Study, is_known: bool
) -> None:
    study.publish(1)
    worker_id = study.come()
    study.sync()
    study.entrance.leave(study.places[worker_id].session)
    if is_known:
        study.sync()
    stop(study)
    study.settings.clock.advance(60)
    study.publish(1)
    assert study.come(study.person(worker_id)) == worker_id
    study.judge(worker_id, 2)

    # The platform tells of the first listing before it tells of the second, again and again.
    for _ in range(2):
        study.sync()
        with study.campaign.store.read() as connection:
            assert work.open_assignment(connection, worker_id) is not None
    study.judge(worker_id)
    study.finish(worker_id)
    study.sync()
    assert {each.state for each in study.status.sessions} == {SessionState.RETURNED, SessionState.SUBMITTED}
    assert sum(each.n_done for each in study.status.sessions) == 4


@pytest.mark.parametrize("is_paid_before", [True, False])
def test_paying_for_work_that_was_excluded_does_not_take_its_place_back(
    study: Study, is_paid_before: bool
) -> None:
    study.publish(1)
    worker_id = one_done(study)
    if is_paid_before:
        approve(study.campaign, study.client, [], by=BY, now=study.now)
    exclude(study.campaign, Decision(worker_id, BY, "random ratings"), now=study.now)
    assert n_free(study) == 4

    approve(study.campaign, study.client, [], by=BY, now=study.now)
    study.sync()
    assert n_free(study) == 4
    assert study.entrance.books()["total"]["rewards"] == study.status.listings[0].listing.reward


def test_one_session_that_cannot_be_approved_holds_up_nobody_elses_pay(study: Study) -> None:
    study.publish(3)
    workers = [study.come() for _ in range(3)]
    for worker_id in workers:
        study.judge(worker_id)
        study.finish(worker_id)
    study.sync()
    # Given back since the platform was asked last.
    study.entrance.leave(study.places[workers[0]].session)

    with pytest.raises(PlatformError, match="RETURNED"):
        approve(study.campaign, study.client, [], by=BY, now=study.now)
    states = [each.state for each in study.status.sessions]
    assert states == [SessionState.SUBMITTED, SessionState.APPROVED, SessionState.APPROVED]
    study.sync()
    study.require_equal_books()


def test_what_is_changed_while_the_platform_is_asked_stays_changed(study: Study) -> None:
    study.publish(2)
    worker_id = one_done(study)

    def sessions(listing_id: str) -> Sequence[SessionReport]:
        told = study.client.sessions(listing_id)
        stop(study)
        request_return(study.campaign, study.client, worker_id, "Nothing was judged.", by=BY, now=study.now)
        return told

    study.settings.clock.advance(timedelta(days=8).total_seconds())
    sync(study.campaign, Instead(study.client, sessions=sessions), by=BY, now=study.now)

    assert study.status.listings[0].listing.state is ListingState.ENDED
    # Asked for the place, they are not paid as people are on whom nobody decides.
    assert study.entrance.books()["total"]["rewards"] == 0


def test_a_listing_that_is_over_is_opened_again_only_with_the_money_for_all_its_places(study: Study) -> None:
    study.publish(2)
    place = study.ledger.committed // 2
    one_done(study)
    stop(study)
    study.rules(budget=(study.ledger.committed + 2 * place - 1) / 100)

    # Stopped, it had a place that nobody had taken: with the new one, two are open.
    with pytest.raises(Conflict) as refused:
        add_places(study.campaign, study.client, 1, by=BY, now=study.now)
    assert refused.value.code == "budget"
    with pytest.raises(Conflict) as refused:
        resume_listing(study.campaign, study.client, by=BY, now=study.now)
    assert refused.value.code == "ended"
    study.rules(budget=(study.ledger.committed + 2 * place) / 100)
    study.fail("throttle", "PATCH *", 20)
    with pytest.raises(PlatformError):
        add_places(study.campaign, study.client, 1, by=BY, now=study.now)
    assert study.status.listings[0].listing.state is ListingState.ENDED
    study.settings.faults.next.clear()
    assert add_places(study.campaign, study.client, 1, by=BY, now=study.now).listing.places == 3
    study.sync()
    assert (study.ledger.left, study.status.listings[0].n_open) == (0, 2)


def test_hits_that_expired_for_good_are_not_opened_again_and_may_be_deleted(turk: Study) -> None:
    turk.publish(2)
    worker_id = one_done(turk)
    approve(turk.campaign, turk.client, [], by=BY, now=turk.now)
    before = turk.ledger.rewards
    # Amazon deletes HITs after some months.
    for hit in turk.client._hits(turk.status.listings[0].listing.tag):  # type: ignore[attr-defined]
        turk.client._ask("update_expiration_for_hit", HITId=hit["HITId"], ExpireAt=0)  # type: ignore[attr-defined]
        turk.client._ask("delete_hit", HITId=hit["HITId"])  # type: ignore[attr-defined]
    turk.sync()

    [listing] = turk.status.listings
    assert listing.listing.state is ListingState.ENDED
    assert (turk.ledger.rewards, turk.ledger.reserved) == (before, 0)
    with pytest.raises(Conflict) as refused:
        resume_listing(turk.campaign, turk.client, by=BY, now=turk.now)
    assert refused.value.code == "ended"
    assert turk.person(worker_id)


def test_a_hit_whose_reply_was_lost_is_made_once(turk: Study) -> None:
    turk.fail("lose", "CreateHITWithHITType")
    assert turk.publish(2) is ListingState.ACTIVE
    [listing] = turk.status.listings
    assert turk.client.listing(listing.listing.listing_id or "").places == 2
    turk.sync()
    assert turk.status.listings[0].n_open == 2


def test_a_server_follows_people_who_came_just_before_the_listing_was_stopped(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_URL", study.url)
    monkeypatch.setenv("PROLIFIC_TOKEN", study.settings.token)
    study.publish(1)
    worker_id = study.come()
    stop(study)
    study.judge(worker_id)
    study.finish(worker_id)

    assert sync_if_due(study.campaign, every=EVERY, now=study.now)
    assert [each.state for each in study.status.sessions] == [SessionState.SUBMITTED]
    # A clock that was days ahead until now keeps nobody waiting.
    assert not sync_if_due(study.campaign, every=EVERY, now=study.now + timedelta(minutes=4))
    assert sync_if_due(study.campaign, every=EVERY, now=study.now - timedelta(days=3))


def test_nobody_comes_in_vain_once_no_work_is_left(study: Study) -> None:
    study.publish()
    [there] = study.studies()
    study.client.set_places(there["id"], 5)
    for _ in range(4):
        one_done(study)

    assert study.status.listings[0].listing.state is ListingState.PAUSED
    assert [each["status"] for each in study.studies()] == ["PAUSED"]


@pytest.mark.parametrize("minutes", [-8, 8])
def test_clocks_that_differ_by_minutes_cost_nobody_work_or_pay(study: Study, minutes: float) -> None:
    study.ahead = timedelta(minutes=minutes)
    study.publish()
    left = study.come()
    for _ in range(3):
        one_done(study)
    study.judge(left, 2)
    study.entrance.leave(study.places[left].session)
    study.sync()
    last = study.come()
    study.judge(last)
    study.finish(last)
    pay_bonuses(study.campaign, study.client, [Owed(left, 12, "two items")], by=BY, now=study.now)

    study.entrance.advance(timedelta(days=7, hours=-1).total_seconds())
    study.sync()
    assert study.entrance.books()["total"]["rewards"] == 0
    study.entrance.advance(7200)
    study.sync()
    reward = study.status.listings[0].listing.reward
    total = study.entrance.books()["total"]
    assert (total["rewards"], total["bonuses"]) == (4 * reward, 12)
    assert sum(each.n_done for each in study.status.sessions) == 4 * 4 + 2
    study.sync()
    study.require_equal_books()
    assert study.status.n_different == 0


def test_a_campaign_that_was_published_keeps_its_platform_and_its_currency(study: Study) -> None:
    study.publish(1)
    for changes in ({"platform": "mturk"}, {"currency": "USD"}):
        with pytest.raises(Conflict) as refused:
            change_rules(study.campaign, changes, by=BY, now=study.now)
        assert refused.value.code == "published"
    change_rules(study.campaign, {"wage": 15.0}, by=BY, now=study.now)


def test_a_draft_that_was_changed_on_the_platforms_page_is_published_within_the_budget_only(
    study: Study,
) -> None:
    study.rules(budget=1.0)
    study.publish(1, only_draft=True)
    [there] = study.studies()
    study.client.set_places(there["id"], 50)
    with pytest.raises(Conflict) as refused:
        study.publish()
    assert refused.value.code == "budget"
    study.rules(budget=100.0)
    study.client._calls.change("PATCH", f"/api/v1/studies/{there['id']}/", {"reward": 900})  # type: ignore[attr-defined]
    with pytest.raises(Conflict) as refused:
        study.publish()
    assert refused.value.code == "reward"
    assert [each["status"] for each in study.studies()] == ["UNPUBLISHED"]
    study.rules(wage=0.001)
    stop(study)
    with pytest.raises(Conflict, match="smallest coin"):
        study.publish()


def test_of_two_drafts_under_one_tag_only_one_is_published(study: Study) -> None:
    clock, wish = study.settings.clock, Wish("http://127.0.0.1")

    def draft(terms: Any) -> Any:
        # So slow that somebody else no longer waits for it.
        clock.advance(3600)
        study.publish()
        return study.client.draft(terms)

    with pytest.raises(Conflict) as refused:
        publish(study.campaign, Instead(study.client, draft=draft), wish, by=BY, now=study.now)
    assert refused.value.code == "listed"
    assert sorted(each["status"] for each in study.studies()) == ["ACTIVE", "UNPUBLISHED"]
