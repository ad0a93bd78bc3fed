"""Break things under load: is every acknowledged judgement stored, once, with the answer that was given?

Workers made of bare sockets judge and, like browsers, send an answer again until it is acknowledged.
Meanwhile a server, its processes, database, disk or connections break. Then what is stored is read
without our code.

    .venv/bin/python bench/faults.py                           everything breaks 20 times
    .venv/bin/python bench/faults.py --times 3 --only "kill"   some things break three times

It needs PostgreSQL's programs. Full disks are small file systems in memory, which only root can mount.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg

from steelyard.cli.main import COMMANDS, run

SYSTEMS = ("brass", "copper", "tin")
WORDS = [
    "the",
    "scale",
    "hangs",
    "level",
    "while",
    "a",
    "weight",
    "slides",
    "along",
    "its",
    "arm",
    "and",
    "stops",
]
N_WORKERS = 12
# Seconds after which something that should have happened has not.
PATIENCE = 60.0
PAUSE = 0.05
# Answers given beyond those that are waited for, so that faults meet some under way.
MORE = 60
STORED = "SELECT judgement_id, assignment_id, position, answer FROM judgements"


@dataclass
class Record:
    """What the workers saw."""

    sent: dict[str, int] = field(default_factory=dict)
    acknowledged: dict[str, int] = field(default_factory=dict)
    replies: Counter[int] = field(default_factory=Counter)
    n_unknown: int = 0
    troubles: list[str] = field(default_factory=list)


class Load:
    """Workers who judge, in a thread of their own, until they are stopped or nothing is left."""

    def __init__(self, port: int, tokens: list[str]) -> None:
        self.record = Record()
        self.hang_ups = 0.0
        self.port, self._tokens = port, tokens
        self._stopping = False
        self._goal = MORE
        self._thread = threading.Thread(target=lambda: asyncio.run(self._work_all()))

    def __enter__(self) -> Load:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._thread.join()

    def wait_for(self, n: int, what: str = "acknowledged") -> None:
        """Until so many more answers are acknowledged, or refused with 503, or answered in any way."""
        counts = {
            "acknowledged": lambda: len(self.record.acknowledged),
            "refused": lambda: self.record.replies[503],
            "answered": self.record.replies.total,
        }
        count = counts[what]
        wanted, deadline = count() + n, time.monotonic() + PATIENCE
        self._goal = len(self.record.acknowledged) + n + MORE
        while count() < wanted:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise AssertionError(f"not {n} more are {what}: {self.record.replies}")
            time.sleep(0.005)

    async def _work_all(self) -> None:
        await asyncio.gather(*(Worker(self, token).work() for token in self._tokens))

    @property
    def is_stopping(self) -> bool:
        return self._stopping

    @property
    def is_resting(self) -> bool:
        """Whether enough is judged for now: the work must last."""
        return len(self.record.acknowledged) >= self._goal and not self._stopping


class Worker:
    """One browser: a connection, and the answer that is not acknowledged yet."""

    def __init__(self, load: Load, token: str) -> None:
        self._load, self._token = load, token
        self._rng = random.Random(token)  # noqa: S311 (habits, no secrets)
        self._pending: dict[str, Any] | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._is_done = False

    async def work(self) -> None:
        """Judge until done or stopped."""
        while not (self._is_done or self._load.is_stopping):
            if self._load.is_resting:
                await asyncio.sleep(0.002)
                continue
            try:
                status, content = await self._ask()
            except (OSError, EOFError, TimeoutError, ValueError):
                # Nobody knows whether it was stored: it is sent again.
                self._load.record.n_unknown += 1
                self._hang_up()
                status, content = 0, None
            self._load.record.replies[status] += 1
            if status in (200, 201):
                self._go_on(content)
            else:
                self._is_done = status not in (0, 409, 429, 503)
                if self._is_done:
                    self._load.record.troubles.append(f"{status}: {content}")
                self._pending = None if status == 409 else self._pending
                await asyncio.sleep(PAUSE)
        self._hang_up()

    async def _ask(self) -> tuple[int, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._load.port)
        request = _request("judgements" if self._pending else "next", self._token, self._pending)
        if self._rng.random() < self._load.hang_ups:
            # In the middle of the request, or before the reply.
            self._streams[1].write(request[: self._rng.choice([len(request) // 2, len(request)])])
            await self._streams[1].drain()
            raise ConnectionError
        async with asyncio.timeout(20):
            return await _exchange(self._streams, request)

    def _hang_up(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None

    def _go_on(self, content: Any) -> None:
        """Note what is acknowledged, and answer the next item, if there is one."""
        view, answered = content, self._pending
        if answered is not None:
            self._load.record.acknowledged[answered["judgement_id"]] = answered["answer"]["rating"]
            view = content["next"]
        if view.get("finished"):
            # After the last item of a HIT there may be another HIT.
            self._pending, self._is_done = None, answered is None
            return
        judgement_id, rating = str(uuid.uuid4()), self._rng.randint(0, 100)
        self._load.record.sent[judgement_id] = rating
        self._pending = {
            "judgement_id": judgement_id,
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": {"rating": rating},
            "shown_ms": 4000,
        }


def _request(path: str, token: str, content: Any) -> bytes:
    body = b"" if content is None else json.dumps(content).encode()
    head = (
        f"POST /api/v1/work/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _exchange(
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter], request: bytes
) -> tuple[int, Any]:
    reader, writer = streams
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].split()[0])
    return int(head.split()[1]), json.loads(await reader.readexactly(length))


class Server:
    """`steelyard serve` at one port, to be killed and started again."""

    def __init__(self, address: str, folder: Path, *, processes: int = 1) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._command = [sys.executable, "-m", "steelyard", "serve", address, "--port", str(self.port)]
        self._command += ["--processes", str(processes), "--requests-per-second", "0"]
        self._log = folder / "server.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and wait until it answers."""
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(self._command, stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while self.status("/healthz") != 200:
            is_up = time.monotonic() < deadline and self.process.poll() is None
            assert is_up, f"the server does not start:\n{self._log.read_text()[-2000:]}"
            time.sleep(PAUSE)

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send the signal and wait for the end; returns the exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def children(self) -> list[int]:
        """Processes that serve for this one."""
        assert self.process is not None
        listed = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(self.process.pid)]
        lines = subprocess.run(listed, capture_output=True, text=True, check=False).stdout.splitlines()
        return [int(line.split()[0]) for line in lines if "spawn_main" in line]

    def status(self, path: str, token: str = "") -> int:
        """The status of a GET; 0 if nobody answers."""
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n"
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
                connection.sendall(request.encode())
                return int(connection.recv(1000).split()[1])
        except (OSError, IndexError):
            return 0

    def wait_until(self, status: int, path: str) -> None:
        """Wait for a GET to give this status; AssertionError if it never does."""
        deadline = time.monotonic() + PATIENCE
        while self.status(path) != status:
            assert time.monotonic() < deadline, f"{path} never gives {status}"
            time.sleep(PAUSE)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill(signal.SIGTERM)


