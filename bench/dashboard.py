"""What the manager's dashboard costs the server at a million judgements, beside counting all of them anew."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from fastapi.testclient import TestClient

from steelyard.flows.create import create
from steelyard.flows.links import links
from steelyard.flows.open import open_campaign
from steelyard.protocols import protocols
from steelyard.web.app import create_app

N_JUDGEMENTS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
HIT_SIZE, N_WORKERS, N_OPEN = 100, 200, 100
N_LATER = 20
START = datetime(2026, 5, 1, tzinfo=UTC)

# What the dashboard read at every look before it remembered anything.
FULL_SCAN = (
    """SELECT a.worker_id, count(*), avg(j.shown_ms), max(j.submitted_at)
       FROM assignments a JOIN current_judgements j USING (assignment_id) GROUP BY a.worker_id""",
    """SELECT a.worker_id, count(*), count(a.submitted_at), sum(s.n) FROM assignments a
       JOIN (SELECT hit_id, count(*) AS n FROM hit_items GROUP BY hit_id) s USING (hit_id)
       GROUP BY a.worker_id""",
    """SELECT count(*), count(o.assignment_id), sum(s.n) FROM openings o
       JOIN (SELECT hit_id, count(*) AS n FROM hit_items GROUP BY hit_id) s USING (hit_id)""",
    """SELECT CAST(strftime('%s', submitted_at) AS BIGINT) / 60000, count(*)
       FROM current_judgements GROUP BY 1""",
)


def fill(database: Path, n_judgements: int) -> None:
    """More HITs for a fresh campaign, judged by many workers, and half of a HIT by some of them."""
    with closing(sqlite3.connect(database)) as connection:
        items = [row[0] for row in connection.execute("SELECT item_id FROM items ORDER BY item_id LIMIT 100")]
        n_hits = n_judgements // HIT_SIZE
        step = timedelta(days=30) / n_judgements
        moments = [
            (START + step * number).isoformat(timespec="microseconds") for number in range(n_judgements)
        ]
        numbers = range(n_hits + N_OPEN)
        workers = [f"X{number % N_WORKERS:04}" for number in numbers]

        def insert(table: str, columns: str, rows: Any) -> None:
            marks = ",".join("?" * (columns.count(",") + 1))
            connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)  # noqa: S608

        insert("workers", "worker_id, created_at", ((f"X{n:04}", moments[0]) for n in range(N_WORKERS)))
        insert("hits", "hit_id, round, number", ((f"X{n:06}", 1, 10_000 + n) for n in numbers))
        insert(
            "hit_items",
            "hit_id, position, item_id, group_number, is_padding",
            ((f"X{n:06}", place + 1, item, 1, 0) for n in numbers for place, item in enumerate(items)),
        )
        insert(
            "assignments",
            "assignment_id, hit_id, worker_id, status, accepted_at, submitted_at",
            (
                (f"A{n:06}", f"X{n:06}", workers[n], "submitted", moments[0], moments[-1])
                if n < n_hits
                else (f"A{n:06}", f"X{n:06}", workers[n - n_hits], "accepted", moments[-1], None)
                for n in numbers
            ),
        )
        insert(
            "openings",
            "opening_id, hit_id, assignment_id",
            ((10_000_000 + n, f"X{n:06}", f"A{n:06}") for n in numbers),
        )
        insert(
            "judgements",
            "judgement_id, assignment_id, item_id, position, answer, shown_ms, submitted_at",
            (
                (
                    f"J{n:09}",
                    f"A{n // HIT_SIZE:06}",
                    items[n % 100],
                    n % 100 + 1,
                    '{"rating": 50}',
                    9000,
                    moments[n],
                )
                for n in range(n_judgements)
            ),
        )
        insert(
            "judgements",
            "judgement_id, assignment_id, item_id, position, answer, shown_ms, submitted_at",
            (
                (f"K{n}-{place}", f"A{n:06}", items[place], place + 1, '{"rating": 50}', 9000, moments[-1])
                for n in numbers[n_hits:]
                for place in range(HIT_SIZE // 2)
            ),
        )
        connection.commit()


def seconds(do: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "campaign.toml").write_bytes((protocols()["da"].folder / "example.toml").read_bytes())
        create(folder / "campaign.toml", str(folder / "bench.db"), now=START)
        fill(folder / "bench.db", N_JUDGEMENTS)
        with closing(sqlite3.connect(folder / "bench.db")) as connection:

            def scan() -> None:
                for query in FULL_SCAN:
                    connection.execute(query).fetchall()

            scanned = median(seconds(scan) for _ in range(3))
        with open_campaign(str(folder / "bench.db")) as campaign:
            token = links(campaign, base_url="").manager_url.rpartition("/")[2]
            bearer = {"Authorization": f"Bearer {token}"}
            with TestClient(create_app(campaign)) as client:

                def look() -> None:
                    assert client.get("/api/v1/campaign", headers=bearer).status_code == 200

                first = seconds(look)
                later = median(seconds(look) for _ in range(N_LATER))
    print(f"{N_JUDGEMENTS:,} judgements of {N_WORKERS} workers, {N_OPEN} HITs open (SQLite)")
    print(f"first look at the dashboard {first:8.3f} s")
    print(f"each later look             {later:8.3f} s")
    print(f"counting everything anew    {scanned:8.3f} s, {scanned / later:.0f} times as long")


if __name__ == "__main__":
    main()
