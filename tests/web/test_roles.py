"""Who may call what: every route is in a table, and each role is tried on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Mount, Route

from steelyard.domain.managers import MANAGER_ROLES, ManagerRole
from steelyard.domain.people import Person
from steelyard.flows.entry_answers import answer_questions, give_consent
from steelyard.flows.log import log
from steelyard.flows.managers import add_managers, managers
from steelyard.flows.people import name_worker
from steelyard.web.auth import ROLES_NEEDED

API = "/api/v1"
# The least role of a manager that may call each route. A route that is missing here fails the first test.
ROLES: dict[str, ManagerRole] = {
    f"GET {API}/campaign": "viewer",
    f"GET {API}/judgements.csv": "viewer",
    f"GET {API}/analysis": "viewer",
    f"GET {API}/verdicts": "viewer",
    f"GET {API}/precision": "viewer",
    f"GET {API}/methods": "viewer",
    f"GET {API}/workers/{{worker_id}}": "viewer",
    f"GET {API}/payments": "viewer",
    f"GET {API}/payments.csv": "viewer",
    f"GET {API}/rules": "viewer",
    f"GET {API}/revisions": "viewer",
    f"GET {API}/actions": "viewer",
    f"GET {API}/hits": "viewer",
    f"GET {API}/remarks": "viewer",
    f"GET {API}/marks": "viewer",
    f"GET {API}/marks/translation": "viewer",
    "GET /metrics": "viewer",
    f"GET {API}/entries": "manager",
    f"GET {API}/links": "manager",
    f"GET {API}/links.csv": "manager",
    f"GET {API}/backup": "manager",
    f"POST {API}/links": "manager",
    f"POST {API}/links/open": "manager",
    f"POST {API}/workers/{{worker_id}}/link": "manager",
    f"PUT {API}/workers/{{worker_id}}/person": "manager",
    f"POST {API}/workers/{{worker_id}}/exclude": "manager",
    f"POST {API}/workers/{{worker_id}}/reinstate": "manager",
    f"POST {API}/workers/{{worker_id}}/block": "manager",
    f"POST {API}/workers/{{worker_id}}/unblock": "manager",
    f"POST {API}/workers/{{worker_id}}/erase": "manager",
    f"GET {API}/workers/{{worker_id}}/record": "manager",
    f"POST {API}/assignments/{{assignment_id}}/release": "manager",
    f"POST {API}/state": "manager",
    f"PATCH {API}/rules": "manager",
    f"POST {API}/revisions": "manager",
    f"POST {API}/extend": "manager",
    f"POST {API}/marks/decision": "manager",
    f"GET {API}/platform": "viewer",
    f"POST {API}/platform/price": "manager",
    f"POST {API}/platform/publish": "manager",
    f"POST {API}/platform/places": "manager",
    f"POST {API}/platform/listing": "manager",
    f"POST {API}/platform/sync": "manager",
    f"POST {API}/platform/approve": "manager",
    f"POST {API}/platform/reject": "manager",
    f"POST {API}/platform/request-return": "manager",
    f"POST {API}/platform/pay-partly": "manager",
    f"GET {API}/platform/bonuses": "manager",
    f"POST {API}/platform/bonuses": "manager",
    f"POST {API}/platform/bonuses/{{token}}/give-up": "manager",
    f"POST {API}/links/manager": "owner",
    f"GET {API}/managers": "owner",
    f"POST {API}/managers": "owner",
    f"POST {API}/managers/{{manager_id}}": "owner",
}
# Not the manager's: for a worker's or visitor's token, for a token in the path, or with nothing to protect.
OTHERS = {
    f"POST {API}/notices/{{platform}}",
    f"GET {API}/work",
    f"POST {API}/work/next",
    f"POST {API}/work/return",
    f"POST {API}/work/finish",
    f"POST {API}/work/judgements",
    f"POST {API}/work/consent",
    f"POST {API}/work/questions",
    f"POST {API}/work/training",
    f"POST {API}/work/remarks",
    f"POST {API}/join",
    "GET /w/{token}",
    "GET /join/{token}",
    "GET /m/",
    "GET /m/report",
    "GET /m/{token}",
    "GET /m/{token}/report",
    "GET /",
    "GET /protocols/{name}/{file}",
    "GET /media/{name}",
    "GET /healthz",
    "GET /readyz",
    "GET /openapi.json",
}


def each_route(app: Any) -> Iterator[tuple[str, ManagerRole | None]]:
    """Every route of an app or router with the role that it asks for."""
    for route in app.routes:
        if isinstance(route, Mount):
            continue
        # Newer releases of FastAPI keep routers in one piece.
        if (included := getattr(route, "original_router", None)) is not None:
            yield from each_route(included)
            continue
        assert isinstance(route, Route)
        needed = None
        if isinstance(route, APIRoute):
            calls = [each.call for each in route.dependant.dependencies]
            needed = next((ROLES_NEEDED[call] for call in calls if call in ROLES_NEEDED), None)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            yield f"{method} {route.path}", needed


@pytest.fixture
def tokens(site: Any, noon: datetime) -> dict[str, str]:
    """The token of a manager of each role."""
    for role in MANAGER_ROLES:
        person = Person(f"The {role}", f"{role}@example.org")
        add_managers(site.campaign, [person], role, by="command line", now=noon)
    return {each.role: each.url.removeprefix("/m/") for each in managers(site.campaign, base_url="")}


def call(site: Any, token: str, route: str, **options: Any) -> Any:
    method, _, path = route.partition(" ")
    for name in ("worker_id", "assignment_id", "manager_id"):
        path = path.replace(f"{{{name}}}", "nobody")
    headers = {"Authorization": f"Bearer {token}"}
    return site.client.request(method, path, headers=headers, **options)


def test_every_route_states_the_role_it_needs(site: Any) -> None:
    assert dict(each_route(site.client.app)) == ROLES | dict.fromkeys(OTHERS)


def test_nothing_but_reading_is_for_viewers() -> None:
    assert {route.split()[0] for route, role in ROLES.items() if role == "viewer"} == {"GET"}


def test_each_role_may_do_its_own_and_what_is_below(site: Any, tokens: dict[str, str]) -> None:
    # What they send is nonsense: whoever may call is refused for that, or gets an answer, but not 403.
    refused = {
        (role, route)
        for role in MANAGER_ROLES
        for route in ROLES
        if call(
            site, tokens[role], route, **({} if route.startswith("GET") else {"json": {"x": 1}})
        ).status_code
        == 403
    }

    assert refused == {
        (role, route)
        for role in MANAGER_ROLES
        for route, needed in ROLES.items()
        if MANAGER_ROLES.index(role) < MANAGER_ROLES.index(needed)
    }


def test_a_refusal_says_what_to_do(site: Any, tokens: dict[str, str]) -> None:
    reply = call(site, tokens["viewer"], f"POST {API}/state", json={"state": "paused"})

    assert reply.status_code == 403
    assert reply.json()["error"]["code"] == "forbidden"
    assert "Ask an owner" in reply.json()["error"]["message"]


def test_a_refused_call_changes_nothing(site: Any, tokens: dict[str, str]) -> None:
    before = log(site.campaign)
    call(site, tokens["viewer"], f"POST {API}/state", json={"state": "paused"})
    call(site, tokens["manager"], f"POST {API}/managers", json={"name": "Eve", "role": "owner"})

    assert log(site.campaign) == before


def test_a_viewer_sees_neither_links_nor_people(
    site: Any, tokens: dict[str, str], noon: datetime, ask_first: Callable[..., None]
) -> None:
    name_worker(site.campaign, "W0001", by="manager", now=noon, name="Ada Byron", email="ada@example.org")
    ask_first(site.campaign)
    give_consent(site.campaign, "W0001", agrees=True, revision=2, now=noon)
    answer_questions(site.campaign, "W0001", {"native": "Yes", "age": 87.3125}, now=noon)
    seen = "".join(
        call(site, tokens["viewer"], route.replace("{worker_id}", "W0001")).text
        for route, role in ROLES.items()
        if role == "viewer"
    )

    assert "W0001" in seen
    for secret in ("Ada Byron", "ada@example.org", "The owner", "owner@example.org", "87.3125"):
        assert secret not in seen
    for token in (*tokens.values(), site.worker_token, site.manager_token, site.open_token):
        assert token not in seen


@pytest.mark.parametrize("path", ["payments", "payments.csv"])
def test_a_viewer_cannot_ask_for_names(site: Any, tokens: dict[str, str], path: str) -> None:
    assert call(site, tokens["viewer"], f"GET {API}/{path}?people=true").status_code == 403
    assert call(site, tokens["manager"], f"GET {API}/{path}?people=true").status_code != 403


@pytest.mark.parametrize("path", ["campaign", "links"])
def test_only_owners_see_the_link_that_makes_an_owner(site: Any, tokens: dict[str, str], path: str) -> None:
    assert site.manager_token not in call(site, tokens["manager"], f"GET {API}/{path}").text
    assert site.manager_token in call(site, tokens["owner"], f"GET {API}/{path}").text


@pytest.mark.parametrize("path", ["/m/{token}", "/m/{token}/report"])
def test_pages_open_for_every_role(site: Any, tokens: dict[str, str], path: str) -> None:
    for token in tokens.values():
        # 409: there is nothing to report yet.
        assert site.client.get(path.format(token=token)).status_code in (200, 409)


def test_an_owner_adds_changes_and_revokes(site: Any, tokens: dict[str, str]) -> None:
    added = call(site, tokens["owner"], f"POST {API}/managers", json={"name": "Eve", "role": "viewer"})
    eve = added.json()["url"].rpartition("/")[2]

    assert added.status_code == 201
    assert call(site, eve, f"POST {API}/state", json={"state": "paused"}).status_code == 403
    call(site, tokens["owner"], f"POST {API}/managers/M04", json={"role": "manager"})
    assert call(site, eve, f"POST {API}/state", json={"state": "paused"}).status_code == 200
    call(site, tokens["owner"], f"POST {API}/managers/M04", json={"action": "revoke"})
    assert call(site, eve, f"GET {API}/campaign").status_code == 401


def test_a_manager_who_is_not_there_is_not_found(site: Any) -> None:
    reply = call(site, site.manager_token, f"POST {API}/managers/M09", json={"action": "renew"})

    assert reply.status_code == 404


def test_the_log_names_the_manager_to_managers_only(site: Any, tokens: dict[str, str]) -> None:
    call(site, tokens["manager"], f"POST {API}/state", json={"state": "paused"})

    def newest(token: str) -> Any:
        action = call(site, token, f"GET {API}/actions?limit=1").json()["actions"][0]
        return action["done_by"], action["manager_id"], action["manager_name"]

    assert newest(tokens["manager"]) == ("manager", "M02", "The manager")
    assert newest(tokens["viewer"]) == ("manager", "M02", "")


def test_the_campaign_says_who_is_asking(site: Any, tokens: dict[str, str]) -> None:
    you = [
        call(site, token, f"GET {API}/campaign").json()["you"]
        for token in (*tokens.values(), site.manager_token)
    ]

    assert [(each["role"], each["manager_id"]) for each in you] == [
        *(("viewer", "M01"), ("manager", "M02"), ("owner", "M03"), ("owner", None)),
    ]
