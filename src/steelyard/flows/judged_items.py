"""What stored judgements were about: their items as the workers saw them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.text import changed_part
from steelyard.domain.work import ItemKind, ShownItem, ShownText, own_kind
from steelyard.flows.shown import marks_in_order
from steelyard.frames import texts_frame
from steelyard.protocols import protocols
from steelyard.store import campaigns
from steelyard.store.judgements import JudgementColumns

if TYPE_CHECKING:
    from sqlalchemy import Connection

_KINDS = {kind.value: kind for kind in ItemKind}


class Shower(NamedTuple):
    """Shows the items of judgements of one campaign.

    `originals`: by system and segment, the texts that damaged copies were made from, where it matters.
    """

    settings: CampaignSettings
    originals: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, connection: Connection, settings: CampaignSettings) -> Shower:
        """Where errors are marked, it matters where a text was damaged."""
        marks = "spans" in protocols()[settings.protocol].gives
        return cls(settings, campaigns.degraded_originals(connection) if marks else {})

    def shown(self, columns: JudgementColumns) -> list[ShownItem]:
        """What each judgement was about, its translations as the worker saw them."""
        attribute, presentation = self.settings.attribute, self.settings.presentation
        firsts = zip(
            *(columns.system_id, columns.segment_id, columns.text, columns.item_kind),
            *(columns.credited, columns.source),
            strict=True,
        )
        if not columns.beside:
            items = [
                ShownItem(
                    attribute,
                    (ShownText(system, segment, text, _KINDS[kind], credited or ()),),
                    (source,),
                    presentation,
                )
                for system, segment, text, kind, credited, source in firsts
            ]
            return self._marked(self._damaged(items), columns)
        items = []
        for item_id, order, first in zip(columns.item_id, columns.shown_order, firsts, strict=True):
            system, segment, text, kind, credited, source = first
            beside = columns.beside.get(item_id, ())
            own = own_kind(_KINDS[kind], system, [each.shown for each in beside])
            texts = (ShownText(system, segment, text, own, credited or ()), *(each.shown for each in beside))
            sources = (source, *(each.segment.source for each in beside))
            if order is not None:
                texts, sources = (tuple(each[place - 1] for place in order) for each in (texts, sources))
            items.append(ShownItem(attribute, texts, sources, presentation))
        return self._marked(self._damaged(items), columns)

    def _marked(self, items: list[ShownItem], columns: JudgementColumns) -> list[ShownItem]:
        """The items with the errors that were marked in them beforehand."""
        if not columns.prefilled:
            return items
        rows = zip(items, columns.item_id, columns.shown_order, strict=True)
        return [
            item._replace(
                prefilled=marks_in_order(columns.prefilled.get(item_id, {}), order, len(item.translations))
            )
            for item, item_id, order in rows
        ]

    def _damaged(self, items: list[ShownItem]) -> list[ShownItem]:
        """The items with the places at which their texts were damaged, where it matters."""
        if not self.originals:
            return items
        return [
            item._replace(damaged=tuple(map(self._damage, item.translations)))
            if any(text.kind is ItemKind.DEGRADED for text in item.translations)
            else item
            for item in items
        ]

    def _damage(self, text: ShownText) -> tuple[int, int] | None:
        original = self.originals.get((text.system_id, text.segment_id))
        if text.kind is not ItemKind.DEGRADED or original is None:
            return None
        return changed_part(original, text.text)


def judged_texts(items: list[ShownItem]) -> pl.DataFrame:
    """The texts of both sides of items that were judged, each once."""
    rows = {
        (text.system_id, text.segment_id, str(text.kind), side, shown)
        for item in items
        for text, source in zip(item.translations, item.sources, strict=True)
        for side, shown in (("target", text.text), ("source", source))
    }
    return texts_frame(
        pl.DataFrame(sorted(rows), schema=list(texts_frame().columns), orient="row") if rows else None
    )
