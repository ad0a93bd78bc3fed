"""A campaign made by the real flow from the bundled texts, on each database; and campaigns of words."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from sqlalchemy import update

from steelyard.domain.campaign import Campaign
from steelyard.domain.running import CampaignState, Rules
from steelyard.flows.assign import Finished, NextItem, WorkView, next_item
from steelyard.flows.create import create
from steelyard.flows.links import add_workers
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.release import HitPlaces, hit_places
from steelyard.flows.state import change_state
from steelyard.flows.submit import Submission, submit
from steelyard.flows.work_status import WorkStatus, work_status
from steelyard.store import running, tables, work
from steelyard.store.actions import logged_actions
from steelyard.store.database import Store

NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
VOCABULARY = [f"word{k}" for k in range(2000)]
DESIGN = {"hit_size": "20", "groups": "4", "quota": "{ degraded = 5, repeat = 1, reference = 1 }"}


@dataclass(frozen=True)
class WordTexts:
    """A campaign file with a table of texts. A text follows from its system and segment alone."""

    folder: Path
    systems: Sequence[str] = ("alpha", "beta", "gamma")
    segments: range = range(1, 31)
    protocol: str = "da"
    attribute: str = "adequacy"
    design: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    copied: bool = False
    """Whether every fifth text of a system is that of the system named first."""

    def write(self, name: str = "campaign.toml") -> Path:
        path = self.folder / name
        table = path.with_suffix(".tsv")
        design = {**DESIGN, **self.design}
        path.write_text(
            f"""[campaign]
