"""The toy campaign on an emulated platform: people come through it, and its replies can be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from steelyard.domain.campaign import Campaign
from steelyard.domain.crowd import ClientSettings, CrowdClient, ListingState
from steelyard.domain.running import Rules
from steelyard.emulators import emulators
from steelyard.emulators.entrance import Entrance, TakenPlace
from steelyard.emulators.faults import FaultName, PlannedFault
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.serving import serving
from steelyard.emulators.wire import Wire, as_json
from steelyard.flows.assign import NextItem, next_item
from steelyard.flows.crowd_status import CrowdStatus, crowd_status
from steelyard.flows.ledger import Ledger, ledger
from steelyard.flows.links import join_campaign
from steelyard.flows.open import OpenCampaign
from steelyard.flows.participants import participants
from steelyard.flows.publish import Wish, publish
from steelyard.flows.rules import campaign_rules
from steelyard.flows.submit import Submission, submit
from steelyard.flows.sync import sync
from steelyard.platforms._http_calls import HttpCalls
from steelyard.platforms._mturk_client import MTurkClient
from steelyard.platforms._prolific_client import ProlificClient, describe_error
from steelyard.store import running
from steelyard.store.database import Store

RULES = Rules(
    platform="prolific",
    wage=12.0,
    currency="GBP",
    completion_code="C1A2B3",
    screened_code="S1",
    blocked_code="B1",
    hits_per_worker=1,
)


@dataclass
class Study:
    """The toy campaign, with four HITs and a place on each, and an emulated platform of its own."""

    campaign: OpenCampaign
    wire: Wire
    settings: EmulatorSettings
    url: str
    places: dict[str, TakenPlace] = field(default_factory=dict)
    ahead: timedelta = timedelta(0)
    """By how much our clock is ahead of the platform's."""

    def __post_init__(self) -> None:
        self.client = self.another_client()
        self.entrance = Entrance(self.wire, self.url)

    def another_client(self, tell: Callable[[str], None] | None = None) -> CrowdClient:
        """What talks to it, as fast as it can; with `tell`, in a dry run."""
        if campaign_rules(self.campaign).platform == "mturk":
            key = f"{self.settings.token}:secret"
            return MTurkClient(ClientSettings(key=key, address=self.url, tell=tell))
        headers = {"Authorization": f"Token {self.settings.token}"}
        calls = HttpCalls(self.url, headers, describe_error, tell=tell, sleep=lambda _: None)
        return ProlificClient(ClientSettings(key=self.settings.token, tell=tell), calls)

    @property
    def now(self) -> datetime:
        return self.settings.clock.now() + self.ahead

    def rules(self, **changes: Any) -> None:
        with self.campaign.store.write() as connection:
            running.set_rules(connection, replace(running.rules(connection), **changes))

    def fail(self, fault: FaultName, path: str, times: int = 1) -> None:
        """Let the next calls of this pattern suffer a fault."""
        self.settings.faults.next.append(PlannedFault(fault, path, times))

    def publish(self, places: int | None = None, **wish: Any) -> ListingState:
        wanted = Wish("http://127.0.0.1", places, **wish)
        return publish(self.campaign, self.client, wanted, by="manager", now=self.now).listing.state

    def sync(self) -> None:
        sync(self.campaign, self.client, by="manager", now=self.now)

    def person(self, worker_id: str) -> str:
        """A worker's id on the platform."""
        people = {each.worker_id: each.participant_id for each in participants(self.campaign).workers}
        return people[worker_id] or ""

    def come(self, person: str | None = None) -> str:
        """Somebody takes a place on the platform and comes here; their worker."""
        person = person or self.entrance.new_people(1)[0]
        [offer] = self.entrance.listings(person)
        place = self.entrance.take(person, offer.listing)
        assert place is not None
        self.entrance.open(place.session)
        worker_id = self.join(place.url)
        self.places[worker_id] = place
        return worker_id

    def join(self, url: str) -> str:
        """Somebody opens the platform's link here."""
        query = parse_qsl(urlsplit(url).query)
        return join_campaign(self.campaign, base_url="", now=self.now, query=query).worker_id

    def judge(self, worker_id: str, n: int = 100) -> None:
        """Judge so many items, or what is left of a HIT."""
        view = next_item(self.campaign, worker_id, now=self.now)
        for number in range(n):
            if not isinstance(view, NextItem):
                break
            ids = {"assignment_id": view.assignment_id, "item_id": view.item.item_id}
            made = Submission(
                judgement_id=f"{worker_id}-{view.item.item_id}-{number}",
                answer={"rating": 50},
                shown_ms=1,
                **ids,
            )
            view = submit(self.campaign, worker_id, made, now=self.now).next

    def finish(self, worker_id: str, code: str | None = RULES.completion_code) -> None:
        """Hand in on the platform."""
        assert self.entrance.finish(self.places[worker_id].session, code)

    def studies(self) -> list[dict[str, Any]]:
        """All that Prolific has, as its own API says."""
        headers = {"Authorization": f"Token {self.settings.token}"}
        found = self.wire.send("platform", "GET", f"{self.url}/api/v1/studies/", headers=headers).json()
        return list(found["results"])

    def by_hand(self, path: str, **body: Any) -> dict[str, Any]:
        """Something that happens on the platform's own pages."""
        reply = self.wire.send("platform", "POST", f"{self.url}/emulator/{path}", content=as_json(body))
        assert reply.is_success, reply.text
        return dict(reply.json())

    @property
    def status(self) -> CrowdStatus:
        return crowd_status(self.campaign)

    @property
    def ledger(self) -> Ledger:
        return ledger(self.campaign)

    def require_equal_books(self) -> None:
        """Our ledger and the platform's books say the same."""
        total, mine = self.entrance.books()["total"], self.ledger
        assert (mine.rewards, mine.bonuses, mine.elsewhere) == (total["rewards"], total["bonuses"], 0)
        assert mine.fees == total["fees"] + total["vat"]


@pytest.fixture
def study(toy_store: Store, toy_campaign: Campaign) -> Iterator[Study]:
    with _staged(toy_store, toy_campaign, RULES) as made:
        yield made


@pytest.fixture
def turk(toy_store: Store, toy_campaign: Campaign) -> Iterator[Study]:
    """The same on Mechanical Turk."""
    with _staged(toy_store, toy_campaign, replace(RULES, platform="mturk", currency="USD")) as made:
        made.rules(platform_settings={"emulator": made.url})
        yield made


@contextmanager
def _staged(store: Store, toy: Campaign, rules: Rules) -> Iterator[Study]:
    campaign = OpenCampaign(store, toy.settings)
    with store.write() as connection:
        running.set_rules(connection, rules)
    settings = EmulatorSettings(currency=rules.currency)
    with serving(emulators()[rules.platform].create_app(settings)) as url, closing(Wire()) as wire:
        made = Study(campaign, wire, settings, url)
        yield made
        made.client.close()
