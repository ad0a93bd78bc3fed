"""Lost replies, deaths in between, two managers at once: nothing is made, offered or paid twice."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from tests.emulators.conftest import Study

from steelyard.domain.crowd import CrowdClient, ListingState, ListingTerms, SessionState
from steelyard.domain.errors import ChoiceError, Conflict, PlatformError, ReplyLost
from steelyard.flows.approve import Refusal, approve, pay_partly, reject
from steelyard.flows.bonus import Owed, give_up_bonus, owed_bonuses, pay_bonuses
from steelyard.flows.listings import UNDER_WAY, add_places, resume_listing, stop_listing
from steelyard.flows.participants import participants
from steelyard.flows.payments import payments
from steelyard.flows.progress import Watch
from steelyard.flows.publish import Wish, publish
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign
from steelyard.flows.sync import sync
from steelyard.flows.verdicts import worker_verdicts
from steelyard.store.transfers import TransferState, transfers

ON_SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
DRAFT, PUBLISH = "POST /api/v1/studies/", "POST /api/v1/studies/*/transition/"
DECIDE, PAY = "POST /api/v1/submissions/*/transition/", "POST /api/v1/bulk-bonus-payments/*/pay/"
ORDER, PLACES, LOOK = "POST /api/v1/submissions/bonus-payments/", "PATCH /api/v1/studies/*/", "GET /api/v1/*"
BY = "manager"
# More than all tries of one request.
ALWAYS = 20


class Died(BaseException):
    """Our server is gone, without a chance to tidy up."""


class Instead:
    """A client, with something else in place of some of its calls."""

    def __init__(self, client: CrowdClient, **calls: Callable[..., Any]) -> None:
        self._client, self._calls = client, calls

    def __getattr__(self, name: str) -> Any:
        return self._calls.get(name) or getattr(self._client, name)


def dying(client: CrowdClient, at: str, *, acts: bool) -> Any:
    """A client whose server dies at one call: before it is sent, or once the platform has acted."""

    def die(*given: Any) -> None:
        if acts:
            getattr(client, at)(*given)
        raise Died

    return Instead(client, **{at: die})


def one_done(study: Study) -> str:
    """Somebody has finished a set and handed it in."""
    worker_id = study.come()
    study.judge(worker_id)
    study.finish(worker_id)
    study.sync()
    return worker_id


def bonus(study: Study, worker_id: str, amount: int = 40) -> None:
    pay_bonuses(study.campaign, study.client, [Owed(worker_id, amount, "slow")], by=BY, now=study.now)


def settle(study: Study) -> None:
    study.entrance.advance(3600)
    study.sync()


def states(study: Study) -> list[TransferState]:
    with study.campaign.store.read() as connection:
        return [each.state for each in transfers(connection)]


@ON_SQLITE
def test_a_study_whose_reply_was_lost_is_found_and_not_made_again(study: Study) -> None:
    study.fail("lose", DRAFT)
    study.fail("lose", PUBLISH)

    assert study.publish() is ListingState.ACTIVE
    assert [each["status"] for each in study.studies()] == ["ACTIVE"]


@ON_SQLITE
def test_a_platform_that_cannot_be_asked_what_it_has_gets_no_second_study(study: Study) -> None:
    looks: list[str] = []

    def find(tag: str) -> Any:
        looks.append(tag)
        if len(looks) > 1:
            raise PlatformError("api.example.org does not answer.")
        return study.client.find(tag)

    blind, wish = Instead(study.client, find=find), Wish("http://127.0.0.1")
    study.fail("lose", DRAFT)
    with pytest.raises(ReplyLost):
        publish(study.campaign, blind, wish, by=BY, now=study.now)
    with pytest.raises(PlatformError):
        publish(study.campaign, blind, wish, by=BY, now=study.now)

    assert study.publish() is ListingState.ACTIVE
    assert len(study.studies()) == 1
    assert len(looks) == 3


@ON_SQLITE
@pytest.mark.parametrize("acts", [False, True])
def test_a_server_that_dies_while_it_publishes_goes_on_where_it_was(study: Study, acts: bool) -> None:
    wish = Wish("http://127.0.0.1")
    with pytest.raises(Died):
        publish(study.campaign, dying(study.client, "draft", acts=acts), wish, by=BY, now=study.now)
    reserved = study.ledger.reserved

    if not acts:
        # Somebody else might be at it: only once that cannot be is the platform asked again.
        with pytest.raises(Conflict) as busy:
            study.publish()
        assert busy.value.code == "busy"
        study.settings.clock.advance(UNDER_WAY.total_seconds())
    assert study.publish() is ListingState.ACTIVE
    assert len(study.studies()) == 1
    assert study.ledger.reserved == reserved > 0


def test_somebody_who_publishes_while_the_platform_makes_the_study_makes_no_second_one(study: Study) -> None:
    wish, codes = Wish("http://127.0.0.1"), []

    def draft(terms: ListingTerms) -> Any:
        with pytest.raises(Conflict) as refused:
            publish(study.campaign, study.client, wish, by=BY, now=study.now)
        codes.append(refused.value.code)
        return study.client.draft(terms)

    publish(study.campaign, Instead(study.client, draft=draft), wish, by=BY, now=study.now)

    assert codes == ["busy"]
    assert [each["status"] for each in study.studies()] == ["ACTIVE"]


@ON_SQLITE
def test_a_draft_can_be_taken_back_and_its_money_is_free_again(study: Study) -> None:
    study.rules(budget=10.0)
    assert study.publish(only_draft=True) is ListingState.DRAFT
    assert study.ledger.reserved > 0

    stop_listing(study.campaign, study.client, by=BY, now=study.now)
    assert study.studies() == []
    assert study.ledger.left == 1000
    # Also one that somebody has deleted there in the meantime.
    study.publish(only_draft=True)
    [there] = study.studies()
    study.client.discard(there["id"])
    with pytest.raises(PlatformError):
        study.publish()
    stop_listing(study.campaign, study.client, by=BY, now=study.now)
    assert study.publish() is ListingState.ACTIVE


@ON_SQLITE
def test_what_is_in_doubt_about_places_stays_set_aside_until_it_is_known(study: Study) -> None:
    study.publish(2)
    before = study.ledger.reserved
    study.fail("lose", PLACES)
    add_places(study.campaign, study.client, 1, by=BY, now=study.now)
    [there] = study.studies()
    assert there["total_available_places"] == 3

    study.fail("trouble", PLACES, ALWAYS)
    with pytest.raises(ReplyLost):
        add_places(study.campaign, study.client, 1, by=BY, now=study.now)
    study.sync()
    assert study.ledger.reserved == before * 2
    study.settings.clock.advance(UNDER_WAY.total_seconds())
    study.sync()
    assert study.ledger.reserved == before * 3 // 2


@ON_SQLITE
def test_places_that_somebody_adds_on_the_platforms_own_page_are_paid_for_too(study: Study) -> None:
    study.publish(1)
    before = study.ledger.reserved
    [there] = study.studies()
    study.client.set_places(there["id"], 3)

    study.sync()
    assert (study.ledger.reserved, study.status.listings[0].n_open) == (3 * before, 3)
    add_places(study.campaign, study.client, 1, by=BY, now=study.now)
    assert study.studies()[0]["total_available_places"] == 4


def test_two_managers_add_places_and_pay_bonuses_only_as_far_as_the_budget_goes(study: Study) -> None:
    study.publish(1)
    worker_id = one_done(study)
    approve(study.campaign, study.client, [], by=BY, now=study.now)
    study.sync()
    one_place = study.ledger.committed
    study.rules(budget=(study.ledger.committed + one_place + 5) / 100)
    start = Barrier(4)

    def run(number: int) -> bool:
        client = study.another_client()
        start.wait()
        try:
            if number % 2:
                add_places(study.campaign, client, 1, by=BY, now=study.now)
            else:
                owed = [Owed(worker_id, one_place * 2 // 3, "much")]
                pay_bonuses(study.campaign, client, owed, by=BY, now=study.now)
        except Conflict:
            return False
        finally:
            client.close()
        return True

    with ThreadPoolExecutor(4) as managers:
        done = list(managers.map(run, range(4)))

    assert sum(done) == 1
    left = study.ledger.left
    assert left is not None
    assert left >= 0
    settle(study)
    cost = study.entrance.books()["total"]["cost"]
    assert cost <= 2 * one_place + 5


@ON_SQLITE
@pytest.mark.parametrize("lost", [DECIDE, ORDER, PAY])
def test_a_reply_that_is_lost_never_pays_twice(study: Study, lost: str) -> None:
    study.publish(1)
    worker_id = one_done(study)
    study.fail("lose", lost)

    approve(study.campaign, study.client, [], by=BY, now=study.now)
    if lost == PAY:
        with pytest.raises(ReplyLost):
            bonus(study, worker_id)
        assert [each.worker_id for each in study.status.in_doubt] == [worker_id]
        with pytest.raises(Conflict) as refused:
            bonus(study, worker_id)
        assert refused.value.code == "unsettled"
    else:
        bonus(study, worker_id)
    settle(study)

    assert states(study) == [TransferState.PAID]
    assert study.entrance.books()["total"]["bonuses"] == 40
    study.require_equal_books()


@ON_SQLITE
@pytest.mark.parametrize(
    ("at", "acts"), [("prepare_bonuses", True), ("pay_bonuses", False), ("pay_bonuses", True)]
)
def test_a_server_that_dies_while_it_pays_leaves_a_doubt_and_no_second_payment(
    study: Study, at: str, acts: bool
) -> None:
    study.publish(1)
    worker_id = one_done(study)
    approve(study.campaign, study.client, [], by=BY, now=study.now)
    owed = [Owed(worker_id, 40, "slow")]
    with pytest.raises(Died):
        pay_bonuses(study.campaign, dying(study.client, at, acts=acts), owed, by=BY, now=study.now)
    is_paid = acts and at == "pay_bonuses"
    [doubtful] = study.status.in_doubt
    with pytest.raises(Conflict):
        bonus(study, worker_id)
    study.settings.clock.advance(59 * 60)
    study.sync()
    if is_paid:
        assert study.status.in_doubt == ()
    else:
        with pytest.raises(Conflict) as early:
            give_up_bonus(study.campaign, doubtful.token, by=BY, now=study.now)
        assert early.value.code == "too_early"
        settle(study)
        give_up_bonus(study.campaign, doubtful.token, by=BY, now=study.now)
        bonus(study, worker_id)
        settle(study)

    assert study.entrance.books()["total"]["bonuses"] == 40
    study.require_equal_books()


@ON_SQLITE
def test_a_place_freed_by_a_return_is_taken_by_another_and_the_work_begun_is_paid(study: Study) -> None:
    study.publish(1)
    first = study.come()
    study.judge(first, 2)
    study.entrance.leave(study.places[first].session)
    study.sync()
    # The tab is still open there, but the HIT belongs to somebody else by now.
    second = study.come()
    study.judge(second)
    study.finish(second)
    study.sync()
    approve(study.campaign, study.client, [], by=BY, now=study.now)
    bonus(study, first, 12)
    settle(study)

    by_worker = {each.worker_id: each for each in study.status.sessions}
    assert by_worker[first].state is SessionState.RETURNED
    assert (by_worker[first].bonuses, by_worker[second].n_done) == (12, 4)
    assert study.status.n_different == 0
    study.require_equal_books()


@ON_SQLITE
def test_a_link_passed_on_brings_another_worker_and_no_pay_for_them(study: Study) -> None:
    study.publish(2)
    first = study.come()
    stranger = study.entrance.new_people(1)[0]
    [person] = [each.participant_id for each in participants(study.campaign).workers]
    assert person is not None
    again = study.join(study.places[first].url)
    other = study.join(study.places[first].url.replace(person, stranger))
    assert again == first != other
    study.judge(other)
    study.judge(first)
    study.finish(first)
    study.sync()

    # Two people say that they came in this session: it belongs to whom the platform says.
    [session] = study.status.sessions
    assert (session.worker_id, session.n_done) == (first, 4)
    with pytest.raises(Conflict, match="No session of"):
        bonus(study, other)


@ON_SQLITE
def test_a_set_finished_before_our_server_died_is_paid_though_nobody_was_sent_back(study: Study) -> None:
    study.publish(2)
    late, lost = study.come(), study.come()
    for worker_id in (late, lost):
        study.judge(worker_id)
    # One types the code in later, the other never does, and is timed out.
    study.finish(late, None)
    study.entrance.advance(25 * 3600)
    study.sync()

    found = {each.worker_id: each for each in study.status.sessions}
    assert (found[late].state, found[late].difference) == (SessionState.SUBMITTED, "")
    assert found[lost].difference == "finished here, but timed out there: pay it as a bonus"
    study.settings.clock.advance(timedelta(days=8).total_seconds())
    study.sync()
    bonus(study, lost, study.status.listings[0].listing.reward)
    settle(study)
    assert {each.worker_id: each.reward + each.bonuses for each in study.status.sessions} == {
        late: study.status.listings[0].listing.reward,
        lost: study.status.listings[0].listing.reward,
    }
    study.require_equal_books()


@ON_SQLITE
def test_who_is_about_to_hand_in_is_owed_no_bonus_and_once_timed_out_all_of_it(study: Study) -> None:
    study.publish(1)
    worker_id = study.come()
    study.judge(worker_id)
    study.sync()

    def owed() -> list[tuple[str, int]]:
        source = from_campaign(study.campaign)
        verdicts = worker_verdicts(source, settings_from(source))
        found = payments(Watch(study.campaign), verdicts, now=study.now)
        return [(each.worker_id, each.amount) for each in owed_bonuses(study.campaign, found)]

    assert owed() == []
    study.entrance.advance(25 * 3600)
    study.sync()
    assert owed() == [(worker_id, study.status.listings[0].listing.reward)]


@ON_SQLITE
def test_somebody_who_never_came_can_be_decided_on_by_their_session(study: Study) -> None:
    study.publish(2)
    person = study.entrance.new_people(1)[0]
    [offer] = study.entrance.listings(person)
    place = study.entrance.take(person, offer.listing)
    assert place is not None
    study.entrance.finish(place.session, None)
    study.sync()

    [session] = study.status.sessions
    assert session.difference == "handed in there, but nobody came here in this session"
    assert approve(study.campaign, study.client, [], by=BY, now=study.now).workers == ()
    done = approve(study.campaign, study.client, [place.session], by=BY, now=study.now)
    assert done.workers == (place.session,)
    study.sync()
    study.require_equal_books()


@ON_SQLITE
@pytest.mark.parametrize("percent", [8, 33, 99])
def test_a_part_of_the_reward_counts_at_once(study: Study, percent: int) -> None:
    study.publish(1)
    worker_id = one_done(study)
    pay_partly(study.campaign, study.client, worker_id, percent, by=BY, now=study.now)
    [reward] = [each.listing.reward for each in study.status.listings]

    assert study.ledger.rewards == -(-reward * percent // 100)
    study.sync()
    assert study.status.sessions[0].state is SessionState.PARTLY_APPROVED
    total = study.entrance.books()["total"]
    assert study.ledger.rewards == total["rewards"] == reward * percent // 100
    # The fee of a part is worked out from that of the whole, so it may be off by a cent.
    assert abs(study.ledger.fees - total["fees"] - total["vat"]) <= 1


@ON_SQLITE
def test_refusing_takes_evidence_a_long_message_a_known_category_and_a_persons_word(study: Study) -> None:
    study.publish(2)
    worker_id = one_done(study)
    nobody = study.come()
    study.finish(nobody)
    study.sync()

    said: list[str] = []

    def refuse(**values: Any) -> str:
        refusal = Refusal(**{"worker_id": nobody, "category": "NO_DATA", **values})
        try:
            reject(study.campaign, study.client, refusal, {}, by=BY, now=study.now)
        except Conflict as conflict:
            said.append(str(conflict))
            return conflict.code
        except ChoiceError as error:
            return str(error)
        return "rejected"

    assert refuse(worker_id=worker_id, is_confirmed=True) == "no_evidence"
    assert "at least 100 letters" in refuse(message="too short" + " " * 100)
    assert "category" in refuse(category="NO_REASON", is_confirmed=True)
    assert refuse() == refuse(message="Nothing was judged. " * 6) == "unconfirmed"
    assert ["none of its items was judged" in each for each in said[-2:]] == [True, True]
    assert ["They would read: Nothing was judged." in each for each in said[-2:]] == [False, True]
    assert study.entrance.books()["total"]["cost"] == 0
    assert refuse(is_confirmed=True) == "rejected"
    assert {each.state for each in study.status.sessions} == {SessionState.SUBMITTED, SessionState.REJECTED}


@ON_SQLITE
def test_a_study_stopped_or_paused_by_hand_is_noticed(study: Study) -> None:
    study.publish(2)
    [there] = study.studies()
    study.by_hand("pause", listing=there["id"])
    study.sync()
    assert study.status.listings[0].listing.state is ListingState.PAUSED
    assert resume_listing(study.campaign, study.client, by=BY, now=study.now).state is ListingState.ACTIVE

    study.by_hand("stop", listing=there["id"])
    study.sync()
    [listing] = study.status.listings
    assert "stop it here too" in listing.difference
    assert study.ledger.reserved > 0
    stop_listing(study.campaign, study.client, by=BY, now=study.now)
    assert study.ledger.reserved == 0
    assert study.status.n_different == 0


@ON_SQLITE
def test_an_account_in_another_currency_publishes_nothing(study: Study) -> None:
    study.rules(currency="USD")
    with pytest.raises(Conflict, match="is in GBP, and the campaign pays in USD"):
        study.publish()
    assert study.studies() == []


@ON_SQLITE
def test_a_dry_run_of_everything_tells_all_requests_and_changes_nothing_on_either_side(study: Study) -> None:
    told: list[str] = []
    campaign, dry = study.campaign, study.another_client(told.append)
    publish(campaign, dry, Wish("http://127.0.0.1"), by=BY, now=study.now)
    assert study.studies() == []
    study.publish(2)
    done, waits = one_done(study), study.come()
    study.finish(waits)
    study.sync()
    before = (study.studies(), study.entrance.books(), study.status)

    add_places(campaign, dry, 1, by=BY, now=study.now)
    approve(campaign, dry, [done], by=BY, now=study.now)
    pay_partly(campaign, dry, done, 50, by=BY, now=study.now)
    pay_bonuses(campaign, dry, [Owed(done, 40, "slow")], by=BY, now=study.now)
    reject(campaign, dry, Refusal(waits, "NO_DATA", is_confirmed=True), {}, by=BY, now=study.now)
    stop_listing(campaign, dry, by=BY, now=study.now)
    sync(campaign, dry, by=BY, now=study.now)

    assert (study.studies(), study.entrance.books(), study.status) == before
    lines = [line.splitlines()[0].replace(study.url, "") for line in told]
    changes = [line.partition(" ")[0] for line in lines if not line.startswith("GET")]
    # A price, a draft, its publication; places; approval; part; two for a bonus; rejection; stop.
    assert changes == ["POST", "POST", "POST", "PATCH", "POST", "POST", "POST", "POST", "POST", "POST"]
    assert study.settings.token not in " ".join(told)
    dry.close()