name = "toy"
title = "Toy"
protocol = "{self.protocol}"
attribute = "{self.attribute}"
source_language = "de"
target_language = "en"
[texts]
file = "{table.name}"
[design]
"""
            + "".join(f"{key} = {value}\n" for key, value in design.items() if value)
            + "".join(
                f'[[systems]]\nname = "{system}"\nweight = {self.weights.get(system, 1.0)}\n'
                for system in self.systems
            ),
            "utf-8",
        )
        rows = ["\t".join(("segment", "document", "source", "reference", *self.systems))]
        for number in self.segments:
            own = [
                self.text("source", number),
                self.text("reference", number),
                *(self.translation(system, number) for system in self.systems),
            ]
            rows.append("\t".join((f"s{number}", f"d{number // 5}", *own)))
        table.write_text("\n".join(rows) + "\n", "utf-8")
        return path

    def translation(self, system: str, number: int) -> str:
        owner = self.systems[0] if self.copied and number % 5 == 0 else system
        return self.text(owner, number)

    @staticmethod
    def text(who: str, number: int) -> str:
        rng = np.random.default_rng([number, *who.encode()])
        return " ".join(VOCABULARY[k] for k in rng.integers(len(VOCABULARY), size=int(rng.integers(6, 14))))


@pytest.fixture(scope="session")
def word_texts() -> type[WordTexts]:
    return WordTexts


@pytest.fixture
def texts(tmp_path: Path) -> WordTexts:
    """Three systems and thirty segments, in HITs of twenty items."""
    return WordTexts(tmp_path)


@pytest.fixture
def campaign(request: pytest.FixtureRequest, address: str) -> Iterator[OpenCampaign]:
    """A copy of a campaign that was created once."""
    if "://" in address:
        databases = request.getfixturevalue("postgres_databases")
        databases.copy(
            request.getfixturevalue("created_in_postgres"),
            psycopg.conninfo.conninfo_to_dict(address)["dbname"],
        )
    else:
        shutil.copy(request.getfixturevalue("created_in_sqlite"), address)
    with open_campaign(address) as opened:
        yield opened


@pytest.fixture(scope="session")
def created_in_sqlite(small_example: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    return _created(small_example, tmp_path_factory, str(tmp_path_factory.mktemp("created") / "campaign.db"))


@pytest.fixture(scope="session")
def created_in_postgres(
    small_example: str, tmp_path_factory: pytest.TempPathFactory, postgres_databases: Any
) -> str:
    """The name of the database; nobody is connected to it."""
    name = str(postgres_databases.take())
    _created(small_example, tmp_path_factory, postgres_databases.address_of(name))
    postgres_databases.disconnect(name)
    return name


def _created(example: str, folders: pytest.TempPathFactory, address: str) -> str:
    file = folders.mktemp("example") / "campaign.toml"
    file.write_text(example, "utf-8")
    create(file, address, now=NOON)
    return address


@pytest.fixture
def toy(toy_store: Store, toy_campaign: Campaign) -> OpenCampaign:
    """The toy campaign, opened; quicker to make than a real one."""
    return OpenCampaign(toy_store, toy_campaign.settings)


@dataclass
class People:
    """Workers of one campaign. Minutes count from `start`."""

    campaign: OpenCampaign
    start: datetime

    def at(self, minute: float) -> datetime:
        return self.start + timedelta(minutes=minute)

    def add(self, n: int = 1) -> list[str]:
        """New workers."""
        with self.campaign.store.write() as connection:
            return [work.add_worker(connection, now=self.start).worker_id for _ in range(n)]

    def next(self, worker_id: str, minute: float = 0) -> WorkView:
        return next_item(self.campaign, worker_id, now=self.at(minute))

    def take(self, worker_id: str, minute: float = 0) -> str | None:
        """Ask for work; the HIT that the worker is given."""
        view = self.next(worker_id, minute)
        if isinstance(view, Finished):
            return None
        with self.campaign.store.read() as connection:
            found = work.assignment(connection, view.assignment_id)
        assert found is not None
        return found.hit_id

    def answer_to(self, view: WorkView, **changes: Any) -> Submission:
        assert isinstance(view, NextItem)
        fields = {"judgement_id": str(uuid.uuid4()), "answer": {"rating": 50}, "shown_ms": 1000}
        ids = {"assignment_id": view.assignment_id, "item_id": view.item.item_id}
        return Submission(**{**fields, **ids, **changes})

    def send(self, worker_id: str, submission: Submission, minute: float = 0) -> WorkView:
        return submit(self.campaign, worker_id, submission, now=self.at(minute)).next

    def judge(self, worker_id: str, n: int, minute: float = 0) -> WorkView:
        """Take up work if need be and answer `n` items."""
        view = self.next(worker_id, minute)
        for _ in range(n):
            view = self.send(worker_id, self.answer_to(view), minute)
        return view

    def finish(self, worker_id: str, minute: float = 0) -> None:
        """Finish the HIT that the worker has or gets."""
        view = self.next(worker_id, minute)
        while isinstance(view, NextItem):
            view = self.send(worker_id, self.answer_to(view), minute)

    def status(self, worker_id: str, minute: float = 0) -> WorkStatus:
        return work_status(self.campaign, worker_id, now=self.at(minute))

    def hits(self, minute: float = 0) -> dict[str, HitPlaces]:
        return {hit.hit_id: hit for hit in hit_places(self.campaign, now=self.at(minute))}

    def holders(self, minute: float = 0) -> dict[str, list[str | None]]:
        """By HIT, who holds its places."""
        return {hit.hit_id: [place.worker_id for place in hit.places] for hit in self.hits(minute).values()}

    def rules(self, **rules: Any) -> None:
        with self.campaign.store.write() as connection:
            running.set_rules(connection, Rules(**rules))

    def state(self, state: str, minute: float = 0) -> None:
        change_state(self.campaign, CampaignState(state), by="manager", now=self.at(minute))

    def block(self, worker_id: str) -> None:
        stored = tables.workers
        with self.campaign.store.write() as connection:
            connection.execute(update(stored).where(stored.c.worker_id == worker_id).values(is_blocked=True))

    def log(self) -> list[tuple[str, str, str | None]]:
        """Verb, who did it, and about whom."""
        with self.campaign.store.read() as connection:
            return [(each.verb, each.done_by, each.worker_id) for each in logged_actions(connection)]


@pytest.fixture
def people(toy: OpenCampaign, noon: datetime) -> People:
    """Workers of the toy campaign: HITs h1 and h2 of round 1, h3 and h4 of round 2, one place on each."""
    return People(toy, noon)


@pytest.fixture
def one_judgement_of_a_person(campaign: OpenCampaign, noon: datetime) -> str:
    """A worker who has judged one item."""
    [link] = add_workers(campaign, 1, base_url="", now=noon)
    view = next_item(campaign, link.worker_id, now=noon)
    assert isinstance(view, NextItem)
    submission = Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 1000)
    submit(campaign, link.worker_id, submission, now=noon)
    return link.worker_id


@dataclass
class Heard:
    """What a flow tells of its progress, if it is given `progress`."""

    announced: list[tuple[str, int]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    @contextmanager
    def progress(self, what: str, length: int) -> Iterator[Callable[[int], None]]:
        self.announced.append((what, length))
        yield self.steps.append


@pytest.fixture
def heard() -> Heard:
    return Heard()
