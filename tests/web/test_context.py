"""Documents in context: what a worker's page is told of the segments before, on each database."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from steelyard.domain.campaign import Campaign, DesignSettings
from steelyard.domain.text import Segment, System
from steelyard.domain.work import AssignmentStatus, Hit, Item, ItemKind, PlacedItem
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.links import WorkerLink, add_workers
from steelyard.flows.open import OpenCampaign
from steelyard.flows.replay import replayed_set
from steelyard.flows.submit import Submission, submit
from steelyard.flows.verify import verify
from steelyard.store import campaigns, work
from steelyard.store.database import Store
from steelyard.web.app import create_app

# System, segment and kind of the items of the HIT. Two documents: 1 to 3 and 4 to 6.
PLACED = [
    ("alpha", 1, "regular"),
    ("alpha", 2, "regular"),
    ("alpha", 3, "regular"),
    # The same document once more, as controls.
    ("alpha", 1, "degraded"),
    ("alpha", 2, "repeat"),
    ("alpha", 3, "reference"),
    ("beta", 4, "regular"),
    ("beta", 5, "regular"),
    # The same document by another system.
    ("alpha", 6, "regular"),
    ("beta", 4, "repeat"),
]
# How many items before each belong to its run.
N_BEFORE = [0, 1, 2, 0, 1, 2, 0, 1, 0, 0]


def _segment(number: int) -> Segment:
    document = f"document-{1 if number <= 3 else 2}"
    return Segment(f"segment-{number}", document, f"Quelle {number}.", f"Meaning {number}.")


def _text(system: str, number: int, kind: str) -> str:
    if kind == "reference":
        return f"Meaning {number}."
    said = f"Said {number}{'' if system == 'alpha' else ' as well'}."
    return f"Broken {said}" if kind == "degraded" else said


def _written(campaign: Campaign, store: Store) -> None:
    items = [
        Item(f"i{place}", ItemKind(kind), system, f"segment-{number}", _text(system, number, kind))
        for place, (system, number, kind) in enumerate(PLACED, start=1)
    ]
    placed = tuple(PlacedItem(item.item_id, place, 1) for place, item in enumerate(items, start=1))
    with store.write() as connection:
        campaigns.add_campaign(
            connection,
            campaign,
            items=items,
            hits=[Hit("h1", 1, 1, placed)],
            openings_per_hit=3,
            now=datetime.now(UTC),
            created_with="steelyard test",
        )


@pytest.fixture
def opened(store: Store, toy_campaign: Campaign) -> OpenCampaign:
    settings = replace(
        toy_campaign.settings,
        design=DesignSettings(hit_size=len(PLACED), order="documents"),
        presentation={"context": True},
    )
    texts = {
        system: [_text(system, number, "regular") for number in range(1, 7)] for system in ("alpha", "beta")
    }
    campaign = Campaign(settings, tuple(map(System, texts)), tuple(map(_segment, range(1, 7))), texts)
    _written(campaign, store)
    return OpenCampaign(store, settings)


@dataclass
class Reader:
    """A worker whose browser remembers nothing but the last reply."""

    client: TestClient
    link: WorkerLink
    first: int
    sent: list[dict[str, Any]] = field(default_factory=list)

    def ask(self) -> dict[str, Any]:
        return dict(self.client.post("/api/v1/work/next", headers=self._headers).json())

    def answer(self, view: dict[str, Any]) -> dict[str, Any]:
        """Send an answer that tells workers and items apart; the next view."""
        self.sent.append(
            {
                "judgement_id": str(uuid.uuid4()),
                "assignment_id": view["assignment_id"],
                "item_id": view["item"]["item_id"],
                "answer": {"rating": self.first + len(self.sent)},
                "shown_ms": 9000,
            }
        )
        return self.send(self.sent[-1])

    def send(self, body: dict[str, Any], status: int = 201) -> dict[str, Any]:
        reply = self.client.post("/api/v1/work/judgements", headers=self._headers, json=body)
        assert reply.status_code == status, reply.text
        return dict(reply.json()["next"])

    def context(self, position: int) -> list[dict[str, Any]]:
        """What belongs above the item at a position."""
        return [
            {
                "text": _text(*PLACED[place]),
                "reference": f"Meaning {PLACED[place][1]}.",
                "answer": {"rating": self.first + place},
            }
            for place in range(position - 1 - N_BEFORE[position - 1], position - 1)
        ]

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.link.token}"}


@pytest.fixture
def readers(opened: OpenCampaign) -> Iterator[list[Reader]]:
    """Two workers with a place each on the HIT."""
    added = add_workers(opened, 2, base_url="", now=datetime.now(UTC))
    with TestClient(create_app(opened)) as client:
        yield [Reader(client, link, first) for link, first in zip(added, (10, 60), strict=True)]


def test_a_run_ends_where_document_or_system_changes_or_the_document_begins_again(
    readers: list[Reader],
) -> None:
    reader, other = readers
    views, told = [reader.ask()], []
    other.answer(other.ask())
    for _ in PLACED[:-1]:
        told.append(reader.answer(views[-1]))
        views.append(reader.ask())

    # The careful way lists what came before; the quick one says whether the document goes on.
    assert [view["context"] for view in views] == [reader.context(place) for place in range(1, 11)]
    assert [view.get("continues") for view in told] == [n > 0 for n in N_BEFORE[1:]]
    assert all("context" not in view for view in told)
    assert [view["item"] for view in told] == [view["item"] for view in views[1:]]
    assert reader.answer(views[-1])["finished"]


def test_a_replay_shows_the_runs_that_workers_see(opened: OpenCampaign) -> None:
    found = replayed_set(opened, most_items=len(PLACED) - 1)

    assert (found.hit_id, found.n_items) == ("h1", len(PLACED))
    assert [each.n_before for each in found.items] == N_BEFORE[:-1]
    assert [each.item.texts["text"] for each in found.items] == [_text(*place) for place in PLACED[:-1]]
    assert {each.n_ahead for each in found.items} == {None}


def test_context_gives_nothing_away(readers: list[Reader]) -> None:
    reader, _ = readers
    view, said = reader.ask(), ""
    for _ in PLACED[:-1]:
        said += json.dumps(reader.answer(view))
        view = reader.ask()
        assert set(view) == {
            *("assignment_id", "position", "n_items", "n_done", "item", "revision", "context")
        }
        assert all(set(earlier) == {"text", "reference", "answer"} for earlier in view["context"])
        said += json.dumps(view)

    hidden = {"alpha", "beta", "document-", "segment-", "Quelle", *(str(kind) for kind in ItemKind)} - {
        "reference"
    }
    assert [word for word in hidden if word in said] == []


def test_a_repeated_answer_gets_the_context_of_what_follows_it(readers: list[Reader]) -> None:
    reader, _ = readers
    view = reader.ask()
    for _ in range(3):
        view = reader.answer(view)

    again = reader.send(reader.sent[1], 200)

    assert again["context"] == reader.context(3)


def test_a_set_that_was_left_and_taken_up_again_has_its_context(opened: OpenCampaign) -> None:
    """Once by asking for work, once by an answer that comes too late."""
    now = datetime.now(UTC)
    early, late = add_workers(opened, 2, base_url="", now=now)
    for worker in (early, late):
        view = next_item(opened, worker.worker_id, now=now)
        for _ in range(2):
            assert isinstance(view, NextItem)
            view = submit(opened, worker.worker_id, _answer(view), now=now).next
    assert isinstance(view, NextItem)
    later = now + timedelta(days=1)
    # Whoever asks for work finds that the others have left.
    [third] = add_workers(opened, 1, base_url="", now=now)
    next_item(opened, third.worker_id, now=later)
    with opened.store.read() as connection:
        found = work.assignment(connection, view.assignment_id)
    assert found is not None
    assert found.status is AssignmentStatus.EXPIRED

    resumed = next_item(opened, early.worker_id, now=later)
    retaken = submit(opened, late.worker_id, _answer(view), now=later).next

    assert isinstance(resumed, NextItem)
    assert isinstance(retaken, NextItem)
    assert (resumed.position, _shown(resumed)) == (3, ["Said 1.", "Said 2."])
    assert (retaken.position, _shown(retaken)) == (4, [])
    assert _shown(next_item(opened, third.worker_id, now=later)) == []
    assert verify(opened).is_sound


def _answer(view: NextItem) -> Submission:
    return Submission(str(uuid.uuid4()), view.assignment_id, view.item.item_id, {"rating": 50}, 1000)


def _shown(view: Any) -> list[str]:
    return [earlier.item.texts["text"] for earlier in view.context]


def test_a_campaign_recorded_without_context_shows_none(opened: OpenCampaign) -> None:
    before = OpenCampaign(opened.store, replace(opened.settings, presentation={}))
    [link] = add_workers(before, 1, base_url="", now=datetime.now(UTC))
    with TestClient(create_app(before)) as client:
        reader = Reader(client, link, 10)
        told = reader.answer(reader.ask())

    assert not {"context", "continues"} & (set(told) | set(reader.ask()))
