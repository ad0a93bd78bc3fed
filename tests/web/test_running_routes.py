from __future__ import annotations

from typing import Any

import pytest


def test_the_manager_pauses_and_resumes(site: Any) -> None:
    paused = site.client.post("/api/v1/state", json={"state": "paused"}, headers=site.as_manager())
    resumed = site.client.post("/api/v1/state", json={"state": "open"}, headers=site.as_manager())

    assert (paused.status_code, paused.json()["state"], paused.json()["before"]) == (200, "paused", "open")
    assert (resumed.json()["state"], resumed.json()["before"]) == ("open", "paused")


def test_a_state_that_cannot_be_reached_is_a_conflict(site: Any) -> None:
    reply = site.client.post("/api/v1/state", json={"state": "draft"}, headers=site.as_manager())

    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "conflict")


def test_the_manager_changes_a_rule_and_the_others_stay(site: Any) -> None:
    before = site.client.get("/api/v1/rules", headers=site.as_manager()).json()

    after = site.client.patch("/api/v1/rules", json={"hits_per_worker": 3}, headers=site.as_manager()).json()

    assert after == {**before, "hits_per_worker": 3}
    assert site.client.get("/api/v1/rules", headers=site.as_manager()).json() == after


def test_null_takes_a_limit_away(site: Any) -> None:
    site.client.patch("/api/v1/rules", json={"hits_per_worker": 3}, headers=site.as_manager())

    reply = site.client.patch("/api/v1/rules", json={"hits_per_worker": None}, headers=site.as_manager())

    assert reply.json()["hits_per_worker"] is None


@pytest.mark.parametrize(
    ("body", "status"),
    [({"fee": 40}, 400), ({"currency": None}, 400), ({"lease": 3}, 422), ({"wage": "much"}, 422)],
)
def test_impossible_rules_are_refused(site: Any, body: dict[str, Any], status: int) -> None:
    reply = site.client.patch("/api/v1/rules", json=body, headers=site.as_manager())

    assert reply.status_code == status


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/v1/state", {"state": "closed"}),
        ("GET", "/api/v1/rules", None),
        ("PATCH", "/api/v1/rules", {"wage": 100}),
    ],
)
def test_none_of_this_is_for_workers(site: Any, method: str, path: str, body: Any) -> None:
    assert site.client.request(method, path, json=body, headers=site.as_worker()).status_code == 401
    assert site.client.request(method, path, json=body).status_code == 401
