"""What is owed beyond rewards: what is paid, or may be, in any other way is never paid as a bonus as well."""

from __future__ import annotations

from typing import Any

import pytest
from tests.emulators.conftest import Study
from tests.emulators.test_faults import Instead

from steelyard.domain.crowd import Bonus, SessionState
from steelyard.domain.errors import Conflict, ReplyLost
from steelyard.flows.approve import Refusal, approve, reject
from steelyard.flows.bonus import Owed, give_up_bonus, owed_bonuses, pay_bonuses
from steelyard.flows.listings import add_places, stop_listing
from steelyard.flows.payments import payments
from steelyard.flows.progress import Watch
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign
from steelyard.flows.verdicts import worker_verdicts
from steelyard.store.transfers import TransferState

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
BY = "manager"


def owed(study: Study) -> list[Owed]:
    source = from_campaign(study.campaign)
    verdicts = worker_verdicts(source, settings_from(source))
    return owed_bonuses(study.campaign, payments(Watch(study.campaign), verdicts, now=study.now))


def pay(study: Study, bonuses: list[Owed]) -> None:
    pay_bonuses(study.campaign, study.client, bonuses, by=BY, now=study.now)


def test_a_bonus_that_was_never_ordered_is_not_settled_by_one_paid_by_hand(study: Study) -> None:
    worker_id = timed_out(study)
    [there] = study.studies()
    by_hand = Bonus("by hand", study.places[worker_id].session, "", 40)

    def prepare(*_: Any) -> Any:
        raise KeyboardInterrupt

    broken, meant = Instead(study.client, prepare_bonuses=prepare), [Owed(worker_id, 40, "slow")]
    with pytest.raises(KeyboardInterrupt):
        pay_bonuses(study.campaign, broken, meant, by=BY, now=study.now)
    study.client.pay_bonuses(study.client.prepare_bonuses(there["id"], [by_hand]).order_id, [by_hand])
    study.entrance.advance(3600)
    study.sync()
    assert [each.state for each in study.status.in_doubt] == [TransferState.INTENDED]
    give_up_bonus(study.campaign, study.status.in_doubt[0].token, by=BY, now=study.now)
    assert (study.ledger.bonuses, study.ledger.elsewhere) == (0, 40)


def come_again(study: Study, worker_id: str) -> None:
    """Another listing takes the place of the one there was, and the worker comes for it."""
    stop_listing(study.campaign, study.client, by=BY, now=study.now)
    study.settings.clock.advance(60)
    study.publish(1)
    assert study.come(study.person(worker_id)) == worker_id


def timed_out(study: Study) -> str:
    """Somebody has finished here, and the platform has given up waiting for them."""
    study.publish(1)
    worker_id = study.come()
    study.judge(worker_id)
    study.sync()
    study.entrance.advance(25 * 3600)
    study.sync()
    return worker_id


def test_a_bonus_paid_on_the_platforms_own_page_is_not_owed_any_more(study: Study) -> None:
    worker_id = timed_out(study)
    [seen] = owed(study)
    by_hand = Bonus("by hand", study.places[worker_id].session, "", seen.amount)
    [there] = study.studies()
    study.client.pay_bonuses(study.client.prepare_bonuses(there["id"], [by_hand]).order_id, [by_hand])
    study.entrance.advance(60)
    study.sync()

    assert owed(study) == []
    # Somebody still has the old page open.
    with pytest.raises(Conflict) as refused:
        pay(study, [seen])
    assert refused.value.code == "paid_meanwhile"
    assert study.entrance.books()["total"]["bonuses"] == seen.amount


def test_a_reward_of_which_the_platform_has_not_told_yet_is_not_paid_as_a_bonus(study: Study) -> None:
    study.rules(hits_per_worker=2)
    study.publish(1)
    worker_id = study.come()
    study.judge(worker_id)
    study.finish(worker_id)
    study.sync()
    approve(study.campaign, study.client, [], by=BY, now=study.now)
    come_again(study, worker_id)
    study.judge(worker_id)

    assert owed(study) == []
    study.finish(worker_id)
    study.sync()
    approve(study.campaign, study.client, [], by=BY, now=study.now)
    assert owed(study) == []
    total = study.entrance.books()["total"]
    assert (total["rewards"], total["bonuses"]) == (2 * study.status.listings[0].listing.reward, 0)


