"""A server with a replica to read from."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from tests.web.conftest import Site

from steelyard.web import app
from steelyard.web.analyst import AnalystHere
from steelyard.web.serving import ServerSettings


def test_managers_are_answered_from_the_replica_and_workers_from_the_database(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def analyst_at(address: str, **_: object) -> AnalystHere:
        asked.append(address)
        return AnalystHere({"": site.campaign})

    monkeypatch.setattr(app, "AnalystBeside", analyst_at)
    settings = ServerSettings(read_replica="postgresql://replica/steelyard")
    with TestClient(app.app_at(str(site.address), settings)) as client:
        reply = client.post("/api/v1/work/next", headers=site.as_worker())
    assert (asked, reply.status_code) == (["postgresql://replica/steelyard"], 200)
