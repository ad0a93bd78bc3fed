"""Real server processes: two on one PostgreSQL, one killed in the middle, several on one SQLite file."""

from __future__ import annotations

import signal
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from steelyard.flows.create import create
from steelyard.flows.judged import judged_frames
from steelyard.flows.links import add_workers
from steelyard.flows.open import open_campaign

Serve = Callable[..., Any]
N_WORKERS = 6


def client_of(base_url: str, token: str) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx2.Client(base_url=f"{base_url}/api/v1", headers=headers, timeout=30, trust_env=False)


def submission_for(view: dict[str, Any]) -> dict[str, Any]:
    return {
        "judgement_id": str(uuid.uuid4()),
        "assignment_id": view["assignment_id"],
        "item_id": view["item"]["item_id"],
        "answer": {"rating": 50},
        "shown_ms": 100,
    }


def judge_through(base_urls: list[str], token: str) -> list[tuple[str, str]]:
    """Finish one HIT, going from server to server; returns what was given as (assignment, item)."""
    clients = [client_of(base_url, token) for base_url in base_urls]
    given = []
    view = clients[0].post("/work/next").raise_for_status().json()
    while not view.get("finished"):
        given.append((view["assignment_id"], view["item"]["item_id"]))
        client = clients[len(given) % len(clients)]
        view = client.post("/work/judgements", json=submission_for(view)).raise_for_status().json()["next"]
    for client in clients:
        client.close()
    return given


def test_two_servers_on_one_postgresql_never_give_an_item_twice(
    campaign_file: Path, postgres_address: str, serve: Serve, noon: datetime
) -> None:
    create(campaign_file, postgres_address, now=noon)
    with open_campaign(postgres_address) as campaign:
        workers = add_workers(campaign, N_WORKERS, base_url="", now=noon)
        servers = [serve(postgres_address), serve(postgres_address)]
        base_urls = [server.base_url for server in servers]

        with ThreadPoolExecutor(N_WORKERS) as threads:
            given = list(
                threads.map(
                    lambda numbered: judge_through(
                        base_urls[:: 1 if numbered[0] % 2 else -1], numbered[1].token
                    ),
                    enumerate(workers),
                )
            )
        frame = judged_frames(campaign).ratings

    assert [len(set(each)) for each in given] == [50] * N_WORKERS
    assert len({each[0][0] for each in given}) == N_WORKERS
    assert frame.height == 50 * N_WORKERS
    assert frame["hit_id"].n_unique() == N_WORKERS
    assert frame.select("worker_id", "item_id").is_duplicated().sum() == 0
    regular = Counter(frame.filter(frame["item_kind"] == "regular")["item_id"])
    assert set(regular.values()) == {1}
    assert_ends_cleanly(servers[0], signal.SIGTERM)


def test_a_restarted_server_goes_on_where_the_killed_one_was_and_ends_with_ctrl_c(
    database_file: Path, serve: Serve, noon: datetime
) -> None:
    address = str(database_file)
    with open_campaign(address) as campaign:
        [worker] = add_workers(campaign, 1, base_url="", now=noon)
    server = serve(address)
    with client_of(server.base_url, worker.token) as client:
        view = client.post("/work/next").json()
        first = submission_for(view)
        after_first = client.post("/work/judgements", json=first).json()
    server.process.kill()

    again = serve(address)
    with client_of(again.base_url, worker.token) as client:
        assert client.post("/work/judgements", json=first).json() == after_first
        assert client.post("/work/next").json() == after_first["next"]
    assert_ends_cleanly(again, signal.SIGINT)
    assert_is_one_file(database_file)


def test_a_server_of_two_processes_that_is_stopped_ends_cleanly(database_file: Path, serve: Serve) -> None:
    server = serve(str(database_file), "--processes", "2")
    assert httpx2.get(f"{server.base_url}/healthz", trust_env=False).text == "ok"

    assert_ends_cleanly(server, signal.SIGTERM)
    assert_is_one_file(database_file)


def assert_ends_cleanly(server: Any, number: signal.Signals) -> None:
    server.process.send_signal(number)

    assert server.process.wait(20) == 0
    assert server.process.stdout.read().endswith("Stopped.\n")
    assert not server.errors()


def assert_is_one_file(database_file: Path) -> None:
    assert not list(database_file.parent.glob(f"{database_file.name}-*"))


@pytest.fixture
def database_file(campaign_file: Path, tmp_path: Path, noon: datetime) -> Path:
    create(campaign_file, str(tmp_path / "stopped.db"), now=noon)
    return tmp_path / "stopped.db"
