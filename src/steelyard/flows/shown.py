"""Items as they are shown: to a worker, blinded, and to the protocol that checks and reads the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.judgement import Span
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.domain.work import BlindedItem, SegmentTexts, ShownItem, ShownText, span_record
from steelyard.protocols import protocols
from steelyard.store.work import PlacedTexts


def order_of(settings: CampaignSettings, assignment_id: str, placed: PlacedTexts) -> tuple[int, ...] | None:
    """The places of an item's translations, from 1, in the order that an assignment shows; None: as stored.

    In document order it is the same for all segments of a document: a column is one system's throughout.
    """
    key = placed.document_id if settings.design.order == "documents" else placed.item_id
    return shown_order(protocols()[settings.protocol], assignment_id, key, len(placed.translations))


def shown_order(
    protocol: Protocol, assignment_id: str, key: str, n_translations: int | None = None
) -> tuple[int, ...] | None:
    """The same for an item or document of this id with this many translations, or as many as is usual.

    The order follows from the ids alone, so that asking again shows the same. Ids are random, and so is
    the order in which a design stores translations: this reveals nothing about what is what.
    """
    n = protocol.n_translations if n_translations is None else n_translations
    if not protocol.shuffles or n == 1:
        return None
    both = f"{assignment_id} {key}".encode()
    return tuple(sorted(range(1, n + 1), key=lambda place: sha256(b"%d %b" % (place, both)).digest()))


def as_shown(placed: PlacedTexts, order: Sequence[int] | None, settings: CampaignSettings) -> ShownItem:
    """A stored item as its protocol knows it, its translations in the order shown."""
    translations, sources = placed.translations, tuple(segment.source for segment in placed.segments)
    if order is not None:
        translations = tuple(translations[place - 1] for place in order)
        sources = tuple(sources[place - 1] for place in order)
    marked = marks_in_order(placed.prefilled, order, len(translations))
    return ShownItem(settings.attribute, translations, sources, settings.presentation, marked)


def marks_in_order(
    prefilled: Mapping[int, Sequence[Span]], order: Sequence[int] | None, n_translations: int
) -> tuple[tuple[Span, ...], ...]:
    """The errors that are marked beforehand in each translation, in the order shown; empty if none are."""
    if not prefilled:
        return ()
    places = order or range(1, n_translations + 1)
    return tuple(
        tuple(span._replace(place=number) for span in prefilled.get(place, ()))
        for number, place in enumerate(places)
    )


def blinded(placed: PlacedTexts, order: Sequence[int] | None, roles: Sequence[TextRole]) -> BlindedItem:
    """A stored item as it leaves the server: only the texts that the protocol shows, under an opaque id."""
    places = order or range(1, len(placed.translations) + 1)
    shown = [(placed.translations[place - 1], placed.segments[place - 1]) for place in places]
    every = [
        _texts(text, segment, roles, placed.prefilled.get(place, ()))
        for place, (text, segment) in zip(places, shown, strict=True)
    ]
    if len(every) == 1:
        return BlindedItem(placed.item_id, every[0])
    if len({text.segment_id for text, _ in shown}) > 1:
        return BlindedItem(placed.item_id, {}, tuple(every))
    shared = {str(role): every[0][role] for role in roles if role != "text"}
    own = tuple({name: texts[name] for name in texts if name not in shared} for texts in every)
    return BlindedItem(placed.item_id, shared, own)


def _texts(
    text: ShownText, segment: SegmentTexts, roles: Sequence[TextRole], marked: Sequence[Span]
) -> dict[str, Any]:
    texts = {"text": text.text, "source": segment.source, "reference": segment.reference}
    shown: dict[str, Any] = {role: texts[role] for role in roles}
    return {**shown, "spans": [span_record(span) for span in marked]} if marked else shown
