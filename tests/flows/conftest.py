"""A campaign made by the real flow from the bundled texts, small HITs, on each database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.flows.create import create
from steelyard.flows.open import OpenCampaign, open_campaign


@pytest.fixture
def campaign(campaign_file: Path, address: str, noon: datetime) -> Iterator[OpenCampaign]:
    create(campaign_file, address, now=noon)
    with open_campaign(address) as opened:
        yield opened
