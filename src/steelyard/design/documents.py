"""Document order: HITs of whole documents, some of which come again as control documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.design.assembly import Design, assemble
from steelyard.design.bases import BaseBook
from steelyard.design.document_checks import (
    DocumentHit,
    check_volume,
    checked_shares,
    design_warnings,
    distance_warnings,
    document_text_warnings,
    target_of,
)
from steelyard.design.document_order import Arrangement, arrange
from steelyard.design.document_packing import (
    ControlPicker,
    Stack,
    Target,
    number_of_hits,
    pack,
)
from steelyard.design.entries import Entries, entries_of
from steelyard.design.grouped import entries_per_round, n_rounds
from steelyard.design.layout import MIN_DEGRADED
from steelyard.design.places import CODE, Places
from steelyard.domain.campaign import Campaign
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.arrays import BoolArray, IntArray


def lay_out_documents(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
) -> Design:
    """The design of a campaign in document order, as in the crowd work of WMT21 [Akhbardeh2021].

    A HIT is a list of whole documents of one system each, their segments in order. Some of them
    come again in the other half of the HIT as control documents, each of whose segments is a
    repeat, degraded or the reference, whatever its neighbours are. In every round each system's
    documents come once, packed afresh. Identical texts of several systems are not merged: a
    document must stay whole. The groups of a HIT are its halves.
    """
    made = pack_documents(campaign, rng=rng, new_ids=new_ids, progress=progress)
    return replace(made, warnings=(*made.warnings, *document_text_warnings(campaign)))


def pack_documents(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
    shows: BoolArray | None = None,
) -> Design:
    """The same without a word about the texts.

    `shows`: where what is called a system here is a group of them, which systems are in each.
    """
    shares = checked_shares(campaign)
    entries = entries_of(campaign, merge=False)
    target = target_of(campaign, shares)
    check_volume(campaign, target, int(entries_per_round(campaign, entries).sum()))
    library = _library(campaign, entries, target, shows)
    book = BaseBook.of(campaign, entries, degrades=bool(shares.get(ItemKind.DEGRADED)), rng=rng)
    dealer = KindDealer(book, shares, rng=rng)
    hits: list[DocumentHit] = []
    for round_number in range(1, n_rounds(campaign) + 1):
        for hit in _round(campaign, library, target, dealer=dealer, rng=rng):
            hits.append(replace(hit, round=round_number))
            if progress is not None:
                progress(len(hits))
    design = assemble(
        campaign,
        entries,
        _places(hits),
        control_text=book.text,
        new_ids=new_ids,
        warnings=design_warnings(target, hits, n_split=library.n_split),
    )
    return replace(design, warnings=(*design.warnings, *distance_warnings(design.closest, hits)))


@dataclass(frozen=True, slots=True)
class _Library:
    """All documents (or parts of long ones) of all systems: a stack, and the entries of each row."""

    stack: Stack
    entries: Sequence[IntArray]
    n_split: int
    """Documents that are too long for a HIT."""


def _library(
    campaign: Campaign, entries: Entries, target: Target, shows: BoolArray | None = None
) -> _Library:
    """Every system's documents; those too long for a HIT are cut into equal consecutive parts."""
    document_number: dict[str, int] = {}
    document = np.array(
        [document_number.setdefault(each.document_id, len(document_number)) for each in campaign.segments]
    )
    size = np.bincount(document)
    n_parts = -(-size // target.longest_document)
    order = np.argsort(document, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order)) - np.repeat(np.cumsum(size) - size, size)
    part = (np.cumsum(n_parts) - n_parts)[document] + rank * n_parts[document] // size[document]
    key = entries.system.astype(np.int64) * int(n_parts.sum()) + part[entries.segment]
    order = np.argsort(key, kind="stable")
    borders = np.flatnonzero(np.diff(key[order])) + 1
    rows = np.split(order, borders)
    first = np.array([row[0] for row in rows])
    stack = Stack(
        entries.system[first].astype(np.int64),
        part[entries.segment[first]],
        np.array([len(row) for row in rows]),
        shows,
    )
    return _Library(stack, rows, int((n_parts > 1).sum()))


def _round(
    campaign: Campaign, library: _Library, target: Target, *, dealer: KindDealer, rng: np.random.Generator
) -> Iterator[DocumentHit]:
    """The HITs of one round: the documents packed afresh, control documents, an order, kinds."""
    drawn = _drawn(campaign, library.stack, rng)
    stack = library.stack.take(drawn)
    n_hits = number_of_hits(stack, target, rng=rng)
    packing = pack(stack, n_hits, target, rng=rng)
    picker = ControlPicker(stack, target, rng=rng)
    for rows, is_padding in zip(packing.rows, packing.is_padding, strict=True):
        hit = stack.take(rows)
        is_repeated = picker.pick(hit)
        arrangement = arrange(hit.length, is_repeated, hit.document, rng=rng)
        documents = [library.entries[row] for row in drawn[rows].tolist()]
        yield _hit(documents, arrangement, is_padding, dealer)


