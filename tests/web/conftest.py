"""A client of the app over a small real campaign on SQLite."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from steelyard.flows.create import create
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.web.app import create_app


@dataclass(frozen=True)
class Site:
    """The app with its tokens."""

    client: TestClient
    campaign: OpenCampaign
    worker_token: str
    manager_token: str
    open_token: str

    def as_worker(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.worker_token}"}

    def as_manager(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.manager_token}"}


@pytest.fixture(scope="session")
def made_once(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a fresh campaign; tests work on copies."""
    folder = tmp_path_factory.mktemp("made-once")
    (folder / "campaign.toml").write_text(small_example, "utf-8")
    create(folder / "campaign.toml", str(folder / "site.db"), now=datetime(2024, 5, 1, tzinfo=UTC))
    return folder / "site.db"


@pytest.fixture
def site(made_once: Path, tmp_path: Path, noon: datetime) -> Iterator[Site]:
    address = shutil.copy(made_once, tmp_path / "site.db")
    with open_campaign(str(address)) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
        found = links(campaign, base_url="")
        with TestClient(create_app(campaign), raise_server_exceptions=False) as client:
            yield Site(
                client,
                campaign,
                worker_token=worker.token,
                manager_token=found.manager_url.rpartition("/")[2],
                open_token=found.open_url.rpartition("/")[2],
            )
