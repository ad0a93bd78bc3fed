"""What to be told of a line between two campaigns before it is relied upon."""

from __future__ import annotations

import numpy as np

from steelyard.longitudinal.link_draws import CampaignScores, ItemScores
from steelyard.stats.line_link import LinkLine

# As the guide on comparing years says.
ENOUGH_ITEMS = 20
# Points that lie so far from the line come about by errors alone once in a hundred times [our choice].
_LARGE_SCATTER = 0.01
_NAMED = 3


def line_warnings(campaign: CampaignScores, target: str, items: ItemScores, line: LinkLine) -> list[str]:
    """Few items, items that do not fit, systems beyond the items: a sentence each."""
    return [
        *_few(campaign.title, target, len(items.names)),
        *_scattered(campaign.title, target, items, line),
        *_beyond(campaign, items),
    ]


def _few(title: str, target: str, n: int) -> list[str]:
    if n >= ENOUGH_ITEMS:
        return []
    return [
        f"The link from {title} to {target} rests on {n} items: with fewer than {ENOUGH_ITEMS}, how far they "
        "lie from the line cannot be told well, and intervals may be too narrow."
    ]


def _scattered(title: str, target: str, items: ItemScores, line: LinkLine) -> list[str]:
    if line.p_value >= _LARGE_SCATTER:
        return []
    furthest = np.argsort(-line.distance, kind="stable")[:_NAMED]
    named = ", ".join(items.names[place] for place in furthest)
    return [
        f"Common items lie further from the line between {title} and {target} than their errors explain "
        f"(chi2/df = {line.chi2_per_df:.1f}): some may mean something else now, or their earlier scores be "
        f"less sure than told. Intervals allow for it. Look at the furthest: {named}."
    ]


def _beyond(campaign: CampaignScores, items: ItemScores) -> list[str]:
    low, high = float(items.score.min()), float(items.score.max())
    outside = [
        name
        for name, score in zip(campaign.systems, campaign.score.tolist(), strict=True)
        if not low <= score <= high
    ]
    if not outside:
        return []
    return [
        f"These systems of {campaign.title} score beyond all common items ({low:.3g} to {high:.3g}), where "
        f"nothing supports the line: {', '.join(outside)}."
    ]
