"""The rules by which a campaign is run: look them up, change some of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from steelyard.domain.errors import Conflict
from steelyard.domain.running import By, Rules
from steelyard.flows.open import OpenCampaign
from steelyard.flows.platform import require_platform
from steelyard.formats.campaign_rules import changed_rules
from steelyard.store import crowd, running
from steelyard.store.actions import log_action

if TYPE_CHECKING:
    from sqlalchemy import Connection


def campaign_rules(campaign: OpenCampaign) -> Rules:
    """The rules at this moment."""
    with campaign.store.read() as connection:
        return running.rules(connection)


def change_rules(campaign: OpenCampaign, changes: Mapping[str, Any], *, by: By, now: datetime) -> Rules:
    """Change the rules named, and only those; CampaignError with all problems if a value is impossible.

    Conflict for another platform or currency once the campaign was published: what it has there must be paid.
    What was different before is logged, with the old and the new value.
    """
    with campaign.store.write() as connection:
        running.hold_campaign(connection)
        before = running.rules(connection)
        after = changed_rules(before, changes)
        require_platform(after, "the rules")
        old, new = asdict(before), asdict(after)
        _require_same_money(connection, before, after)
        detail = {
            name: {"before": old[name], "after": value} for name, value in new.items() if value != old[name]
        }
        if detail:
            running.set_rules(connection, after)
            log_action(connection, "change-rules", by=by, now=now, detail=detail)
        return after


def _require_same_money(connection: Connection, before: Rules, after: Rules) -> None:
    if (before.platform, before.currency) == (after.platform, after.currency):
        return
    if crowd.listings(connection):
        raise Conflict(
            f"The campaign was published on {before.platform} in {before.currency}, and the people who came "
            "are followed and paid there. For another platform or currency, clone it: steelyard clone DB NEW",
            code="published",
        )
