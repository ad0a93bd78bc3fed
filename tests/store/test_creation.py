"""A database is made whole or not at all, and never at the cost of somebody else's."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import Conflict, SourceError
from steelyard.domain.text import Segment
from steelyard.store import campaigns
from steelyard.store.database import new_store, open_store


def fill(address: str, campaign: Campaign, now: datetime) -> None:
    with new_store(address) as store, store.write() as connection:
        campaigns.add_campaign(
            connection, campaign, items=[], hits=[], openings_per_hit=1, now=now, created_with="test"
        )


def test_a_filled_store_stays(address: str, toy_campaign: Campaign, noon: datetime) -> None:
    fill(address, toy_campaign, noon)

    store = open_store(address)
    with store.read() as connection:
        assert campaigns.settings(connection).name == "toy-de-en"
    store.close()


def test_a_failed_block_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), new_store(str(tmp_path / "new.db")):
        raise RuntimeError("half-way")

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_file(tmp_path: Path, toy_campaign: Campaign, noon: datetime) -> None:
    with (
        pytest.raises(SourceError, match="disk is full"),
        new_store(str(tmp_path / "new.db")) as store,
        store.write() as connection,
    ):
        connection.exec_driver_sql("PRAGMA max_page_count = 20")
        segments = tuple(Segment(f"s{k}", "d", "x" * 500, "y") for k in range(5000))
        large = Campaign(toy_campaign.settings, toy_campaign.systems, segments, ())
        campaigns.add_campaign(
            connection, large, items=[], hits=[], openings_per_hit=1, now=noon, created_with="test"
        )

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_there_before_stays(tmp_path: Path, toy_campaign: Campaign, noon: datetime) -> None:
    address = str(tmp_path / "old.db")
    fill(address, toy_campaign, noon)

    with pytest.raises(RuntimeError), new_store(address):
        raise RuntimeError("half-way")

    store = open_store(address)
    with store.read() as connection:
        assert campaigns.settings(connection).name == "toy-de-en"
    store.close()


def test_whoever_comes_second_leaves_the_first_ones_campaign_alone(
    tmp_path: Path, toy_campaign: Campaign, noon: datetime
) -> None:
    address = str(tmp_path / "race.db")

    # The second call has made the file, the first fills it in between.
    with pytest.raises(Conflict, match="already holds"), new_store(address) as store:
        fill(address, toy_campaign, noon)
        with store.write() as connection:
            campaigns.add_campaign(
                connection, toy_campaign, items=[], hits=[], openings_per_hit=1, now=noon, created_with="test"
            )

    store = open_store(address)
    with store.read() as connection:
        assert campaigns.settings(connection).name == "toy-de-en"
    store.close()
