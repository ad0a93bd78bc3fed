"""The open link of a campaign to which a crowd platform sends people, and who sees their ids."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.domain.people import Person
from steelyard.flows.managers import add_managers, managers

PID, OTHER = "5f0a1b2c3d4e5f60718293a4", "5f0a1b2c3d4e5f60718293a5"


@pytest.fixture
def prolific(site: Any) -> Any:
    rules = {"platform": "prolific", "completion_code": "C1", "joins_per_hour": 1}
    assert site.client.patch("/api/v1/rules", headers=site.as_manager(), json=rules).status_code == 200
    return site


def join(site: Any, query: str) -> Any:
    headers = {"Authorization": f"Bearer {site.open_token}"}
    return site.client.post(f"/api/v1/join{query}", headers=headers)


def page(site: Any, query: str) -> str:
    reply = site.client.get(f"/join/{site.open_token}{query}")
    assert reply.status_code == 200
    return reply.text.partition("<main")[2].partition("</main>")[0]


def test_the_page_says_what_to_do_and_opening_it_makes_no_worker(prolific: Any) -> None:
    assert "Your participant ID is missing" in page(prolific, "")
    assert "Your participant ID is missing" in page(prolific, "?PROLIFIC_PID=<script>")
    assert "<script>" not in page(prolific, "?PROLIFIC_PID=<script>")
    assert "has told us your participant ID" in page(prolific, f"?PROLIFIC_PID={PID}")

    links = prolific.client.get("/api/v1/links", headers=prolific.as_manager()).json()

    assert [worker["participant_id"] for worker in links["workers"]] == [""]


def test_joining_again_gives_the_same_link_and_counts_once(prolific: Any) -> None:
    first = join(prolific, f"?PROLIFIC_PID={PID}&STUDY_ID=s&SESSION_ID=v")
    # One person an hour may join from here: those who come back are no further ones.
    again = [join(prolific, f"?PROLIFIC_PID={PID}&SESSION_ID=w") for _ in range(3)]
    refused = join(prolific, "")

    assert {reply.json()["token"] for reply in (first, *again)} == {first.json()["token"]}
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_id")
    assert PID not in first.text


def test_only_managers_see_ids(prolific: Any, noon: Any) -> None:
    join(prolific, f"?PROLIFIC_PID={PID}")
    add_managers(prolific.campaign, [Person("Vi", "vi@example.org")], "viewer", by="manager", now=noon)
    [viewer] = [one for one in managers(prolific.campaign, base_url="") if one.role == "viewer"]
    as_viewer = {"Authorization": f"Bearer {viewer.url.rpartition('/')[2]}"}

    found = prolific.client.get("/api/v1/links", headers=prolific.as_manager()).json()
    assert found["workers"][-1]["participant_id"] == PID
    assert found["open_url"].endswith(
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    worker = found["workers"][-1]["worker_id"]
    for path in ("campaign", f"workers/{worker}", "payments", "payments.csv", "actions", "judgements.csv"):
        assert PID not in prolific.client.get(f"/api/v1/{path}", headers=as_viewer).text
    assert prolific.client.get("/api/v1/links", headers=as_viewer).status_code == 403
