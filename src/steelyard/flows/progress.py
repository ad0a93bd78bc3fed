"""Progress: what the manager's dashboard shows, computed from judgements by query."""

from __future__ import annotations

from steelyard.flows.open import OpenCampaign
from steelyard.store import work


def campaign_progress(campaign: OpenCampaign) -> work.Progress:
    """Counts, pace and workers of the campaign at this moment."""
    with campaign.store.read() as connection:
        return work.progress(connection)
