"""Create a campaign: texts to items, items to HITs, all of it written in one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from steelyard.design.builder import Design, build
from steelyard.design.layout import layout_for
from steelyard.domain.campaign import Campaign, CampaignSettings
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


# Shows how far a step is: given its name and length, a function to call with each advance.
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]


def unseen(_step: str, _length: int) -> AbstractContextManager[Callable[[int], None]]:
    """Progress that nobody watches."""
    return nullcontext(lambda _: None)


def create(campaign_file: Path, address: str, *, now: datetime, progress: Progress = unseen) -> Created:
    """Read the campaign file, design its HITs and write everything, or nothing at all.

    Item ids come from the operating system's randomness and not from the seed: whoever knows
    the texts and the seed could otherwise tell which ids are controls.
    """
    campaign = campaign_toml.read(campaign_file)
    design = _design(campaign, progress)
    n_rows = len(design.items) + sum(len(hit.placed) for hit in design.hits)
    with (
        new_store(address) as store,
        store.write() as connection,
        progress("Writing", n_rows) as advance,
    ):
        campaigns.add_campaign(
            connection,
            campaign,
            items=design.items,
            hits=design.hits,
            openings_per_hit=1,
            now=now,
            created_with=f"steelyard {__version__}",
            progress=advance,
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


def _design(campaign: Campaign, progress: Progress) -> Design:
    settings = campaign.settings
    per_round = -(
        -sum(1 for _ in campaign.each_translation()) // layout_for(settings.design.hit_size).n_regular
    )
    with progress("Designing", per_round * settings.design.ratings_per_item) as advance:
        return build(
            campaign,
            rng=np.random.default_rng(settings.seed),
            new_id=lambda: secrets.token_hex(8),
            progress=lambda _: advance(1),
        )


def new_token() -> str:
    """A secret for a link; 192 random bits that survive being pasted anywhere."""
    return secrets.token_urlsafe(24)
