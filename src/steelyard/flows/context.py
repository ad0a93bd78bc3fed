"""Documents in context: which of a worker's earlier items belong to the document that is judged now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.judgement import Answer
from steelyard.store import work
from steelyard.store.work import PlacedTexts

if TYPE_CHECKING:
    from sqlalchemy import Connection


def is_in_context(settings: CampaignSettings) -> bool:
    """Whether items are shown with what came before in their document.

    Recorded when a campaign in document order is created: an upgrade does not change what workers see.
    """
    return bool(settings.presentation.get("context"))


def continues(item: PlacedTexts, before: PlacedTexts) -> bool:
    """Whether an item goes on with the document of the one before it, as the same system translated it.

    A document that begins again, as its own control, is another run.
    """
    return (
        item.document_id == before.document_id
        and item.translations[0].system_id == before.translations[0].system_id
        and item.number > before.number
    )


def earlier_in_document(
    connection: Connection, assignment_id: str, position: int, item: PlacedTexts
) -> list[tuple[PlacedTexts, Answer]]:
    """The items judged right before `item`, at `position`, that it continues; in order, with the answers."""
    found: list[tuple[PlacedTexts, Answer]] = []
    for before, answer in work.judged_before(connection, assignment_id, position):
        if not continues(item, before):
            break
        found.append((before, answer))
        item = before
    return found[::-1]
