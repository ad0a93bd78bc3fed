"""One server for a series of campaigns."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from steelyard.domain.people import Person
from steelyard.domain.running import CampaignState
from steelyard.flows.create_series import create_series
from steelyard.flows.links import add_workers
from steelyard.flows.managers import add_managers, managers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.series import find_series, open_series
from steelyard.flows.series_links import series_door
from steelyard.flows.simulate import simulate
from steelyard.flows.state import change_state
from steelyard.formats.series_toml import SeriesSource
from steelyard.web import series_routes
from steelyard.web.base_path import AtUrl
from steelyard.web.callers import BehindProxies
from steelyard.web.identity import Identified
from steelyard.web.series_app import SeriesApp, create_series_app

NAMES = ("en-cs", "en-de")


@dataclass(frozen=True)
class SeriesSite:
    """A served series: en-cs, en-de and, in a folder, a broken en-uk."""

    app: SeriesApp
    client: TestClient
    campaigns: dict[str, OpenCampaign]
    token: str
    noon: datetime

    def as_manager(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def worker_of(self, name: str) -> str:
        [link] = add_workers(self.campaigns[name], 1, base_url="", now=self.noon)
        return link.token

    def glances(self) -> dict[str, dict[str, Any]]:
        reply = self.client.get("/api/v1/series", headers=self.as_manager())
        assert reply.status_code == 200, reply.text
        return {one["campaign"]: one for one in reply.json()["campaigns"]}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, small_example: str) -> SeriesSource:
    folder = tmp_path_factory.mktemp("files")
    for name in NAMES:
        (folder / f"{name}.toml").write_text(small_example.replace("demo-de-en", name), "utf-8")
    return SeriesSource(folder, tuple(folder / f"{name}.toml" for name in NAMES))


@pytest.fixture(scope="module")
def made_folder(source: SeriesSource, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two fresh campaigns and a broken one; tests work on copies."""
    folder = tmp_path_factory.mktemp("made") / "wmt"
    create_series(source, str(folder), now=datetime(2024, 5, 1, tzinfo=UTC))
    (folder / "en-uk.db").write_text("Not a database, whatever it is called.", "utf-8")
    return folder


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path, noon: datetime) -> Iterator[SeriesSite]:
    if getattr(request, "param", "folder") == "folder":
        target = str(shutil.copytree(request.getfixturevalue("made_folder"), tmp_path / "wmt"))
    else:
        target = str(request.getfixturevalue("postgres_address"))
        create_series(request.getfixturevalue("source"), target, now=noon)
    series = find_series(target)
    assert series is not None
    with open_series(series) as opened:
        app = create_series_app(series, opened)
        campaigns = {one.name: one.result for one in opened if one.result}
        with TestClient(app, raise_server_exceptions=False) as client:
            yield SeriesSite(app, client, campaigns, series_door(series).token, noon)


on_both = pytest.mark.parametrize("served", ["folder", "postgresql"], indirect=True)


def judge(client: TestClient, base: str, token: str) -> None:
    """Judge one item of the campaign below `base`."""
    headers = {"Authorization": f"Bearer {token}"}
    item = client.post(f"{base}/api/v1/work/next", headers=headers).json()
    answer = {
        "judgement_id": str(uuid.uuid4()),
        "assignment_id": item["assignment_id"],
        "item_id": item["item"]["item_id"],
        "answer": {"rating": 50},
        "shown_ms": 1000,
    }
    reply = client.post(f"{base}/api/v1/work/judgements", headers=headers, json=answer)
    assert reply.status_code == 201, reply.text


def test_guesses_at_all_campaigns_of_a_series_count_together(served: SeriesSite) -> None:
    wrong = "W0001-thisisnotavalidtoken0000"
    for place in ["/c/en-cs/w", "/c/en-de/m", "/m"] * 10:
        assert served.client.get(f"{place}/{wrong}").status_code == 404

    headers = {"Authorization": f"Bearer {wrong}"}

    assert served.client.get("/api/v1/series", headers=headers).status_code == 429
    assert served.client.get(f"/c/en-de/join/{wrong}").status_code == 429
    assert served.client.get(f"/m/{served.token}").status_code == 200


@on_both
def test_each_campaign_takes_its_own_judgements(served: SeriesSite) -> None:
    for name, times in (("en-cs", 1), ("en-de", 3)):
        token = served.worker_of(name)
        for _ in range(times):
            judge(served.client, f"/c/{name}", token)
    seen = served.glances()
    assert [seen[name]["glance"]["n_judgements"] for name in NAMES] == [1, 3]


