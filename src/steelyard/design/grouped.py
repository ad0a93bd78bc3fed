"""HITs of regular items in random order, with controls kept away from their bases by groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from steelyard.design import problems
from steelyard.design.arranging import Arranger
from steelyard.design.assembly import Design, assemble
from steelyard.design.bases import PREFERRED, BaseBook
from steelyard.design.choice import BaseChoice, NoBaseError
from steelyard.design.entries import Entries, IndexArray, entries_of, gold_of
from steelyard.design.known import GoldDealer, Rotation, deal_calibration
from steelyard.design.layout import Layout, layout_of, layout_problems
from steelyard.design.places import CODE, Places
from steelyard.design.sampling import Draws, Need, Pool, draw_rounds
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import CampaignError
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.arrays import BoolArray, IntArray

# Numbers kept in memory for the HITs that are dealt together [our choice].
_CHUNK_SIZE = 2_000_000
_MAX_CHUNK = 4096


def lay_out_grouped(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
) -> Design:
    """The design of a campaign whose items come in random order, in groups or throughout.

    Every round draws all entries again; every HIT has controls by its quota, gold at its positions
    and calibration texts. CampaignError lists everything that stands in the way.
    """
    entries = _checked_entries(campaign)
    layout, taken = layout_of(campaign.settings.design), entries_per_round(campaign, entries)
    book = BaseBook.of(campaign, entries, degrades=layout.quota[ItemKind.DEGRADED] > 0, rng=rng)
    maker = _HitMaker(campaign, entries, layout=layout, book=book, taken=taken, rng=rng)
    try:
        places = maker.places(progress or (lambda _: None))
    except NoBaseError as error:
        reason = problems.too_few_bases(campaign, layout, error.kind)
        raise CampaignError(campaign.settings.name, [reason]) from None
    design = assemble(
        campaign,
        entries,
        places,
        control_text=book.text,
        new_ids=new_ids,
        warnings=problems.warnings_before(
            campaign, layout=layout, n_empty=int(np.count_nonzero(~book.is_visible))
        ),
    )
    found = problems.warnings_after(campaign, layout, design.closest)
    return replace(design, warnings=(*found, *design.warnings))


def _checked_entries(campaign: Campaign) -> Entries:
    """The entries of a campaign; CampaignError lists all problems if it cannot be laid out."""
    settings = campaign.settings.design
    unfit, found = problems.text_problems(campaign), problems.setting_problems(campaign)
    if unfit or layout_problems(settings):
        raise CampaignError(campaign.settings.name, [*unfit, *found])
    entries = entries_of(campaign, merge=settings.merge_duplicates)
    taken = entries_per_round(campaign, entries)
    found += problems.supply_problems(campaign, entries, layout=layout_of(settings), taken=taken)
    if found:
        raise CampaignError(campaign.settings.name, found)
    return entries


def n_rounds(campaign: Campaign) -> int:
    """Partitions of the entries into HITs; with a fixed one, each HIT is judged several times."""
    settings = campaign.settings.design
    return 1 if settings.partition == "fixed" else settings.ratings_per_item


def entries_per_round(campaign: Campaign, entries: Entries) -> IntArray:
    """How many entries each system gives to a round: by its weight, all if it is the largest."""
    size = np.bincount(entries.system, minlength=len(campaign.systems))
    weight = np.array([system.weight for system in campaign.systems])
    return np.asarray(np.rint(size * (weight / weight.max())), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """Some HITs (rows) by position: kinds, entries, and which of them are padding."""

    kind: NDArray[np.int8]
    entry: IndexArray
    is_padding: BoolArray


class _HitMaker:
    """Makes the HITs of a campaign, some thousands at a time."""

    def __init__(
        self,
        campaign: Campaign,
        entries: Entries,
        *,
        layout: Layout,
        book: BaseBook,
        taken: IntArray,
        rng: np.random.Generator,
    ) -> None:
        self.entries, self.layout, self.book, self.rng = entries, layout, book, rng
        self.n_systems, self.n_rounds = len(campaign.systems), n_rounds(campaign)
        self.pool = Pool(
            entries.system,
            entries.segment,
            n_systems=self.n_systems,
            n_segments=len(campaign.segments),
            n_regular=layout.n_regular,
            quota=taken,
            needs=_needs(book, layout),
        )
        self.choice = BaseChoice(entries.system, taken, layout=layout, book=book, rng=rng)
        self.calibration = Rotation(len(campaign.calibration), rng=rng)
        gold = np.array(list(gold_of(campaign, entries)) if layout.n_gold else [], dtype=np.int32)
        self.gold = GoldDealer(gold, entries.segment, positions=layout.gold_positions, rng=rng)
        self.n_done = 0

    def places(self, progress: Callable[[int], None]) -> Places:
        """The places of all HITs."""

        def advance() -> None:
            self.n_done += 1
            progress(self.n_done)

        rounds, chunks = list[int](), list[_Chunk]()
        for number, draws in enumerate(draw_rounds(self.pool, n_rounds=self.n_rounds, rng=self.rng), start=1):
            rounds += [number] * len(draws.entry)
            chunks += self._made(draws, advance)
        n_hits, size = len(rounds), self.layout.hit_size
        groups = np.arange(size, dtype=np.int16) // np.int16(self.layout.group_size)
        return Places(
            round=np.array(rounds, dtype=np.int32),
            start=np.arange(n_hits + 1, dtype=np.int64) * size,
            kind=np.concatenate([chunk.kind.ravel() for chunk in chunks]),
            entry=np.concatenate([chunk.entry.ravel() for chunk in chunks]),
            group=np.tile(groups, n_hits),
            is_padding=np.concatenate([chunk.is_padding.ravel() for chunk in chunks]),
        )

    def _made(self, draws: Draws, advance: Callable[[], None]) -> Iterator[_Chunk]:
        length = min(_MAX_CHUNK, max(1, _CHUNK_SIZE // (self.n_systems * self.layout.n_groups)))
        padding = draws.entry[-1, len(draws.entry[-1]) - draws.n_padding :].copy()
        for start in range(0, len(draws.entry), length):
            entry = self.choice.bases_first(draws.entry[start : start + length], progress=advance)
            arranger = Arranger(
                entry,
                layout=self.layout,
                entries=self.entries,
                serves=np.stack([self._serves(kind) for kind in CONTROL_KINDS]),
                degrade=self.book.degrade,
                rng=self.rng,
            )
            arranger.arrange()
            is_padding = np.zeros(entry.shape, dtype=np.bool_)
            if start + length >= len(draws.entry):
                is_padding[-1] = np.isin(entry[-1], padding)
            yield self._by_position(entry, is_padding, arranger.position)

    def _serves(self, kind: ItemKind) -> BoolArray:
        """Which entries can take the place of a base of this kind."""
        return self.book.grade == PREFERRED if kind is ItemKind.DEGRADED else self.book.serves(kind)

    def _by_position(self, entry: IndexArray, is_padding: BoolArray, position: IntArray) -> _Chunk:
        layout, n_hits = self.layout, len(entry)
        kinds = [ItemKind.REGULAR, *CONTROL_KINDS, ItemKind.CALIBRATION]
        numbers = [layout.n_regular, *(layout.quota[kind] for kind in kinds[1:])]
        code = np.repeat([CODE[kind] for kind in kinds], numbers).astype(np.int8)
        texts = deal_calibration(self.calibration, n_hits=n_hits, per_hit=layout.n_calibration)
        shown = np.concatenate([entry, entry[:, : layout.n_controls], texts], axis=1, dtype=np.int32)
        chunk = _Chunk(
            np.full((n_hits, layout.hit_size), CODE[ItemKind.GOLD], dtype=np.int8),
            np.full((n_hits, layout.hit_size), -1, dtype=np.int32),
            np.zeros((n_hits, layout.hit_size), dtype=np.bool_),
        )
        np.put_along_axis(chunk.kind, position - 1, np.broadcast_to(code, position.shape), axis=1)
        np.put_along_axis(chunk.entry, position - 1, shown, axis=1)
        np.put_along_axis(chunk.is_padding, position[:, : layout.n_regular] - 1, is_padding, axis=1)
        if layout.n_gold:
            self._add_gold(chunk)
        return chunk

    def _add_gold(self, chunk: _Chunk) -> None:
        columns = np.array(self.layout.gold_positions) - 1
        is_text = (chunk.kind != CODE[ItemKind.CALIBRATION]) & (chunk.kind != CODE[ItemKind.GOLD])
        entries = np.where(is_text, chunk.entry, -1)
        segments = np.where(is_text, self.entries.segment[chunk.entry], -1)
        for row, (own, present) in enumerate(zip(entries.tolist(), segments.tolist(), strict=True)):
            chunk.entry[row, columns] = self.gold.deal(own, present)


def _needs(book: BaseBook, layout: Layout) -> tuple[Need, ...]:
    """What every HIT should have enough of. Half as many again as needed: an attempt to degrade may fail."""
    needs = []
    if layout.quota[ItemKind.DEGRADED]:
        needs.append(Need(book.can_be_degraded, layout.quota[ItemKind.DEGRADED] * 3 // 2))
    if layout.quota[ItemKind.REFERENCE]:
        wanted = layout.quota[ItemKind.DEGRADED] + layout.quota[ItemKind.REFERENCE]
        needs.append(Need(book.has_reference, wanted))
    return tuple(needs)
