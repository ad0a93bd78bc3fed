"""Answers that arrive together: those in order are stored at once, and exactly as each would be by itself."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from steelyard.domain.errors import SourceError
from steelyard.domain.running import CampaignState
from steelyard.flows import collect
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.collect import Arrival, Collector, Delivered
from steelyard.flows.links import LinkChanges, WorkerLink, add_workers, change_links
from steelyard.flows.open import OpenCampaign
from steelyard.flows.state import change_state
from steelyard.flows.submit import Submission, Submitted, submit
from steelyard.store import judgements, leases, tables


class Desk:
    """Several workers, each with an item on the page, and a collector for what they answer."""

    def __init__(self, campaign: OpenCampaign, n: int, now: datetime) -> None:
        self.campaign, self.now = campaign, now
        self.links = add_workers(campaign, n, base_url="", now=now)
        self.delivered: list[Delivered] = []
        self.collector = Collector(campaign, self.delivered.extend)

    def arrival(self, link: WorkerLink, *, token: str | None = None) -> Arrival:
        view = next_item(self.campaign, link.worker_id, now=self.now)
        assert isinstance(view, NextItem)
        submission = Submission(
            str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 1000
        )
        return Arrival(token or link.token, submission, self.now, link.worker_id)

    def collect(self, *arrivals: Arrival) -> list[collect.Outcome]:
        self.delivered.clear()
        for arrival in arrivals:
            self.collector.add(arrival)
        self.collector.collect()
        found = {id(arrival): outcome for arrival, outcome in self.delivered}
        return [found[id(arrival)] for arrival in arrivals]

    def stored(self) -> dict[str, dict[str, object]]:
        with self.campaign.store.read() as connection:
            rows = connection.execute(select(tables.judgements)).mappings()
            return {row["judgement_id"]: dict(row) for row in rows}


@pytest.fixture
def desk(campaign: OpenCampaign, noon: datetime) -> Desk:
    return Desk(campaign, 3, noon)


def test_answers_that_arrive_together_are_stored_in_one_transaction(desk: Desk) -> None:
    arrivals = [desk.arrival(link) for link in desk.links]

    outcomes = desk.collect(*arrivals)

    assert all(isinstance(outcome, Submitted) and outcome.is_new for outcome in outcomes)
    assert set(desk.stored()) == {arrival.submission.judgement_id for arrival in arrivals}
    assert (desk.collector.n_stored, desk.collector.n_commits) == (3, 1)


def test_what_is_stored_and_replied_is_what_a_submission_by_itself_would_give(desk: Desk) -> None:
    """Two workers on the same HIT's items: one collected, one submitted with care."""
    link = desk.links[0]
    collected, careful = [], []
    for _ in range(3):
        arrival = desk.arrival(link)
        [outcome] = desk.collect(arrival)
        collected.append((arrival.submission, outcome))
    for _ in range(3):
        submission = desk.arrival(link).submission
        careful.append((submission, submit(desk.campaign, link.worker_id, submission, now=desk.now)))

    stored = desk.stored()
    for submission, outcome in (*collected, *careful):
        row = stored[submission.judgement_id]
        assert isinstance(outcome, Submitted)
        again = submit(desk.campaign, link.worker_id, submission, now=desk.now)
        assert again == replace(outcome, is_new=False)
        assert row["submitted_at"] == desk.now
        assert (row["shown_ms"], row["revision"], row["replaces"]) == (1000, 1, None)
    # The chain goes on through both ways.
    positions = [stored[submission.judgement_id]["position"] for submission, _ in (*collected, *careful)]
    assert positions == [1, 2, 3, 4, 5, 6]


def test_both_ways_make_the_same_chain(campaign: OpenCampaign, noon: datetime) -> None:
    """The hashes of a judgement depend on nothing but what is in it and before it."""

    desk = Desk(campaign, 1, noon)
    arrival = desk.arrival(desk.links[0])
    with pytest.raises(RuntimeError, match="taken back"), campaign.store.write() as connection:
        [fit] = desk.collector._in_order(connection, [arrival])
        judgements.append_all(connection, [(fit.judgement, fit.previous)])
        by_collecting = connection.execute(
            select(tables.judgements.c.item_hash, tables.judgements.c.chain_hash)
        ).one()
        raise RuntimeError("taken back")
    submit(campaign, desk.links[0].worker_id, arrival.submission, now=noon)

    [row] = desk.stored().values()
    assert (row["item_hash"], row["chain_hash"]) == tuple(by_collecting)


def test_of_two_answers_of_one_assignment_only_the_first_is_collected(desk: Desk) -> None:
    arrival = desk.arrival(desk.links[0])
    double_click = replace(arrival, submission=replace(arrival.submission, judgement_id=str(uuid.uuid4())))

    first, second = desk.collect(arrival, double_click)

    assert isinstance(first, Submitted)
    assert second is None
    assert set(desk.stored()) == {arrival.submission.judgement_id}


def test_an_answer_sent_again_is_left_to_the_careful_way(desk: Desk) -> None:
    arrival = desk.arrival(desk.links[0])
    desk.collect(arrival)

    assert desk.collect(arrival) == [None]
    assert len(desk.stored()) == 1


