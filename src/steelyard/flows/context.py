"""Documents in context: what a worker sees of the document before and after the item that is judged now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.work import Assignment, BlindedItem, EarlierItem
from steelyard.flows.shown import blinded, order_of
from steelyard.protocols import roles_shown, stored_parts, translations_shown
from steelyard.store import work
from steelyard.store.work import PlacedTexts

if TYPE_CHECKING:
    from sqlalchemy import Connection


def is_in_context(settings: CampaignSettings) -> bool:
    """Whether items are shown with what came before in their document.

    Recorded when a campaign in document order is created: an upgrade does not change what workers see.
    """
    return bool(settings.presentation.get("context"))


def is_whole(settings: CampaignSettings) -> bool:
    """Whether items are shown with what comes after them in their document too."""
    return settings.presentation.get("context") == "whole"


def continues(item: PlacedTexts, before: PlacedTexts) -> bool:
    """Whether an item goes on with the document of the one before it, as the same systems translated it.

    A document that begins again, as its own control, is another run.
    """
    return (
        item.document_id == before.document_id
        and _systems(item) == _systems(before)
        and item.number > before.number
    )


def _systems(item: PlacedTexts) -> list[str]:
    return [text.system_id for text in item.translations]


def earlier_in_document(
    connection: Connection,
    settings: CampaignSettings,
    assignment: Assignment,
    position: int,
    item: PlacedTexts,
) -> tuple[EarlierItem, ...]:
    """The items judged right before `item`, at `position`, that it continues; in order, with the answers."""
    roles, found = roles_shown(settings), list[EarlierItem]()
    n_translations = translations_shown(settings)
    earlier = work.judged_before(
        connection, assignment.assignment_id, position, item.document_id, n_translations=n_translations
    )
    for before in earlier:
        if not continues(item, before.placed):
            break
        found.append(EarlierItem(blinded(before.placed, before.shown_order, roles), before.answer))
        item = before.placed
    return tuple(found[::-1])


def later_in_document(
    connection: Connection,
    settings: CampaignSettings,
    assignment: Assignment,
    position: int,
    item: PlacedTexts,
) -> tuple[BlindedItem, ...]:
    """The items of the HIT right after `item`, at `position`, that go on with its document; in order."""
    roles, found = roles_shown(settings), list[BlindedItem]()
    later: Iterable[PlacedTexts] = work.placed_after(
        connection, assignment, position, item.document_id, **stored_parts(settings)
    )
    for after in later:
        if not continues(after, item):
            break
        found.append(blinded(after, order_of(settings, assignment.assignment_id, after), roles))
        item = after
    return tuple(found)
