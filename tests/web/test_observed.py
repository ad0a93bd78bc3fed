"""The log and the metrics of a server: what they tell, and what they never do."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from sqlalchemy import select
from starlette.routing import BaseRoute
from tests.web.conftest import Site

from steelyard.store import tables
from steelyard.web.app import create_app, observed_app
from steelyard.web.logs import ProblemLines, RequestLog, Seen
from steelyard.web.metrics import FOLDER

MARK = "zq7marked"
ADD_UP = """
import os
from steelyard.web.logs import Seen
from steelyard.web.metrics import Metrics
metrics = Metrics({"toy": lambda: 4})
child = os.fork()
metrics.count(Seen("toy", "GET", "/w/{token}", 200, 3.0))
metrics.sample()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
print(metrics.text().decode())
"""


@dataclass(frozen=True)
class Watched:
    """A site whose requests are logged."""

    site: Site
    stream: io.StringIO

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def metric(self, name: str, **labels: str) -> float:
        """A number at /metrics."""
        text = self.site.client.get("/metrics", headers=self.site.as_manager()).text
        for line in text.splitlines():
            found = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
            if found and found[1] == name and dict(re.findall(r'(\w+)="([^"]*)"', found[2] or "")) == labels:
                return float(found[3])
        raise AssertionError(f"there is no {name} with {labels}:\n{text}")


@pytest.fixture
def watched(site: Site) -> Iterator[Watched]:
    stream = io.StringIO()
    app = observed_app(create_app(site.campaign), site.campaign, RequestLog("json", stream))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Watched(replace(site, client=client), stream)


def every_route(routes: Iterable[BaseRoute]) -> Iterator[APIRoute]:
    """Routes, those of routers included."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield route
        elif hasattr(route, "original_router"):
            yield from every_route(route.original_router.routes)


def test_no_token_name_or_query_is_logged_by_any_route(watched: Watched) -> None:
    client, site = watched.site.client, watched.site
    routes = list(every_route(client.app.app.routes))  # type: ignore[attr-defined]
    headers = {**site.as_manager(), "X-Forwarded-For": MARK, "User-Agent": MARK, "Accept-Language": MARK}
    for route in routes:
        path = re.sub(r"\{[^}]*\}", f"{MARK}-{site.worker_token}", route.path)
        for method in route.methods:
            body = {"name": MARK, "email": f"{MARK}@example.org", "reason": MARK}
            client.request(method, f"{path}?token={MARK}", headers=headers, json=body)
    client.get(f"/{MARK}/{site.manager_token}")
    client.get(f"/static/{MARK}.js")
    client.head(f"/w/{site.worker_token}")
    log = watched.stream.getvalue()
    assert len(watched.lines()) >= len(routes) > 40
    secrets = (MARK, site.worker_token, site.manager_token, site.open_token, "testclient", "127.0.0.1")
    assert [secret for secret in secrets if secret in log] == []


def test_a_line_tells_what_was_asked_by_its_route(watched: Watched) -> None:
    watched.site.client.get(f"/w/{watched.site.worker_token}")
    [line] = watched.lines()
    assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert line.pop("milliseconds") > 0
    assert line == {
        "level": "info",
        "event": "request",
        "campaign": watched.site.campaign.settings.name,
        "method": "GET",
        "route": "/w/{token}",
        "status": 200,
    }


@pytest.mark.parametrize(
    ("method", "path", "route"),
    [
        ("HEAD", "/w/W0001-nobody", "/w/{token}"),
        ("GET", "/nowhere/at/all", "(none)"),
        ("GET", "/static/shell.js", "/static/{path}"),
        ("POST", "/api/v1/work/judgements", "/api/v1/work/judgements"),
        ("POST", "/api/v1/work/next", "/api/v1/work/next"),
    ],
)
def test_the_route_stands_for_the_path(watched: Watched, method: str, path: str, route: str) -> None:
    watched.site.client.request(method, path)
    assert watched.lines()[0]["route"] == route


def test_lines_for_people_tell_the_same() -> None:
    stream = io.StringIO()
    RequestLog("text", stream).write(Seen("toy", "GET", "/w/{token}", 200, 3.21))
    assert stream.getvalue().endswith("Z toy GET /w/{token} 200 3.2 ms\n")


@pytest.mark.parametrize("style", ["text", "json"])
def test_an_exception_is_logged_without_its_words(style: Any) -> None:
    try:
        raise KeyError(MARK)
    except KeyError:
        record = logging.LogRecord("any", logging.ERROR, __file__, 1, "It failed", None, sys.exc_info())
    line = ProblemLines(style).format(record)
    assert MARK not in line
    assert re.search(r"It failed.*KeyError at .*test_observed\.py:\d+", line)


@pytest.mark.parametrize("caller", ["nobody", "a worker", "a visitor"])
def test_only_managers_read_metrics(watched: Watched, caller: str) -> None:
    tokens = {"nobody": "", "a worker": watched.site.worker_token, "a visitor": watched.site.open_token}
    reply = watched.site.client.get("/metrics", headers={"Authorization": f"Bearer {tokens[caller]}"})
    assert reply.status_code == 401


def test_metrics_count_requests_and_judgements(
    watched: Watched, judge_some: Callable[[Site, int], None]
) -> None:
    judge_some(watched.site, 3)
    name = watched.site.campaign.settings.name
    route = "/api/v1/work/judgements"
    labels = {"campaign": name, "method": "POST", "route": route, "status": "201"}
    assert watched.metric("steelyard_requests_total", **labels) == 3
    assert watched.metric("steelyard_request_seconds_count", campaign=name, route=route) == 3
    assert watched.metric("steelyard_judgements_total", campaign=name) == 3
    assert watched.metric("steelyard_commits_total", campaign=name) == 3
    assert watched.metric("steelyard_answers_waiting", campaign=name) == 0
    assert watched.metric("steelyard_open_assignments", campaign=name) == 1
    assert watched.metric("steelyard_memory_bytes") > 1e6


def test_metrics_name_no_system_and_no_worker(
    watched: Watched, judge_some: Callable[[Site, int], None]
) -> None:
    judge_some(watched.site, 2)
    text = watched.site.client.get("/metrics", headers=watched.site.as_manager()).text
    with watched.site.campaign.store.read() as connection:
        systems = connection.execute(select(tables.systems.c.system_id)).scalars().all()
    words = set(re.findall(r"[\w-]+", text))
    assert systems
    assert words & {"W0001", *systems} == set()


def test_metrics_of_several_processes_add_up(tmp_path: Path) -> None:
    environment = {**os.environ, FOLDER: str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ADD_UP], env=environment, capture_output=True, text=True, check=True
    )
    labels = 'campaign="toy",method="GET",route="/w/{token}",status="200"'
    assert f"steelyard_requests_total{{{labels}}} 2.0" in done.stdout
    assert 'steelyard_open_assignments{campaign="toy"} 4.0' in done.stdout
