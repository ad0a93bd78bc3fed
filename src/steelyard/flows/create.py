"""Create a campaign: texts to items, items to HITs, all of it written in one transaction."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np

from steelyard.design.assembly import Design
from steelyard.design.builder import build, n_hits
from steelyard.design.degradations import segmentation
from steelyard.design.explain import explain
from steelyard.design.layout_report import LayoutReport
from steelyard.design.prefilled import Prefiller
from steelyard.domain.campaign import Campaign, CampaignSettings
from steelyard.domain.collector import no_collector
from steelyard.domain.running import CampaignState
from steelyard.flows.consent import consent_warnings
from steelyard.flows.media import kept_media, media_folder
from steelyard.flows.platform import require_platform
from steelyard.flows.secrets import mark_campaign
from steelyard.flows.watching import Progress, unseen
from steelyard.formats.campaign_toml import CampaignSource, read_campaign
from steelyard.store import campaigns, running
from steelyard.store.database import new_store
from steelyard.version import __version__

# Bytes of an item's id: opaque, and enough never to collide.
ID_BYTES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Designed:
    """A campaign with its items and HITs, before anything is written."""

    campaign: Campaign
    design: Design
    warnings: tuple[str, ...]
    media: Mapping[str, Path] = field(default_factory=dict)
    """The files that sources show, by the names under which they are to be kept."""


@dataclass(frozen=True, slots=True)
class Created:
    """What a new campaign consists of.

    `separation` is the least and the greatest number of items between a control and its base;
    `blocks` the number of parts without a common item that the HITs fall into.
    """

    settings: CampaignSettings
    n_systems: int
    n_segments: int
    n_items: int
    n_hits: int
    n_openings: int
    n_places: int
    separation: tuple[int, int] | None
    blocks: int
    warnings: tuple[str, ...]


def create(
    campaign_file: Path,
    address: str,
    *,
    now: datetime,
    draft: bool = False,
    media: Path | None = None,
    progress: Progress = unseen,
) -> Created:
    """Read the campaign file, design its HITs and write everything, or nothing at all."""
    designed = design(campaign_file, progress=progress)
    return write(designed, address, now=now, draft=draft, media=media, progress=progress)


@no_collector()
def design(campaign_file: Path, *, progress: Progress = unseen) -> Designed:
    """Read the campaign file and design its HITs."""
    source = read_campaign(campaign_file)
    require_platform(source.campaign.settings.rules, str(campaign_file))
    return design_source(source, progress=progress)


@no_collector()
def design_source(source: CampaignSource, *, progress: Progress = unseen) -> Designed:
    """Design the HITs of a campaign that was read.

    Item ids come from the operating system's randomness and not from the seed: anyone who
    knows the texts and the seed could otherwise tell which ids are controls.
    """
    campaign, done = source.campaign, 0
    with progress("Designing", n_hits(campaign)) as advance:

        def advance_to(n_done: int) -> None:
            nonlocal done
            advance(n_done - done)
            done = n_done

        made = build(
            campaign,
            rng=np.random.default_rng(campaign.settings.seed),
            new_ids=new_ids,
            progress=advance_to,
        )
    settings = campaign.settings
    told = consent_warnings(settings.rules, settings.presentation)
    return Designed(campaign, made, (*source.warnings, *told, *made.warnings), source.media)


def explain_layout(designed: Designed) -> LayoutReport:
    """What an organiser checks before paying anybody: groups, kinds, pairs and how far apart they are."""
    return explain(designed.design, designed.campaign)


@no_collector()
def write(
    designed: Designed,
    address: str,
    *,
    now: datetime,
    draft: bool = False,
    media: Path | None = None,
    progress: Progress = unseen,
) -> Created:
    """Write a designed campaign into an empty database, or nothing at all.

    A `draft` can be looked at in every detail, but nobody can judge before it is opened. `media`: the folder
    for the files that sources show, if not that beside the database.
    """
    campaign, made = designed.campaign, designed.design
    choices = campaign.settings.design
    openings_per_hit = choices.ratings_per_item if choices.partition == "fixed" else 1
    n_rows = len(made.items) + made.n_places
    words = segmentation(campaign.settings.target_language)
    with (
        kept_media(designed.media, media or media_folder(address)),
        new_store(address) as store,
        store.write() as connection,
        progress("Writing", n_rows) as advance,
    ):
        campaigns.add_campaign(
            connection,
            campaign,
            items=made.items,
            hits=made.hits,
            openings_per_hit=openings_per_hit,
            now=now,
            created_with=f"steelyard {__version__} ({words})",
            progress=advance,
            marks=Prefiller.of(campaign).marked if campaign.prefilled else None,
        )
        if draft:
            running.set_state(connection, CampaignState.DRAFT)
        mark_campaign(connection, store)
    return Created(
        settings=campaign.settings,
        n_systems=len(campaign.systems),
        n_segments=len(campaign.segments),
        n_items=len(made.items),
        n_hits=len(made.hits),
        n_openings=len(made.hits) * openings_per_hit,
        n_places=made.n_places,
        separation=made.separation,
        blocks=made.blocks,
        warnings=designed.warnings,
    )


def new_ids(n: int) -> list[str]:
    """This many unpredictable ids."""
    digits = os.urandom(ID_BYTES * n).hex()
    return [digits[start : start + 2 * ID_BYTES] for start in range(0, len(digits), 2 * ID_BYTES)]
