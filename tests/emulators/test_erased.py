"""What a platform says of people who were erased or forgotten counts once, and brings nobody back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

import pytest
from sqlalchemy import select

from steelyard.domain.campaign import Campaign
from steelyard.domain.crowd import CrowdClient
from steelyard.domain.running import CampaignState, Rules
from steelyard.emulators import emulators
from steelyard.emulators.entrance import Entrance
from steelyard.emulators.offer import EmulatorSettings
from steelyard.emulators.serving import serving
from steelyard.emulators.wire import Wire
from steelyard.flows.approve import approve
from steelyard.flows.bonus import Owed, pay_bonuses
from steelyard.flows.crowd_client import crowd_client
from steelyard.flows.crowd_status import crowd_status
from steelyard.flows.erase import erase, erase_all
from steelyard.flows.ledger import ledger
from steelyard.flows.links import join_campaign, renew_all
from steelyard.flows.open import OpenCampaign
from steelyard.flows.participants import forget_ids
from steelyard.flows.publish import Wish, publish
from steelyard.flows.state import change_state
from steelyard.flows.sync import sync
from steelyard.store import running, tables
from steelyard.store.database import Store

RULES = Rules(platform="prolific", wage=12.0, currency="GBP", completion_code="C1A2B3")


@dataclass
class Study:
    """The toy campaign on an emulated Prolific, where two people were paid, one with a bonus."""

    campaign: OpenCampaign
    client: CrowdClient
    entrance: Entrance
    settings: EmulatorSettings
    people: list[str]
    sessions: list[str]

    @property
    def now(self) -> datetime:
        return self.settings.clock.now()

    def sync(self) -> None:
        sync(self.campaign, self.client, by="manager", now=self.now)

    def cells(self) -> str:
        with self.campaign.store.read() as connection:
            every = (connection.execute(select(table)) for table in tables.metadata.sorted_tables)
            return repr([tuple(row) for rows in every for row in rows])


@pytest.fixture
def study(toy_store: Store, toy_campaign: Campaign) -> Iterator[Study]:
    campaign = OpenCampaign(toy_store, toy_campaign.settings)
    with toy_store.write() as connection:
        running.set_rules(connection, RULES)
    settings = EmulatorSettings(currency="GBP")
    offered = emulators()["prolific"]
    with serving(offered.create_app(settings)) as url, closing(Wire()) as wire:
        filled = {"url": url, "token": settings.token}
        environ = {name: value.format(**filled) for name, value in offered.environment.items()}
        with crowd_client(campaign, environ=environ) as client:
            entrance = Entrance(wire, url)
            found = Study(campaign, client, entrance, settings, entrance.new_people(2), [])
            _pay_two(found)
            yield found


def _pay_two(study: Study) -> None:
    campaign, client = study.campaign, study.client
    publish(campaign, client, Wish("http://127.0.0.1"), by="manager", now=study.now)
    workers = []
    for person in study.people:
        [offer] = study.entrance.listings(person)
        place = study.entrance.take(person, offer.listing)
        assert place is not None
        study.entrance.open(place.session)
        query = parse_qsl(urlsplit(place.url).query)
        workers.append(join_campaign(campaign, base_url="", now=study.now, query=query).worker_id)
        study.entrance.finish(place.session, RULES.completion_code)
        study.sessions.append(place.session)
    study.sync()
    approve(campaign, client, workers, by="manager", now=study.now)
    pay_bonuses(campaign, client, [Owed(workers[0], 40, "slow")], by="manager", now=study.now)
    study.entrance.advance(3600)
    study.sync()


def money(study: Study) -> tuple[int, int, int, int]:
    found = ledger(study.campaign)
    return found.rewards, found.bonuses, found.elsewhere, found.pending


@pytest.mark.parametrize("how", ["erase", "forget", "all"])
def test_a_later_look_at_the_platform_counts_nobody_twice(study: Study, how: str) -> None:
    before, total = money(study), study.entrance.books()["total"]
    assert before == (total["rewards"], total["bonuses"], 0, 0)
    assert before[1] == 40
    gone = list(zip(study.people, study.sessions, strict=True))[: 1 if how == "erase" else 2]

    if how == "erase":
        erase(study.campaign, "W0001", by="manager", now=study.now)
    elif how == "forget":
        forget_ids(study.campaign, by="manager", now=study.now)
    else:
        change_state(study.campaign, CampaignState.CLOSED, by="manager", now=study.now)
        erase_all(study.campaign, by="manager", now=study.now)
    # The stand-ins hold whatever becomes of the secret of the links.
    renew_all(study.campaign, by="manager", now=study.now)
    study.sync()

    assert money(study) == before
    left = study.cells()
    assert not [word for ids in gone for word in ids if word in left]
    status = crowd_status(study.campaign)
    assert len(status.sessions) == 2
    if how != "erase":
        assert status.n_different == 0
        assert not [each for each in status.sessions if each.actions]
