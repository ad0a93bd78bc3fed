"""Extending a campaign over HTTP: by the manager only, with texts that come along."""

from __future__ import annotations

from typing import Any

import pytest
from tests.loops import run_apart

from steelyard.store.actions import logged_actions

SENTENCE = "the quick brown fox jumps over a lazy dog while nine clever cats watch from old walls"


def sent(site: Any, **body: Any) -> Any:
    return site.client.post("/api/v1/extend", headers=site.as_manager(), json=body)


def further_system(small_example: str) -> dict[str, Any]:
    """The file of the site's campaign with one system more, whose translations come along."""
    words = SENTENCE.split()
    lines = "".join(f"{' '.join(words[k % 9 : k % 9 + 7])} {k}\n" for k in range(70))
    block = '[[systems]]\nname = "zinc"\ntranslations = "texts/zinc.txt"\n\n[design]'
    return {
        "campaign_file": small_example.replace("[design]", block, 1),
        "files": {"texts/zinc.txt": lines},
    }


def test_more_ratings_are_added_and_logged(site: Any) -> None:
    before = site.client.get("/api/v1/campaign", headers=site.as_manager()).json()["progress"]["n_openings"]

    added = sent(site, ratings=2)

    assert added.status_code == 200
    assert added.json()["is_written"]
    assert added.json()["n_openings"] == 2 * before
    after = site.client.get("/api/v1/campaign", headers=site.as_manager()).json()["progress"]["n_openings"]
    assert after == 3 * before
    with site.campaign.store.read() as connection:
        action = logged_actions(connection)[-1]
    assert (action.verb, action.done_by) == ("extend", "manager")


def test_texts_come_along_with_the_campaign_file(site: Any, small_example: str) -> None:
    added = sent(site, **further_system(small_example)).json()

    assert added["systems"] == ["zinc"]
    assert [each["part"] for each in added["rounds"]] == [1]


@pytest.mark.parametrize("name", ["texts/zinc.txt", "/home/me/zinc.txt", "zinc.txt"])
def test_a_file_is_found_without_the_folder_it_was_in(site: Any, small_example: str, name: str) -> None:
    body = further_system(small_example)
    body["campaign_file"] = body["campaign_file"].replace("texts/zinc.txt", name)
    body["files"] = {"zinc.txt": body["files"]["texts/zinc.txt"]}

    assert sent(site, **body, dry_run=True).json()["systems"] == ["zinc"]


def test_a_dry_run_adds_nothing(site: Any, small_example: str) -> None:
    planned = sent(site, **further_system(small_example), dry_run=True).json()
    added = sent(site, **further_system(small_example)).json()

    assert not planned["is_written"]
    assert added == planned | {"is_written": True}


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.txt", "demo:../version.py"])
def test_a_campaign_file_that_was_sent_reads_no_file_of_the_server(
    site: Any, small_example: str, name: str
) -> None:
    body = further_system(small_example)
    body["campaign_file"] = body["campaign_file"].replace("texts/zinc.txt", name)

    refused = sent(site, **body)

    assert refused.status_code == 400
    assert refused.json()["error"]["message"].startswith("campaign.toml: ")
    assert "not among the files that were sent" in refused.json()["error"]["message"]


@pytest.mark.parametrize("name", ["../zinc.txt", "/zinc.txt", "a/../../zinc.txt", "", ".hidden", "a\x00b"])
def test_a_file_stays_in_its_folder(site: Any, small_example: str, name: str) -> None:
    refused = sent(site, **further_system(small_example) | {"files": {name: "text"}})

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "campaign")


def test_long_texts_of_the_manager_are_taken_and_too_long_ones_refused(site: Any, small_example: str) -> None:
    body = further_system(small_example)

    taken = sent(site, **body | {"files": {**body["files"], "more.txt": "x" * 200_000}, "dry_run": True})
    refused = sent(site, **body | {"files": {**body["files"], "more.txt": "x" * 21 * 2**20}})

    assert taken.status_code == 200
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize("token", ["", "a" * 32])
def test_nothing_a_stranger_sends_is_read(site: Any, token: str) -> None:
    n_read = 0
    replies: list[Any] = []

    async def receive() -> dict[str, Any]:
        nonlocal n_read
        n_read += 1
        return {"type": "http.request", "body": b"x" * 2**20, "more_body": n_read < 30}

    async def send(message: Any) -> None:
        replies.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/v1/extend",
        "raw_path": b"/api/v1/extend",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    run_apart(site.client.app(scope, receive, send))

    assert replies[0]["status"] == 401
    assert n_read == 0
