"""Durable submissions per second over HTTP, beside a bare endpoint that commits one row for each request.

Both are loaded by the same generator, a process of its own, on the same machine in the same run. With
`--postgresql ADDRESS` (an empty database that may be filled) PostgreSQL is measured too.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steelyard.flows.create import create
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign

HERE = Path(__file__).parent
SECONDS = 8.0
N_CLIENTS = 50


@contextmanager
def running(command: Sequence[str]) -> Iterator[str]:
    """A server as a process of its own; the host and port that it prints."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            [host] = re.findall(r"http://([^\s/]+)", server.stdout.readline())
            yield host
        finally:
            server.terminate()


def serving(address: str, *more: str) -> Any:
    """Steelyard on a campaign."""
    command = [sys.executable, "-m", "steelyard", "serve", address, "--port", "0"]
    return running([*command, "--requests-per-second", "0", *more])


def load(host: str, tokens: Sequence[str], **plan: Any) -> dict[str, Any]:
    """Drive a server; what came of it."""
    content = json.dumps({"tokens": list(tokens), "seconds": SECONDS, **plan})
    command = [sys.executable, str(HERE / "load" / "generator.py"), host]
    found = subprocess.run(command, input=content, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(found.stdout)
    assert not result["errors"], result["errors"]
    assert not result["refused"], f"{result['refused']} answers were refused"
    return result


def bare_endpoint(address: str, *more: str) -> dict[str, Any]:
    """What 50 clients get from an endpoint that commits one row for each request."""
    with running([sys.executable, str(HERE / "load" / "bare_endpoint.py"), address, *more]) as host:
        return load(host, ["x" * 40] * N_CLIENTS, bare=True)


def rate(result: dict[str, Any]) -> float:
    return float(result["n"] / result["seconds"])


def shown(name: str, result: dict[str, Any], bare: float) -> str:
    p50, p99 = (result["times"][int(len(result["times"]) * share)] for share in (0.5, 0.99))
    return (
        f"{name:<34} {rate(result):7.0f}/s   x {rate(result) / bare:5.2f}   p50 {p50:6.1f}  p99 {p99:6.1f} ms"
    )


def campaign_at(folder: Path, address: str, *, n_segments: int, n_systems: int = 4) -> None:
    """A campaign with room for many judgements, of made-up texts."""
    folder.mkdir(exist_ok=True)
    rng = random.Random(7)  # noqa: S311
    words = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=rng.randint(2, 9))) for _ in range(5000)]
    for name in ("source", "reference", *(f"system{k}" for k in range(n_systems))):
        lines = (" ".join(rng.choices(words, k=18)) for _ in range(n_segments))
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    systems = "".join(
        f'[[systems]]\nname = "system{k}"\ntranslations = "system{k}.txt"\n' for k in range(n_systems)
    )
    (folder / "campaign.toml").write_text(
        f"""[campaign]
name = "load"
title = "Load"
protocol = "da"
attribute = "adequacy"
source_language = "en"
target_language = "en"
[texts]
source = "source.txt"
reference = "reference.txt"
{systems}
[rules]
unbegun_hits = 0
""",
        encoding="utf-8",
    )
    create(folder / "campaign.toml", address, now=datetime.now(UTC))


def tokens_of(campaign: OpenCampaign, n: int) -> list[str]:
    return [link.token for link in add_workers(campaign, n, base_url="", now=datetime.now(UTC))]


