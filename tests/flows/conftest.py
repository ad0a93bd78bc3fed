"""A campaign made by the real flow from the bundled texts, small HITs, on each database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.campaign import Campaign
from steelyard.flows.create import create
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.store.database import Store


@pytest.fixture
def campaign(campaign_file: Path, address: str, noon: datetime) -> Iterator[OpenCampaign]:
    create(campaign_file, address, now=noon)
    with open_campaign(address) as opened:
        yield opened


@pytest.fixture
def toy(toy_store: Store, toy_campaign: Campaign) -> OpenCampaign:
    """The toy campaign, opened; quicker to make than a real one."""
    return OpenCampaign(toy_store, toy_campaign.settings)
