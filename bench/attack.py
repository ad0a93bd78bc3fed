"""An attacker on loopback: half-open connections, and one address that wants every HIT. Ends by itself.

It prints how long others wait for a reply while 400 connections hold half a request, when those are closed,
and how many HITs one address gets by joining again and again.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2

from steelyard.protocols import protocols

N_CONNECTIONS = 400
N_LOOKS = 100
N_TRIES = 200


@contextmanager
def serving(database: Path) -> Iterator[tuple[str, str]]:
    """The address of a server, and the token of its open link."""
    command = [sys.executable, "-m", "steelyard", "serve", str(database), "--port", "0", "--print-links"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            base_url = token = ""
            while not token:
                line = server.stdout.readline()
                base_url = base_url or "".join(re.findall(r"http://[^\s/]+", line)[:1])
                token = "".join(re.findall(r"/join/(\S+)", line))
            yield base_url, token
        finally:
            server.terminate()


def looks(client: httpx2.Client) -> str:
    times = []
    for _ in range(N_LOOKS):
        start = time.perf_counter()
        client.get("/healthz").raise_for_status()
        times.append(1000 * (time.perf_counter() - start))
    times.sort()
    return f"p50 {times[len(times) // 2]:.1f} ms, p99 {times[-2]:.1f} ms"


def hold_half_requests(base_url: str, client: httpx2.Client) -> None:
    host, _, port = base_url.removeprefix("http://").partition(":")
    print(f"/healthz alone: {looks(client)}")
    with ExitStack() as stack:
        start = time.perf_counter()
        callers = [
            stack.enter_context(socket.create_connection((host, int(port)))) for _ in range(N_CONNECTIONS)
        ]
        for caller in callers:
            caller.sendall(b"GET / HTTP/1.1\r\nX-Half: ")
        print(f"/healthz beside {N_CONNECTIONS} half-open connections: {looks(client)}")
        for caller in callers:
            caller.settimeout(30)
            try:
                caller.recv(1)
            except ConnectionResetError:
                continue
        print(f"all of them closed after {time.perf_counter() - start:.1f} s")


def take_all(client: httpx2.Client, token: str) -> None:
    taken = joined = 0
    start = time.perf_counter()
    for _ in range(N_TRIES):
        reply = client.post("/api/v1/join", headers={"Authorization": f"Bearer {token}"})
        if reply.status_code == 201:
            joined += 1
            worker = {"Authorization": f"Bearer {reply.json()['token']}"}
            taken += client.post("/api/v1/work/next", headers=worker).status_code == 200
    seconds = time.perf_counter() - start
    print(f"{N_TRIES} tries in {seconds:.1f} s: {joined} joined, {taken} HITs taken")


def main() -> None:
    """Attack a server of the example campaign."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "attack.db"
        example = protocols()["da"].folder / "example.toml"
        subprocess.run(
            [sys.executable, "-m", "steelyard", "create", str(example), "--db", str(database)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with (
            serving(database) as (base_url, token),
            httpx2.Client(base_url=base_url, trust_env=False, timeout=30) as client,
        ):
            hold_half_requests(base_url, client)
            take_all(client, token)


if __name__ == "__main__":
    main()
