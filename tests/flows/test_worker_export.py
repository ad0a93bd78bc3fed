"""What a person gets who asks what is stored about them: all of it, nothing of others or of the design."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from steelyard.domain.crowd import SessionReport, SessionState
from steelyard.domain.entry import CampaignEntry, Remark
from steelyard.domain.errors import NotFound
from steelyard.domain.judgement import Behaviour
from steelyard.flows.entry_answers import answer_questions, give_consent, try_training
from steelyard.flows.erase import erase
from steelyard.flows.exclude import Decision, exclude
from steelyard.flows.links import join_campaign
from steelyard.flows.people import name_worker
from steelyard.flows.remarks import add_remark
from steelyard.flows.worker_export import everything_about
from steelyard.store import crowd, tables
from steelyard.store.transfers import Transfer, TransferState, add_transfers

PID, OTHER = "5f0a1b2c3d4e5f60718293a4", "5f0a1b2c3d4e5f60718293a5"
HANDLED = Behaviour(hidden_ms=700, n_pastes=1, straightness=0.5, is_automated=False)


@pytest.fixture
def told(people: Any, listing: crowd.StoredListing, noon: datetime, ask_first: Callable[..., None]) -> Any:
    """W0001 did everything that one can do; W0002 did nothing but come."""
    campaign = people.campaign
    ask_first(campaign)
    people.rules(platform="prolific")
    for participant, session in ((PID, "visit-1"), (OTHER, "visit-2")):
        query = [("PROLIFIC_PID", participant), ("STUDY_ID", "study-1"), ("SESSION_ID", session)]
        join_campaign(campaign, base_url="", now=noon, query=query)
    name_worker(campaign, "W0001", name="Anna Weber", email="anna@example.org", by="manager", now=noon)
    give_consent(campaign, "W0001", agrees=True, revision=2, now=noon)
    answer_questions(campaign, "W0001", {"native": "Yes", "age": 40}, now=noon)
    for number in (1, 2):
        try_training(campaign, "W0001", number, {"rating": 80}, now=noon)
    view = people.next("W0001")
    people.send("W0001", people.answer_to(view, revision=2, behaviour=HANDLED, answer={"rating": 37}))
    people.finish("W0001", 1)
    add_remark(campaign, Remark("r1", "W0001", "comment", "Nice texts.", noon))
    report = SessionReport("visit-1", PID, SessionState.APPROVED, noon, reward=250, bonuses=(40,))
    with campaign.store.write() as connection:
        crowd.add_listing(connection, listing)
        crowd.put_session(connection, "tag-1", report, worker_id="W0001", now=noon)
        bonus = Transfer("t1", "tag-1", "visit-1", "W0001", 40, 10, "slow texts", TransferState.PAID, noon)
        add_transfers(connection, [bonus])
    exclude(campaign, Decision("W0001", "manager", "rated everything 50"), now=noon)
    return people


def test_everything_is_there(told: Any, noon: datetime, asked: CampaignEntry) -> None:
    found = everything_about(told.campaign, "W0001", now=noon)

    assert json.loads(json.dumps(found)) == found
    assert (found["worker"]["name"], found["worker"]["email"]) == ("Anna Weber", "anna@example.org")
    assert found["participant"]["participant_id"] == PID
    assert [visit["session_id"] for visit in found["participant"]["visits"]] == ["visit-1"]
    [agreed] = found["consent"]
    assert asked.consent is not None
    assert (agreed["agrees"], agreed["text"], agreed["version"]) == (
        *(True, asked.consent.text, asked.consent.version),
    )
    assert [(each["question"], each["answer"]) for each in found["answers"]] == [
        ("Is English your first language?", "Yes"),
        ("How old are you?", 40),
    ]
    assert [(each["number"], each["answer"]["rating"]) for each in found["training"]] == [(1, 80), (2, 80)]
    assert [each["text"] for each in found["remarks"]] == ["Nice texts."]
    [session], [bonus] = found["sessions_on_the_platform"], found["bonuses"]
    assert (session["reward"], session["state"]) == (250, "approved")
    assert (bonus["amount"], bonus["reason"], bonus["state"]) == (40, "slow texts", "paid")
    [decision] = [each for each in found["log"] if each["verb"] == "exclude"]
    assert decision["reason"] == "rated everything 50"
    assert [each["status"] for each in found["assignments"]]


def test_every_judgement_has_its_texts_answer_times_and_behaviour(told: Any, noon: datetime) -> None:
    found = everything_about(told.campaign, "W0001", now=noon)["judgements"]

    with told.campaign.store.read() as connection:
        query = select(tables.items.c.text).join(
            tables.judgements, tables.judgements.c.item_id == tables.items.c.item_id
        )
        texts = sorted(connection.execute(query).scalars())
    assert sorted(each["translations"][0]["text"] for each in found) == texts
    first = found[0]
    assert (first["answer"], first["shown_ms"], first["submitted_at"]) == (
        *({"rating": 37}, 1000, "2024-05-01T12:00:00+00:00"),
    )
    assert (first["behaviour"]["hidden_ms"], first["behaviour"]["n_pastes"]) == (700, 1)


def test_the_design_stays_secret_while_somebody_could_use_it(told: Any, noon: datetime) -> None:
    while_open = everything_about(told.campaign, "W0001", now=noon)
    told.state("closed")
    closed = everything_about(told.campaign, "W0001", now=noon)

    assert not [each for each in while_open["judgements"] if "kind" in each["translations"][0]]
    assert any("controls" in sentence for sentence in while_open["left_out"])
    assert "degraded" not in json.dumps(while_open)
    assert {each["translations"][0]["kind"] for each in closed["judgements"]} >= {"regular"}
    assert not any("controls" in sentence for sentence in closed["left_out"])
    with told.campaign.store.read() as connection:
        systems = list(connection.execute(select(tables.systems.c.system_id)).scalars())
    for record in (while_open, closed):
        assert not [system for system in systems if f'"{system}"' in json.dumps(record)]


def test_nothing_of_others_is_there_and_nothing_once_it_is_erased(told: Any, noon: datetime) -> None:
    other = everything_about(told.campaign, "W0002", now=noon)
    assert other["participant"]["participant_id"] == OTHER
    assert not [word for word in (PID, "Anna", "visit-1", "W0001") if word in json.dumps(other)]

    erase(told.campaign, "W0001", by="manager", now=noon)

    left = everything_about(told.campaign, "W0001", now=noon)
    assert not [word for word in (PID, "Anna", "visit-1", "Nice texts") if word in json.dumps(left)]
    assert left["judgements"]
    with pytest.raises(NotFound):
        everything_about(told.campaign, "W0009", now=noon)