def _drawn(campaign: Campaign, stack: Stack, rng: np.random.Generator) -> IntArray:
    """The documents of one round: all of them, or of a system with less weight as much less."""
    heaviest = max(system.weight for system in campaign.systems)
    drawn = []
    for number, system in enumerate(campaign.systems):
        rows = np.flatnonzero(stack.system == number)
        if system.weight < heaviest:
            rows = rng.permutation(rows)
            wanted = stack.length[rows].sum() * system.weight / heaviest
            through = np.cumsum(stack.length[rows])
            rows = np.sort(rows[through - stack.length[rows] / 2 < wanted])
        drawn.append(rows)
    return np.concatenate(drawn)


def _hit(
    documents: Sequence[IntArray], arrangement: Arrangement, is_padding: BoolArray, dealer: KindDealer
) -> DocumentHit:
    """The places of a HIT whose documents are in this order."""
    size = np.array([len(documents[number]) for number in arrangement.document])
    entry = np.concatenate([documents[number] for number in arrangement.document])
    is_control = np.repeat(arrangement.is_control, size)
    kind = np.full(len(entry), CODE[ItemKind.REGULAR])
    kind[is_control] = dealer.deal(entry[is_control])
    start = np.cumsum(size) - size
    base = {number: at for number, at, control in _cards(arrangement, start) if not control}
    between = [abs(at - base[number]) - 1 for number, at, control in _cards(arrangement, start) if control]
    return DocumentHit(
        kind=kind,
        entry=entry,
        half=np.repeat(arrangement.half, size),
        is_padding=np.repeat(is_padding[arrangement.document], size) & ~is_control,
        least_separation=min(between, default=None),
    )


def _cards(arrangement: Arrangement, start: IntArray) -> Iterator[tuple[int, int, bool]]:
    columns = (arrangement.document, start, arrangement.is_control)
    return zip(*(column.tolist() for column in columns), strict=True)


def _places(hits: Sequence[DocumentHit]) -> Places:
    return Places(
        round=np.array([hit.round for hit in hits], dtype=np.int32),
        start=np.cumsum([0, *(len(hit.kind) for hit in hits)], dtype=np.int64),
        kind=np.concatenate([hit.kind for hit in hits]).astype(np.int8),
        entry=np.concatenate([hit.entry for hit in hits]).astype(np.int32),
        group=np.concatenate([hit.half for hit in hits]).astype(np.int16),
        is_padding=np.concatenate([hit.is_padding for hit in hits]),
    )


class KindDealer:
    """Deals kinds to the segments of control documents, so that each kind has its share of them all.

    HIT by HIT the numbers are as even as the shares allow, what is left over going to the kind that
    is behind; then they are shuffled over the segments whatever document these belong to. Every
    HIT has at least five degraded ones if it has five that can be degraded.
    """

    def __init__(self, book: BaseBook, shares: Mapping[ItemKind, float], *, rng: np.random.Generator) -> None:
        self._book, self._rng = book, rng
        total = sum(shares.values()) or 1.0
        self._share = {kind: shares.get(kind, 0.0) / total for kind in CONTROL_KINDS}
        self._due = dict.fromkeys(CONTROL_KINDS, 0.0)

    def deal(self, entries: IntArray) -> IntArray:
        """The code of the kind of every control segment of one HIT, given their entries.

        What cannot be degraded, or has no reference, is a repeat.
        """
        wanted = self._wanted(len(entries))
        kinds = np.full(len(entries), CODE[ItemKind.REPEAT])
        degraded = self._degraded(entries, wanted[ItemKind.DEGRADED])
        kinds[degraded] = CODE[ItemKind.DEGRADED]
        with_reference = self._book.has_reference[entries]
        with_reference[degraded] = False
        chosen = self._rng.permutation(np.flatnonzero(with_reference))[: wanted[ItemKind.REFERENCE]]
        kinds[chosen] = CODE[ItemKind.REFERENCE]
        return kinds

    def _degraded(self, entries: IntArray, wanted: int) -> list[int]:
        """Places of entries that can be degraded, as many as wanted, drawn at random, short texts last."""
        candidates = self._rng.permutation(np.flatnonzero(self._book.can_be_degraded[entries]))
        candidates = candidates[np.argsort(self._book.grade[entries[candidates]], kind="stable")]
        chosen: list[int] = []
        for place in candidates.tolist():
            if len(chosen) == wanted:
                break
            if self._book.degrade(int(entries[place])):
                chosen.append(place)
        return chosen

    def _wanted(self, number: int) -> dict[ItemKind, int]:
        """How many of each kind among this number."""
        wanted = dict.fromkeys(CONTROL_KINDS, 0)
        for kind in CONTROL_KINDS:
            self._due[kind] += number * self._share[kind]
        for _ in range(number):
            # Ties go to the kind that comes first, which matters most for the test of a worker.
            behind = max(CONTROL_KINDS, key=lambda kind: self._due[kind] - wanted[kind])
            wanted[behind] += 1
        if self._share[ItemKind.DEGRADED]:
            while wanted[ItemKind.DEGRADED] < min(MIN_DEGRADED, number):
                richest = max((ItemKind.REPEAT, ItemKind.REFERENCE), key=lambda kind: wanted[kind])
                wanted[richest] -= 1
                wanted[ItemKind.DEGRADED] += 1
        for kind in CONTROL_KINDS:
            self._due[kind] -= wanted[kind]
        return wanted