def fill(file: Path, n: int) -> None:
    """Stored judgements of workers who are done, written past the server: only their number matters here."""
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        hits = [row[0] for row in connection.execute("SELECT hit_id FROM hits ORDER BY number DESC")]
        placed = {
            hit: connection.execute(
                "SELECT position, item_id FROM hit_items WHERE hit_id = ? ORDER BY position", (hit,)
            ).fetchall()
            for hit in hits[:50]
        }
        connection.execute("BEGIN IMMEDIATE")
        done, number = 0, 0
        while done < n:
            hit = hits[number % 50]
            assignment, worker = f"filled-{number}", f"F{number // 50:05d}"
            number += 1
            if number % 50 == 1:
                connection.execute("INSERT INTO workers VALUES (?, ?, 1, FALSE, FALSE, FALSE)", (worker, now))
            connection.execute(
                "INSERT INTO assignments VALUES (?, ?, ?, 'submitted', ?, ?, NULL, NULL)",
                (assignment, hit, worker, now, now),
            )
            connection.executemany(
                """INSERT INTO judgements
                    VALUES (?, ?, ?, ?, '{"rating": 50}', 900, ?, NULL, NULL, 1, '', '', NULL)""",
                [(str(uuid.uuid4()), assignment, item, position, now) for position, item in placed[hit]],
            )
            done += len(placed[hit])
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def sqlite_figures(folder: Path, *, big: int) -> None:
    """Bare and ours on SQLite, by clients, by what is stored already, and with people who think."""
    plain = bare_endpoint(str(folder / "plain.db"), "plain")
    bare = bare_endpoint(str(folder / "bare.db"))
    print(shown("bare endpoint, plain uvicorn", plain, rate(bare)))
    print(shown("bare endpoint, uvloop, httptools", bare, rate(bare)))
    address = str(folder / "served.db")
    campaign_at(folder / "texts", address, n_segments=70_000)
    with open_campaign(address) as campaign:
        every = tokens_of(campaign, 2000)
    with serving(address) as host:
        for n_clients in (1, 8, N_CLIENTS, 200):
            result = load(host, every[:n_clients])
            print(shown(f"SQLite, {n_clients} clients", result, rate(bare)))
            if n_clients == N_CLIENTS:
                few = result
        thinking = load(host, every, think=8.0, seconds=50.0, settle=30.0)
        print(shown("SQLite, 2,000 who think for 8 s", thinking, rate(bare)))
    fill(Path(address), big)
    with serving(address) as host:
        many = load(host, every[200 : 200 + N_CLIENTS])
    print(shown(f"SQLite, {big:,} stored, {N_CLIENTS} clients", many, rate(bare)))
    print(f"{'at ' + format(big, ',') + ' stored, of the rate before':<34} {rate(many) / rate(few):7.2f}")


def postgresql_figures(folder: Path, address: str) -> None:
    """Bare and ours on PostgreSQL, with one process and with two."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE TABLE public.bare (id TEXT PRIMARY KEY, answer TEXT)")
        connection.execute("CREATE SCHEMA load")
    plain, bare = bare_endpoint(address, "plain"), bare_endpoint(address)
    print(shown("bare, PostgreSQL, plain uvicorn", plain, rate(bare)))
    print(shown("bare, PostgreSQL, uvloop, httptools", bare, rate(bare)))
    own = f"{address}{'&' if '?' in address else '?'}schema=load"
    campaign_at(folder / "texts", own, n_segments=20_000)
    with open_campaign(own) as campaign:
        every = tokens_of(campaign, 400)
    rates = []
    for processes in (1, 2):
        with serving(own, "--processes", str(processes)) as host:
            load(host, every[300:310], seconds=2.0)
            result = load(host, every[:N_CLIENTS])
            rates.append(rate(result))
            print(shown(f"PostgreSQL, {processes} process(es), {N_CLIENTS}", result, rate(bare)))
    print(f"{'two processes, of the rate of one':<34} {rates[1] / rates[0]:7.2f}")


def main() -> None:
    """Print submissions per second and their ratios to the bare endpoint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgresql", metavar="ADDRESS")
    parser.add_argument("--stored", type=int, default=1_000_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        sqlite_figures(Path(name), big=chosen.stored)
        if chosen.postgresql:
            postgresql_figures(Path(name), chosen.postgresql)


if __name__ == "__main__":
    main()
