"""Rehearse: a copy of a campaign in which nobody who comes is taken for a person."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from steelyard.flows.clone import clone, next_name
from steelyard.flows.create import Created
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.store.actions import REHEARSAL_VERB, log_action

_LONGEST_NAME = 64
_ENDING = "-rehearsal"


def rehearsal_copy(
    campaign: OpenCampaign,
    address: str,
    *,
    now: datetime,
    media: Path | None = None,
) -> Created:
    """Clone a campaign for a rehearsal; whoever joins the copy is marked as simulated, for ever.

    There is no other way to mark a campaign so: one that people are to judge cannot become a rehearsal.
    """
    name = rehearsal_name(campaign.settings.name)
    created = clone(campaign, address, now=now, name=name, media=media)
    with open_campaign(address) as copy, copy.store.write() as connection:
        detail = {"campaign": campaign.settings.name}
        log_action(connection, REHEARSAL_VERB, by="command line", now=now, detail=detail)
    return created


def rehearsal_name(name: str) -> str:
    """The name of a campaign's rehearsal.

    >>> rehearsal_name("news-de-en"), rehearsal_name("news-de-en-rehearsal")
    ('news-de-en-rehearsal', 'news-de-en-rehearsal-2')
    """
    return next_name(name) if name.endswith(_ENDING) else name[: _LONGEST_NAME - len(_ENDING)] + _ENDING
