"""Consent, questions, training and remarks over the wire: what is replied, and what no page ever holds."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from steelyard.flows.correct import Correction, correct
from steelyard.flows.rules import change_rules

API = "/api/v1"
ADDRESS = "https://app.example.org/done?cc=C1A2"


@pytest.fixture
def asking(site: Any, ask_first: Callable[..., None]) -> Any:
    """A site whose campaign asks first."""
    ask_first(site.campaign)
    return site


def send(site: Any, path: str, body: Any = None) -> Any:
    return site.client.post(f"{API}/work/{path}", headers=site.as_worker(), json=body)


def page_of(site: Any, path: str) -> tuple[str, dict[str, Any]]:
    """A page, and what its script reads."""
    text = site.client.get(path).text
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text, flags=re.S)
    assert found
    return text, json.loads(found[1])


def enter(site: Any) -> list[Any]:
    """Everything that is asked, and the replies."""
    return [
        send(site, "consent", {"agrees": True, "revision": 2}),
        send(site, "questions", {"answers": {"native": "Yes", "age": 33}}),
        send(site, "training", {"number": 1, "answer": {"rating": 12}}),
        send(site, "training", {"number": 2, "answer": {"rating": 12}}),
    ]


def test_a_worker_goes_through_all_steps(asking: Any) -> None:
    refused = send(asking, "next")
    replies = enter(asking)

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "entry")
    assert [reply.status_code for reply in replies] == [200] * 4
    consent, questions, first, second = (reply.json() for reply in replies)
    assert (consent["step"], questions["step"], first["work"]["step"]) == (
        "questions",
        "training",
        "training",
    )
    assert first | {"work": None} == {
        "is_expected": False,
        "side": "low",
        "expected": [70.0, 100.0],
        "spans": None,
        "found": None,
        "missed": None,
        "extra": None,
        "preferred": None,
        "feedback": "The meaning is there.",
        "work": None,
    }
    assert (second["is_expected"], second["work"]["step"], second["work"]["n_trained"]) == (None, None, 2)
    assert send(asking, "next").status_code == 200


def test_the_page_holds_what_is_asked_and_never_what_is_looked_for(asking: Any) -> None:
    text, page = page_of(asking, f"/w/{asking.worker_token}")

    assert page["entry"] == {
        "consent": {"text": "We store your answers.\n\nYou may stop at any time.", "behaviour": True},
        "questions": [
            {
                "name": "native",
                "text": "Is English your first language?",
                "kind": "choice",
                "choices": ["Yes", "No"],
                "optional": False,
                "minimum": None,
                "maximum": None,
            },
            {
                "name": "age",
                "text": "How old are you?",
                "kind": "number",
                "choices": [],
                "optional": True,
                "minimum": 18,
                "maximum": 120,
            },
        ],
        "training": [
            {"item_id": "training-1", "text": "The dog sleeps.", "reference": "The dog is asleep."},
            {"item_id": "training-2", "text": "It rains.", "reference": "It has been raining for days."},
        ],
    }
    assert "The meaning is there." not in text
    assert "entry" not in page["protocol"]["presentation"]


@pytest.mark.parametrize("where", ["/join/{0.open_token}", "/m/{0.manager_token}"])
def test_other_pages_hold_nothing_of_it(asking: Any, where: str) -> None:
    text, page = page_of(asking, where.format(asking))

    assert "entry" not in page
    assert "The meaning is there." not in text


def test_a_campaign_that_asks_nothing_says_so(site: Any) -> None:
    assert page_of(site, f"/w/{site.worker_token}")[1]["entry"] is None
    for reply in enter(site):
        assert reply.status_code == 404


def test_replies_to_a_worker_never_tell_what_is_looked_for(asking: Any) -> None:
    send(asking, "consent", {"agrees": True, "revision": 2})
    wrong = send(asking, "questions", {"answers": {"native": "Perhaps"}})
    screened = send(asking, "questions", {"answers": {"native": "No"}})

    assert wrong.json()["error"] == {
        "code": "answer",
        "message": "Please choose one of the answers.",
        "field": "native",
    }
    assert (screened.json()["state"], screened.json()["step"]) == ("screened", None)
    assert "accept" not in screened.text
    again = send(asking, "questions", {"answers": {"native": "Yes"}})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "answered")
    assert send(asking, "next").json()["error"]["code"] == "screened"


def test_a_text_that_has_changed_is_read_before_it_is_agreed_to(asking: Any, noon: Any) -> None:
    correct(asking.campaign, Correction(consent="Other words."), by="manager", now=noon)

    refused = send(asking, "consent", {"agrees": True, "revision": 2})

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "revision")
    assert send(asking, "consent", {"agrees": True, "revision": 3}).status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("consent", {"agrees": "yes", "revision": 2}),
        ("consent", {"agrees": True}),
        ("consent", {"agrees": True, "revision": 0}),
        ("questions", {"answers": []}),
        ("questions", {"answers": {}, "accept": True}),
        ("training", {"number": 0, "answer": {}}),
        ("remarks", {"remark_id": "1", "kind": "comment", "text": "x"}),
        ("remarks", {"remark_id": str(uuid.uuid4()), "kind": "praise", "text": "x"}),
        ("remarks", {"remark_id": str(uuid.uuid4()), "kind": "comment", "text": ""}),
        ("remarks", {"remark_id": str(uuid.uuid4()), "kind": "comment", "text": " \n"}),
        ("remarks", {"remark_id": str(uuid.uuid4()), "kind": "comment", "text": "x" * 2001}),
        ("remarks", {"remark_id": str(uuid.uuid4()), "kind": "comment", "text": "a\x00b"}),
    ],
)
def test_what_a_page_would_not_send_is_refused(asking: Any, path: str, body: dict[str, Any]) -> None:
    assert send(asking, path, body).status_code == 422


def test_a_remark_reaches_the_manager_once(asking: Any) -> None:
    enter(asking)
    view = send(asking, "next").json()
    remark = {
        "remark_id": str(uuid.uuid4()),
        "kind": "problem",
        "text": "The reference is cut off.",
        "assignment_id": view["assignment_id"],
        "item_id": view["item"]["item_id"],
    }

    statuses = [send(asking, "remarks", remark).status_code for _ in range(2)]

    found = asking.client.get(f"{API}/remarks", headers=asking.as_manager()).json()
    assert statuses == [201, 200]
    [seen] = found["remarks"]
    assert (seen["text"], seen["position"], seen["worker_id"]) == (remark["text"], 1, "W0001")
    assert found["n_remarks"] == 1


def test_the_manager_reads_what_workers_said(asking: Any) -> None:
    enter(asking)

    found = asking.client.get(f"{API}/entries", headers=asking.as_manager()).json()
    worker = asking.client.get(f"{API}/workers/W0001", headers=asking.as_manager()).json()

    assert [question["accept"] for question in found["questions"]] == [["Yes"], []]
    [row] = found["workers"]
    assert (row["agrees"], row["answers"], found["n_training"]) == (True, {"native": "Yes", "age": 33}, 2)
    assert [tried["first_expected"] for tried in row["training"]] == [False, None]
    assert worker["background"]["answers"] == {"native": "Yes", "age": 33}
    assert worker["remarks"] == []


def test_a_finished_set_brings_its_code_over_the_wire(
    site: Any, judge_some: Callable[[Any, int], None], noon: Any
) -> None:
    rules = {"completion_code": "C1A2", "completion_url": ADDRESS, "tell_pay": True}
    assert site.client.patch(f"{API}/rules", headers=site.as_manager(), json=rules).status_code == 200
    before = site.client.get(f"{API}/work", headers=site.as_worker()).json()

    judge_some(site, 50)

    after = site.client.get(f"{API}/work", headers=site.as_worker()).json()
    assert (before["completion"], before["pay"]["earned"]) == (None, 0.0)
    assert after["completion"] == {"code": "C1A2", "url": ADDRESS, "is_finished": True}
    # Fifty items of 18 seconds each, at 12 an hour.
    assert after["pay"] == {"currency": "USD", "per_hour": 12.0, "per_set": 3.0, "earned": 3.0}


@pytest.mark.parametrize("address", ["javascript:alert(1)", "ftp://a.example", "https://", "//a.example"])
def test_a_worker_is_sent_to_web_pages_only(site: Any, address: str, noon: Any) -> None:
    reply = site.client.patch(f"{API}/rules", headers=site.as_manager(), json={"completion_url": address})

    assert reply.status_code == 400
    assert "https://" in reply.json()["error"]["message"]
    assert change_rules(site.campaign, {}, by="manager", now=noon).completion_url is None


def test_the_consent_text_is_corrected_over_the_wire(asking: Any) -> None:
    body = {"consent": "Other words.", "reason": "the lawyers"}

    reply = asking.client.post(f"{API}/revisions", headers=asking.as_manager(), json=body)

    assert reply.status_code == 200
    *_, before, last = reply.json()
    assert (before["consent"][:8], last["consent"]) == ("We store", "Other words.")
    assert (last["new_consent"], last["new_instructions"], last["new_title"]) == (True, False, False)
