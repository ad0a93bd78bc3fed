from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta

import pytest
from sqlalchemy import insert

from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import Conflict, NotFound
from steelyard.domain.judgement import Judgement
from steelyard.domain.work import (
    Assignment,
    AssignmentStatus,
    Hit,
    Item,
    ItemKind,
    PlacedItem,
    SegmentTexts,
    ShownText,
)
from steelyard.store import campaigns, claims, judgements, tables, work
from steelyard.store.database import Store


def new_worker(store: Store, now: datetime) -> str:
    with store.write() as connection:
        return work.add_worker(connection, now=now).worker_id


def claim(store: Store, worker_id: str, assignment_id: str, now: datetime) -> Assignment | None:
    with store.write() as connection:
        return work.claim_opening(connection, worker_id, assignment_id=assignment_id, now=now)


def finish(store: Store, assignment_id: str, now: datetime) -> None:
    with store.write() as connection:
        work.submit_assignment(connection, assignment_id, now=now)


def test_workers_are_numbered_in_order(store: Store, noon: datetime) -> None:
    assert [new_worker(store, noon) for _ in range(3)] == ["W0001", "W0002", "W0003"]


def test_the_first_claim_gets_the_first_hit(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)

    claimed = claim(toy_store, worker_id, "a1", noon)

    assert claimed == Assignment(
        assignment_id="a1",
        hit_id="h1",
        worker_id=worker_id,
        status=AssignmentStatus.ACCEPTED,
        accepted_at=noon,
        submitted_at=None,
        n_items=4,
        n_done=0,
    )


def test_a_claimed_assignment_is_the_open_one_until_submitted(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)
    claimed = claim(toy_store, worker_id, "a1", noon)

    with toy_store.read() as connection:
        before = work.open_assignment(connection, worker_id)
    finish(toy_store, "a1", noon)
    with toy_store.read() as connection:
        after = work.open_assignment(connection, worker_id)

    assert (before, after) == (claimed, None)


def test_a_busy_worker_keeps_the_assignment_there_is(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)
    first = claim(toy_store, worker_id, "a1", noon)

    second = claim(toy_store, worker_id, "a2", noon)

    assert second == first


def test_a_worker_stays_in_one_round_and_never_meets_an_item_again(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)
    taken = []

    for assignment_id in ("a1", "a2", "a3"):
        assignment = claim(toy_store, worker_id, assignment_id, noon)
        taken.append(assignment and assignment.hit_id)
        if assignment:
            finish(toy_store, assignment_id, noon)

    assert taken == ["h1", "h2", None]


@pytest.fixture
def padded_store(
    store: Store, toy_campaign: Campaign, toy_items: list[Item], toy_hits: list[Hit], noon: datetime
) -> Store:
    """The toy campaign with h2 padded by an item of h1."""
    h1, h2, *others = toy_hits
    h2 = dataclasses.replace(h2, placed=(*h2.placed, PlacedItem("i-alpha-s1", 5, 2, is_padding=True)))
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            toy_campaign,
            items=toy_items,
            hits=[h1, h2, *others],
            openings_per_hit=1,
            now=noon,
            created_with="test",
        )
    return store


def test_padding_shared_by_two_hits_keeps_a_worker_from_the_second(
    padded_store: Store, noon: datetime
) -> None:
    worker_id = new_worker(padded_store, noon)
    claim(padded_store, worker_id, "a1", noon)
    finish(padded_store, "a1", noon)

    with padded_store.read() as connection:
        claimable = claims.has_offer(connection, worker_id)

    assert (claimable, claim(padded_store, worker_id, "a2", noon)) == (False, None)


def test_who_began_with_the_padded_hit_does_not_get_what_it_repeats(
    padded_store: Store, noon: datetime
) -> None:
    first, worker_id = (new_worker(padded_store, noon) for _ in range(2))
    claim(padded_store, first, "a1", noon)
    claimed = claim(padded_store, worker_id, "a2", noon)
    finish(padded_store, "a2", noon)
    openings = tables.openings
    with padded_store.write() as connection:
        connection.execute(insert(openings).values(opening_id=99, hit_id="h1"))

    assert claimed is not None
    assert claimed.hit_id == "h2"
    assert claim(padded_store, worker_id, "a3", noon) is None


def test_an_item_of_known_quality_may_come_again(toy_store: Store, noon: datetime) -> None:
    gold = {"item_id": "i-gold", "kind": "gold", "system_id": "alpha", "segment_id": "s1", "text": "Hello."}
    with toy_store.write() as connection:
        connection.execute(insert(tables.items).values(gold))
        for hit_id in ("h1", "h2"):
            place = {"hit_id": hit_id, "position": 5, "item_id": "i-gold", "group_number": 1}
            connection.execute(insert(tables.hit_items).values(**place, is_padding=False))
    worker_id = new_worker(toy_store, noon)
    claim(toy_store, worker_id, "a1", noon)
    finish(toy_store, "a1", noon)

    second = claim(toy_store, worker_id, "a2", noon)

    assert second is not None
    assert second.hit_id == "h2"


