"""What managers cost those who judge: submissions per second beside a dashboard, an analysis and downloads.

One run on one campaign of a million stored judgements (SQLite): the rate alone, with a manager who watches
the dashboard while an analysis runs, and with four downloads at once; then how soon `/healthz` answers under
200 clients, how long a look at the dashboard takes, and how much memory an export and an analysis need.
`--small` is for a try. The stored ratings are all alike, so nobody passes a check: the analysis is that of
mean ratings without one. What it reads is the same, what it computes is less than by the usual method.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from steelyard.flows.links import links
from steelyard.flows.open import open_campaign
from submissions import campaign_at, fill, load, rate, serving, tokens_of

N_CLIENTS, N_MANY, N_DOWNLOADS, N_LOOKS = 50, 200, 4, 10
POLL_SECONDS, PROBE_SECONDS = 3.0, 0.05
LONGEST_SECONDS = 600.0


def fetch(host: str, token: str, path: str) -> int:
    """One request over a connection of its own; the size of the reply, which is not kept."""
    name, port = host.rsplit(":", 1)
    with socket.create_connection((name, int(port)), timeout=LONGEST_SECONDS) as connection:
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
        connection.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
        first = connection.recv(65536)
        assert first.startswith(b"HTTP/1.1 200"), first[:200]
        size = len(first)
        while more := connection.recv(1 << 20):
            size += len(more)
        return size


@contextmanager
def meanwhile(*acts: Callable[[], object], pause: float = 0.0) -> Iterator[list[float]]:
    """Each of these again and again, in a thread of its own, until the block ends; the seconds of each."""
    ends, times = threading.Event(), list[float]()
    failed: list[Exception] = []

    def repeat(act: Callable[[], object]) -> None:
        while not ends.is_set():
            begin = time.perf_counter()
            try:
                act()
            except Exception as error:
                failed.append(error)
                return
            times.append(time.perf_counter() - begin)
            ends.wait(pause)

    threads = [threading.Thread(target=repeat, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    try:
        yield times
    finally:
        ends.set()
        for thread in threads:
            thread.join()
    # A figure beside something that did not run would say nothing.
    if failed:
        raise failed[0]


def peak_megabytes(*command: str) -> float:
    """The most memory that a command of ours had at once."""
    with subprocess.Popen(
        [sys.executable, "-m", "steelyard", *command], stdout=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return used.ru_maxrss / 1024


def rates(host: str, manager: str, tokens: list[str], seconds: float) -> None:
    """Submissions per second, alone and beside what managers do."""

    def get(path: str) -> Callable[[], int]:
        return lambda: fetch(host, manager, path)

    def judged() -> float:
        return rate(load(host, tokens[:N_CLIENTS], seconds=seconds))

    begin = time.perf_counter()
    get("/api/v1/campaign")()
    print(f"first look at the dashboard             {time.perf_counter() - begin:8.2f} s")
    alone = judged()
    print(f"submissions, {N_CLIENTS} clients, nothing else     {alone:8.0f}/s")
    with (
        meanwhile(get("/api/v1/analysis?method=mean-rating&check=none")),
        meanwhile(get("/api/v1/campaign"), pause=POLL_SECONDS) as looks,
    ):
        busy = judged()
    print(f"  beside a dashboard and an analysis    {busy:8.0f}/s   x {busy / alone:.2f}")
    print(f"  a look at the dashboard meanwhile     {median(looks):8.2f} s")
    with meanwhile(*[get("/api/v1/judgements.csv")] * N_DOWNLOADS):
        busy = judged()
    print(f"  beside {N_DOWNLOADS} downloads of all judgements  {busy:8.0f}/s   x {busy / alone:.2f}")
    with meanwhile(get("/healthz"), pause=PROBE_SECONDS) as probes:
        load(host, tokens, seconds=seconds)
    slowest = sorted(probes)[int(0.99 * len(probes))]
    print(f"/healthz under {N_MANY} clients, p99           {1000 * slowest:8.1f} ms")
    times = []
    for _ in range(N_LOOKS):
        begin = time.perf_counter()
        get("/api/v1/campaign")()
        times.append(time.perf_counter() - begin)
    print(f"later looks at the dashboard            {median(times):8.2f} s")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgements", type=int, default=1_000_000)
    parser.add_argument("--small", action="store_true", help="20,000 judgements, two seconds each")
    chosen = parser.parse_args()
    n, seconds = (20_000, 2.0) if chosen.small else (chosen.judgements, 15.0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = str(folder / "managers.db")
        campaign_at(folder / "texts", address, n_segments=2_000 if chosen.small else 20_000)
        with open_campaign(address) as campaign:
            tokens = tokens_of(campaign, N_MANY)
            manager = links(campaign, base_url="").manager_url.rpartition("/")[2]
        fill(folder / "managers.db", n)
        print(f"{n:,} judgements stored (SQLite)")
        with serving(address) as host:
            rates(host, manager, tokens, seconds)
        for verb, *more in (
            ("export", "--to", str(folder / "out.csv")),
            ("analyse", "--method", "mean-rating", "--check", "none"),
        ):
            print(f"most memory of {verb:<24} {peak_megabytes(verb, address, *more):8.0f} MB")


if __name__ == "__main__":
    main()
