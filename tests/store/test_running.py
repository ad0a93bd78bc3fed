from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from steelyard.domain.errors import Conflict
from steelyard.domain.running import CampaignState, Rules
from steelyard.store import campaigns, running, tables
from steelyard.store.database import Store


def test_a_new_campaign_is_open_under_the_usual_rules_in_its_first_revision(toy_store: Store) -> None:
    with toy_store.read() as connection:
        assert running.state(connection) is CampaignState.OPEN
        assert campaigns.settings(connection).rules == Rules()
        assert [each.revision for each in running.revisions(connection)] == [1]


@pytest.mark.parametrize("state", CampaignState)
def test_a_state_is_kept(toy_store: Store, state: CampaignState) -> None:
    with toy_store.write() as connection:
        running.set_state(connection, state)

    with toy_store.read() as connection:
        assert running.state(connection) is state


def test_rules_are_kept(toy_store: Store) -> None:
    rules = Rules(lease_minutes=15, hits_per_worker=3, open_link=False, wage=14.5, currency="EUR")
    with toy_store.write() as connection:
        running.set_rules(connection, rules)

    with toy_store.read() as connection:
        assert campaigns.settings(connection).rules == rules


def test_workers_see_the_latest_revision_and_earlier_ones_stay(toy_store: Store, noon: datetime) -> None:
    with toy_store.read() as connection:
        first = running.latest_revision(connection)
    words = {**first.presentation, "words": {"question": "How well is the meaning kept?"}}
    with toy_store.write() as connection:
        number = running.add_revision(
            connection, "Better", words, now=noon + timedelta(hours=1), reason="a typo"
        )

    with toy_store.read() as connection:
        settings = campaigns.settings(connection)
        found = running.revisions(connection)

    assert (number, settings.title, settings.presentation) == (2, "Better", words)
    assert (found[0], found[1].reason) == (first, "a typo")


def test_nothing_changes_a_revision(toy_store: Store) -> None:
    with pytest.raises(Conflict, match="append-only"), toy_store.write() as connection:
        connection.execute(update(tables.revisions).values(title="other"))
