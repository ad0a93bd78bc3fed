"""Routes about HITs and leases."""

from __future__ import annotations

import uuid
from typing import Any

from steelyard.domain.running import CampaignState
from steelyard.store import running


def test_the_manager_sees_every_hit_and_releases_an_open_one(site: Any) -> None:
    view = site.client.post("/api/v1/work/next", headers=site.as_worker()).json()
    first = site.client.get("/api/v1/hits", headers=site.as_manager()).json()[0]

    place = site.client.post(
        f"/api/v1/assignments/{view['assignment_id']}/release",
        headers=site.as_manager(),
        json={"reason": "gone"},
    )
    after = site.client.get("/api/v1/hits", headers=site.as_manager()).json()[0]

    assert set(first) == {"hit_id", "part", "round", "n_items", "places", "released"}
    assert (first["places"][0]["state"], first["places"][0]["worker_id"]) == ("open", "W0001")
    assert (place.status_code, place.json()["state"]) == (200, "expired")
    assert (after["places"][0]["state"], after["released"]) == ("free", [place.json()])


def test_releasing_what_is_not_open_is_a_conflict_and_needs_no_body(site: Any) -> None:
    view = site.client.post("/api/v1/work/next", headers=site.as_worker()).json()
    path = f"/api/v1/assignments/{view['assignment_id']}/release"

    replies = [site.client.post(path, headers=site.as_manager()).status_code for _ in range(2)]

    assert replies == [200, 409]
    assert site.client.post(path.replace("-", "0"), headers=site.as_manager()).status_code == 404


def test_a_worker_returns_a_set_and_is_offered_another(site: Any) -> None:
    view = site.client.post("/api/v1/work/next", headers=site.as_worker()).json()
    before = site.client.get("/api/v1/work", headers=site.as_worker()).json()

    after = site.client.post(
        "/api/v1/work/return", headers=site.as_worker(), json={"assignment_id": view["assignment_id"]}
    )

    assert (before["state"], before["can_return"], before["assignment_id"]) == (
        "open",
        True,
        view["assignment_id"],
    )
    assert (after.status_code, after.json()["state"], after.json()["can_return"]) == (200, "ready", False)


def test_a_paused_campaign_says_so_by_code(site: Any) -> None:
    view = site.client.post("/api/v1/work/next", headers=site.as_worker()).json()
    with site.campaign.store.write() as connection:
        running.set_state(connection, CampaignState.PAUSED)
    answer = {
        "judgement_id": str(uuid.uuid4()),
        "assignment_id": view["assignment_id"],
        "item_id": view["item"]["item_id"],
        "answer": {"rating": 3},
        "shown_ms": 1,
        "revision": view["revision"],
    }

    replies = [
        site.client.post("/api/v1/work/next", headers=site.as_worker()),
        site.client.post("/api/v1/work/judgements", headers=site.as_worker(), json=answer),
    ]

    assert [(reply.status_code, reply.json()["error"]["code"]) for reply in replies] == [(409, "paused")] * 2
    assert site.client.get("/api/v1/work", headers=site.as_worker()).json()["state"] == "paused"