def test_an_id_that_is_taken_spoils_nothing_for_the_others(desk: Desk) -> None:
    taken = desk.arrival(desk.links[0])
    desk.collect(taken)
    own = desk.arrival(desk.links[1])
    same_id = replace(own, submission=replace(own.submission, judgement_id=taken.submission.judgement_id))
    good = desk.arrival(desk.links[2])

    assert desk.collect(same_id, good) == [None, None]
    assert set(desk.stored()) == {taken.submission.judgement_id}


Spoil = Callable[[Desk, Arrival, WorkerLink], Arrival]


def _wrong_token(desk: Desk, arrival: Arrival, link: WorkerLink) -> Arrival:
    return replace(arrival, token=arrival.token[:-1] + ("x" if arrival.token[-1] != "x" else "y"))


def _token_of_another(desk: Desk, arrival: Arrival, link: WorkerLink) -> Arrival:
    return replace(arrival, token=next(each.token for each in desk.links if each != link))


def _stored_token(_desk: Desk, arrival: Arrival, _link: WorkerLink) -> Arrival:
    return replace(arrival, token="x" * 32)


def _revoked(desk: Desk, arrival: Arrival, link: WorkerLink) -> Arrival:
    changes = LinkChanges(revoke=(link.worker_id,))
    change_links(desk.campaign, changes, by="manager", now=desk.now)
    return arrival


def _renewed(desk: Desk, arrival: Arrival, link: WorkerLink) -> Arrival:
    changes = LinkChanges(renew=(link.worker_id,))
    change_links(desk.campaign, changes, by="manager", now=desk.now)
    return arrival


def _paused(desk: Desk, arrival: Arrival, link: WorkerLink) -> Arrival:
    change_state(desk.campaign, CampaignState.PAUSED, by="manager", now=desk.now)
    return arrival


def _released(desk: Desk, arrival: Arrival, link: WorkerLink) -> Arrival:
    late = desk.now + timedelta(days=2)
    with desk.campaign.store.write() as connection:
        from steelyard.store import running

        leases.end_idle_leases(connection, running.conditions(connection), by="server", now=late)
    return arrival


def _other_item(_desk: Desk, arrival: Arrival, _link: WorkerLink) -> Arrival:
    return replace(arrival, submission=replace(arrival.submission, item_id="elsewhere"))


def _unknown_assignment(_desk: Desk, arrival: Arrival, _link: WorkerLink) -> Arrival:
    return replace(arrival, submission=replace(arrival.submission, assignment_id="nowhere"))


def _no_answer(_desk: Desk, arrival: Arrival, _link: WorkerLink) -> Arrival:
    return replace(arrival, submission=replace(arrival.submission, answer={"rating": 101}))


def _later_revision(_desk: Desk, arrival: Arrival, _link: WorkerLink) -> Arrival:
    return replace(arrival, submission=replace(arrival.submission, revision=2))


def test_what_is_not_in_order_is_not_stored_here(desk: Desk) -> None:
    link, revoked, renewed = desk.links
    spoilt: list[tuple[WorkerLink, Spoil]] = [
        *((link, spoil) for spoil in (_wrong_token, _token_of_another, _stored_token, _other_item)),
        *((link, spoil) for spoil in (_unknown_assignment, _no_answer, _later_revision, _paused)),
        *((revoked, _revoked), (renewed, _renewed), (link, _released)),
    ]
    arrivals = {each.worker_id: desk.arrival(each) for each in desk.links}

    for each, spoil in spoilt:
        assert desk.collect(spoil(desk, arrivals[each.worker_id], each)) == [None], spoil.__name__
        assert desk.stored() == {}, spoil.__name__
        change_state(desk.campaign, CampaignState.OPEN, by="manager", now=desk.now)


def test_the_last_item_of_a_hit_is_left_to_the_careful_way(desk: Desk) -> None:
    link = desk.links[0]
    view = next_item(desk.campaign, link.worker_id, now=desk.now)
    assert isinstance(view, NextItem)
    for _ in range(view.n_items - 1):
        [outcome] = desk.collect(desk.arrival(link))
        assert isinstance(outcome, Submitted)

    assert desk.collect(desk.arrival(link)) == [None]


def test_a_database_that_fails_is_said_to_all_who_wait(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> int:
        raise SourceError("campaign.db", ["the disk is full"])

    arrivals = [desk.arrival(link) for link in desk.links]
    monkeypatch.setattr("steelyard.flows.collect.judgements.append_all", fails)

    assert all(isinstance(outcome, SourceError) for outcome in desk.collect(*arrivals))
    assert desk.stored() == {}


def test_answers_that_arrive_while_others_are_stored_are_not_forgotten(desk: Desk) -> None:
    first, second = (desk.arrival(link) for link in desk.links[:2])
    deliver = desk.collector._deliver

    def and_another(delivered: list[Delivered]) -> None:
        deliver(delivered)
        if delivered[0][0] is first:
            assert not desk.collector.add(second), "somebody is collecting already"

    desk.collector._deliver = and_another

    [outcome, later] = desk.collect(first), desk.delivered[1][1]

    assert isinstance(outcome[0], Submitted)
    assert isinstance(later, Submitted)
    assert desk.collector.add(first), "nobody is collecting any more"


def test_a_reply_that_nobody_takes_does_not_stop_the_collecting(desk: Desk) -> None:
    def deliver(_delivered: list[Delivered]) -> None:
        raise RuntimeError("Event loop is closed")

    collector = Collector(desk.campaign, deliver)
    for link in desk.links:
        assert collector.add(desk.arrival(link))
        collector.collect()

    assert len(desk.stored()) == len(desk.links)
