from __future__ import annotations

import dataclasses
import json
from contextlib import nullcontext
from datetime import datetime, timedelta

import pytest
from sqlalchemy import insert

from steelyard.domain.errors import Conflict
from steelyard.domain.judgement import Behaviour, Judgement
from steelyard.store import judgements, tables, work
from steelyard.store.database import Store


@pytest.fixture
def judgement(toy_store: Store, noon: datetime) -> Judgement:
    """A judgement that can be stored: W0001 has taken h1 as assignment a1."""
    with toy_store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)
    return Judgement("j1", "a1", "i-alpha-s1", 1, {"rating": 73}, 5200, noon)


def test_a_judgement_comes_back_as_it_was(toy_store: Store, judgement: Judgement) -> None:
    with toy_store.write() as connection:
        judgements.append(connection, judgement)

    with toy_store.read() as connection:
        assert judgements.find(connection, "j1") == judgement


@pytest.mark.parametrize(
    "answer",
    [{}, {"rating": 0.1}, {"text": "naïve 🙂 \x00 \ud800", "missing": None, "sure": True}],
    ids=["empty", "number", "mixed"],
)
def test_the_store_keeps_any_answer(toy_store: Store, judgement: Judgement, answer: dict) -> None:
    with toy_store.write() as connection:
        judgements.append(connection, dataclasses.replace(judgement, answer=answer))

    with toy_store.read() as connection:
        assert judgements.find(connection, "j1").answer == answer


@pytest.mark.parametrize("judgement_id", ["unknown", "", "nul\x00", "half\ud800"])
def test_an_unknown_judgement_is_not_found(toy_store: Store, judgement_id: str) -> None:
    with toy_store.read() as connection:
        assert judgements.find(connection, judgement_id) is None


def test_the_same_judgement_again_is_stored_once(toy_store: Store, judgement: Judgement) -> None:
    again = dataclasses.replace(judgement, answer={"rating": 1}, submitted_at=judgement.submitted_at)

    with toy_store.write() as connection:
        judgements.append(connection, judgement)
    with toy_store.write() as connection:
        judgements.append(connection, again)

    with toy_store.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        assert columns.answer == ({"rating": 73},)


def test_a_second_judgement_of_a_position_is_refused(toy_store: Store, judgement: Judgement) -> None:
    second = dataclasses.replace(judgement, judgement_id="j2")

    with toy_store.write() as connection:
        judgements.append(connection, judgement)

    with (
        pytest.raises(Conflict, match="item 1 of this HIT is judged already"),
        toy_store.write() as connection,
    ):
        judgements.append(connection, second)


def test_an_id_cannot_be_used_for_two_items(toy_store: Store, judgement: Judgement) -> None:
    other = dataclasses.replace(judgement, position=2, item_id="i-beta-s2")

    with toy_store.write() as connection:
        judgements.append(connection, judgement)

    with pytest.raises(Conflict, match="belongs to another item"), toy_store.write() as connection:
        judgements.append(connection, other)


def test_a_judgement_of_an_unknown_assignment_is_refused(toy_store: Store, judgement: Judgement) -> None:
    stray = dataclasses.replace(judgement, assignment_id="no-such")

    with pytest.raises(Conflict), toy_store.write() as connection:
        judgements.append(connection, stray)


@pytest.mark.parametrize(
    "change",
    ["UPDATE judgements SET answer = '{}'", "DELETE FROM judgements"],
    ids=["update", "delete"],
)
def test_judgements_are_append_only(toy_store: Store, judgement: Judgement, change: str) -> None:
    with toy_store.write() as connection:
        judgements.append(connection, judgement)

    with pytest.raises(Conflict, match="append-only"), toy_store.write() as connection:
        connection.exec_driver_sql(change)

    with toy_store.read() as connection:
        assert judgements.find(connection, "j1") == judgement


def test_the_side_doors_to_judgements_are_shut_too(toy_store: Store, judgement: Judgement) -> None:
    side_door = {
        "sqlite": "INSERT OR REPLACE INTO judgements SELECT judgement_id, assignment_id, item_id, position, "
        "'{}', shown_ms, submitted_at, replaces, shown_order, revision, item_hash, chain_hash, "
        "behaviour FROM judgements",
        "postgresql": "TRUNCATE judgements",
    }
    with toy_store.write() as connection:
        judgements.append(connection, judgement)

    # SQLite passes over the new row, as it does with a judgement that arrives twice.
    refused = pytest.raises(Conflict, match="append-only")
    with refused if toy_store.dialect == "postgresql" else nullcontext(), toy_store.write() as connection:
        connection.exec_driver_sql(side_door[toy_store.dialect])

    with toy_store.read() as connection:
        assert judgements.find(connection, "j1") == judgement


