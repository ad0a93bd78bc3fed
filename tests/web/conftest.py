"""A client of the app over a small real campaign on SQLite."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from steelyard.flows.create import create
from steelyard.flows.links import add_workers, links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.simulate import simulate
from steelyard.web.app import create_app
from steelyard.web.limits import Limits


@dataclass(frozen=True)
class Site:
    """The app with its tokens."""

    client: TestClient
    campaign: OpenCampaign
    address: Path
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


@pytest.fixture(scope="session")
def judged_once(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a campaign that six simulated workers have finished; tests work on copies."""
    address = shutil.copy(made_once, tmp_path_factory.mktemp("judged-once") / "site.db")
    with open_campaign(str(address)) as campaign:
        simulate(campaign, 6, seed=5)
    return Path(address)


@pytest.fixture
def site(made_once: Path, tmp_path: Path, noon: datetime) -> Iterator[Site]:
    yield from _site(made_once, tmp_path, noon)


@pytest.fixture
def judged_site(judged_once: Path, tmp_path: Path, noon: datetime) -> Iterator[Site]:
    """W0001 to W0006 have judged everything; the site's own worker, W0007, nothing."""
    yield from _site(judged_once, tmp_path, noon)


def _site(made: Path, folder: Path, noon: datetime) -> Iterator[Site]:
    address = shutil.copy(made, folder / "site.db")
    with open_campaign(str(address)) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
        found = links(campaign, base_url="")
        with TestClient(
            create_app(campaign, Limits.new(requests_per_second=None)), raise_server_exceptions=False
        ) as client:
            yield Site(
                client,
                campaign,
                Path(address),
                worker_token=worker.token,
                manager_token=found.manager_url.rpartition("/")[2],
                open_token=found.open_url.rpartition("/")[2],
            )


@pytest.fixture(scope="session")
def judge_some() -> Callable[[Site, int], None]:
    """Lets the site's worker judge some items."""

    def judge(site: Site, n: int) -> None:
        for number in range(n):
            view = site.client.post("/api/v1/work/next", headers=site.as_worker()).json()
            body = {
                "judgement_id": str(uuid.uuid4()),
                "assignment_id": view["assignment_id"],
                "item_id": view["item"]["item_id"],
                "answer": {"rating": 40 + number},
                "shown_ms": 4200,
            }
            reply = site.client.post("/api/v1/work/judgements", headers=site.as_worker(), json=body)
            assert reply.status_code == 201

    return judge
