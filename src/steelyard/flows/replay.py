"""One set of a campaign as its workers see it, to be shown to others: blinded, and without any worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from steelyard.domain.entry import entry_in
from steelyard.domain.media import media_named_in
from steelyard.domain.work import BlindedItem
from steelyard.flows.context import continues, is_in_context, is_whole
from steelyard.flows.earnings import ToldPay, offered_pay
from steelyard.flows.open import OpenCampaign
from steelyard.flows.shown import blinded, order_of
from steelyard.flows.state import CampaignNow, campaign_now
from steelyard.flows.training import Tried, expectation
from steelyard.protocols import roles_shown, stored_parts
from steelyard.store import work

# In whose place the order of several translations is drawn.
NOBODY = "replay"
# What stands where a text is that may not be passed on.
STAND_INS = {
    "text": "[A translation, which is not in this copy.]",
    "source": "[The source text, which is not in this copy.]",
    "reference": "[The reference translation, which is not in this copy.]",
}


@dataclass(frozen=True, slots=True)
class ReplayedItem:
    """An item, and how many items around it are of its document; None where workers do not see them."""

    item: BlindedItem
    n_before: int | None = None
    n_ahead: int | None = None


@dataclass(frozen=True, slots=True)
class ReplayedSet:
    """The first items of a HIT, and all that workers read around them.

    `n_items`: of the whole HIT. `training`: what is said about each training item, whatever the answer.
    `media`: the files that these sources show. `pay`: None unless workers are told. `texts`: whether the
    items have their own texts, and not stand-ins.
    """

    now: CampaignNow
    hit_id: str
    n_items: int
    items: tuple[ReplayedItem, ...]
    training: tuple[Tried, ...]
    media: tuple[str, ...]
    pay: ToldPay | None
    texts: bool = True


def replayed_set(
    campaign: OpenCampaign, *, hit_id: str | None = None, most_items: int, texts: bool = True
) -> ReplayedSet:
    """The first items of a HIT, by default the campaign's first; NotFound if there is no such HIT.

    Ids are numbers: those of the database could be looked up in published judgements. Without `texts` they
    have stand-ins for them, and nothing is marked beforehand.
    """
    now = campaign_now(campaign)
    settings = now.settings
    with campaign.store.read() as connection:
        found, n_items = work.hit_size(connection, hit_id)
        placed = work.placed_first(connection, found, most_items, **stored_parts(settings))
    runs = [index > 0 and continues(each, placed[index - 1]) for index, each in enumerate(placed)]
    roles = roles_shown(settings)
    items = []
    for index, each in enumerate(placed):
        shown = blinded(replace(each, item_id=f"item-{index + 1}"), order_of(settings, NOBODY, each), roles)
        shown = shown if texts else _without_texts(shown)
        before = _length(runs[index::-1]) if is_in_context(settings) else None
        ahead = _length(runs[index + 1 :]) if is_whole(settings) else None
        items.append(ReplayedItem(shown, before, ahead))
    entry = entry_in(settings.presentation)
    training = entry.training if entry else ()
    sources = [segment.source for each in placed for segment in each.segments if texts]
    sources += [item.source for item in training]
    media = sources if settings.presentation.get("source_markup") else []
    return ReplayedSet(
        now,
        found,
        n_items,
        tuple(items),
        tuple(expectation(settings, item) for item in training),
        tuple(dict.fromkeys(name for source in media for name in media_named_in(source))),
        offered_pay(settings, n_items=n_items) if settings.rules.tell_pay else None,
        texts,
    )


def _without_texts(item: BlindedItem) -> BlindedItem:
    def stand_ins(texts: Mapping[str, Any]) -> dict[str, Any]:
        return {role: STAND_INS[role] for role in texts if role in STAND_INS}

    return replace(
        item, texts=stand_ins(item.texts), translations=tuple(stand_ins(each) for each in item.translations)
    )


def _length(runs: list[bool]) -> int:
    """How many of these go on with a document, up to the first that does not."""
    return next((number for number, goes_on in enumerate(runs) if not goes_on), len(runs))
