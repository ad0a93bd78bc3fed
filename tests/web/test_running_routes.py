from __future__ import annotations

import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from steelyard.domain.running import Rules
from steelyard.flows.open import open_campaign
from steelyard.web.running_routes import RulesBody


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


def test_every_rule_can_be_changed() -> None:
    assert set(RulesBody.model_fields) == {field.name for field in fields(Rules)}


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


def test_a_corrected_title_is_on_the_pages_at_once(site: Any) -> None:
    reply = site.client.post(
        "/api/v1/revisions", json={"title": "Corrected", "reason": "typo"}, headers=site.as_manager()
    )

    assert (reply.status_code, [each["revision"] for each in reply.json()]) == (200, [1, 2])
    assert reply.json() == site.client.get("/api/v1/revisions", headers=site.as_manager()).json()
    for page in (f"/w/{site.worker_token}", f"/join/{site.open_token}", f"/m/{site.manager_token}"):
        text = site.client.get(page).text
        assert "Corrected" in text
        assert '"revision": 2' in text


def test_the_instructions_in_use_can_be_sent_back_with_a_correction(site: Any) -> None:
    [first] = site.client.get("/api/v1/revisions", headers=site.as_manager()).json()
    words = first["instructions"].replace("How", "In what way")

    reply = site.client.post("/api/v1/revisions", json={"instructions": words}, headers=site.as_manager())

    assert reply.json()[1]["instructions"] == words
    assert "In what way" in site.client.get(f"/w/{site.worker_token}").text


def test_problems_of_a_correction_are_listed(site: Any) -> None:
    reply = site.client.post(
        "/api/v1/revisions", json={"title": "", "instructions": "hint = 3"}, headers=site.as_manager()
    )

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "campaign")
    assert "hint: must be a text in quotes" in reply.json()["error"]["message"]


def test_the_log_comes_newest_first_with_what_changed_in_words(site: Any) -> None:
    site.client.post("/api/v1/state", json={"state": "paused", "reason": "night"}, headers=site.as_manager())
    site.client.patch("/api/v1/rules", json={"wage": 20}, headers=site.as_manager())

    first = site.client.get("/api/v1/actions?limit=1", headers=site.as_manager()).json()
    number = first["actions"][0]["number"]
    rest = site.client.get(f"/api/v1/actions?before={number}", headers=site.as_manager()).json()

    assert (first["actions"][0]["words"], first["more"]) == ("wage: 12.0 → 20.0", True)
    assert (rest["actions"][0]["words"], rest["actions"][0]["reason"]) == ("open → paused", "night")
    assert rest["more"] is False


def test_the_backup_is_a_campaign_that_can_be_opened(site: Any, tmp_path: Path) -> None:
    reply = site.client.get("/api/v1/backup", headers=site.as_manager())
    (tmp_path / "copy.db").write_bytes(reply.content)

    assert reply.headers["content-disposition"].startswith('attachment; filename="demo-de-en-2')
    with open_campaign(str(tmp_path / "copy.db")) as campaign:
        assert campaign.settings.name == "demo-de-en"


def test_a_backup_is_not_put_together_from_pieces_of_several(site: Any) -> None:
    headers = {**site.as_manager(), "Range": "bytes=100-"}

    reply = site.client.get("/api/v1/backup", headers=headers)

    assert (reply.status_code, reply.headers["accept-ranges"]) == (200, "none")
    assert reply.content.startswith(b"SQLite format 3")


def test_nothing_is_left_on_the_server_after_a_backup(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    site.client.get("/api/v1/backup", headers=site.as_manager())

    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/v1/state", {"state": "closed"}),
        ("GET", "/api/v1/rules", None),
        ("PATCH", "/api/v1/rules", {"wage": 100}),
        ("GET", "/api/v1/revisions", None),
        ("POST", "/api/v1/revisions", {"title": "Mine"}),
        ("GET", "/api/v1/actions", None),
        ("GET", "/api/v1/backup", None),
    ],
)
def test_none_of_this_is_for_workers(site: Any, method: str, path: str, body: Any) -> None:
    assert site.client.request(method, path, json=body, headers=site.as_worker()).status_code == 401
    assert site.client.request(method, path, json=body).status_code == 401


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("state", {"state": "paused", "reason": "a\x00b"}),
        ("revisions", {"title": "a\x00b"}),
        ("revisions", {"title": "New", "reason": "a\x00b"}),
        ("workers/W0001/exclude", {"reason": "a\x00b"}),
        ("workers/W0001/block", {"reason": "a\x00b"}),
        ("assignments/a/release", {"reason": "a\x00b"}),
    ],
)
def test_a_text_that_not_every_database_holds_is_refused(site: Any, path: str, body: dict[str, Any]) -> None:
    reply = site.client.post(f"/api/v1/{path}", json=body, headers=site.as_manager())

    assert reply.status_code == 422
