"""Work: items, the HITs they are packed into, and who takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from steelyard.domain.judgement import Answer, Span


class ItemKind(StrEnum):
    """What an item is for. Workers never learn it."""

    REGULAR = "regular"
    REPEAT = "repeat"
    DEGRADED = "degraded"
    REFERENCE = "reference"
    GOLD = "gold"
    CALIBRATION = "calibration"


# Ratings of these kinds belong to a system; the other kinds only measure the worker.
SCORED_KINDS = (ItemKind.REGULAR, ItemKind.REPEAT)
# A control is made from a regular item of the same HIT, its base.
CONTROL_KINDS = (ItemKind.DEGRADED, ItemKind.REPEAT, ItemKind.REFERENCE)
# Controls that show another text than a system's own.
SUBSTITUTE_KINDS = (ItemKind.DEGRADED, ItemKind.REFERENCE)
# Items whose quality is known in advance: from an expert, or from an earlier campaign.
KNOWN_KINDS = (ItemKind.GOLD, ItemKind.CALIBRATION)


# What a link lets its holder do: judge, look after the campaign, or become a worker.
LinkRole = Literal["worker", "manager", "open"]


class AssignmentStatus(StrEnum):
    """Where one worker stands with one HIT.

    An accepted assignment is a lease. It ends submitted; or `returned` by the worker; or `expired`, after
    time without an answer or because the manager released it.
    """

    ACCEPTED = "accepted"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    EXPIRED = "expired"


class ShownText(NamedTuple):
    """One translation of an item, as if by `system_id`. `credited`: systems that gave the same text."""

    system_id: str
    segment_id: str
    text: str
    kind: ItemKind = ItemKind.REGULAR
    credited: tuple[str, ...] = ()


# Items and places are tuples, since a campaign may have millions of them.
class Item(NamedTuple):
    """One thing put before a worker: a text as if by `system_id`, and perhaps others beside it.

    `text` is what is shown: the translation itself (`regular`, `repeat`, `gold`), a damaged copy
    (`degraded`), the human reference (`reference`) or a text of an earlier campaign
    (`calibration`). A control names the regular item it was made from in `base_item_id`.
    `credited` are other systems that gave exactly the same text: they share its ratings.

    `beside` holds the further translations of an item that shows several. `kind` is then what the whole
    item is for, and each of `beside` has a kind too; see `texts_of`.
    """

    item_id: str
    kind: ItemKind
    system_id: str
    segment_id: str
    text: str
    base_item_id: str | None = None
    credited: tuple[str, ...] = ()
    known: float | None = None
    """What is known of its quality (`gold`: the expert's rating; `calibration`: the earlier score)."""
    known_sd: float | None = None
    beside: tuple[ShownText, ...] = ()


def own_kind(kind: ItemKind, system_id: str, beside: Sequence[ShownText]) -> ItemKind:
    """The kind of an item's first translation, by `system_id`, given the item's own and what is beside it.

    A degraded or reference item has one text that is the control. If it is among those beside, the first is a
    system's translation: the one that the control was made from, or, where another system's was, one that
    the worker sees in another item too.

    >>> copy = ShownText("A", "s1", "one hat cat", ItemKind.DEGRADED)
    >>> [own_kind(ItemKind.DEGRADED, system, [copy]).value for system in "AB"]
    ['regular', 'repeat']
    >>> own_kind(ItemKind.DEGRADED, "A", []).value
    'degraded'
    """
    if kind not in SUBSTITUTE_KINDS:
        return kind
    control = next((text for text in beside if text.kind is kind), None)
    if control is None:
        return kind
    return ItemKind.REGULAR if control.system_id == system_id else ItemKind.REPEAT


def texts_of(item: Item) -> tuple[ShownText, ...]:
    """All translations of an item in stored order, each with its own kind."""
    kind = own_kind(item.kind, item.system_id, item.beside)
    return (ShownText(item.system_id, item.segment_id, item.text, kind, item.credited), *item.beside)


class ShownItem(NamedTuple):
    """An item as a protocol knows it: the attribute asked for, its translations in the order shown.

    `sources` are the source texts of the translations, in the same order, `prefilled` the errors that were
    marked in each before the worker came. `presentation` is what the campaign recorded of it. `damaged`:
    where each translation was damaged on purpose, half-open and in code points; None where it was not.
    """

    attribute: str
    translations: tuple[ShownText, ...]
    sources: tuple[str, ...] = ()
    presentation: Mapping[str, Any] = {}
    prefilled: tuple[tuple[Span, ...], ...] = ()
    damaged: tuple[tuple[int, int] | None, ...] = ()


class PlacedItem(NamedTuple):
    """An item at its position (from 1) in one HIT. `is_padding`: reused to fill a last HIT."""

    item_id: str
    position: int
    group: int
    is_padding: bool = False


def hit_name(number: int, n_hits: int) -> str:
    """The id of a HIT by its number; ids of one campaign sort as their numbers do.

    >>> hit_name(7, 12), hit_name(7, 50_000)
    ('H0007', 'H00007')
    """
    return f"H{number:0{max(4, len(str(n_hits)))}d}"


@dataclass(frozen=True, slots=True)
class Hit:
    """Ordered items offered as one unit of paid work.

    HITs of one round share no regular item except padding; each round covers every
    translation once. `number` counts from 1 through the campaign. Workers never learn `hit_id`.
    """

    hit_id: str
    round: int
    number: int
    placed: tuple[PlacedItem, ...]


@dataclass(frozen=True, slots=True)
class Worker:
    """A person who judges, under our pseudonymous id."""

    worker_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Assignment:
    """One worker taking one HIT."""

    assignment_id: str
    hit_id: str
    worker_id: str
    status: AssignmentStatus
    accepted_at: datetime
    submitted_at: datetime | None
    n_items: int
    n_done: int
    released_at: datetime | None = None
    """When its place went back to the pool; None while it holds one."""


def span_record(span: Span) -> dict[str, Any]:
    """A span that is marked beforehand, in plain types; what it has not got is left out.

    >>> span_record(Span(0, 3, 9, "minor"))
    {'start': 3, 'end': 9, 'severity': 'minor'}
    """
    record = {"start": span.start, "end": span.end, "severity": span.severity, "category": span.category}
    if span.side != "target":
        record["side"] = span.side
    return {name: value for name, value in record.items() if value is not None}


class SegmentTexts(NamedTuple):
    """What may be shown beside the translations of a segment."""

    source: str
    reference: str


@dataclass(frozen=True, slots=True)
class BlindedItem:
    """An item as it leaves the server: an opaque id and texts, no system, no kind, no pair.

    `texts` are those of an item with one translation. An item with several has each of them in
    `translations`, in the order shown; `texts` then holds what they share. Beside a `text` stand the `spans`
    that are marked in it beforehand, if there are any.
    """

    item_id: str
    texts: Mapping[str, Any]
    translations: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierItem:
    """An earlier segment of the document that is judged now, as its worker saw and answered it."""

    item: BlindedItem
    answer: Answer
