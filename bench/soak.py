"""A campaign under people and a manager who do what they do: is it complete, once, and are the numbers one?

People judge steadily, abandon their set, return it, come back after their lease, or work on two devices at
once and send answers twice; a manager pauses, resumes, releases, excludes, reinstates, extends and backs up
meanwhile. In the end the campaign must be complete, every acknowledged judgement stored once, no HIT judged
by more people than wanted, every backup whole, and dashboard, command line and exported file must agree.

    .venv/bin/python bench/soak.py                              60 people, a SQLite file
    .venv/bin/python bench/soak.py --db postgresql://…          the same on an empty PostgreSQL database
    .venv/bin/python bench/soak.py --people 12 --segments 30    a short one
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from http.client import HTTPConnection
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from steelyard.cli.main import run

SYSTEMS = ("brass", "copper", "tin")
LEASE_SECONDS = 1.0
# Of twenty people: how many behave in which way.
HABITS = {"steady": 9, "abandons": 4, "returns": 3, "comes back": 2, "two devices": 2}
MOST_SECONDS = 600
# The server hangs up after five seconds without a request; browsers then connect anew.
LONGEST_SILENCE = 3.0


@dataclass
class Record:
    """What happened, as the clients saw it. Times are of one clock."""

    sent: set[str] = field(default_factory=set)
    acknowledged: dict[str, float] = field(default_factory=dict)
    backups: list[tuple[float, Path]] = field(default_factory=list)
    deeds: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)


class Caller:
    """One browser: a token and a connection."""

    def __init__(self, host: str, token: str) -> None:
        self._connection = HTTPConnection(host, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._last = time.monotonic()

    def call(self, method: str, path: str, content: Any = None) -> tuple[int, Any]:
        """The status and the JSON of a reply."""
        body = None if content is None else json.dumps(content)
        if time.monotonic() - self._last > LONGEST_SILENCE:
            self._connection.close()
        self._connection.request(method, f"/api/v1{path}", body, self._headers)
        response = self._connection.getresponse()
        text = response.read()
        self._last = time.monotonic()
        is_json = response.headers.get_content_type() == "application/json"
        return response.status, json.loads(text) if is_json else text

    def close(self) -> None:
        self._connection.close()


class Person:
    """Someone who judges in one of the habits, until there is nothing left for them."""

    def __init__(self, host: str, token: str, habit: str, record: Record, *, seed: int) -> None:
        self.host, self.token, self.habit, self.record = host, token, habit, record
        self.rng = random.Random(seed)  # noqa: S311 (habits, no secrets)

    def work(self, stop: threading.Event) -> None:
        """Judge until done, or until the habit ends it."""
        leaves_after = self.rng.randint(1, 8) if self.habit not in ("steady", "two devices") else None
        n_given = 0
        with closing(Caller(self.host, self.token)) as caller:
            while not stop.is_set():
                status, view = caller.call("POST", "/work/next")
                if status == 409:
                    time.sleep(0.05)
                    continue
                if status != 200 or view.get("finished"):
                    if status != 200:
                        self.record.troubles.append(f"next gave {status}: {view}")
                    return
                if n_given == leaves_after:
                    leaves_after = None
                    if not self._leave(caller, view, stop):
                        return
                    continue
                n_given += self._answer(caller, view)

    def _leave(self, caller: Caller, view: Any, stop: threading.Event) -> bool:
        """Break off in the habit's way; False: for good."""
        self.record.deeds[self.habit] += 1
        if self.habit == "abandons":
            return False
        if self.habit == "returns":
            status, reply = caller.call("POST", "/work/return", {"assignment_id": view["assignment_id"]})
            if status not in (200, 409):
                self.record.troubles.append(f"return gave {status}: {reply}")
        else:
            stop.wait(LEASE_SECONDS * self.rng.uniform(1.1, 2))
        return True

    def _answer(self, caller: Caller, view: Any) -> int:
        submission = {
            "judgement_id": str(uuid.UUID(int=self.rng.getrandbits(128), version=4)),
            "assignment_id": view["assignment_id"],
            "item_id": view["item"]["item_id"],
            "answer": {"rating": self.rng.randint(0, 100)},
            "shown_ms": self.rng.randint(2000, 9000),
        }
        self.record.sent.add(submission["judgement_id"])
        for _ in range(1 + (self.rng.random() < 0.1)):
            status, reply = caller.call("POST", "/work/judgements", submission)
            if status in (200, 201):
                self.record.acknowledged.setdefault(submission["judgement_id"], time.monotonic())
            elif status != 409:
                self.record.troubles.append(f"an answer gave {status}: {reply}")
        # Somebody who thinks for a moment, so that the manager has something to manage.
        time.sleep(self.rng.uniform(0.0, 0.02))
        return int(status in (200, 201))


