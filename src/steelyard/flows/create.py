"""Create a campaign: texts to items, items to HITs, all of it written in one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from steelyard.design.builder import build
from steelyard.domain.campaign import CampaignSettings
from steelyard.formats import campaign_toml
from steelyard.store import campaigns, work
from steelyard.store.creation import new_store
from steelyard.version import __version__


@dataclass(frozen=True, slots=True)
class Created:
    """What a new campaign consists of."""

    settings: CampaignSettings
    n_systems: int
    n_segments: int
    n_items: int
    n_hits: int
    warnings: tuple[str, ...]


def create(
    campaign_file: Path,
    address: str,
    *,
    now: datetime,
    progress: Callable[[int], None] | None = None,
) -> Created:
    """Read the campaign file, design its HITs and write everything, or nothing at all.

    `progress` is called with the number of rows just written. Item ids come from the operating
    system's randomness and not from the seed: whoever knows the texts and the seed could
    otherwise tell which ids are controls.
    """
    campaign = campaign_toml.read(campaign_file)
    rng = np.random.default_rng(campaign.settings.seed)
    design = build(campaign, rng=rng, new_id=lambda: secrets.token_hex(8))
    with new_store(address) as store, store.write() as connection:
        campaigns.add_campaign(
            connection,
            campaign,
            items=design.items,
            hits=design.hits,
            openings_per_hit=1,
            now=now,
            created_with=f"steelyard {__version__}",
            progress=progress,
        )
        for role in ("manager", "open"):
            work.add_link(connection, work.Link(new_token(), role, None), now=now)
    return Created(
        settings=campaign.settings,
        n_systems=len(campaign.systems),
        n_segments=len(campaign.segments),
        n_items=len(design.items),
        n_hits=len(design.hits),
        warnings=design.warnings,
    )


def new_token() -> str:
    """A secret for a link; 192 random bits that survive being pasted anywhere."""
    return secrets.token_urlsafe(24)
