from __future__ import annotations

from typing import Any

import pytest

ANA = {"name": "Ana", "email": "ana@example.org"}


def post(site: Any, path: str, body: Any, *, status: int = 200) -> Any:
    response = site.client.post(f"/api/v1/{path}", headers=site.as_manager(), json=body)
    assert response.status_code == status, response.text
    return response.json()


def status_of(site: Any, token: str, path: str = "work") -> int:
    response = site.client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})
    return int(response.status_code)


def test_people_are_invited_once(site: Any) -> None:
    first = post(site, "links", {"people": [ANA, {"name": "Bo"}]}, status=201)

    second = post(site, "links", {"people": [{"email": "Ana@example.org"}]}, status=201)

    assert [link["name"] for link in first] == ["Ana", "Bo"]
    assert second == first[:1]
    assert status_of(site, first[0]["token"]) == 200


def test_links_are_downloaded_for_letters(site: Any) -> None:
    [added] = post(site, "links", {"people": [ANA]}, status=201)

    reply = site.client.get("/api/v1/links.csv", headers=site.as_manager())

    assert reply.headers["content-disposition"].endswith('.links.csv"')
    assert f"W0002,Ana,ana@example.org,{added['url']}" in reply.text.splitlines()


@pytest.mark.parametrize(
    "body", [{}, {"n": 1, "people": [ANA]}, {"people": []}, {"n": 0}, {"people": [{"nickname": "Bo"}]}]
)
def test_what_is_wanted_must_be_clear(site: Any, body: Any) -> None:
    post(site, "links", body, status=422)


def test_a_renewed_link_opens_in_place_of_the_earlier_one(site: Any) -> None:
    renewed = post(site, "workers/W0001/link", {"action": "renew"})

    assert status_of(site, site.worker_token) == 401
    assert status_of(site, renewed["token"]) == 200


def test_a_revoked_link_opens_nothing_until_it_is_renewed(site: Any) -> None:
    revoked = post(site, "workers/W0001/link", {"action": "revoke"})
    refused = status_of(site, site.worker_token)
    renewed = post(site, "workers/W0001/link", {"action": "renew"})

    assert (revoked["is_revoked"], revoked["url"]) == (True, "")
    assert refused == 401
    assert site.client.get(f"/w/{site.worker_token}").status_code == 404
    assert status_of(site, renewed["token"]) == 200


def test_the_link_of_nobody_cannot_be_renewed(site: Any) -> None:
    assert post(site, "workers/W0099/link", {"action": "renew"}, status=404)["error"]["code"] == "not_found"


def test_the_manager_gets_the_new_link_with_the_reply(site: Any) -> None:
    renewed = post(site, "links/manager", {"action": "renew"})

    assert status_of(site, site.manager_token, "links") == 401
    assert status_of(site, renewed["manager_url"].rpartition("/")[2], "links") == 200


def test_an_open_link_that_is_off_lets_nobody_in(site: Any) -> None:
    assert post(site, "links/open", {"on": False})["open_link"] is False

    visitor = {"Authorization": f"Bearer {site.open_token}"}
    refused = site.client.post("/api/v1/join", headers=visitor)
    page = site.client.get(f"/join/{site.open_token}").text

    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "open_link_off")
    assert "Nobody new can join at the moment." in page
    assert status_of(site, site.worker_token) == 200


def test_an_open_link_is_switched_on_again_and_renewed(site: Any) -> None:
    post(site, "links/open", {"on": False})

    found = post(site, "links/open", {"on": True, "action": "renew"})

    token = found["open_url"].rpartition("/")[2]
    assert site.client.get(f"/join/{site.open_token}").status_code == 404
    joined = site.client.post("/api/v1/join", headers={"Authorization": f"Bearer {token}"})
    assert joined.status_code == 201


def test_a_worker_is_named_for_the_manager_only(site: Any) -> None:
    named = site.client.put("/api/v1/workers/W0001/person", headers=site.as_manager(), json=ANA).json()

    assert (named["name"], named["email"]) == ("Ana", "ana@example.org")
    replies = [
        site.client.get(f"/w/{site.worker_token}").text,
        site.client.get("/api/v1/work", headers=site.as_worker()).text,
        site.client.post("/api/v1/work/next", headers=site.as_worker()).text,
        site.client.get("/api/v1/judgements.csv", headers=site.as_manager()).text,
    ]
    assert not any("ana@example.org" in reply for reply in replies)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "links"),
        ("POST", "links/open"),
        ("POST", "links/manager"),
        ("POST", "workers/W0001/link"),
        ("PUT", "workers/W0001/person"),
    ],
)
def test_links_are_the_managers_business(site: Any, method: str, path: str) -> None:
    response = site.client.request(method, f"/api/v1/{path}", headers=site.as_worker(), json={})

    assert response.status_code == 401


def test_no_name_in_the_table_for_letters_can_be_a_formula(site: Any) -> None:
    post(site, "links", {"people": [{"name": "=1+1", "email": "@x@example.org"}]}, status=201)

    reply = site.client.get("/api/v1/links.csv", headers=site.as_manager())

    assert ",'=1+1,'@x@example.org,http" in reply.text