class Manager:
    """Does everything a manager can do, at odd moments."""

    def __init__(self, host: str, token: str, address: str, folder: Path, record: Record, seed: int) -> None:
        self.caller = Caller(host, token)
        self.address, self.folder, self.record = address, folder, record
        self.rng = random.Random(seed)  # noqa: S311 (habits, no secrets)

    def work(self, stop: threading.Event) -> None:
        """One deed after another, each of them at least once if there is time."""
        deeds: list[Callable[[], None]] = [
            *(self._pause, self._release, self._exclude, self._back_up, self._change_mind, self._extend),
            *(self._look, self._correct, self._release, self._back_up, self._exclude, self._pause),
        ]
        for deed in deeds:
            if stop.wait(self.rng.uniform(0.1, 0.4)):
                return
            try:
                deed()
            except Exception as error:  # whatever it is, the soak has failed, and the others go on
                self.record.troubles.append(f"{deed.__name__}: {error!r}")
            self.record.deeds[deed.__name__.strip("_")] += 1

    def _do(self, method: str, path: str, content: Any = None) -> Any:
        status, reply = self.caller.call(method, path, content)
        if status >= 400 and status not in (404, 409):
            self.record.troubles.append(f"{method} {path} gave {status}: {reply}")
        return reply

    def _pause(self) -> None:
        self._do("POST", "/state", {"state": "paused", "reason": "a look at the instructions"})
        time.sleep(0.2)
        self._do("POST", "/state", {"state": "open"})

    def _places(self, state: str) -> list[dict[str, Any]]:
        found = [
            {**place, "hit_id": hit["hit_id"]}
            for hit in self._do("GET", "/hits")
            for place in hit["places"]
            if place["state"] == state
        ]
        self.rng.shuffle(found)
        return found

    def _release(self) -> None:
        for place in self._places("open")[:2]:
            self._do("POST", f"/assignments/{place['assignment_id']}/release", {"reason": "no reply"})

    def _exclude(self) -> None:
        for place in self._places("submitted")[:1]:
            content = {"reason": "answers at random", "hit_id": place["hit_id"]}
            self._do("POST", f"/workers/{place['worker_id']}/exclude", content)

    def _change_mind(self) -> None:
        """Exclude without offering the place to others, and reinstate."""
        for place in self._places("submitted")[:1]:
            content = {"reason": "a mistake", "hit_id": place["hit_id"], "replace": False}
            self._do("POST", f"/workers/{place['worker_id']}/exclude", content)
            content = {"reason": "it was a mistake", "hit_id": place["hit_id"]}
            self._do("POST", f"/workers/{place['worker_id']}/reinstate", content)

    def _extend(self) -> None:
        self._do("POST", "/extend", {"ratings": 1})

    def _correct(self) -> None:
        self._do("POST", "/revisions", {"title": "A better title", "reason": "a typo"})

    def _look(self) -> None:
        for path in ("/campaign", "/analysis?check=none", "/hits", "/payments", "/actions"):
            self._do("GET", path)

    def _back_up(self) -> None:
        started, target = time.monotonic(), self.folder / f"backup-{len(self.record.backups)}.db"
        run_steelyard("backup", self.address, target)
        self.record.backups.append((started, target))


