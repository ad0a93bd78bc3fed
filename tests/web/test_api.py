"""The HTTP interface as the public contract has it."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Any

import pytest

from steelyard.store import running

SECRETS = ("brass", "copper", "iron", "tin", "lead", "regular", "repeat", "degraded", "base_item")


def nested(levels: int) -> list[Any]:
    """A list in a list in a list."""
    return [nested(levels - 1)] if levels else []


def answer_to(view: dict[str, Any], rating: object = 61) -> dict[str, Any]:
    """A submission for the item in view."""
    return {
        "judgement_id": str(uuid.uuid4()),
        "assignment_id": view["assignment_id"],
        "item_id": view["item"]["item_id"],
        "answer": {"rating": rating},
        "shown_ms": 4200,
    }


def next_view(site: Any) -> dict[str, Any]:
    response = site.client.post("/api/v1/work/next", headers=site.as_worker())
    assert response.status_code == 200
    return dict(response.json())


def judge(site: Any, body: object) -> Any:
    return site.client.post("/api/v1/work/judgements", headers=site.as_worker(), json=body)


def test_next_gives_the_first_item_blinded(site: Any) -> None:
    view = next_view(site)

    assert set(view) == {"assignment_id", "position", "n_items", "n_done", "item", "revision"}
    assert set(view["item"]) == {"item_id", "text", "reference"}
    assert (view["position"], view["n_items"], view["n_done"]) == (1, 50, 0)


def test_next_again_without_answering_gives_the_same_item(site: Any) -> None:
    assert next_view(site) == next_view(site)


def test_a_judgement_is_answered_201_and_its_retry_200_with_the_same_reply(site: Any) -> None:
    body = answer_to(next_view(site))

    first, again = judge(site, body), judge(site, body)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.json()["next"]["position"] == 2


def test_a_whole_hit_tells_the_worker_nothing_and_ends_finished(site: Any) -> None:
    view = next_view(site)
    seen: list[dict[str, Any]] = []
    while not view.get("finished"):
        seen.append(view)
        view = judge(site, answer_to(view)).json()["next"]

    assert view["finished"] is True
    assert (view["n_done"], view["n_hits_done"], view["more"]) == (50, 1, True)
    assert [each["position"] for each in seen] == list(range(1, 51))
    # No two of the ids are the same: a repeat cannot be told from its base by its id.
    assert len({each["item"]["item_id"] for each in seen}) == 50
    shown = {key for each in seen for key in (*each, *each["item"])}
    texts = {"item_id", "text", "reference"}
    assert shown == {"assignment_id", "position", "n_items", "n_done", "item", "revision"} | texts
    assert not [word for each in seen for word in SECRETS if word in each["item"]["item_id"]]


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"answer": {"rating": 101}}, 422, "rating"),
        ({"answer": {"rating": "high"}}, 422, "rating"),
        ({"answer": {}}, 422, "rating"),
        ({"answer": {"rating": 5, "spare": 1}}, 422, "spare"),
        ({"answer": 5}, 422, "answer"),
        ({"answer": {"rating": [5]}}, 422, "rating"),
        ({"answer": {"rating": {"of": {"what": 5}}}}, 422, "rating"),
        ({"answer": {"rating": nested(20)}}, 422, "rating"),
        ({"judgement_id": "not-a-uuid"}, 422, "judgement_id"),
        ({"shown_ms": -1}, 422, "shown_ms"),
        ({"shown_ms": "10"}, 422, "shown_ms"),
        ({"shown_ms": True}, 422, "shown_ms"),
        ({"answer": {"rating": True}}, 422, "rating"),
        ({"revision": "1"}, 422, "revision"),
        ({"item_id": "0" * 16}, 409, None),
        ({"item_id": "a\x00b"}, 422, "item_id"),
        ({"assignment_id": str(uuid.uuid4())}, 404, None),
        ({"kind": "regular"}, 422, "kind"),
    ],
)
def test_a_bad_submission_is_refused_in_the_contracts_shape(
    site: Any, change: dict[str, object], status: int, field: str | None
) -> None:
    view = next_view(site)

    response = judge(site, answer_to(view) | change)

    assert response.status_code == status
    error = response.json()["error"]
    assert set(error) == {"code", "message", "field"}
    assert error["field"] == field
    assert next_view(site) == view


def test_the_same_judgement_id_with_another_answer_is_refused(site: Any) -> None:
    body = answer_to(next_view(site), rating=61)
    first = judge(site, body)

    other = judge(site, body | {"answer": {"rating": 16}})

    assert (other.status_code, other.json()["error"]["code"]) == (409, "other_answer")
    assert judge(site, body).json() == first.json()


def test_answers_in_order_are_collected_and_all_but_the_last_of_a_hit(site: Any) -> None:
    view = next_view(site)
    while not view.get("finished"):
        view = judge(site, answer_to(view)).json()["next"]

    assert site.client.app.state.collector.n_stored == 49


def test_a_stranger_learns_nothing_about_what_a_submission_looks_like(site: Any) -> None:
    headers = {"Authorization": f"Bearer W0001-{'x' * 32}"}

    response = site.client.post("/api/v1/work/judgements", headers=headers, json={"wrong": 1})

    assert response.status_code == 401


def test_a_reply_to_an_answer_carries_the_guards_headers(site: Any) -> None:
    reply = judge(site, answer_to(next_view(site)))

    assert reply.headers["cache-control"] == "no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_broken_json_is_a_400(site: Any) -> None:
    headers = site.as_worker() | {"Content-Type": "application/json"}

    response = site.client.post("/api/v1/work/judgements", headers=headers, content=b'{"judgement_id": ')

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "bad_request"


def test_nan_is_refused_as_a_rating(site: Any) -> None:
    view = next_view(site)
    body = json.dumps(answer_to(view, rating=float("nan")))
    headers = site.as_worker() | {"Content-Type": "application/json"}

    response = site.client.post("/api/v1/work/judgements", headers=headers, content=body)

    assert response.status_code == 422
    assert next_view(site) == view


def test_an_oversized_request_is_refused(site: Any) -> None:
    response = judge(site, {"judgement_id": "x" * 100_000})

    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


@pytest.mark.parametrize(
    "token", [None, "", "Bearer", "Bearer short", "Basic " + "a" * 32, "Bearer " + "a" * 32]
)
def test_without_a_valid_token_there_is_nothing(site: Any, token: str | None) -> None:
    headers = {} if token is None else {"Authorization": token}

    response = site.client.post("/api/v1/work/next", headers=headers)

    assert response.status_code == 401
    assert response.json()["error"]["code"] == "unknown_link"


@pytest.mark.parametrize(
    ("frame", "ending"),
    [("ratings", ".judgements.csv"), ("preferences", ".judgements.preferences.csv")],
)
def test_files_of_several_frames_are_named_so_that_they_are_read_together(
    site: Any, frame: str, ending: str
) -> None:
    response = site.client.get(f"/api/v1/judgements.csv?frame={frame}", headers=site.as_manager())

    name = site.campaign.settings.name
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}{ending}"'


@pytest.mark.parametrize("path", ["campaign", "analysis", "judgements.csv", "links"])
def test_a_worker_cannot_read_what_the_manager_reads(site: Any, path: str) -> None:
    response = site.client.get(f"/api/v1/{path}", headers=site.as_worker())

    assert response.status_code == 401


def test_the_open_link_makes_a_worker_who_can_begin(site: Any) -> None:
    joined = site.client.post("/api/v1/join", headers={"Authorization": f"Bearer {site.open_token}"})

    assert joined.status_code == 201
    bearer = {"Authorization": f"Bearer {joined.json()['token']}"}
    assert site.client.get("/api/v1/work", headers=bearer).json()["state"] == "ready"
    assert joined.json()["url"].endswith(f"/w/{joined.json()['token']}")


def test_the_dashboard_counts_what_was_judged(site: Any) -> None:
    judge(site, answer_to(next_view(site)))

    found = site.client.get("/api/v1/campaign", headers=site.as_manager()).json()

    assert found["campaign"]["name"] == "demo-de-en"
    assert (found["progress"]["n_judgements"], found["progress"]["n_wanted"]) == (1, 500)
    assert found["progress"]["workers"][0]["n_done"] == 1
    assert found["links"]["workers"][0]["token"] == site.worker_token


def test_an_analysis_without_enough_data_says_so_kindly(site: Any) -> None:
    response = site.client.get("/api/v1/analysis", headers=site.as_manager())

    assert response.status_code == 409
    assert response.json()["error"]["code"] == "not_enough_data"


def test_the_export_is_a_judgements_file(site: Any) -> None:
    judge(site, answer_to(next_view(site), rating=17))

    response = site.client.get("/api/v1/judgements.csv", headers=site.as_manager())

    header, row = response.text.strip().splitlines()
    assert {"worker", "segment", "rating", "system", "kind", "judgement_id"} <= set(header.split(","))
    assert "17" in row


def test_the_manager_makes_links(site: Any) -> None:
    response = site.client.post("/api/v1/links", headers=site.as_manager(), json={"n": 3})

    assert response.status_code == 201
    assert len({link["token"] for link in response.json()}) == 3


@pytest.mark.parametrize("path", ["/w/{token}", "/join/{token}", "/m/{token}", "/m/{token}/report"])
@pytest.mark.parametrize("token", ["a" * 32, "short", "%2e%2e", "a" * 500])
def test_a_page_for_an_unknown_link_is_friendly_and_tells_nothing(site: Any, path: str, token: str) -> None:
    response = site.client.get(path.format(token=token), follow_redirects=False)

    assert response.status_code == 404
    assert "Traceback" not in response.text


def test_every_page_of_the_right_holder_opens(site: Any) -> None:
    pages = [f"/w/{site.worker_token}", f"/join/{site.open_token}", f"/m/{site.manager_token}"]

    assert [site.client.get(page).status_code for page in pages] == [200, 200, 200]


def test_the_workers_page_and_its_scripts_tell_no_secret(site: Any) -> None:
    page = site.client.get(f"/w/{site.worker_token}").text
    scripts = site.client.get("/static/shell.js").text + site.client.get("/protocols/da/widget.js").text

    for word in ("brass", "copper", "degraded", "item_kind", "system_id"):
        assert word not in page
        assert word not in scripts


def test_pages_forbid_foreign_scripts_and_leaking_addresses(site: Any) -> None:
    headers = site.client.get(f"/w/{site.worker_token}").headers

    assert "default-src 'self'" in headers["content-security-policy"]
    assert "unsafe-inline" not in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/protocols/da/answer.py", "/protocols/nope/widget.js", "/static/../app.py", "/nope"]
)
def test_nothing_else_is_served(site: Any, path: str) -> None:
    response = site.client.get(path)

    assert response.status_code == 404


def test_a_title_cannot_break_out_of_the_page(site: Any) -> None:
    from steelyard.web.pages import embedded

    assert "<" not in embedded({"title": "</script><script>alert(1)</script>"})


def test_health_is_up_and_ready(site: Any) -> None:
    assert site.client.get("/healthz").text == "ok"
    assert site.client.get("/readyz").text == "ok"


def test_a_lost_database_makes_it_unready_without_a_stack_trace(site: Any, tmp_path: Any) -> None:
    site.campaign.close()
    for path in tmp_path.glob("site.db*"):
        path.rename(path.with_name("elsewhere-" + path.name))

    response = site.client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["error"]["code"] == "database"
    assert str(tmp_path) not in response.text
    assert site.client.get("/healthz").status_code == 200


def test_an_upgrade_does_not_change_what_the_workers_of_a_campaign_read(site: Any, noon: datetime) -> None:
    recorded = dict(site.campaign.settings.presentation)
    recorded["words"] = recorded["words"] | {"lead_in": "As it was worded at the start"}
    with site.campaign.store.write() as connection:
        running.add_revision(connection, "Title", recorded, now=noon)

    page = site.client.get(f"/w/{site.worker_token}").text

    assert "As it was worded at the start" in page


def test_an_answer_nested_beyond_reason_is_refused_before_anyone_looks_inside(site: Any) -> None:
    view = next_view(site)
    body = json.dumps(answer_to(view, rating="here")).replace('"here"', "[" * 9_000 + "]" * 9_000)
    headers = site.as_worker() | {"Content-Type": "application/json"}

    response = site.client.post("/api/v1/work/judgements", headers=headers, content=body)

    assert response.status_code == 400
    assert next_view(site) == view
