"""A person's verdicts on workers: what becomes of judgements and places, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from steelyard.domain.errors import ChoiceError, Conflict, NotFound
from steelyard.domain.running import Action
from steelyard.flows.assign import Finished, NextItem, next_item
from steelyard.flows.exclude import Decision, block, exclude, reinstate, unblock
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.release import hit_places
from steelyard.flows.work_status import work_status
from steelyard.store import actions, verdicts, work


@pytest.fixture
def worker_id(campaign: OpenCampaign, noon: datetime) -> str:
    """A worker who has handed in one HIT and begun no other."""
    return finish_a_hit(campaign, noon)


def finish_a_hit(campaign: OpenCampaign, now: datetime) -> str:
    """A new worker takes a HIT and hands it in; nobody needs the answers here."""
    [link] = add_workers(campaign, 1, base_url="", now=now)
    with campaign.store.write() as connection:
        taken = work.claim_opening(connection, link.worker_id, assignment_id=f"a-{link.worker_id}", now=now)
        assert taken is not None
        work.submit_assignment(connection, taken.assignment_id, now=now)
    return link.worker_id


def hits_of(campaign: OpenCampaign, worker_id: str) -> list[verdicts.TakenHit]:
    with campaign.store.read() as connection:
        return verdicts.taken_hits(connection, worker_id)


def by_manager(worker_id: str, reason: str = "a robot", hit_id: str | None = None) -> Decision:
    return Decision(worker_id, "manager", reason, hit_id)


def logged(campaign: OpenCampaign, worker_id: str) -> list[Action]:
    with campaign.store.read() as connection:
        return actions.logged_actions(connection, worker_id)


def exclusions(campaign: OpenCampaign) -> list[tuple[str, str | None, str]]:
    with campaign.store.read() as connection:
        return [(each.worker_id, each.hit_id, each.reason) for each in actions.exclusions(connection)]


def take_every_place(campaign: OpenCampaign, now: datetime) -> None:
    """Other workers take every place that is free."""
    while True:
        [link] = add_workers(campaign, 1, base_url="", now=now)
        with campaign.store.write() as connection:
            if work.claim_opening(connection, link.worker_id, assignment_id=link.worker_id, now=now) is None:
                return


def test_excluding_a_worker_offers_the_place_and_says_where(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)

    done = exclude(campaign, by_manager(worker_id), now=noon)

    assert done.offered == (taken.hit_id,)
    assert not hits_of(campaign, worker_id)[0].has_place
    assert exclusions(campaign) == [(worker_id, None, "a robot")]


def test_an_excluded_hit_is_not_offered_to_its_worker_again(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [before] = hits_of(campaign, worker_id)
    exclude(campaign, by_manager(worker_id, hit_id=before.hit_id), now=noon)

    next_item(campaign, worker_id, now=noon)

    places = {each.hit_id: each.has_place for each in hits_of(campaign, worker_id)}
    assert (len(places), places[before.hit_id]) == (2, False)


def test_a_place_that_was_offered_goes_to_somebody_else(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    take_every_place(campaign, noon)
    [before] = hits_of(campaign, worker_id)
    exclude(campaign, by_manager(worker_id), now=noon)

    other = finish_a_hit(campaign, noon)

    assert [each.hit_id for each in hits_of(campaign, other)] == [before.hit_id]


def test_a_blocked_worker_gets_no_work_until_unblocked(campaign: OpenCampaign, noon: datetime) -> None:
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    block(campaign, by_manager(link.worker_id), now=noon)
    with pytest.raises(Conflict, match="no further work"):
        next_item(campaign, link.worker_id, now=noon)

    unblock(campaign, by_manager(link.worker_id), now=noon)

    assert isinstance(next_item(campaign, link.worker_id, now=noon), NextItem)


def test_a_place_can_be_kept(campaign: OpenCampaign, worker_id: str, noon: datetime) -> None:
    done = exclude(campaign, by_manager(worker_id), now=noon, replace=False)

    assert done.offered == ()
    assert hits_of(campaign, worker_id)[0].has_place


def test_excluding_one_hit_leaves_the_others_alone(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)

    exclude(campaign, by_manager(worker_id, hit_id=taken.hit_id), now=noon)

    assert exclusions(campaign) == [(worker_id, taken.hit_id, "a robot")]


def test_a_hit_under_way_ends_when_its_worker_is_excluded(campaign: OpenCampaign, noon: datetime) -> None:
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    next_item(campaign, link.worker_id, now=noon)

    exclude(campaign, by_manager(link.worker_id), now=noon)

    [taken] = hits_of(campaign, link.worker_id)
    assert (taken.is_open, taken.has_place) == (False, False)


def test_reinstating_takes_the_place_back_while_it_is_free(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)
    exclude(campaign, by_manager(worker_id), now=noon)

    done = reinstate(campaign, by_manager(worker_id), now=noon)

    assert (done.taken_back, done.surplus) == ((taken.hit_id,), ())
    assert hits_of(campaign, worker_id)[0].has_place
    assert exclusions(campaign) == []


def test_reinstating_says_where_somebody_else_has_taken_the_place(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)
    exclude(campaign, by_manager(worker_id), now=noon)
    take_every_place(campaign, noon)

    done = reinstate(campaign, by_manager(worker_id), now=noon)

    assert (done.taken_back, done.surplus) == ((), (taken.hit_id,))
    assert not hits_of(campaign, worker_id)[0].has_place
    assert logged(campaign, worker_id)[-1].detail == {"surplus": [taken.hit_id]}


def test_a_hit_excluded_for_itself_stays_so_when_its_worker_is_reinstated(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)
    exclude(campaign, by_manager(worker_id, hit_id=taken.hit_id), now=noon)
    exclude(campaign, by_manager(worker_id), now=noon)

    done = reinstate(campaign, by_manager(worker_id), now=noon)

    assert exclusions(campaign) == [(worker_id, taken.hit_id, "a robot")]
    assert (done.taken_back, done.surplus) == ((), ())


def test_verdicts_and_workers_at_the_same_moment_leave_every_place_with_one_holder(
    campaign: OpenCampaign, noon: datetime
) -> None:
    done = [finish_a_hit(campaign, noon) for _ in range(3)]
    links = add_workers(campaign, 4, base_url="", now=noon)

    def decide(worker_id: str) -> None:
        for _ in range(3):
            exclude(campaign, by_manager(worker_id), now=noon)
            reinstate(campaign, by_manager(worker_id), now=noon)

    with ThreadPoolExecutor(7) as at_once:
        verdicts_given = [at_once.submit(decide, worker_id) for worker_id in done]
        works = [at_once.submit(next_item, campaign, link.worker_id, now=noon) for link in links]
        for each in (*verdicts_given, *works):
            each.result()

    places = [place for hit in hit_places(campaign, now=noon) for place in hit.places]
    holders = [place.assignment_id for place in places if place.assignment_id is not None]
    assert len(set(holders)) == len(holders)
    open_or_done = [each for link in links for each in hits_of(campaign, link.worker_id)]
    assert all(each.has_place for each in open_or_done)


def test_what_is_not_excluded_cannot_be_reinstated(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)
    with pytest.raises(Conflict, match=f"Worker {worker_id} is not excluded.$"):
        reinstate(campaign, by_manager(worker_id), now=noon)

    exclude(campaign, by_manager(worker_id, hit_id=taken.hit_id), now=noon)
    with pytest.raises(Conflict, match=f"excluded are only the HITs {taken.hit_id}"):
        reinstate(campaign, by_manager(worker_id), now=noon)
    assert [each.verb for each in logged(campaign, worker_id)] == ["exclude"]


@pytest.mark.parametrize("reason", ["", "  ", "no", "True"])
def test_an_exclusion_needs_a_reason(
    campaign: OpenCampaign, worker_id: str, noon: datetime, reason: str
) -> None:
    with pytest.raises(ChoiceError, match="Say why"):
        exclude(campaign, by_manager(worker_id, reason), now=noon)

    assert exclusions(campaign) == []
    assert hits_of(campaign, worker_id)[0].has_place


def test_a_reason_is_kept_on_one_line(campaign: OpenCampaign, worker_id: str, noon: datetime) -> None:
    exclude(campaign, by_manager(worker_id, " clicks\nat  random "), now=noon)

    assert exclusions(campaign) == [(worker_id, None, "clicks at random")]


def test_unknown_workers_and_hits_of_others_are_refused(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    other = finish_a_hit(campaign, noon)
    [of_other] = hits_of(campaign, other)

    with pytest.raises(NotFound, match="no worker W9999"):
        exclude(campaign, by_manager("W9999"), now=noon)
    with pytest.raises(NotFound, match=f"has not taken HIT '{of_other.hit_id}'"):
        exclude(campaign, by_manager(worker_id, hit_id=of_other.hit_id), now=noon)


def test_a_blocked_worker_gets_nothing_and_the_hit_under_way_goes_to_others(
    campaign: OpenCampaign, noon: datetime
) -> None:
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    next_item(campaign, link.worker_id, now=noon)
    [taken] = hits_of(campaign, link.worker_id)

    done = block(campaign, by_manager(link.worker_id), now=noon)

    assert (done.is_blocked, done.released) == (True, (taken.hit_id,))
    [after] = hits_of(campaign, link.worker_id)
    assert (after.is_open, after.has_place) == (False, False)
    with campaign.store.read() as connection:
        assert work.is_blocked(connection, link.worker_id)


def test_blocking_leaves_submitted_work_alone(campaign: OpenCampaign, worker_id: str, noon: datetime) -> None:
    done = block(campaign, by_manager(worker_id), now=noon)

    assert done.released == ()
    assert hits_of(campaign, worker_id)[0].has_place
    assert exclusions(campaign) == []


def test_blocking_twice_is_logged_once_and_unblocking_undoes_it(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    for _ in range(2):
        block(campaign, by_manager(worker_id, ""), now=noon)
    done = unblock(campaign, by_manager(worker_id, "a mistake"), now=noon + timedelta(hours=1))

    assert not done.is_blocked
    assert [(each.verb, each.reason) for each in logged(campaign, worker_id)] == [
        ("block", ""),
        ("unblock", "a mistake"),
    ]


def test_judgements_stay_when_their_worker_is_excluded(
    campaign: OpenCampaign, one_judgement_of_a_person: str, noon: datetime
) -> None:
    exclude(campaign, by_manager(one_judgement_of_a_person), now=noon)

    assert len(judged_frames(campaign).ratings) == 1
    assert not isinstance(next_item(campaign, finish_a_hit(campaign, noon), now=noon), Finished)


def test_an_excluded_worker_gets_no_further_hit_until_reinstated(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    exclude(campaign, by_manager(worker_id), now=noon)

    assert work_status(campaign, worker_id, now=noon).state == "blocked"
    with pytest.raises(Conflict, match="no further work"):
        next_item(campaign, worker_id, now=noon)

    reinstate(campaign, by_manager(worker_id), now=noon)
    assert isinstance(next_item(campaign, worker_id, now=noon), NextItem)


def test_a_worker_goes_on_after_one_hit_was_excluded(
    campaign: OpenCampaign, worker_id: str, noon: datetime
) -> None:
    [taken] = hits_of(campaign, worker_id)

    exclude(campaign, by_manager(worker_id, hit_id=taken.hit_id), now=noon)

    assert isinstance(next_item(campaign, worker_id, now=noon), NextItem)