class Cluster:
    """A PostgreSQL server in a folder."""

    def __init__(self, folder: Path, *, settings: tuple[str, ...] = ()) -> None:
        self.folder, self._settings = folder, settings
        self._user = "postgres" if os.getuid() == 0 else None
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        self._programs = found[-1] if found else Path(shutil.which("initdb") or "initdb").parent
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
        if self._user:
            shutil.chown(folder, self._user)

    def run(self, program: str, *options: str | Path) -> None:
        """Run one of PostgreSQL's programs; its output only matters if it fails."""
        with (self.folder / "programs.log").open("ab") as log:
            command = [self._programs / program, *options]
            subprocess.run(command, cwd=self.folder, user=self._user, stdout=log, stderr=log, check=True)

    def make(self) -> None:
        self.run("initdb", "-D", self.folder / "data", "-U", "postgres", "--auth=trust", "--wal-segsize=1")

    def start(self) -> None:
        given = ["listen_addresses=", f"unix_socket_directories={self.folder}", *self._settings]
        options = " ".join(f"-c {setting}" for setting in given)
        self.run(
            "pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o", options, "start"
        )

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", self.folder / "data", "-w", "-m", mode, "stop")

    def is_running(self) -> bool:
        with suppress(psycopg.Error), psycopg.connect(self.address("postgres")):
            return True
        return False

    def address(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(statement)


@dataclass(frozen=True)
class Place:
    """Where a campaign is served, and what can break there."""

    address: str
    folder: Path
    processes: int = 1
    cluster: Cluster | None = None
    standby: Cluster | None = None


@dataclass(frozen=True)
class Stage:
    """A server under load, at a place."""

    server: Server
    load: Load
    times: int
    manager: str
    place: Place


Fault = Callable[[Stage], None]


def kill_server(stage: Stage) -> None:
    """kill -9 of the server."""
    for _ in range(stage.times):
        stage.load.wait_for(30)
        stage.server.kill()
        stage.server.start()


def kill_child(stage: Stage) -> None:
    """kill -9 of one of two server processes, which must be replaced."""
    for _ in range(stage.times):
        stage.load.wait_for(30)
        before = stage.server.children()
        os.kill(before[-1], signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while len(set(stage.server.children()) - {before[-1]}) < len(before):
            assert time.monotonic() < deadline, "the process was not replaced"
            time.sleep(PAUSE)
    stage.load.wait_for(30)


def kill_parent(stage: Stage) -> None:
    """kill -9 of the parent of two server processes, which must not go on."""
    for _ in range(stage.times):
        stage.load.wait_for(30)
        orphans = stage.server.children()
        stage.server.kill()
        deadline = time.monotonic() + PATIENCE
        while any(Path(f"/proc/{orphan}").exists() for orphan in orphans):
            assert time.monotonic() < deadline, "an orphan goes on serving"
            time.sleep(PAUSE)
        stage.server.start()


def kill_analyst(stage: Stage) -> None:
    """kill -9 of the process that answers managers: workers do not notice, and managers get another."""
    for _ in range(stage.times):
        stage.load.wait_for(30)
        assert stage.server.status("/api/v1/analysis?check=none", stage.manager) == 200
        [analyst] = stage.server.children()
        os.kill(analyst, signal.SIGKILL)
    assert stage.server.status("/api/v1/analysis?check=none", stage.manager) == 200
    assert not stage.load.record.n_unknown, "workers noticed"


def terminate(stage: Stage) -> None:
    """SIGTERM: requests under way are answered, the exit code is 0."""
    for _ in range(stage.times):
        stage.load.wait_for(30)
        code = stage.server.kill(signal.SIGTERM)
        assert code == 0, f"the server ended with {code}"
        stage.server.start()


def hang_up(stage: Stage) -> None:
    """Clients that leave in the middle of a request or before the reply."""
    stage.load.hang_ups = 0.3
    stage.load.wait_for(20 * stage.times)
    stage.load.hang_ups = 0.0


def half_open(stage: Stage) -> None:
    """200 connections that begin a request and never finish it."""
    request = _request("next", "nobody", {"never": "ends"})
    with ExitStack() as stack:
        for number in range(200):
            connection = socket.create_connection(("127.0.0.1", stage.server.port))
            stack.callback(connection.close)
            connection.sendall(request[: -5 if number % 2 else 40])
        stage.load.wait_for(20 * stage.times)


def move_file(stage: Stage) -> None:
    """The database file moved away and back."""
    file = Path(stage.place.address)
    elsewhere = file.with_name("elsewhere.db")
    for _ in range(stage.times):
        stage.load.wait_for(30)
        file.rename(elsewhere)
        stage.load.wait_for(5, "refused")
        assert stage.server.status("/readyz") == 503
        assert stage.server.status("/healthz") == 200
        elsewhere.rename(file)


def replace_file(stage: Stage) -> None:
    """Another file in the place of the database: refused until the server is started again."""
    file = Path(stage.place.address)
    elsewhere = file.with_name("elsewhere.db")
    for _ in range(stage.times):
        stage.load.wait_for(30)
        file.rename(elsewhere)
        shutil.copy(elsewhere, file)
        stage.load.wait_for(5, "refused")
        elsewhere.replace(file)
        stage.load.wait_for(5, "refused")
        stage.server.kill(signal.SIGTERM)
        stage.server.start()


def fill_disk(stage: Stage) -> None:
    """A disk that is full for a while."""
    filler = stage.place.folder / "filler"
    for _ in range(stage.times):
        stage.load.wait_for(30)
        with suppress(OSError), filler.open("wb") as file:
            while True:
                file.write(bytes(4096))
                file.flush()
        # SQLite goes on for as long as it can write over what its log has got already.
        stage.load.wait_for(5, "answered")
        # PostgreSQL may be up for moments, until it finds its disk full again.
        stage.server.wait_until(503, "/readyz")
        filler.unlink()
        if stage.place.cluster is not None and not stage.place.cluster.is_running():
            with suppress(subprocess.CalledProcessError):
                stage.place.cluster.stop("immediate")
            stage.place.cluster.start()
    stage.load.wait_for(30)


def end_connections(stage: Stage) -> None:
    """pg_terminate_backend of every connection."""
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(stage.place.address, autocommit=True) as connection:
        for _ in range(stage.times):
            stage.load.wait_for(30)
            connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")  # noqa: S608


def restart_fast(stage: Stage) -> None:
    """PostgreSQL stopped and started."""
    _restart(stage, "fast")


def restart_at_once(stage: Stage) -> None:
    """PostgreSQL stopped as by a crash, and started."""
    _restart(stage, "immediate")


def _restart(stage: Stage, mode: str) -> None:
    assert stage.place.cluster is not None
    for _ in range(stage.times):
        stage.load.wait_for(30)
        stage.place.cluster.stop(mode)
        stage.load.wait_for(3, "refused")
        assert stage.server.status("/readyz") == 503
        stage.place.cluster.start()


def fail_over(stage: Stage) -> None:
    """The primary crashes; its synchronous standby takes over."""
    assert stage.place.cluster is not None
    assert stage.place.standby is not None
    stage.load.wait_for(100)
    stage.place.cluster.stop("immediate")
    stage.load.wait_for(3, "refused")
    stage.place.standby.run("pg_ctl", "-D", stage.place.standby.folder / "data", "-w", "promote")
    stage.load.wait_for(100)


ON_BOTH: dict[str, Fault] = {
    "kill -9 server": kill_server,
    "kill -9 one of two processes": kill_child,
    "kill -9 parent of two": kill_parent,
    "kill -9 analyst": kill_analyst,
    "SIGTERM": terminate,
    "clients hang up": hang_up,
    "half-open connections": half_open,
    "disk full": fill_disk,
}
ON_SQLITE: dict[str, Fault] = {"file moved away and back": move_file, "another file": replace_file}
ON_POSTGRESQL: dict[str, Fault] = {
    "connections terminated": end_connections,
    "PostgreSQL restarted": restart_fast,
    "PostgreSQL crashed": restart_at_once,
    "fail-over to a standby": fail_over,
}
WITH_TWO_PROCESSES = (kill_child, kill_parent)
# In memory, for full disks: large enough for PostgreSQL's own files.
MIB_OF_DISK = {"sqlite": 32, "postgresql": 160}


@dataclass(frozen=True)
class Outcome:
    """What became of the judgements. `problems`: everything that should not have happened."""

    n_acknowledged: int
    n_lost: int
    n_twice: int
    problems: tuple[str, ...] = ()


def on_sqlite(fault: Fault, folder: Path, *, times: int) -> Outcome:
    """One fault on a SQLite file."""
    with ExitStack() as stack:
        if fault is fill_disk:
            stack.enter_context(small_disk(folder, "sqlite"))
        place = Place(str(folder / "faults.db"), folder, processes=1 + (fault in WITH_TWO_PROCESSES))
        return under_load(fault, place, make_campaign(folder, place.address), times=times)


def on_postgresql(fault: Fault, folder: Path, *, times: int) -> Outcome:
    """One fault on a PostgreSQL server of its own."""
    with ExitStack() as stack:
        if fault is fill_disk:
            stack.enter_context(small_disk(folder, "postgresql"))
        cluster = Cluster(folder / "primary")
        cluster.make()
        cluster.start()
        stack.callback(lambda: cluster.is_running() and cluster.stop("immediate"))
        cluster.execute("CREATE DATABASE evaluation")
        address, standby = cluster.address("evaluation"), None
        tokens = make_campaign(folder, address)
        if fault is fail_over:
            standby = stack.enter_context(standby_of(cluster, folder / "standby"))
            address = f"postgresql://postgres@/evaluation?host={cluster.folder},{standby.folder}"
            address += "&target_session_attrs=read-write"
        place = Place(address, folder, 1 + (fault in WITH_TWO_PROCESSES), cluster, standby)
        return under_load(fault, place, tokens, times=times)


def under_load(fault: Fault, place: Place, tokens: tuple[str, list[str]], *, times: int) -> Outcome:
    """Let something break while workers judge, and see what is stored in the end."""
    manager, workers = tokens
    server = Server(place.address, place.folder, processes=place.processes)
    try:
        server.start()
        with Load(server.port, workers) as load:
            fault(Stage(server, load, times, manager, place))
    finally:
        server.stop()
    return outcome_of(load.record, stored_at(place.address), place.address)


def stored_at(address: str) -> list[Any]:
    """What is stored, read without our code."""
    if "://" in address:
        with psycopg.connect(address) as server:
            return server.execute(STORED).fetchall()
    with closing(sqlite3.connect(address)) as file:
        return file.execute(STORED).fetchall()


@contextmanager
def standby_of(primary: Cluster, folder: Path) -> Iterator[Cluster]:
    """A standby that has everything which is acknowledged."""
    standby = Cluster(folder)
    copied = ("-h", primary.folder, "-U", "postgres", "-D", folder / "data", "-R", "--checkpoint=fast")
    standby.run("pg_basebackup", *copied)
    standby.start()
    try:
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        yield standby
    finally:
        standby.stop("immediate")


@contextmanager
def small_disk(folder: Path, kind: str) -> Iterator[None]:
    """A small file system in memory at a folder."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={MIB_OF_DISK[kind]}m", "tmpfs", folder]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise PermissionError("only root can mount a small disk") from None
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=False)


def outcome_of(record: Record, rows: list[Any], address: str) -> Outcome:
    """Compare what was acknowledged with what is stored."""
    stored = {}
    for judgement_id, _, _, answer in rows:
        stored[judgement_id] = (json.loads(answer) if isinstance(answer, str) else answer)["rating"]
    lost = [one for one, rating in record.acknowledged.items() if stored.get(one) != rating]
    places = Counter((assignment_id, position) for _, assignment_id, position, _ in rows)
    problems = list(record.troubles[:3])
    if any(record.sent.get(one) != rating for one, rating in stored.items()):
        problems.append("something is stored that nobody sent")
    problems += found_by_verify(address)
    return Outcome(len(record.acknowledged), len(lost), len(rows) - len(places), tuple(problems))


def found_by_verify(address: str) -> list[str]:
    """What `steelyard verify` finds, if anything."""
    if "verify" not in COMMANDS:
        return []
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "verify", address], capture_output=True, text=True, check=False
    )
    return [] if done.returncode == 0 else [f"verify: {(done.stderr or done.stdout).strip()[:200]}"]


def run_steelyard(*arguments: str | Path) -> None:
    """Run a command, quietly; RuntimeError if it fails."""
    with redirect_stdout(StringIO()):
        code = run([str(argument) for argument in arguments])
    if code:
        raise RuntimeError(f"steelyard {arguments[0]} failed ({code})")


def make_campaign(folder: Path, address: str, *, n_segments: int = 700) -> tuple[str, list[str]]:
    """A campaign of three systems in short HITs; returns the tokens of its manager and of its workers."""
    for name in ("source", "reference", *SYSTEMS):
        rng = random.Random(name)  # noqa: S311 (texts, no secrets)
        lines = [f"{name} {number} {' '.join(rng.sample(WORDS, 9))}" for number in range(n_segments)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    systems = "".join(f'[[systems]]\nname = "{name}"\ntranslations = "{name}.txt"\n' for name in SYSTEMS)
    (folder / "campaign.toml").write_text(
        '[campaign]\nname = "faults"\ntitle = "Faults"\nprotocol = "da"\nattribute = "adequacy"\n'
        'source_language = "de"\ntarget_language = "en"\n'
        '[texts]\nsource = "source.txt"\nreference = "reference.txt"\n'
        f"{systems}[design]\nhit_size = 20\nratings_per_item = 12\n[design.quota]\ndegraded = 5\n",
        "utf-8",
    )
    run_steelyard("create", folder / "campaign.toml", "--db", address)
    more = ("--base-url", "http://127.0.0.1", "--json", folder / "links.json")
    run_steelyard("links", address, "--add", str(N_WORKERS), *more)
    links = json.loads((folder / "links.json").read_text("utf-8"))
    manager, *workers = [links["manager_url"], *(worker["url"] for worker in links["workers"])]
    return manager.rpartition("/")[2], [url.rpartition("/")[2] for url in workers]


def main() -> None:
    """Break everything in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=20, help="how often each thing breaks")
    parser.add_argument("--only", default="", help="faults whose names contain this")
    parser.add_argument("--on", choices=["sqlite", "postgresql"], help="one database only")
    chosen = parser.parse_args()
    plan = [("sqlite", on_sqlite, {**ON_BOTH, **ON_SQLITE})] * (chosen.on != "postgresql")
    plan += [("postgresql", on_postgresql, {**ON_BOTH, **ON_POSTGRESQL})] * (chosen.on != "sqlite")
    print(f"{'fault':30} {'database':11} {'acknowledged':>12} {'lost':>5} {'twice':>5}")
    failed = False
    for database, broken, faults in plan:
        for name, fault in faults.items():
            if chosen.only not in name:
                continue
            with tempfile.TemporaryDirectory() as folder:
                Path(folder).chmod(0o755)
                try:
                    outcome = broken(fault, Path(folder), times=chosen.times)
                except PermissionError as error:
                    print(f"{name:30} {database:11} left out: {error}", flush=True)
                    continue
            counts = f"{outcome.n_acknowledged:12,} {outcome.n_lost:5} {outcome.n_twice:5}"
            print(f"{name:30} {database:11} {counts}  {' '.join(outcome.problems)}", flush=True)
            failed |= bool(outcome.n_lost or outcome.n_twice or outcome.problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