def test_the_next_hit_and_its_size_are_known_before_it_is_taken(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)
    with toy_store.read() as connection:
        announced = claims.next_offer(connection, worker_id)

    claimed = claim(toy_store, worker_id, "a1", noon)

    assert claimed is not None
    assert announced == claims.Offer(claimed.hit_id, claimed.n_items)


def test_there_is_no_offer_when_nothing_is_left(store: Store, noon: datetime) -> None:
    worker_id = new_worker(store, noon)

    with store.read() as connection:
        assert claims.next_offer(connection, worker_id) is None


def test_hits_that_fewer_have_taken_go_first_within_a_round(toy_store: Store, noon: datetime) -> None:
    extra = [{"opening_id": 10 + number, "hit_id": f"h{number}"} for number in (1, 2)]
    with toy_store.write() as connection:
        connection.execute(insert(tables.openings), extra)

    claimed = [claim(toy_store, new_worker(toy_store, noon), f"a{number}", noon) for number in range(5)]

    assert [assignment.hit_id for assignment in claimed] == ["h1", "h2", "h1", "h2", "h3"]


def test_when_everything_is_taken_nothing_is_claimable(toy_store: Store, noon: datetime) -> None:
    for number in range(4):
        claim(toy_store, new_worker(toy_store, noon), f"a{number}", noon)
    late = new_worker(toy_store, noon)

    with toy_store.read() as connection:
        claimable = claims.has_offer(connection, late)

    assert (claimable, claim(toy_store, late, "late", noon)) == (False, None)


def test_a_new_worker_has_something_to_claim(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)

    with toy_store.read() as connection:
        assert claims.has_offer(connection, worker_id)


def test_an_unknown_worker_cannot_claim(toy_store: Store, noon: datetime) -> None:
    with pytest.raises(Conflict):
        claim(toy_store, "W9999", "a1", noon)


def test_done_counts_the_judgements_of_an_assignment(toy_store: Store, noon: datetime) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)

    with toy_store.write() as connection:
        judgements.append(connection, Judgement("j1", "a1", "i-alpha-s1", 1, {"rating": 9}, 1000, noon))

    with toy_store.read() as connection:
        found = work.assignment(connection, "a1")
    assert (found.n_done, found.n_items) == (1, 4)


@pytest.mark.parametrize("assignment_id", ["unknown", "nul\x00"])
def test_an_unknown_assignment_is_none(store: Store, assignment_id: str) -> None:
    with store.write() as connection:
        assert work.assignment(connection, assignment_id) is None


def test_submitting_is_recorded_with_its_time(toy_store: Store, noon: datetime) -> None:
    worker_id = new_worker(toy_store, noon)
    claim(toy_store, worker_id, "a1", noon)
    later = noon + timedelta(minutes=20)

    finish(toy_store, "a1", later)

    with toy_store.read() as connection:
        found = work.assignment(connection, "a1")
        assert (found.status, found.submitted_at) == (AssignmentStatus.SUBMITTED, later)
        assert work.n_submitted(connection, worker_id) == 1


def test_an_assignment_is_submitted_only_once(toy_store: Store, noon: datetime) -> None:
    claim(toy_store, new_worker(toy_store, noon), "a1", noon)
    finish(toy_store, "a1", noon)

    with pytest.raises(Conflict, match="a1 is submitted already"):
        finish(toy_store, "a1", noon)


def test_an_unknown_assignment_cannot_be_submitted(store: Store, noon: datetime) -> None:
    with pytest.raises(NotFound, match="no assignment a1"):
        finish(store, "a1", noon)


def test_a_placed_item_comes_with_all_its_texts(toy_store: Store, noon: datetime) -> None:
    claimed = claim(toy_store, new_worker(toy_store, noon), "a1", noon)

    with toy_store.read() as connection:
        placed = work.placed_item(connection, claimed, 3)

    text = ShownText("alpha", "s1", "The tax sleeps.", ItemKind.DEGRADED)
    segment = SegmentTexts(source="Der Hund schläft.", reference="The dog is asleep.")
    assert placed == work.PlacedTexts("i-degraded", (text,), (segment,), "news-1", 1)


@pytest.mark.parametrize("position", [-1, 0, 5])
def test_there_is_no_item_outside_the_hit(toy_store: Store, noon: datetime, position: int) -> None:
    claimed = claim(toy_store, new_worker(toy_store, noon), "a1", noon)

    with (
        pytest.raises(NotFound, match=f"items 1 to 4, so there is no item {position}"),
        toy_store.read() as connection,
    ):
        work.placed_item(connection, claimed, position)