@on_both
def test_a_link_opens_its_own_campaign_only(served: SeriesSite) -> None:
    token = served.worker_of("en-de")
    assert served.client.get(f"/c/en-de/w/{token}").status_code == 200
    assert served.client.get(f"/c/en-cs/w/{token}").status_code == 404
    assert served.client.get(f"/w/{token}").status_code == 404
    headers = {"Authorization": f"Bearer {token}"}
    assert served.client.post("/c/en-cs/api/v1/work/next", headers=headers).status_code == 401


def test_the_links_to_dashboards_open_them(served: SeriesSite) -> None:
    for name in NAMES:
        url = served.glances()[name]["manager_url"]
        assert f"/c/{name}/m/" in url
        assert served.client.get(url).status_code == 200


def test_the_manager_of_a_campaign_is_not_that_of_the_series(served: SeriesSite) -> None:
    token = served.glances()["en-de"]["manager_url"].rpartition("/")[2]
    assert (
        served.client.get("/api/v1/series", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    )
    assert served.client.get(f"/m/{token}").status_code == 404
    assert served.client.get(f"/c/en-de/m/{served.token}").status_code == 404


def test_the_page_of_the_series_needs_its_link(served: SeriesSite) -> None:
    page = served.client.get(f"/m/{served.token}")
    assert page.status_code == 200
    assert 'src="../static/series.js"' in page.text
    assert served.client.get("/api/v1/series").status_code == 401


def test_the_report_of_the_series_leads_to_those_of_its_campaigns(served: SeriesSite) -> None:
    simulate(served.campaigns["en-de"], 3, seed=7)
    page = served.client.get(f"/m/{served.token}/report")
    assert page.status_code == 200
    assert served.client.get("/m/m-nobody-has-this-token-at-all/report").status_code == 404
    urls = re.findall(r'href="(http[^"]+)"', page.text)
    assert len(urls) == 1, "en-cs has nothing to report"
    assert "campaign:en-de" in served.client.get(urls[0]).text


def test_neither_home_nor_unknown_names_give_anything_away(served: SeriesSite) -> None:
    assert "en-de" not in served.client.get("/").text
    unknown = served.client.get("/c/nope/m/whatever")
    assert unknown.status_code == 404
    assert "en-de" not in unknown.text


def test_a_campaign_has_its_own_home_and_description(served: SeriesSite) -> None:
    assert served.client.get("/c/en-de").status_code == 200
    assert served.client.get("/c/en-de/healthz").text == "ok"
    assert "/api/v1/work/next" in served.client.get("/c/en-de/openapi.json").json()["paths"]
    assert list(served.client.get("/openapi.json").json()["paths"]) == [
        "/api/v1/series",
        "/api/v1/series/state",
    ]


def test_all_campaigns_are_paused_and_opened_again(served: SeriesSite) -> None:
    for state in ("paused", "open"):
        reply = served.client.post(
            "/api/v1/series/state", headers=served.as_manager(), json={"state": state, "reason": "lunch"}
        )
        changed = {one["campaign"]: one["state"] for one in reply.json()}
        assert [changed[name] for name in NAMES] == [state, state]
        assert {served.glances()[name]["glance"]["state"] for name in NAMES} == {state}


def test_only_campaigns_in_the_states_named_are_changed(served: SeriesSite) -> None:
    change_state(served.campaigns["en-cs"], CampaignState.CLOSED, by="manager", now=served.noon)
    reply = served.client.post(
        "/api/v1/series/state", headers=served.as_manager(), json={"state": "paused", "among": ["open"]}
    )
    states = {one["campaign"]: one["state"] for one in reply.json()}
    assert (states["en-cs"], states["en-de"]) == ("closed", "paused")


def test_links_have_the_public_address_and_the_campaigns_path(served: SeriesSite) -> None:
    client = TestClient(AtUrl(served.app, "https://example.org/eval"))
    reply = client.get("/eval/api/v1/series", headers=served.as_manager()).json()
    urls = {one["campaign"]: one["manager_url"] for one in reply["campaigns"]}
    assert urls["en-de"].startswith("https://example.org/eval/c/en-de/m/")
    path = urls["en-de"].removeprefix("https://example.org")
    assert client.get(path).status_code == 200


def test_a_name_with_a_space_makes_links_that_can_be_pasted(made_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "wmt").mkdir()
    shutil.copy(made_folder / "en-de.db", tmp_path / "wmt" / "my pair.db")
    series = find_series(str(tmp_path / "wmt"))
    assert series is not None
    with open_series(series) as opened, TestClient(create_series_app(series, opened)) as client:
        headers = {"Authorization": f"Bearer {series_door(series).token}"}
        url = client.get("/api/v1/series", headers=headers).json()["campaigns"][0]["manager_url"]
        assert "/c/my%20pair/m/" in url
        headers = {"Authorization": f"Bearer {url.rpartition('/')[2]}"}
        links = client.get("/c/my%20pair/api/v1/links", headers=headers).json()
        assert links["manager_url"] == url
        assert client.get(url).status_code == 200


class TestABrokenCampaign:
    def test_it_answers_503_and_the_others_work(self, served: SeriesSite) -> None:
        assert served.client.get("/c/en-uk/w/some-token-of-a-worker").status_code == 503
        reply = served.client.post("/c/en-uk/api/v1/work/next")
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "database")
        assert served.client.get(f"/c/en-de/w/{served.worker_of('en-de')}").status_code == 200

    def test_the_manager_is_told_which_one_and_why(self, served: SeriesSite) -> None:
        broken = served.glances()["en-uk"]
        assert broken["glance"] is None
        assert "not a database" in broken["error"]

    def test_the_series_is_not_ready(self, served: SeriesSite) -> None:
        reply = served.client.get("/readyz")
        assert (reply.status_code, reply.text) == (503, "not ready: en-uk")
        assert served.client.get("/healthz").text == "ok"

    def test_a_database_that_vanishes_does_not_take_the_others_down(
        self, served: SeriesSite, tmp_path: Path
    ) -> None:
        (tmp_path / "wmt" / "en-cs.db").unlink()
        assert served.client.get("/readyz").text == "not ready: en-cs, en-uk"
        assert served.glances()["en-de"]["glance"]["n_judgements"] == 0


