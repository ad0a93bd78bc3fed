"""Durable submissions per second over HTTP, beside the bare durable SQLite commit on the same disk."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import closing
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from steelyard.flows.create import create
from steelyard.flows.links import add_workers
from steelyard.flows.open import open_campaign
from steelyard.protocols import protocols

N_COMMITS = 2000
N_WORKERS = 24


def bare_commits_per_second(folder: Path) -> float:
    """One small insert per transaction, WAL and synchronous=FULL, nothing else."""
    with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE judgements (id TEXT PRIMARY KEY, answer TEXT)")
        begin = time.perf_counter()
        for _ in range(N_COMMITS):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO judgements VALUES (?, ?)", (str(uuid.uuid4()), '{"rating": 50}'))
            connection.execute("COMMIT")
        return N_COMMITS / (time.perf_counter() - begin)


def finish_hit(host: str, token: str, times: list[float]) -> None:
    """Judge one HIT from first to last item, noting how long each submission took."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with closing(HTTPConnection(host, timeout=60)) as connection:

        def post(path: str, content: Any) -> Any:
            connection.request("POST", f"/api/v1/work/{path}", json.dumps(content), headers)
            return json.loads(connection.getresponse().read())

        view = post("next", None)
        while not view.get("finished"):
            submission = {
                "judgement_id": str(uuid.uuid4()),
                "assignment_id": view["assignment_id"],
                "item_id": view["item"]["item_id"],
                "answer": {"rating": 50},
                "shown_ms": 100,
            }
            begin = time.perf_counter()
            view = post("judgements", submission)["next"]
            times.append(time.perf_counter() - begin)


def submissions(folder: Path, n_clients: int) -> tuple[float, list[float]]:
    """Submissions per second with so many clients at once, and the sorted times of each."""
    address = str(folder / f"served-{n_clients}.db")
    (folder / "campaign.toml").write_bytes((protocols()["da"].folder / "example.toml").read_bytes())
    create(folder / "campaign.toml", address, now=datetime.now(UTC))
    with open_campaign(address) as campaign:
        tokens = [link.token for link in add_workers(campaign, N_WORKERS, base_url="", now=datetime.now(UTC))]
    command = [sys.executable, "-m", "steelyard", "serve", address, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            [host] = re.findall(r"http://(\S+)", server.stdout.readline())
            with closing(HTTPConnection(host, timeout=60)) as connection:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            times: list[float] = []

            def client(own: list[str]) -> None:
                for token in own:
                    finish_hit(host, token, times)

            threads = [
                threading.Thread(target=client, args=(tokens[k::n_clients],)) for k in range(n_clients)
            ]
            begin = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return len(times) / (time.perf_counter() - begin), sorted(times)
        finally:
            server.terminate()


def main() -> None:
    """Print submissions per second and their ratio to bare commits."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = bare_commits_per_second(folder)
        print(f"bare SQLite commits      {bare:8.0f}/s")
        for n_clients in (1, 8, 24):
            rate, times = submissions(folder, n_clients)
            p50, p99 = (1000 * times[int(len(times) * share)] for share in (0.5, 0.99))
            print(
                f"submissions, {n_clients:>2} at once  {rate:8.0f}/s   x {rate / bare:.2f}   "
                f"p50 {p50:.0f} ms, p99 {p99:.0f} ms"
            )


if __name__ == "__main__":
    main()
