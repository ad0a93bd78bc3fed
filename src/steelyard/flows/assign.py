"""Assign work: give a worker the next item, blinded on the server."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.plugin import Protocol, TextRole
from steelyard.domain.work import Assignment, BlindedItem, SegmentTexts, ShownItem, ShownText
from steelyard.flows.open import OpenCampaign
from steelyard.protocols import protocols, roles_shown
from steelyard.store import work

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class NextItem:
    """The item a worker is to judge now. `position` counts from 1."""

    assignment_id: str
    position: int
    n_items: int
    n_done: int
    item: BlindedItem


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing to judge now. `more`: another HIT could be begun."""

    assignment_id: str | None
    n_items: int
    n_done: int
    n_hits_done: int
    more: bool


WorkView = NextItem | Finished


@dataclass(frozen=True, slots=True)
class WorkStatus:
    """Where a worker stands; takes no HIT."""

    state: Literal["ready", "open", "done"]
    n_items: int
    n_done: int
    n_hits_done: int


def next_item(campaign: OpenCampaign, worker_id: str, *, now: datetime) -> WorkView:
    """The worker's current item; begins a new HIT if none is open and one is available."""
    with campaign.store.read() as connection:
        assignment = work.open_assignment(connection, worker_id)
        if assignment is not None:
            return view(connection, campaign.settings, assignment, assignment.n_done + 1)
    with campaign.store.write() as connection:
        assignment = work.claim_opening(connection, worker_id, assignment_id=str(uuid.uuid4()), now=now)
        if assignment is not None:
            return view(connection, campaign.settings, assignment, assignment.n_done + 1)
        return Finished(None, 0, 0, work.n_submitted(connection, worker_id), more=False)


def status(campaign: OpenCampaign, worker_id: str) -> WorkStatus:
    """Whether the worker has a HIT open, could begin one, or is done."""
    with campaign.store.read() as connection:
        n_hits_done = work.n_submitted(connection, worker_id)
        assignment = work.open_assignment(connection, worker_id)
        if assignment is not None:
            return WorkStatus("open", assignment.n_items, assignment.n_done, n_hits_done)
        n_items = work.next_size(connection, worker_id)
        state: Literal["ready", "done"] = "done" if n_items is None else "ready"
        return WorkStatus(state, n_items or 0, 0, n_hits_done)


def view(
    connection: Connection, settings: CampaignSettings, assignment: Assignment, position: int
) -> WorkView:
    """What the worker sees at `position` of an assignment; past its end, that it is finished.

    Only the texts that the protocol shows leave the server, under an opaque id.
    """
    n_items = assignment.n_items
    if position > n_items:
        return Finished(
            assignment_id=assignment.assignment_id,
            n_items=n_items,
            n_done=n_items,
            n_hits_done=work.n_submitted(connection, assignment.worker_id),
            more=work.has_claimable(connection, assignment.worker_id),
        )
    protocol = protocols()[settings.protocol]
    placed = work.placed_item(connection, assignment, position, n_translations=protocol.n_translations)
    order = shown_order(protocol, assignment.assignment_id, placed.item_id)
    item = blinded(placed, order, roles_shown(settings))
    return NextItem(assignment.assignment_id, position, n_items, position - 1, item)


def shown_order(protocol: Protocol, assignment_id: str, item_id: str) -> tuple[int, ...] | None:
    """The places of an item's translations, from 1, in the order that an assignment shows; None: as stored.

    The order follows from the ids alone, so that asking again shows the same. Ids are random, and so is
    the order in which a design stores translations: this reveals nothing about what is what.
    """
    if not protocol.shuffles:
        return None
    key = f"{assignment_id} {item_id}".encode()
    places = range(1, protocol.n_translations + 1)
    return tuple(sorted(places, key=lambda place: sha256(b"%d %b" % (place, key)).digest()))


def as_shown(placed: work.PlacedTexts, order: tuple[int, ...] | None, *, attribute: str) -> ShownItem:
    """A stored item as its protocol knows it, its translations in the order shown."""
    if order is None:
        sources = tuple(segment.source for segment in placed.segments)
        return ShownItem(attribute, placed.translations, sources)
    return ShownItem(
        attribute,
        tuple(placed.translations[place - 1] for place in order),
        tuple(placed.segments[place - 1].source for place in order),
    )


def blinded(
    placed: work.PlacedTexts, order: tuple[int, ...] | None, roles: Sequence[TextRole]
) -> BlindedItem:
    """A stored item as it leaves the server: only the texts that the protocol shows, under an opaque id."""
    places = order or range(1, len(placed.translations) + 1)
    shown = [(placed.translations[place - 1], placed.segments[place - 1]) for place in places]
    every = [_texts(text, segment, roles) for text, segment in shown]
    if len(every) == 1:
        return BlindedItem(placed.item_id, every[0])
    if len({text.segment_id for text, _ in shown}) > 1:
        return BlindedItem(placed.item_id, {}, tuple(every))
    shared = {str(role): every[0][role] for role in roles if role != "text"}
    return BlindedItem(placed.item_id, shared, tuple({"text": texts["text"]} for texts in every))


def _texts(text: ShownText, segment: SegmentTexts, roles: Sequence[TextRole]) -> dict[str, str]:
    texts = {"text": text.text, "source": segment.source, "reference": segment.reference}
    return {role: texts[role] for role in roles}
