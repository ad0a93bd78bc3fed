from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

WORKER = "/api/v1/workers/W0001"


def take_a_hit(site: Any) -> None:
    assert site.client.post("/api/v1/work/next", headers=site.as_worker()).status_code == 200


def test_the_manager_excludes_and_reinstates_a_worker(site: Any) -> None:
    take_a_hit(site)

    done = site.client.post(f"{WORKER}/exclude", json={"reason": "a robot"}, headers=site.as_manager())
    undone = site.client.post(f"{WORKER}/reinstate", json={}, headers=site.as_manager())

    assert (done.status_code, done.json()["reason"], len(done.json()["offered"])) == (200, "a robot", 1)
    assert (undone.status_code, undone.json()["worker_id"], undone.json()["surplus"]) == (200, "W0001", [])


def test_the_manager_blocks_and_unblocks_a_worker(site: Any) -> None:
    take_a_hit(site)

    done = site.client.post(f"{WORKER}/block", json={}, headers=site.as_manager()).json()
    undone = site.client.post(f"{WORKER}/unblock", json={}, headers=site.as_manager()).json()

    assert (done["is_blocked"], len(done["released"])) == (True, 1)
    assert undone == {"worker_id": "W0001", "is_blocked": False, "released": []}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{WORKER}/exclude", {}, 422),
        (f"{WORKER}/exclude", {"reason": " "}, 422),
        (f"{WORKER}/exclude", {"reason": "a robot", "hit": "h1"}, 422),
        (f"{WORKER}/exclude", {"reason": "a robot", "hit_id": "nobodys"}, 404),
        ("/api/v1/workers/W9999/exclude", {"reason": "a robot"}, 404),
        (f"{WORKER}/reinstate", {}, 409),
    ],
)
def test_impossible_verdicts_are_refused(site: Any, path: str, body: Any, status: int) -> None:
    assert site.client.post(path, json=body, headers=site.as_manager()).status_code == status


@pytest.mark.parametrize("verb", ["exclude", "reinstate", "block", "unblock"])
def test_verdicts_are_not_for_workers(site: Any, verb: str) -> None:
    reply = site.client.post(f"{WORKER}/{verb}", json={"reason": "envy"}, headers=site.as_worker())

    assert reply.status_code == 401


def test_a_manager_saves_everything_that_is_stored_about_a_worker(
    site: Any, judge_some: Callable[[Any, int], None]
) -> None:
    judge_some(site, 2)

    reply = site.client.get(f"{WORKER}/record", headers=site.as_manager())

    assert reply.status_code == 200
    assert reply.headers["content-disposition"] == 'attachment; filename="demo-de-en.W0001.json"'
    assert [each["answer"]["rating"] for each in reply.json()["judgements"]] == [40, 41]
    assert site.client.get(f"{WORKER}/record", headers=site.as_worker()).status_code == 401
    unknown = site.client.get("/api/v1/workers/W9999/record", headers=site.as_manager())
    assert unknown.status_code == 404
