"""Managers whom a proxy has signed in: believed from the proxy only, and not on behalf of other sites."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from steelyard.cli.main import run
from steelyard.domain.people import Person
from steelyard.flows.managers import ManagerChanges, add_managers, change_managers
from steelyard.web.callers import BehindProxies
from steelyard.web.identity import Identified

PROXY, STRANGER = "10.0.0.1", "192.0.2.7"
ANN = {"X-Forwarded-Email": "Ann@Example.org"}
OWN = {"X-Steelyard": "dashboard"}
PAUSE: dict[str, Any] = {"json": {"state": "paused"}}


@pytest.fixture
def behind(site: Any, noon: datetime) -> Callable[..., TestClient]:
    """A client of the server behind a proxy that signs people in; Ann is a manager."""
    add_managers(site.campaign, [Person("Ann", "ann@example.org")], "manager", by="command line", now=noon)
    app = BehindProxies(Identified(site.client.app, "X-Forwarded-Email"), [PROXY])

    def client(peer: str = PROXY) -> TestClient:
        return TestClient(app, client=(peer, 4711), raise_server_exceptions=False)

    return client


def test_the_dashboard_opens_without_a_token(behind: Callable[..., TestClient]) -> None:
    assert behind().get("/m/", headers=ANN).status_code == 200
    # There is nothing to report yet.
    assert behind().get("/m/report", headers=ANN).status_code == 409


def test_the_one_who_is_signed_in_has_their_role_and_is_named_in_the_log(
    behind: Callable[..., TestClient],
) -> None:
    you = behind().get("/api/v1/campaign", headers=ANN | OWN).json()["you"]
    behind().post("/api/v1/state", headers=ANN | OWN, **PAUSE)
    log = behind().get("/api/v1/actions", headers=ANN | OWN).json()["actions"]

    assert you == {"role": "manager", "manager_id": "M01", "name": "Ann"}
    assert log[0]["manager_id"] == "M01"
    assert behind().get("/api/v1/managers", headers=ANN | OWN).status_code == 403


def test_a_header_from_anyone_but_the_proxy_is_ignored(behind: Callable[..., TestClient]) -> None:
    forged = ANN | OWN | {"X-Forwarded-For": PROXY}

    assert behind(STRANGER).get("/api/v1/campaign", headers=forged).status_code == 401
    assert behind(STRANGER).get("/m/", headers=forged).status_code == 404
    assert behind(STRANGER).get("/m/report", headers=forged).status_code == 404


def test_without_the_option_the_header_means_nothing(site: Any, behind: Callable[..., TestClient]) -> None:
    client = TestClient(BehindProxies(site.client.app, [PROXY]), client=(PROXY, 4711))

    assert client.get("/api/v1/campaign", headers=ANN | OWN).status_code == 401


def test_a_header_that_comes_twice_is_ignored(behind: Callable[..., TestClient]) -> None:
    twice = [("X-Forwarded-Email", "ann@example.org"), ("x-forwarded-email", "eve@example.org")]

    assert behind().get("/api/v1/campaign", headers=[*twice, *OWN.items()]).status_code == 401


@pytest.mark.parametrize("email", ["eve@example.org", "", "M01", "ann@example.org,eve@example.org"])
def test_who_is_signed_in_but_no_manager_stays_outside(behind: Callable[..., TestClient], email: str) -> None:
    headers = {"X-Forwarded-Email": email}

    assert behind().get("/m/", headers=headers).status_code in (403, 404)
    assert behind().get("/api/v1/campaign", headers=headers | OWN).status_code in (401, 403)


def test_who_is_revoked_stays_outside(site: Any, behind: Callable[..., TestClient], noon: datetime) -> None:
    change_managers(site.campaign, ManagerChanges(revoke=("M01",)), by="command line", now=noon)

    assert behind().get("/m/", headers=ANN).status_code == 403
    assert behind().get("/api/v1/campaign", headers=ANN | OWN).status_code == 403


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"Sec-Fetch-Site": "same-origin"},
        OWN | {"Sec-Fetch-Site": "cross-site"},
        OWN | {"Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("call", [("POST", "state", PAUSE), ("GET", "backup", {})])
def test_another_site_cannot_act_in_the_name_of_who_is_signed_in(
    behind: Callable[..., TestClient], sent: dict[str, str], call: tuple[str, str, Any]
) -> None:
    method, path, body = call
    before = behind().get("/api/v1/actions", headers=ANN | OWN).json()

    assert behind().request(method, f"/api/v1/{path}", headers=ANN | sent, **body).status_code == 403
    assert behind().get("/api/v1/actions", headers=ANN | OWN).json() == before


def test_no_other_site_is_allowed_to_send_the_header(behind: Callable[..., TestClient]) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Headers": "x-steelyard"}
    reply = behind().options("/api/v1/state", headers=ANN | asked | {"Access-Control-Request-Method": "POST"})

    assert reply.status_code == 405
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_a_token_counts_before_the_header(site: Any, behind: Callable[..., TestClient]) -> None:
    you = behind().get("/api/v1/campaign", headers=ANN | site.as_manager()).json()["you"]
    wrong = {"Authorization": f"Bearer {site.worker_token}"}

    assert you["role"] == "owner"
    assert behind().get("/api/v1/campaign", headers=ANN | OWN | wrong).status_code == 401


def test_what_the_proxy_itself_has_asked_for_is_no_token(behind: Callable[..., TestClient]) -> None:
    basic = {"Authorization": "Basic YW5uOnNlY3JldA=="}

    assert behind().get("/api/v1/campaign", headers=ANN | OWN | basic).json()["you"]["name"] == "Ann"
    assert behind(STRANGER).get("/api/v1/campaign", headers=ANN | OWN | basic).status_code == 401


def test_the_header_is_no_worker(behind: Callable[..., TestClient]) -> None:
    assert behind().post("/api/v1/work/next", headers=ANN | OWN).status_code == 401


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--identity-header", "X-Forwarded-Email"], "needs --trusted-proxy"),
        (["--identity-header", "a b", "--trusted-proxy", "10.0.0.1"], "is not the name of a header"),
    ],
)
def test_the_option_needs_a_name_and_a_proxy(
    site: Any, options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(site.address), *options]) == 2

    assert problem in capsys.readouterr().err
