"""Assignments are leases: what happens to work that somebody leaves, gives back, or comes back to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from steelyard.domain.errors import AnswerError, Conflict, NotFound
from steelyard.domain.work import Hit
from steelyard.flows.assign import Finished, NextItem, unbegun
from steelyard.flows.exclude import Decision, exclude, reinstate
from steelyard.flows.judged import judged_frames
from steelyard.flows.release import release, release_idle, return_work
from steelyard.store import judgements, running
from steelyard.store.laid_out import HitShape, add_hits

LEASE = 120
LATER = LEASE + 1


def take_everything(people: Any) -> list[str]:
    """New workers take all places."""
    workers = people.add(4)
    for worker in workers:
        people.take(worker)
    return workers


def give_back(people: Any, worker_id: str, minute: float = 0) -> None:
    mine = people.status(worker_id, minute).assignment_id
    return_work(people.campaign, worker_id, mine, now=people.at(minute))


def test_work_without_an_answer_goes_to_the_next_who_asks(people: Any) -> None:
    *first, late = people.add(5)
    taken = [people.take(worker) for worker in first]

    too_early = people.take(late, LEASE)

    assert (taken, too_early) == (["h1", "h2", "h3", "h4"], None)
    assert people.take(late, LATER) == "h1"
    assert sorted(people.log()) == [("release", "server", worker) for worker in first]


def test_a_hit_is_unbegun_until_it_is_judged_in_given_back_or_expired(people: Any) -> None:
    judged, returned, released, left = take_everything(people)
    mine = [people.status(worker).assignment_id for worker in (judged, returned, released, left)]
    assert sorted(unbegun(people.campaign, mine, now=people.at(1))) == sorted(mine)

    people.judge(judged, 1)
    give_back(people, returned)
    release(people.campaign, [released], by="manager", now=people.at(1))

    assert unbegun(people.campaign, mine, now=people.at(1)) == [mine[3]]
    assert unbegun(people.campaign, mine, now=people.at(LATER)) == []


def test_every_answer_renews_the_lease(people: Any) -> None:
    *first, late = people.add(5)
    for worker in first:
        people.take(worker)
        people.judge(worker, 1, minute=100)

    assert people.take(late, 100 + LEASE) is None
    assert people.take(late, 100 + LATER) == "h1"


def test_the_campaign_decides_how_long_a_lease_lasts(people: Any) -> None:
    people.rules(lease_minutes=10)
    *first, late = people.add(5)
    for worker in first:
        people.take(worker)

    assert people.take(late, 11) == "h1"


def test_what_was_judged_stays_when_a_lease_ends(people: Any) -> None:
    [worker] = people.add()
    people.judge(worker, 2)

    release(people.campaign, [worker], by="manager", now=people.at(1))

    assert judged_frames(people.campaign).ratings.height == 2
    assert people.holders()["h1"] == [None]


def test_who_comes_back_goes_on_where_they_stopped_if_the_place_is_free(people: Any) -> None:
    [worker] = people.add()
    people.judge(worker, 2)
    release(people.campaign, [worker], by="manager", now=people.at(1))

    view = people.next(worker, 600)

    assert isinstance(view, NextItem)
    assert (view.position, view.n_done) == (3, 2)
    assert people.holders()["h1"] == [worker]
    assert people.log()[-1] == ("retake", "worker", worker)


def test_a_lease_that_was_taken_up_again_lasts_as_long_as_a_new_one(people: Any) -> None:
    *first, late = people.add(5)
    for worker in first:
        people.take(worker)
    release_idle(people.campaign, by="command line", now=people.at(LATER))
    for worker in first:
        people.take(worker, 200)

    assert people.take(late, 200 + LEASE) is None
    assert people.take(late, 200 + LATER) == "h1"


def test_a_worker_who_opens_an_overdue_set_again_keeps_it(people: Any) -> None:
    *first, late = people.add(5)
    for worker in first:
        people.take(worker)

    people.take(first[0], 200)

    assert people.take(late, 201) == "h2"


def test_who_comes_back_too_late_gets_another_hit(people: Any) -> None:
    absent, *others = people.add(4)
    people.judge(absent, 1)
    release(people.campaign, [absent], by="manager", now=people.at(1))
    taken = [people.take(worker) for worker in others]
    for worker in others[1:]:
        give_back(people, worker, 2)
    [newcomer] = people.add()

    # Places that nobody has had go first, so the released one was the last to go.
    assert taken == ["h2", "h3", "h4"]
    assert people.take(newcomer, 3) == "h1"
    assert people.status(absent, 3).state == "released"
    assert people.take(absent, 3) is None


def test_an_answer_that_comes_late_is_taken_while_the_place_is_free(people: Any) -> None:
    [worker] = people.add()
    late = people.answer_to(people.next(worker))
    release_idle(people.campaign, by="command line", now=people.at(LATER))

    view = people.send(worker, late, 500)

    assert (view.position, people.holders(500)["h1"]) == (2, [worker])
    assert people.hits(500)["h1"].places[0].state == "open"


def test_a_late_answer_sent_twice_is_stored_once(people: Any) -> None:
    [worker] = people.add()
    late = people.answer_to(people.next(worker))
    release(people.campaign, [worker], by="manager", now=people.at(1))

    assert people.send(worker, late, 2) == people.send(worker, late, 3)
    assert judged_frames(people.campaign).ratings.height == 1


def test_an_answer_to_a_place_that_somebody_else_took_is_refused_by_name(people: Any) -> None:
    absent, *_ = take_everything(people)
    late = people.answer_to(people.next(absent))
    release(people.campaign, [absent], by="manager", now=people.at(1))
    [other] = people.add()
    people.take(other, 2)

    with pytest.raises(Conflict, match="went to somebody else") as caught:
        people.send(absent, late, 3)

    assert caught.value.code == "place_taken"
    assert people.holders()["h1"] == [other]


def test_who_has_begun_another_hit_cannot_go_back_to_an_earlier_one(people: Any) -> None:
    absent, second, *_ = take_everything(people)
    late = people.answer_to(people.next(absent))
    release(people.campaign, [absent], by="manager", now=people.at(1))
    [other] = people.add()
    assert people.take(other, 2) == "h1"
    give_back(people, second, 3)
    assert people.take(absent, 4) == "h2"
    give_back(people, other, 5)

    with pytest.raises(Conflict) as caught:
        people.send(absent, late, 6)

    assert caught.value.code == "place_taken"
    assert (people.holders(6)["h1"], people.holders(6)["h2"]) == ([None], [absent])


def test_a_returned_hit_is_free_and_the_worker_gets_another(people: Any) -> None:
    [worker] = people.add()
    people.judge(worker, 1)

    give_back(people, worker, 5)

    assert people.hits()["h1"].released[0].state == "returned"
    assert people.take(worker, 6) == "h2"
    assert people.log() == [("return", "worker", worker)]


@pytest.mark.parametrize("end", ["returned", "submitted"])
def test_an_answer_from_a_device_that_missed_the_end_is_told_which_end(people: Any, end: str) -> None:
    [worker] = people.add()
    stale = people.answer_to(people.next(worker))
    if end == "returned":
        give_back(people, worker, 1)
    else:
        people.finish(worker, 1)

    with pytest.raises(Conflict, match="closed already") as caught:
        people.send(worker, stale, 2)

    assert caught.value.code == end


def test_a_returned_hit_comes_again_only_when_nothing_else_is_left(people: Any) -> None:
    [worker] = people.add()
    people.judge(worker, 1)
    give_back(people, worker, 5)
    people.finish(worker, 6)

    status = people.status(worker, 7)
    view = people.next(worker, 7)

    assert (status.state, status.n_done, status.more) == ("ready", 1, True)
    assert isinstance(view, NextItem)
    assert view.position == 2


def test_only_ones_own_open_hit_can_be_returned(people: Any) -> None:
    worker, other = people.add(2)
    people.take(worker)
    mine = people.status(worker).assignment_id

    with pytest.raises(NotFound):
        return_work(people.campaign, other, mine, now=people.at(1))
    people.finish(worker)
    with pytest.raises(Conflict, match="submitted already"):
        return_work(people.campaign, worker, mine, now=people.at(1))


def test_returning_twice_is_returning_once(people: Any) -> None:
    [worker] = people.add()
    people.take(worker)
    mine = people.status(worker).assignment_id

    return_work(people.campaign, worker, mine, now=people.at(1))
    return_work(people.campaign, worker, mine, now=people.at(2))

    assert people.log() == [("return", "worker", worker)]


def test_a_lease_in_which_nothing_was_judged_does_not_tie_a_worker_to_a_round(people: Any) -> None:
    [absent] = people.add()
    people.take(absent)
    release(people.campaign, [absent], by="manager", now=people.at(1))
    # Round 1 is taken by others, who left round 2.
    a, b, c = people.add(3)
    assert [people.take(worker, 2) for worker in (a, b, c)] == ["h2", "h3", "h4"]
    give_back(people, b, 3)
    [d] = people.add()
    assert people.take(d, 4) == "h1"

    assert people.take(absent, 5) == "h3"


def test_a_worker_who_went_on_in_another_round_does_not_resume_the_first(people: Any) -> None:
    [absent] = people.add()
    people.take(absent)
    release(people.campaign, [absent], by="manager", now=people.at(1))
    others = people.add(3)
    for worker in others:
        people.take(worker, 2)
    [d] = people.add()
    people.take(d, 4)
    give_back(people, others[1], 4)
    people.finish(absent, 5)
    assert people.hits(5)["h3"].places[0].worker_id == absent

    release(people.campaign, [d], by="manager", now=people.at(6))

    assert people.holders(6)["h1"] == [None]
    assert people.take(absent, 7) is None


def test_a_worker_may_judge_another_round_of_another_part(people: Any, toy_hits: list[Hit]) -> None:
    later = [replace(hit, hit_id=f"{hit.hit_id}-later", round=3, number=hit.number + 4) for hit in toy_hits]
    with people.campaign.store.write() as connection:
        add_hits(connection, later[:2], shape=HitShape(4, 1, part=2))
    [worker] = people.add()

    taken = []
    while (hit_id := people.take(worker)) is not None:
        taken.append(hit_id)
        people.finish(worker)

    assert taken == ["h1", "h2", "h1-later", "h2-later"]


def test_nobody_takes_more_hits_than_the_rules_allow(people: Any) -> None:
    people.rules(hits_per_worker=1)
    [worker] = people.add()
    people.finish(worker)

    status = people.status(worker)

    assert people.take(worker) is None
    assert (status.state, status.more, status.is_capped, status.n_hits_done) == ("done", False, True, 1)


def test_a_hit_that_was_left_counts_if_something_was_judged_in_it(people: Any) -> None:
    people.rules(hits_per_worker=1)
    began, looked = people.add(2)
    people.judge(began, 1)
    people.take(looked)
    for worker in (began, looked):
        give_back(people, worker, 1)

    [other] = people.add()
    people.take(other, 2)

    assert people.take(looked, 2) not in (None, "h2")
    # What they began is still theirs to finish.
    assert people.take(began, 2) == "h1"


def test_the_last_answer_says_whether_the_cap_leaves_more(people: Any) -> None:
    people.rules(hits_per_worker=1)
    [worker] = people.add()

    end = people.judge(worker, 4)

    assert end == Finished(end.assignment_id, 4, 4, n_hits_done=1, more=False)


def test_a_blocked_worker_gets_nothing_and_their_late_answer_is_refused(people: Any) -> None:
    blocked, fresh = people.add(2)
    late = people.answer_to(people.next(blocked))
    release(people.campaign, [blocked], by="manager", now=people.at(1))
    people.block(blocked)
    people.block(fresh)

    for refused in (
        lambda: people.next(fresh, 2),
        lambda: people.next(blocked, 2),
        lambda: people.send(blocked, late, 2),
    ):
        with pytest.raises(Conflict, match="no further work") as caught:
            refused()
        assert caught.value.code == "blocked"
    assert [people.status(worker, 2).state for worker in (blocked, fresh)] == ["blocked", "blocked"]
    assert people.holders()["h1"] == [None]


def test_a_late_answer_of_an_excluded_worker_is_refused(people: Any) -> None:
    [worker] = people.add()
    view = people.judge(worker, 1)
    exclude(people.campaign, Decision(worker, "manager", "reads nothing"), now=people.at(1))

    with pytest.raises(Conflict) as caught:
        people.send(worker, people.answer_to(view), 2)

    assert caught.value.code == "blocked"


def test_what_a_person_excluded_is_not_gone_on_with_until_it_is_reinstated(people: Any) -> None:
    [worker] = people.add()
    view = people.judge(worker, 1)
    verdict = Decision(worker, "manager", "reads nothing", "h1")
    exclude(people.campaign, verdict, now=people.at(1))

    with pytest.raises(Conflict) as caught:
        people.send(worker, people.answer_to(view), 2)

    assert caught.value.code == "place_taken"
    assert people.take(worker, 3) == "h2"
    people.finish(worker, 3)
    reinstate(people.campaign, verdict, now=people.at(4))
    assert people.take(worker, 5) == "h1"


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_no_work_is_given_and_no_answer_taken_unless_the_campaign_is_open(people: Any, state: str) -> None:
    worker, newcomer = people.add(2)
    answer = people.answer_to(people.next(worker))
    people.state(state, 1)

    for refused in (
        lambda: people.next(newcomer, 2),
        lambda: people.next(worker, 2),
        lambda: people.send(worker, answer, 2),
    ):
        with pytest.raises(Conflict) as caught:
            refused()
        assert caught.value.code == state
    assert (people.status(worker, 2).state, people.status(worker, 2).more) == (state, False)
    people.state("open", 3)
    assert people.send(worker, answer, 4).position == 2


def test_a_retry_of_a_stored_answer_is_answered_even_while_paused(people: Any) -> None:
    [worker] = people.add()
    answer = people.answer_to(people.next(worker))
    first = people.send(worker, answer)
    people.state("paused", 1)

    assert people.send(worker, answer, 2) == first


def test_a_pause_costs_nobody_their_place(people: Any) -> None:
    take_everything(people)
    [newcomer] = people.add()
    people.state("paused", 10)
    people.state("open", 10_000)

    assert people.take(newcomer, 10_000 + LEASE) is None
    assert people.hits(10_000 + LEASE)["h1"].places[0].state == "open"
    assert people.take(newcomer, 10_000 + LATER) == "h1"


def test_asking_where_one_stands_frees_what_others_abandoned(people: Any) -> None:
    take_everything(people)
    [newcomer] = people.add()

    assert people.status(newcomer, 1).state == "done"
    status = people.status(newcomer, LATER)

    assert (status.state, status.n_items, status.more) == ("ready", 4, True)


def test_a_worker_learns_that_their_set_went_to_somebody_else_and_what_is_kept(people: Any) -> None:
    absent, *_ = take_everything(people)
    people.judge(absent, 3)
    release(people.campaign, [absent], by="manager", now=people.at(1))
    [other] = people.add()
    people.take(other, 2)

    status = people.status(absent, 3)

    assert (status.state, status.n_done, status.n_items, status.n_judged) == ("released", 3, 4, 3)
    assert (status.more, status.can_return, status.assignment_id) == (False, False, None)


def test_a_finished_worker_who_comes_back_is_known(people: Any) -> None:
    [worker] = people.add()
    people.finish(worker)

    status = people.status(worker, 5)

    assert (status.state, status.n_hits_done, status.n_judged, status.more) == ("ready", 1, 4, True)


def test_a_set_of_ones_own_that_was_released_counts_as_open_while_its_place_is_free(people: Any) -> None:
    [worker] = people.add()
    people.judge(worker, 1)
    release(people.campaign, [worker], by="manager", now=people.at(1))

    status = people.status(worker, 2)

    assert (status.state, status.n_done, status.can_return) == ("open", 1, False)


def test_a_judgement_knows_the_revision_that_its_worker_saw(people: Any) -> None:
    [worker] = people.add()
    view = people.next(worker)
    with people.campaign.store.write() as connection:
        running.add_revision(connection, "Corrected", {}, now=people.at(1))

    earlier = people.answer_to(view, revision=1)
    second = people.send(worker, earlier, 2)
    current = people.answer_to(second)
    people.send(worker, current, 3)

    assert (view.revision, second.revision) == (1, 2)
    with people.campaign.store.read() as connection:
        seen = [judgements.find(connection, each.judgement_id).revision for each in (earlier, current)]
    assert seen == [1, 2]


def test_a_revision_that_does_not_exist_is_refused(people: Any) -> None:
    [worker] = people.add()
    answer = people.answer_to(people.next(worker), revision=2)

    with pytest.raises(AnswerError, match="revisions 1 to 1") as caught:
        people.send(worker, answer)

    assert caught.value.field == "revision"


def test_the_manager_releases_by_worker_or_by_assignment_and_it_is_logged(people: Any) -> None:
    a, b = people.add(2)
    people.take(a)
    people.take(b)
    by_id = people.status(b).assignment_id

    released = release(people.campaign, [a, by_id], by="manager", now=people.at(1), reason="left")

    assert [(each.assignment.hit_id, each.place.state) for each in released] == [
        ("h1", "expired"),
        ("h2", "expired"),
    ]
    assert people.log() == [("release", "manager", a), ("release", "manager", b)]


def test_nothing_is_released_if_one_of_the_names_is_wrong(people: Any) -> None:
    [worker] = people.add()
    people.take(worker)

    with pytest.raises(NotFound, match='no worker "W9"'):
        release(people.campaign, [worker, "W9"], by="manager", now=people.at(1))

    assert people.holders()["h1"] == [worker]


def test_what_is_submitted_or_not_open_cannot_be_released(people: Any) -> None:
    done, idler = people.add(2)
    people.take(done)
    finished = people.status(done).assignment_id
    people.finish(done)

    with pytest.raises(Conflict, match=r"submitted already.*steelyard exclude DB W0001 --hit h1"):
        release(people.campaign, [finished], by="manager", now=people.at(1))
    with pytest.raises(Conflict, match="no HIT open"):
        release(people.campaign, [idler], by="manager", now=people.at(1))


def test_the_list_of_hits_says_who_has_which_since_when_and_how_far(people: Any) -> None:
    done, active, away, gave_up = people.add(4)
    people.finish(done)
    people.take(away, 2)
    people.take(gave_up, 3)
    give_back(people, gave_up, 4)
    people.take(active, 100)
    people.judge(active, 1, 100)

    hits = people.hits(LATER + 5)

    assert {hit_id: [place.state for place in hit.places] for hit_id, hit in hits.items()} == {
        "h1": ["submitted"],
        "h2": ["idle"],
        "h3": ["free"],
        "h4": ["open"],
    }
    [place] = hits["h4"].places
    assert (place.worker_id, place.n_done, place.since, place.last_at) == (
        active,
        1,
        people.at(100),
        people.at(100),
    )
    assert hits["h1"].places[0].n_done == 4
    assert [(place.worker_id, place.state) for place in hits["h3"].released] == [(gave_up, "returned")]
    assert (hits["h4"].round, hits["h4"].part, hits["h4"].n_items) == (2, 1, 4)


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """Every statement that reaches the database during the test."""
    sent: list[str] = []

    def note(*args: object) -> None:
        sent.append(str(args[2]))

    listen(Engine, "before_cursor_execute", note)
    yield sent
    remove(Engine, "before_cursor_execute", note)


def test_an_answer_in_time_costs_no_look_at_places_other_people_or_the_log(
    people: Any, statements: list[str]
) -> None:
    [worker] = people.add()
    answer = people.answer_to(people.next(worker))
    statements.clear()

    people.send(worker, answer, 1)

    asked = [sent for sent in statements if sent.startswith(("SELECT", "INSERT", "UPDATE"))]
    # The assignment (held first, on PostgreSQL), the judgement_id, the item, the end of the assignment's
    # chain, the new row, the next item.
    assert len(asked) == (7 if people.campaign.store.dialect == "postgresql" else 6), [
        each[:60] for each in asked
    ]
    assert not [sent for sent in asked if re.search("openings|actions|workers|hits", sent)]
