"""Building the design of a campaign: texts in, items and HITs out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from steelyard.design import grouped
from steelyard.design.assembly import Design
from steelyard.design.entries import entries_of
from steelyard.design.layout import layout_of, layout_problems
from steelyard.design.problems import text_problems
from steelyard.design.tournament import Met
from steelyard.domain.campaign import Campaign, DesignSettings

# About this share of the items in HITs of whole documents is regular; for a progress bar only [our choice].
_REGULAR_SHARE_OF_DOCUMENTS = 0.725


def build(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
    met: Iterable[Met] = (),
) -> Design:
    """The design of a campaign: an item per text to judge, controls, HITs for every round.

    The same `rng` gives the same HITs. Ids of items come from `new_ids` alone, which should be
    unpredictable: with ids drawn from the seed, anyone who knows the texts could identify the controls.
    `progress` is called with the number of HITs made so far. `met`: pairs of systems that earlier rounds
    have compared, which further ones avoid.
    """
    order, is_several = campaign.settings.design.order, campaign.settings.design.n_translations > 1
    if is_several and order == "documents":
        from steelyard.design import side_by_side

        return side_by_side.lay_out_side_by_side(
            campaign, rng=rng, new_ids=new_ids, progress=progress, met=met
        )
    if is_several:
        from steelyard.design import pairing

        return pairing.lay_out_pairs(campaign, rng=rng, new_ids=new_ids, progress=progress, met=met)
    if order == "documents":
        from steelyard.design import documents

        return documents.lay_out_documents(campaign, rng=rng, new_ids=new_ids, progress=progress)
    if order == "given":
        from steelyard.design import given

        return given.lay_out_given(campaign, rng=rng, new_ids=new_ids, progress=progress)
    return grouped.lay_out_grouped(campaign, rng=rng, new_ids=new_ids, progress=progress)


def n_hits(campaign: Campaign) -> int:
    """How many HITs the design will have, an estimate for document order; 0 if it cannot be made."""
    settings = campaign.settings.design
    if settings.n_translations > 1 and settings.order != "documents":
        from steelyard.design.pairing import n_pair_hits

        return n_pair_hits(campaign)
    if settings.order == "given":
        return len(campaign.given)
    if text_problems(campaign) or layout_problems(settings):
        return 0
    if settings.n_translations > 1:
        from steelyard.design.side_by_side import n_groups_per_round

        return -(-n_groups_per_round(campaign) // _regular_in_documents(settings)) * grouped.n_rounds(
            campaign
        )
    merge = settings.merge_duplicates and settings.order != "documents"
    taken = int(grouped.entries_per_round(campaign, entries_of(campaign, merge=merge)).sum())
    if settings.order == "documents":
        per_hit = _regular_in_documents(settings)
    else:
        per_hit = layout_of(settings).n_regular
    return -(-taken // per_hit) * grouped.n_rounds(campaign)


def _regular_in_documents(settings: DesignSettings) -> int:
    return max(1, round(settings.hit_size * _REGULAR_SHARE_OF_DOCUMENTS))
