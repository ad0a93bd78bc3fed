"""Whoever asks gets the same numbers, after whatever has happened: managers, scripts, files, backups, SQL."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from steelyard.cli.main import run
from steelyard.domain.errors import Conflict
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.backup import backup, restore
from steelyard.flows.correct import Correction, correct
from steelyard.flows.create import create
from steelyard.flows.exclude import Decision, exclude, reinstate
from steelyard.flows.extend import extend
from steelyard.flows.links import links
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.release import release, return_work
from steelyard.flows.rules import change_rules
from steelyard.flows.submit import Submission, submit
from steelyard.store import work
from steelyard.store.actions import exclusions
from steelyard.web.app import create_app

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon")
STEPS = 40
QUERY, OPTIONS = "draws=100&check=none", ("--draws", "100", "--check", "none")
# What cannot be in a file: the protocol, notes about corrected words, and times of HITs taken and left.
ONLY_STORED = ("warnings",)
TIMES = ("seconds_per_judgement", "flags", "remarks", "suggestion", "portrait")


@dataclass
class Walk:
    """A campaign to which ordinary things happen in a random order."""

    campaign: OpenCampaign
    texts: Any
    rng: np.random.Generator
    now: datetime
    workers: list[str] = field(default_factory=list)
    numbers: Any = field(default_factory=count)
    done: list[str] = field(default_factory=list)

    def step(self) -> None:
        """Do one thing; what cannot be done at the moment is not."""
        self.now += timedelta(minutes=float(self.rng.exponential(20)))
        acts: list[Callable[[], None]] = [
            *[self.judge] * 12,
            *(self.come, self.come, self.give_back, self.release, self.sleep, self.correct_words),
            *(self.exclude_somebody, self.exclude_hit, self.reinstate_somebody, self.correct_judgement),
            *(self.more_ratings, self.more_texts),
        ]
        act = acts[int(self.rng.integers(len(acts)))]
        try:
            act()
        except Conflict:
            return
        self.done.append(act.__name__)

    def come(self) -> None:
        with self.campaign.store.write() as connection:
            self.workers.append(work.add_worker(connection, now=self.now).worker_id)

    def somebody(self) -> str:
        return self.workers[int(self.rng.integers(len(self.workers)))]

    def judged_most(self) -> str:
        """Whoever judged most of those who are not excluded."""
        with self.campaign.store.read() as connection:
            out = {one.worker_id for one in exclusions(connection)}
            query = text(
                "SELECT worker_id FROM assignments JOIN judgements USING (assignment_id) "
                "GROUP BY worker_id ORDER BY COUNT(*) DESC, worker_id"
            )
            return next(each for each in connection.execute(query).scalars() if each not in out)

    def judge(self) -> None:
        """Somebody judges a HIT to the end, or some of it."""
        worker = self.somebody()
        view = next_item(self.campaign, worker, now=self.now)
        n = 100 if self.rng.random() < 0.7 else int(self.rng.integers(1, 12))
        while isinstance(view, NextItem) and n:
            seconds = float(self.rng.uniform(3, 30))
            self.now += timedelta(seconds=seconds)
            answer = self.answer(worker, view)
            sent = Submission(
                str(uuid.UUID(int=next(self.numbers))),
                view.assignment_id,
                view.item.item_id,
                answer,
                int(self.rng.uniform(600, 990) * seconds),
            )
            view = submit(self.campaign, worker, sent, now=self.now).next
            n -= 1

    def answer(self, worker: str, view: NextItem) -> dict[str, Any]:
        """A careful answer: control items are told by what the database knows of them."""
        with self.campaign.store.read() as connection:
            query = text("SELECT kind, system_id FROM items WHERE item_id = :item")
            kind, system = connection.execute(query, {"item": view.item.item_id}).one()
        if self.campaign.settings.protocol == "pairwise":
            return {"preference": str(self.rng.choice(["a", "b", "tie"]))}
        level = 50 + 6 * NAMES.index(system) - (35 if kind == "degraded" else 0) + hash_of(worker)
        return {"rating": int(np.clip(level + self.rng.normal(0, 9), 0, 100))}

    def give_back(self) -> None:
        worker = self.somebody()
        with self.campaign.store.read() as connection:
            held = work.open_assignment(connection, worker)
        if held is not None:
            return_work(self.campaign, worker, held.assignment_id, now=self.now)

    def release(self) -> None:
        worker = self.somebody()
        with self.campaign.store.read() as connection:
            held = work.open_assignment(connection, worker)
        if held is not None:
            release(self.campaign, [worker], by="manager", now=self.now)

    def sleep(self) -> None:
        self.now += timedelta(hours=float(self.rng.uniform(1, 9)))

    def correct_words(self) -> None:
        correct(self.campaign, Correction(title=f"Toy at {self.now:%H:%M:%S}"), by="manager", now=self.now)

    def exclude_somebody(self) -> None:
        """Not the greater part: those who are left are to be analysed."""
        with self.campaign.store.read() as connection:
            n_out = len({one.worker_id for one in exclusions(connection)})
        if 3 * n_out < len(self.workers):
            decision = Decision(self.somebody(), "manager", f"reason {next(self.numbers)}")
            exclude(self.campaign, decision, now=self.now, replace=bool(self.rng.random() < 0.5))

    def exclude_hit(self) -> None:
        with self.campaign.store.read() as connection:
            query = text("SELECT worker_id, hit_id FROM assignments ORDER BY worker_id, hit_id")
            taken = connection.execute(query).all()
        if taken:
            worker, hit = taken[int(self.rng.integers(len(taken)))]
            decision = Decision(worker, "manager", f"reason {next(self.numbers)}", hit)
            exclude(self.campaign, decision, now=self.now, replace=bool(self.rng.random() < 0.5))

    def reinstate_somebody(self) -> None:
        reinstate(self.campaign, Decision(self.somebody(), "manager"), now=self.now)

    def correct_judgement(self) -> None:
        """As a repair by hand would: no page offers it, and the tables allow it."""
        if self.campaign.settings.protocol == "pairwise":
            return
        with self.campaign.store.write() as connection:
            query = text(
                "SELECT * FROM judgements WHERE NOT EXISTS (SELECT 1 FROM judgements AS later "
                "WHERE later.replaces = judgements.judgement_id) ORDER BY judgement_id"
            )
            stored = connection.execute(query).mappings().all()
            if stored:
                old = dict(stored[int(self.rng.integers(len(stored)))])
                changes = {
                    "judgement_id": str(uuid.UUID(int=next(self.numbers))),
                    "replaces": old["judgement_id"],
                    "answer": json.dumps({"rating": int(self.rng.integers(101))}),
                }
                row = old | changes
                names = ", ".join(row)
                values = ", ".join(f":{name}" for name in row)
                connection.execute(text(f"INSERT INTO judgements ({names}) VALUES ({values})"), row)

    def more_ratings(self) -> None:
        # The file is needed as well where its HITs do not show all of the translations.
        is_pairs = self.campaign.settings.protocol == "pairwise"
        file = self.texts.write("further.toml") if is_pairs else None
        extend(self.campaign, ratings=1, texts=file, by="manager", now=self.now)

    def more_texts(self) -> None:
        n_systems, n_segments = ((1, 0), (0, 30))[int(self.rng.integers(2))]
        if len(self.texts.systems) + n_systems > len(NAMES):
            return
        self.texts = replace(
            self.texts,
            systems=NAMES[: len(self.texts.systems) + n_systems],
            segments=range(1, len(self.texts.segments) + n_segments + 1),
        )
        extend(self.campaign, texts=self.texts.write("further.toml"), by="manager", now=self.now)


def hash_of(worker: str) -> int:
    """How harsh a worker is."""
    return int(worker.removeprefix("W")) * 7 % 23 - 11


def asked(client: TestClient, route: str, token: str) -> Any:
    found = client.get(f"/api/v1/{route}", headers={"Authorization": f"Bearer {token}"})
    assert found.status_code == 200, found.text
    return json.loads(found.text)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert run([*arguments, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


def of_file(record: dict[str, Any]) -> dict[str, Any]:
    """What a file can give of an analysis of the database."""
    kept = {name: value for name, value in record.items() if name not in ONLY_STORED}
    # A file tells neither the protocol nor the root of its database.
    only_of_database = ("protocol:", "root:")
    parts = [part for part in record["signature"].split("|") if not part.startswith(only_of_database)]
    workers = [{k: v for k, v in each.items() if k not in TIMES} for each in record["workers"]]
    return kept | {"signature": "|".join(parts), "workers": workers}


def but_for_the_mark(record: dict[str, Any]) -> dict[str, Any]:
    """An analysis that ignores exclusions, without saying so."""
    signature = record["signature"].replace("|exclusions:ignored", "")
    counts = {name: n for name, n in record["counts"].items() if name != "excluded_judgements"}
    kept = {name: value for name, value in record.items() if name != "warnings"}
    return same_but_for_seconds(kept | {"signature": signature, "counts": counts})


def same_but_for_seconds(record: dict[str, Any]) -> dict[str, Any]:
    record.get("diagnostics", {}).pop("seconds", None)
    return record


COUNTS = {
    "n_judgements": "SELECT COUNT(*) FROM judgements AS one WHERE NOT EXISTS "
    "(SELECT 1 FROM judgements AS later WHERE later.replaces = one.judgement_id)",
    "n_openings": "SELECT COUNT(*) FROM openings",
    "n_taken": "SELECT COUNT(*) FROM openings WHERE assignment_id IS NOT NULL",
    "n_submitted": "SELECT COUNT(*) FROM openings JOIN assignments USING (assignment_id) "
    "WHERE assignments.submitted_at IS NOT NULL",
    "n_wanted": "SELECT COUNT(*) FROM openings JOIN hit_items USING (hit_id)",
    "n_left": "SELECT COUNT(*) FROM openings JOIN hit_items USING (hit_id) WHERE NOT EXISTS "
    "(SELECT 1 FROM judgements WHERE judgements.assignment_id = openings.assignment_id "
    "AND judgements.position = hit_items.position)",
}
BY_WORKER = """
    SELECT worker_id, COUNT(*), SUM(shown_ms) FROM judgements AS one JOIN assignments USING (assignment_id)
    WHERE NOT EXISTS (SELECT 1 FROM judgements AS later WHERE later.replaces = one.judgement_id)
    GROUP BY worker_id
