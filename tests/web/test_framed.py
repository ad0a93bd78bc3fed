"""Who may hold our pages in a frame, and where they may post to."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest

WORKER_SITES = "https://worker.mturk.com https://workersandbox.mturk.com"
QUERY = "?assignmentId=S1&hitId=H1&workerId=A1EXAMPLE&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"


@pytest.fixture
def mturk(site: Any) -> Any:
    rules = {"platform": "mturk", "pay_per_hit": 1.5}
    assert site.client.patch("/api/v1/rules", headers=site.as_manager(), json=rules).status_code == 200
    return site


def policy(reply: Any) -> dict[str, str]:
    parts = reply.headers["content-security-policy"].split(";")
    return dict(part.strip().partition(" ")[::2] for part in parts)


def directive(reply: Any, name: str) -> str:
    return policy(reply)[name]


def join(site: Any, query: str = QUERY) -> Any:
    return site.client.post(f"/api/v1/join{query}", headers={"Authorization": f"Bearer {site.open_token}"})


def pages(site: Any) -> dict[str, str]:
    return {
        "worker": f"/w/{site.worker_token}",
        "join": f"/join/{site.open_token}",
        "wrong link": f"/w/{'x' * 32}",
        "manager": f"/m/{site.manager_token}",
        "report": f"/m/{site.manager_token}/report",
        "home": "/",
    }


def test_only_a_platform_that_posts_back_holds_workers_pages_in_a_frame(mturk: Any) -> None:
    found = {name: mturk.client.get(path) for name, path in pages(mturk).items()}

    framed = {name: directive(reply, "frame-ancestors") for name, reply in found.items()}
    assert framed == {
        "worker": WORKER_SITES,
        "join": WORKER_SITES,
        "wrong link": WORKER_SITES,
        "manager": "'none'",
        "report": "'none'",
        "home": "'none'",
    }
    places = directive(found["worker"], "form-action").split()
    assert set(places) == {"https://www.mturk.com", *WORKER_SITES.split()}
    # All else is as strict as on any other page.
    looser = {"form-action", "frame-ancestors"}
    strict = [
        {name: policy(found[page])[name] for name in policy(found[page]).keys() - looser} for page in found
    ]
    assert strict == [strict[0]] * len(found)
    assert strict[0]["default-src"] == "'self'"
    assert [reply.headers.get("set-cookie") for reply in found.values()] == [None] * len(found)


@pytest.mark.parametrize("platform", ["local", "prolific", "connect"])
def test_without_such_a_platform_nobody_holds_a_page_in_a_frame(site: Any, platform: str) -> None:
    # Nor by a setting that is meant for rehearsals.
    rules = {"platform": platform, "platform_settings": {"emulator": "http://127.0.0.1:8712"}}
    site.client.patch("/api/v1/rules", headers=site.as_manager(), json=rules)

    for path in pages(site).values():
        assert directive(site.client.get(path), "frame-ancestors") == "'none'"


def test_a_preview_says_what_the_work_is_and_has_nothing_to_press(mturk: Any) -> None:
    reply = mturk.client.get(f"/join/{mturk.open_token}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1")
    main = reply.text.partition("<main")[2].partition("</main>")[0]

    assert "This is a preview." in main
    assert '"per_set": 1.5' in reply.text
    assert not re.search("<(button|input|form|a) ", main)
    assert join(mturk, "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE").json()["error"]["code"] == "preview"
    links = mturk.client.get("/api/v1/links", headers=mturk.as_manager()).json()
    assert len(links["workers"]) == 1


def test_words_of_posting_are_on_the_page_only_where_sets_are_posted_back(site: Any, mturk: Any) -> None:
    def has_words() -> bool:
        return "posting_button" in site.client.get(f"/w/{site.worker_token}").text

    assert has_words()
    site.client.patch("/api/v1/rules", headers=site.as_manager(), json={"platform": "local"})
    assert not has_words()


def test_a_finished_set_is_credited_before_it_is_posted(mturk: Any) -> None:
    joined = join(mturk).json()
    headers = {"Authorization": f"Bearer {joined['token']}"}
    assert joined["url"].endswith("?session=S1&submit_to=https%3A%2F%2Fworkersandbox.mturk.com")
    body = {"session_id": "S1", "submit_to": "https://workersandbox.mturk.com"}
    finish = lambda **changes: mturk.client.post(  # noqa: E731
        "/api/v1/work/finish", headers=headers, json=body | changes
    )
    assert (finish().status_code, finish().json()["error"]["code"]) == (409, "no_set")

    view = mturk.client.post("/api/v1/work/next", headers=headers).json()
    n_items = view["n_items"]
    while not view.get("finished"):
        answer = {
            "judgement_id": str(uuid.uuid4()),
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": {"rating": 50},
            "shown_ms": 4200,
        }
        # The page asks for everything with the address that it has itself.
        reply = mturk.client.post("/api/v1/work/judgements?session=S1", headers=headers, json=answer)
        view = reply.json()["next"]

    state = mturk.client.get("/api/v1/work?session=S1", headers=headers).json()["state"]
    assert state == "posting"
    posting = finish().json()
    assert posting["address"] == "https://workersandbox.mturk.com/mturk/externalSubmit"
    assert posting["fields"] == {"assignmentId": "S1", "worker": "W0002", "items": str(n_items)}
    assert finish().json() == posting
    assert finish(submit_to="https://evil.example").status_code == 422
    assert finish(session_id="S2").status_code == 404
    # A set of one worker is no set of another.
    other = {"Authorization": f"Bearer {mturk.worker_token}"}
    assert mturk.client.post("/api/v1/work/finish", headers=other, json=body).status_code == 404


def test_an_emulator_on_this_machine_holds_pages_and_one_elsewhere_does_not(
    mturk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/w/{mturk.worker_token}"

    monkeypatch.setenv("MTURK_URL", "http://127.0.0.1:8901")
    here = directive(mturk.client.get(path), "frame-ancestors")
    monkeypatch.setenv("MTURK_URL", "https://mturk.example.org")
    elsewhere = directive(mturk.client.get(path), "frame-ancestors")

    assert here.split() == [*WORKER_SITES.split(), "http://127.0.0.1:8901"]
    assert elsewhere == WORKER_SITES