def test_a_doubt_about_one_session_of_a_worker_holds_up_bonuses_for_another(study: Study) -> None:
    worker_id = timed_out(study)
    study.fail("trouble", "*/pay/")
    with pytest.raises(ReplyLost):
        pay(study, owed(study))
    come_again(study, worker_id)
    study.sync()

    assert len(study.status.sessions) == 2
    with pytest.raises(Conflict) as refused:
        pay(study, [Owed(worker_id, 10, "slow")])
    assert refused.value.code == "unsettled"


def test_people_of_two_listings_are_paid_at_once_and_those_not_sent_to_are_in_no_doubt(study: Study) -> None:
    study.rules(hits_per_worker=2)
    early = timed_out(study)
    late = study.entrance.new_people(1)[0]
    stop_listing(study.campaign, study.client, by=BY, now=study.now)
    study.settings.clock.advance(60)
    study.publish(1)
    late = study.come(late)
    study.judge(late)
    study.finish(late)
    study.sync()
    approve(study.campaign, study.client, [], by=BY, now=study.now)
    both = [*owed(study), Owed(late, 10, "slow")]
    assert [each.worker_id for each in both] == [early, late]

    study.fail("trouble", "*/pay/")
    with pytest.raises(ReplyLost):
        pay(study, both)
    assert [each.worker_id for each in study.status.in_doubt] == [early]
    with pytest.raises(Conflict, match="It is not known yet"):
        pay(study, both)
    study.settings.clock.advance(2 * 3600)
    study.sync()
    give_up_bonus(study.campaign, study.status.in_doubt[0].token, by=BY, now=study.now)
    pay(study, both)
    study.entrance.advance(60)
    study.sync()
    assert study.entrance.books()["total"]["bonuses"] == both[0].amount + 10
    study.require_equal_books()


def test_a_bonus_turned_away_at_the_door_of_mechanical_turk_is_sent_again_and_paid_once(turk: Study) -> None:
    turk.publish(2)
    workers = [turk.come() for _ in range(2)]
    for worker_id in workers:
        turk.judge(worker_id)
        turk.finish(worker_id)
    turk.sync()
    approve(turk.campaign, turk.client, [], by=BY, now=turk.now)
    turk.fail("throttle", "SendBonus", 2)

    pay(turk, [Owed(each, 40, "slow") for each in workers])
    turk.sync()
    assert turk.entrance.books()["total"]["bonuses"] == turk.ledger.bonuses == 80
    turk.require_equal_books()


def test_a_place_that_was_rejected_on_mechanical_turk_can_be_offered_anew(turk: Study) -> None:
    turk.publish()
    nobody = turk.come()
    turk.finish(nobody)
    turk.sync()
    sure = Refusal(nobody, "", is_confirmed=True)
    reject(turk.campaign, turk.client, sure, {}, by=BY, now=turk.now)

    # There, it keeps its place, so one more is needed for the HIT that nobody has done.
    assert turk.status.listings[0].n_open == 3
    assert add_places(turk.campaign, turk.client, 1, by=BY, now=turk.now).listing.places == 5
    turk.sync()
    assert turk.status.listings[0].n_open == 4
    assert {each.state for each in turk.status.sessions} == {SessionState.REJECTED}


def test_money_of_people_at_work_on_mechanical_turk_is_not_spent_though_it_does_not_show_them(
    turk: Study,
) -> None:
    turk.publish(1)
    before = turk.ledger.committed
    worker_id = turk.come()
    stop_listing(turk.campaign, turk.client, by=BY, now=turk.now)
    turk.sync()
    assert turk.ledger.committed == before

    turk.judge(worker_id)
    turk.finish(worker_id)
    turk.sync()
    approve(turk.campaign, turk.client, [], by=BY, now=turk.now)
    assert turk.ledger.committed == before
    turk.require_equal_books()
