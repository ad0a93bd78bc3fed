"""Several machines as processes on loopback: nginx (TLS, HTTP/2), two servers, PgBouncer, PostgreSQL.

    python bench/deploy.py [--workers 6] [--items 40]

Uses the files of `deploy/`, with ports and paths of this machine. Simulated people judge two campaigns of
one database through nginx, while one server is stopped in good order and started again. Every acknowledged
judgement must be stored once, in the campaign it was given in. Without one of the programs it says which.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from psycopg import sql

from steelyard.flows.links import add_workers
from steelyard.flows.open import open_campaign
from steelyard.protocols import protocols

DEPLOY = Path(__file__).parent.parent / "deploy"
NAMES = ("en-de", "de-en")
PASSWORD = "a password of this bench"  # noqa: S105 (of a database that lives for a minute)
SECRET = "a secret of this bench, and of nothing else"  # noqa: S105


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def program(name: str) -> str:
    folders = ["/usr/sbin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        sys.exit(f"{name} is missing: apt-get install postgresql pgbouncer nginx openssl")
    return found


@contextmanager
def running(command: list[str], log: Path, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for_port(port: int, log: Path) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"nothing answers at port {port}:\n{log.read_text()}")


def start_database(folder: Path, stack: ExitStack) -> tuple[int, int]:
    """PostgreSQL and PgBouncer with three connections; their ports."""
    owner = {"user": "postgres"} if os.geteuid() == 0 else {}
    port, pool_port = free_port(), free_port()
    (folder / "password").write_text(PASSWORD)
    initdb = [program("initdb"), "-D", f"{folder}/data", "-U", "steelyard", f"--pwfile={folder}/password"]
    subprocess.run([*initdb, "--auth=scram-sha-256"], check=True, capture_output=True, cwd=folder, **owner)
    settings = ["-p", str(port), "-h", "127.0.0.1", "-k", str(folder)]
    command = [program("postgres"), "-D", f"{folder}/data", *settings]
    stack.enter_context(running(command, folder / "postgres.log", cwd=folder, **owner))
    wait_for_port(port, folder / "postgres.log")
    for _ in range(100):
        try:
            with psycopg.connect(address(port, "postgres"), autocommit=True) as server:
                server.execute("CREATE DATABASE steelyard")
            break
        except psycopg.OperationalError:
            time.sleep(0.1)
    text = (DEPLOY / "pgbouncer.ini").read_text("utf-8")
    text = text.replace("host=db port=5432", f"host=127.0.0.1 port={port}")
    text = text.replace("listen_addr = 0.0.0.0", "listen_addr = 127.0.0.1")
    text = text.replace("= 6432", f"= {pool_port}").replace("/etc/pgbouncer", str(folder))
    # Few, so that servers and campaigns must share them.
    text = text.replace("default_pool_size = 20", "default_pool_size = 3")
    (folder / "pgbouncer.ini").write_text(text + "unix_socket_dir =\n")
    (folder / "userlist.txt").write_text(f'"steelyard" "{PASSWORD}"\n')
    stack.enter_context(
        running(
            [program("pgbouncer"), f"{folder}/pgbouncer.ini"], folder / "pgbouncer.log", cwd=folder, **owner
        )
    )
    wait_for_port(pool_port, folder / "pgbouncer.log")
    return port, pool_port


def address(port: int, name: str = "steelyard") -> str:
    return f"postgresql://steelyard:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{port}/{name}"


def start_nginx(folder: Path, servers: list[int], stack: ExitStack) -> int:
    port = free_port()
    certificate = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    files = ["-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem"]
    subprocess.run([program("openssl"), "req", *certificate, *files], check=True, capture_output=True)
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    for number, server in enumerate(servers, start=1):
        text = text.replace(f"app-{number}:8000", f"127.0.0.1:{server}")
    text = text.replace("listen 443", f"listen 127.0.0.1:{port}").replace("/etc/ssl/steelyard", str(folder))
    text = text.replace("/run/nginx.pid", f"{folder}/nginx.pid").replace("/var/log/nginx", str(folder))
    # Everybody here has the same address.
    text = text.replace("rate=100r/s", "rate=10000r/s")
    (folder / "nginx.conf").write_text(text)
    command = [program("nginx"), "-c", f"{folder}/nginx.conf", "-p", str(folder), "-g", "daemon off;"]
    stack.enter_context(running(command, folder / "nginx.log"))
    wait_for_port(port, folder / "nginx.log")
    return port


def judge(url: str, name: str, token: str, n_items: int) -> list[tuple[str, str]]:
    """Judge some items as one worker, trying again while a server is away; what was acknowledged."""
    given = []
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(
        base_url=f"{url}/c/{name}/api/v1", headers=headers, verify=False, trust_env=False, timeout=30
    ) as client:
        view = post(client, "/work/next", None)
        for _ in range(n_items):
            if view.get("finished"):
                break
            body = {
                "judgement_id": str(uuid.uuid4()),
                "assignment_id": view["assignment_id"],
                "item_id": view["item"]["item_id"],
                "answer": {"rating": 50},
                "shown_ms": 900,
            }
            view = post(client, "/work/judgements", body)["next"]
            given.append((name, body["judgement_id"]))
    return given


def post(client: httpx2.Client, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
    for _ in range(200):
        try:
            reply = client.post(path, json=body)
        except httpx2.TransportError:
            time.sleep(0.1)
            continue
        if reply.status_code < 300:
            answer: dict[str, Any] = reply.json()
            return answer
        if reply.status_code not in (429, 502, 503, 504):
            sys.exit(f"{path}: {reply.status_code} {reply.text}")
        time.sleep(0.1)
    sys.exit(f"{path}: no answer")


def create_campaigns(folder: Path, pool: str) -> None:
    files = folder / "campaigns"
    files.mkdir()
    for name in NAMES:
        text = (protocols()["da"].folder / "example.toml").read_text("utf-8")
        text = text.replace("hit_size = 100", "hit_size = 50")
        first = next(line for line in text.splitlines() if line.startswith("name = "))
        (files / f"{name}.toml").write_text(text.replace(first, f'name = "{name}"'), "utf-8")
    subprocess.run([sys.executable, "-m", "steelyard", "create", str(files), "--db", pool], check=True)


def server_command(pool: str, port: int, url: str) -> list[str]:
    options = ["--port", str(port), "--url", url, "--trusted-proxy", "127.0.0.1", "--log", "json"]
    options += ["--requests-per-second", "0"]
    return [sys.executable, "-m", "steelyard", "serve", pool, *options]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--items", type=int, default=40)
    options = parser.parse_args()
    for name in ("initdb", "postgres", "pgbouncer", "nginx", "openssl"):
        program(name)
    os.environ["STEELYARD_SECRET"] = SECRET
    folder = Path(tempfile.mkdtemp(prefix="steelyard-deploy-"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    try:
        with ExitStack() as stack:
            run(folder, stack, options.workers, options.items)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(folder: Path, stack: ExitStack, n_workers: int, n_items: int) -> None:
    direct_port, pool_port = start_database(folder, stack)
    pool = address(pool_port)
    create_campaigns(folder, pool)
    ports = [free_port(), free_port()]
    nginx_port = start_nginx(folder, ports, stack)
    url = f"https://127.0.0.1:{nginx_port}/eval"
    logs = [folder / f"server-{number}.log" for number in (1, 2)]
    stays = stack.enter_context(running(server_command(pool, ports[0], url), logs[0]))
    restarted = ExitStack()
    restarted.enter_context(running(server_command(pool, ports[1], url), logs[1]))
    for port, log in zip(ports, logs, strict=True):
        wait_for_port(port, log)
    people = []
    for name in NAMES:
        with open_campaign(f"{pool}?schema={name}") as campaign:
            added = add_workers(campaign, n_workers, base_url="", now=datetime.now(UTC))
            people += [(name, worker.token) for worker in added]
    began = time.monotonic()
    with ThreadPoolExecutor(len(people)) as threads:
        judging = [threads.submit(judge, url, name, token, n_items) for name, token in people]
        time.sleep(1)
        restarted.close()
        stack.enter_context(running(server_command(pool, ports[1], url), logs[1]))
        given = [each for result in judging for each in result.result()]
    took = time.monotonic() - began
    assert stays.poll() is None
    with psycopg.connect(address(direct_port)) as database:
        stored = [
            (name, str(row[0]))
            for name in NAMES
            for row in database.execute(
                sql.SQL("SELECT judgement_id FROM {}.judgements").format(sql.Identifier(name))
            ).fetchall()
        ]
        n_connections = database.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'steelyard' AND pid <> pg_backend_pid()"
        ).fetchone()
    with httpx2.Client(verify=False, trust_env=False, http2=False) as client:
        assert client.get(f"{url}/readyz").text == "ok"
    lines = [json.loads(line) for log in logs for line in log.read_text().splitlines() if line[:1] == "{"]
    assert n_connections is not None
    print(
        f"{len(given)} judgements acknowledged through nginx in {took:.1f} s, one server restarted meanwhile"
    )
    print(f"{len(set(given) - set(stored))} lost, {len(stored) - len(set(stored))} twice")
    print(f"{len(set(stored) - set(given))} stored without an acknowledgement, or in another campaign")
    print(f"{n_connections[0]} connections of PostgreSQL for 2 servers of 2 campaigns")
    tokens = [token for _, token in people]
    everything = "".join(log.read_text() for log in [*logs, *folder.glob("*.log")])
    print(f"{len(lines)} lines of log, {sum(token in everything for token in tokens)} tokens in any log")
    if set(given) != set(stored):
        sys.exit("FAILED")


if __name__ == "__main__":
    main()