def test_a_campaigns_manager_opens_that_campaign_only(served: SeriesSite) -> None:
    add_managers(
        served.campaigns["en-cs"], [Person("Ann", "ann@example.org")], "owner", by="manager", now=served.noon
    )
    [ann] = managers(served.campaigns["en-cs"], base_url="")
    headers = {"Authorization": f"Bearer {ann.url.removeprefix('/m/')}"}

    assert served.client.get("/c/en-cs/api/v1/campaign", headers=headers).status_code == 200
    assert served.client.get("/c/en-de/api/v1/campaign", headers=headers).status_code == 401
    assert served.client.get("/api/v1/series", headers=headers).status_code == 401


def test_who_is_signed_in_sees_the_campaigns_they_look_after(served: SeriesSite) -> None:
    add_managers(
        served.campaigns["en-cs"], [Person("Ann", "ann@example.org")], "viewer", by="manager", now=served.noon
    )
    client = TestClient(
        BehindProxies(Identified(served.app, "X-Forwarded-Email"), ["10.0.0.1"]), client=("10.0.0.1", 4711)
    )

    page = client.get("/m/", headers={"X-Forwarded-Email": "ann@example.org"})
    assert page.status_code == 200
    assert "c/en-cs/m/" in page.text
    assert "en-de" not in page.text
    assert client.get("/c/en-cs/m/", headers={"X-Forwarded-Email": "ann@example.org"}).status_code == 200
    assert client.get("/m/", headers={"X-Forwarded-Email": "eve@example.org"}).status_code == 403
    assert client.get("/m/").status_code == 404


def test_every_route_of_a_series_is_for_its_manager_or_checks_its_own_link() -> None:
    """A new route fails here until somebody has thought about who may call it."""
    needs_token = {
        route.path
        for router in (series_routes.router, series_routes.pages)
        for route in router.routes
        if isinstance(route, APIRoute)
        and series_routes._manager in [each.call for each in route.dependant.dependencies]
    }
    every = {
        route.path
        for router in (series_routes.router, series_routes.pages)
        for route in router.routes
        if isinstance(route, APIRoute)
    }

    assert needs_token == {"/api/v1/series", "/api/v1/series/state", "/metrics"}
    assert every - needs_token == {"/", "/m/", "/m/{token}", "/m/{token}/report", "/healthz", "/readyz"}