"""


def check_counts(campaign: OpenCampaign, dashboard: dict[str, Any]) -> None:
    """What the dashboard counts is what plain SQL counts."""
    progress = dashboard["progress"]
    with campaign.store.read() as connection:
        for name, query in COUNTS.items():
            assert progress[name] == connection.execute(text(query)).scalar_one(), name
        by_worker = {worker: (n, ms) for worker, n, ms in connection.execute(text(BY_WORKER))}
    assert sum(progress["places"].values()) == progress["n_openings"]
    for worker in progress["workers"]:
        n, ms = by_worker.get(worker["worker_id"], (0, 0))
        assert worker["n_done"] == n
        assert (worker["seconds_per_item"] or 0) * n == pytest.approx(ms / 1000)


def check_money(dashboard: dict[str, Any], payments: dict[str, Any]) -> None:
    """The payments add up, to the cent, to what the dashboard says was spent."""
    spent, total = dashboard["money"]["spent"], payments["total"]
    for name in ("pay", "fee", "cost", "items"):
        assert total[name] == spent[name], name
    assert total["hits"] == pytest.approx(spent["hits"])
    assert total["hours"] == pytest.approx(dashboard["money"]["hours_worked"])
    cents = [round(100 * worker["pay"]) for worker in payments["workers"]]
    assert total["pay"] == sum(cents) / 100
    assert total["items"] == sum(worker["items"] for worker in payments["workers"])


def check_precision(precision: dict[str, Any], analysis: dict[str, Any]) -> None:
    """The last point of the curve is the analysis."""
    last = precision["points"][-1]
    widths = [each["upper"] - each["lower"] for each in analysis["systems"] if each["lower"] is not None]
    assert last["kept_judgements"] == analysis["counts"]["kept_judgements"]
    assert last["n_systems"] == len(analysis["systems"])
    assert last["half_width"] == pytest.approx(sum(widths) / len(widths) / 2, rel=1e-12)


STORIES: dict[str, tuple[int, dict[str, Any]]] = {
    "shared texts": (1, {"copied": True}),
    "documents": (2, {"design": {"order": '"documents"', "hit_size": "40", "groups": ""}}),
    "pairwise": (
        3,
        {
            "protocol": "pairwise",
            "attribute": "overall",
            "design": {"quota": "{ degraded = 5, repeat = 1 }"},
        },
    ),
    "one HIT for several": (4, {"design": {"partition": '"fixed"', "ratings_per_item": "2"}}),
}


@pytest.mark.parametrize("story", STORIES)
def test_numbers_agree_wherever_they_are_asked_for(
    story: str,
    tmp_path: Path,
    word_texts: Any,
    postgres_address: str,
    capsys: pytest.CaptureFixture[str],
    noon: datetime,
) -> None:
    seed, options = STORIES[story]
    texts = word_texts(tmp_path, systems=NAMES[:3], **options)
    database = str(tmp_path / "toy.db")
    create(texts.write(), database, now=noon)
    with open_campaign(database) as campaign:
        walk = Walk(campaign, texts, np.random.default_rng(seed), noon)
        change_rules(campaign, {"wage": 11.11, "currency": "EUR", "fee": 0.2}, by="manager", now=noon)
        for _ in range(5):
            walk.come()
        token = links(campaign, base_url="").manager_url.rpartition("/")[2]
        with TestClient(create_app(campaign)) as client:
            for _ in range(2):
                for _ in range(STEPS // 2):
                    walk.step()
                # What the server remembers of the first look must not show in the second.
                dashboard = asked(client, "campaign", token)
                analysis = same_but_for_seconds(asked(client, f"analysis?{QUERY}", token))
                check_counts(campaign, dashboard)
                check_money(dashboard, asked(client, "payments", token))
                check_precision(asked(client, f"precision?{QUERY}", token), analysis)
                precision = asked(client, "precision", token)
            # Its earlier points were remembered from the first look.
            assert printed(capsys, "progress", database, "--precision")["precision"] == precision
            ignoring = f"analysis?{QUERY}&exclusions=ignore"
            before = but_for_the_mark(asked(client, ignoring, token))
            exclude(campaign, Decision(walk.judged_most(), "manager", "a test"), now=walk.now, replace=False)
            assert but_for_the_mark(asked(client, ignoring, token)) == before
            analysis = same_but_for_seconds(asked(client, f"analysis?{QUERY}", token))
        backup(campaign, tmp_path / "toy.backup", by="manager", now=walk.now)
    restore(tmp_path / "toy.backup", postgres_address)
    for name in ("csv", "parquet"):
        assert run(["export", database, "--to", str(tmp_path / f"toy.{name}")]) == 0

    assert printed(capsys, "analyse", database, *OPTIONS) == analysis
    assert printed(capsys, "analyse", postgres_address, *OPTIONS) == analysis
    for name in ("csv", "parquet"):
        found = printed(capsys, "analyse", str(tmp_path / f"toy.{name}"), *OPTIONS)
        assert of_file(found) == of_file(analysis), name
