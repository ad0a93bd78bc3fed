from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient

from steelyard.web.app import create_app
from steelyard.web.base_path import AtUrl


def test_the_manager_reads_links_for_the_public_address_from_wherever(site: Any) -> None:
    app = AtUrl(create_app(site.campaign), "https://example.org/eval")

    found = TestClient(app, base_url="http://127.0.0.1:8000").get("/api/v1/links", headers=site.as_manager())

    assert found.json()["open_url"] == f"https://example.org/eval/join/{site.open_token}"