def _replace(store: Store, judgement: Judgement, *, replaces: str) -> None:
    row = dataclasses.asdict(judgement) | {"answer": json.dumps(judgement.answer), "replaces": replaces}
    with store.write() as connection:
        connection.execute(insert(tables.judgements), [row])


def test_of_a_chain_of_corrections_only_the_latest_is_current(toy_store: Store, judgement: Judgement) -> None:
    with toy_store.write() as connection:
        judgements.append(connection, judgement)
    second = dataclasses.replace(judgement, judgement_id="j2", answer={"rating": 20})
    third = dataclasses.replace(judgement, judgement_id="j3", answer={"rating": 30})

    _replace(toy_store, second, replaces="j1")
    _replace(toy_store, third, replaces="j2")

    with toy_store.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        assert columns.judgement_id == ("j3",)


def test_a_judgement_cannot_be_replaced_twice(toy_store: Store, judgement: Judgement) -> None:
    with toy_store.write() as connection:
        judgements.append(connection, judgement)
    _replace(toy_store, dataclasses.replace(judgement, judgement_id="j2"), replaces="j1")

    with pytest.raises(Conflict):
        _replace(toy_store, dataclasses.replace(judgement, judgement_id="j3"), replaces="j1")


def test_stored_judgements_tell_all_about_a_judgement(toy_store: Store, judgement: Judgement) -> None:
    behaviour = Behaviour(hidden_ms=1200, n_pastes=1, straightness=0.83, is_automated=False)
    degraded = dataclasses.replace(judgement, item_id="i-degraded", position=3, behaviour=behaviour)

    with toy_store.write() as connection:
        judgements.append(connection, degraded)
    with toy_store.read() as connection:
        assert judgements.find(connection, "j1") == dataclasses.replace(degraded, item_hash="")
        [columns] = judgements.stored_judgements(connection)

    assert columns == judgements.JudgementColumns(
        judgement_id=("j1",),
        worker_id=("W0001",),
        assignment_id=("a1",),
        hit_id=("h1",),
        item_id=("i-degraded",),
        item_kind=("degraded",),
        document_id=("news-1",),
        segment_id=("s1",),
        system_id=("alpha",),
        position=(3,),
        answer=({"rating": 73},),
        shown_ms=(5200,),
        worked_ms=(0,),
        submitted_at=(judgement.submitted_at,),
        known=(None,),
        known_sd=(None,),
        text=("The tax sleeps.",),
        source=("Der Hund schläft.",),
        shown_order=(None,),
        revision=(1,),
        behaviour=(Behaviour(1200, 1, 0.83, False),),
        credited=(None,),
        beside={},
        prefilled={},
    )


def test_stored_judgements_name_the_systems_that_share_a_text(toy_store: Store, judgement: Judgement) -> None:
    with toy_store.write() as connection:
        connection.execute(insert(tables.item_credits).values(item_id="i-alpha-s1", system_id="beta"))
        judgements.append(connection, judgement)

    with toy_store.read() as connection:
        [columns] = judgements.stored_judgements(connection)
    assert (columns.system_id, columns.credited) == (("alpha",), (("beta",),))


def test_stored_judgements_come_in_order_of_arrival_then_id(toy_store: Store, judgement: Judgement) -> None:
    later = judgement.submitted_at + timedelta(microseconds=1)
    sent = [("B", 1, later), ("b", 2, later), ("a-2", 3, later), ("z", 4, judgement.submitted_at)]

    with toy_store.write() as connection:
        for judgement_id, position, moment in sent:
            changes = {"judgement_id": judgement_id, "position": position, "submitted_at": moment}
            judgements.append(connection, dataclasses.replace(judgement, **changes))

    with toy_store.read() as connection:
        [columns] = judgements.stored_judgements(connection)
        assert columns.judgement_id == ("z", "B", "a-2", "b")


def test_without_judgements_there_is_no_batch(store: Store) -> None:
    with store.read() as connection:
        batches = list(judgements.stored_judgements(connection))

    assert batches == []
