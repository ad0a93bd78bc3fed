"""Several campaigns in one PostgreSQL database."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.work import Hit, Item
from steelyard.store import campaigns
from steelyard.store.addresses import address_with_schema
from steelyard.store.database import open_store
from steelyard.store.schemas import campaign_schemas, drop_schemas, rename_schemas

NAMES = ("en-de", "EN.de_2")


@pytest.fixture
def both(
    postgres_address: str, toy_campaign: Campaign, toy_items: list[Item], toy_hits: list[Hit], noon: datetime
) -> str:
    """A database with a campaign in each of two schemas whose names need quotes."""
    for name in NAMES:
        store = open_store(address_with_schema(postgres_address, name), create=True)
        named = replace(toy_campaign, settings=replace(toy_campaign.settings, name=name))
        with store.write() as connection:
            campaigns.add_campaign(
                connection,
                named,
                items=toy_items,
                hits=toy_hits,
                openings_per_hit=1,
                now=noon,
                created_with="steelyard test",
            )
        store.close()
    return postgres_address


def name_in(address: str) -> str:
    store = open_store(address)
    try:
        with store.read() as connection:
            return campaigns.settings(connection).name
    finally:
        store.close()


def test_an_address_with_a_schema_opens_the_campaign_in_it(both: str) -> None:
    assert [name_in(address_with_schema(both, name)) for name in NAMES] == list(NAMES)


def test_campaigns_of_a_database_are_found_by_their_schemas(both: str) -> None:
    assert sorted(campaign_schemas(both)) == sorted(NAMES)


def test_the_address_of_one_campaign_is_no_series(both: str) -> None:
    assert campaign_schemas(address_with_schema(both, "en-de")) == []


def test_without_a_schema_no_campaign_is_found(both: str) -> None:
    with pytest.raises(SourceError, match="empty"):
        open_store(both)


def test_a_schema_that_does_not_exist_is_named(both: str) -> None:
    with pytest.raises(SourceError, match="schema=nope"):
        open_store(address_with_schema(both, "nope"))


def test_schemas_are_renamed_together(both: str) -> None:
    rename_schemas(both, {"en-de": "a", "EN.de_2": "b"})
    assert campaign_schemas(both) == ["a", "b"]


def test_no_schema_is_renamed_if_one_name_is_taken(both: str) -> None:
    with pytest.raises(Conflict, match="en-de"):
        rename_schemas(both, {"EN.de_2": "en-de"})
    assert sorted(campaign_schemas(both)) == sorted(NAMES)


def test_schemas_that_are_being_filled_are_not_listed(both: str) -> None:
    rename_schemas(both, {"en-de": "steelyard_new_1"})
    assert campaign_schemas(both) == ["EN.de_2"]


def test_a_dropped_schema_is_gone_and_the_other_stays(both: str) -> None:
    drop_schemas(both, ["en-de", "never"])
    assert campaign_schemas(both) == ["EN.de_2"]


def test_a_database_of_one_campaign_is_no_series(postgres_address: str) -> None:
    open_store(postgres_address, create=True).close()
    assert campaign_schemas(postgres_address) == []