def run_steelyard(*arguments: str | Path) -> None:
    """Run a command, quietly; RuntimeError if it fails."""
    with redirect_stdout(StringIO()):
        code = run([str(argument) for argument in arguments])
    if code:
        raise RuntimeError(f"steelyard {arguments[0]} failed ({code})")


def json_of(folder: Path, *arguments: str | Path) -> Any:
    """What a command writes as JSON."""
    target = folder / "answer.json"
    run_steelyard(*arguments, "--json", target)
    return json.loads(target.read_text("utf-8"))


def make_campaign(folder: Path, address: str, *, n_segments: int) -> None:
    """A campaign of three systems in small HITs, with short leases."""
    words = [
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
    rng = random.Random(5)  # noqa: S311 (texts, no secrets)
    for name in ("source", "reference", *SYSTEMS):
        lines = [f"{name} {number} {' '.join(rng.sample(words, 9))}" for number in range(n_segments)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    systems = "".join(f'[[systems]]\nname = "{name}"\ntranslations = "{name}.txt"\n' for name in SYSTEMS)
    (folder / "campaign.toml").write_text(
        '[campaign]\nname = "soak"\ntitle = "A soak"\nprotocol = "da"\nattribute = "adequacy"\n'
        'source_language = "de"\ntarget_language = "en"\n'
        '[texts]\nsource = "source.txt"\nreference = "reference.txt"\n'
        f"{systems}[design]\nhit_size = 20\nratings_per_item = 2\n[design.quota]\ndegraded = 5\n"
        f"[rules]\nlease_minutes = {LEASE_SECONDS / 60}\nhits_per_worker = 4\n"
        "unbegun_hits = 0\n[pay]\nwage = 12\n",
        "utf-8",
    )
    run_steelyard("create", folder / "campaign.toml", "--db", address)


@contextmanager
def serving(address: str) -> Iterator[str]:
    """The host and port of a server of two processes."""
    command = [sys.executable, "-m", "steelyard", "serve", address, "--port", "0", "--processes", "2"]
    command += ["--requests-per-second", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            [host] = re.findall(r"http://([^\s/]+)", server.stdout.readline())
            yield host
        finally:
            server.terminate()


def let_people_work(host: str, tokens: list[str], habits: list[str], record: Record, *, seed: int) -> None:
    """Everybody at once, until each is done or has left."""
    stop = threading.Event()
    threads = []
    for number, (token, habit) in enumerate(zip(tokens, habits, strict=True)):
        for device in range(2 if habit == "two devices" else 1):
            person = Person(host, token, habit, record, seed=seed + 1000 * device + number)
            threads.append(threading.Thread(target=person.work, args=(stop,)))
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + MOST_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            stop.set()
            record.troubles.append("somebody never finished")


def new_tokens(manager: Caller, n: int) -> list[str]:
    """The tokens of new workers."""
    status, links = manager.call("POST", "/links", {"n": n})
    assert status == 201, links
    return [link["token"] for link in links]


def soak(address: str, folder: Path, *, n_people: int, n_segments: int, seed: int) -> Record:
    """The whole campaign; raises AssertionError where a promise is broken."""
    make_campaign(folder, address, n_segments=n_segments)
    record, stop = Record(), threading.Event()
    rest = [habit for habit, n in HABITS.items() for _ in range(n - 1)]
    # Everyone's habit is there at least once, also among few people.
    habits = [*HABITS, *(rest[number * 4 % len(rest)] for number in range(n_people))][:n_people]
    with serving(address) as host:
        token = json_of(folder, "links", address)["manager_url"].rpartition("/")[2]
        manager = Manager(host, token, address, folder, record, seed)
        managing = threading.Thread(target=manager.work, args=(stop,))
        managing.start()
        with closing(Caller(host, token)) as caller:
            tokens = new_tokens(caller, n_people)
        let_people_work(host, tokens, habits, record, seed=seed)
        managing.join(60)
        stop.set()
        while n_free := sum(place["state"] != "submitted" for place in all_places(manager)):
            record.deeds["late helpers"] += 1
            assert record.deeds["late helpers"] < 20, f"{n_free} places are never filled"
            time.sleep(LEASE_SECONDS * 1.1)
            helpers = new_tokens(manager.caller, max(2, n_free // 2))
            let_people_work(host, helpers, ["steady"] * len(helpers), record, seed=seed + 5000)
        check_promises(address, folder, manager, record)
        manager.caller.close()
    return record


def all_places(manager: Manager) -> list[dict[str, Any]]:
    """Every place of every HIT."""
    return [place for hit in manager._do("GET", "/hits") for place in hit["places"]]


def check_promises(address: str, folder: Path, manager: Manager, record: Record) -> None:
    """Complete, nothing lost, nothing twice, backups whole, numbers agree."""
    assert not record.troubles, f"{len(record.troubles)} troubles:\n" + "\n".join(record.troubles[:10])
    exported = folder / "judgements.csv"
    run_steelyard("export", address, "--to", exported)
    with exported.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    stored = [row["judgement_id"] for row in rows]
    assert len(stored) == len(set(stored)), "a judgement is stored twice"
    assert set(record.acknowledged) <= set(stored), "an acknowledged judgement is lost"
    assert set(stored) <= record.sent, "a judgement is stored that nobody sent"
    places = Counter((row["worker"], row["hit"], row["position"]) for row in rows)
    assert max(places.values()) == 1, "an item of a HIT was judged twice by one worker"

    hits = manager._do("GET", "/hits")
    assert all(place["state"] == "submitted" for hit in hits for place in hit["places"])
    complete = Counter(row["hit"] for row in rows if not row.get("excluded") and int(row["position"]) == 20)
    wanted = {hit["hit_id"]: len(hit["places"]) for hit in hits}
    assert complete == wanted, "a HIT was finished by more or fewer people than wanted"

    for started, path in record.backups:
        copied = folder / f"{path.stem}.csv"
        run_steelyard("export", path, "--to", copied)
        with copied.open(encoding="utf-8", newline="") as file:
            ids = {row["judgement_id"] for row in csv.DictReader(file)}
        before = {key for key, at in record.acknowledged.items() if at < started}
        assert before <= ids <= set(stored), f"{path.name} lacks judgements, or has others"

    progress = manager._do("GET", "/campaign")["progress"]
    assert progress["n_judgements"] == len(stored), "the dashboard counts otherwise"
    assert progress["n_submitted"] >= sum(wanted.values())
    on_page = manager._do("GET", f"/analysis?check={quote('none')}")
    by_command = json_of(folder, "analyse", address, "--check", "none")
    from_file = json_of(folder, "analyse", exported, "--check", "none")
    differing = [key for key in by_command if on_page.get(key) != by_command[key]]
    assert not differing, f"dashboard and command line disagree: {differing}"
    for part in ("systems", "pairs", "counts"):
        assert from_file[part] == by_command[part], f"{part} of the exported file differ"


def main() -> None:
    """Run the soak and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--db", help="an empty PostgreSQL database; by default a new SQLite file")
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--segments", type=int, default=120)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        address = chosen.db or str(folder / "soak.db")
        started = time.perf_counter()
        record = soak(address, folder, n_people=chosen.people, n_segments=chosen.segments, seed=chosen.seed)
        seconds = time.perf_counter() - started
    print(f"{len(record.acknowledged):,} judgements acknowledged, all stored once, in {seconds:.0f} s;")
    print(f"{len(record.backups)} backups whole; {dict(record.deeds)}")


if __name__ == "__main__":
    main()
