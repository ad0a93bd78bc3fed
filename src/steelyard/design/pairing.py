"""Pairs: which translations of a segment stand side by side, and HITs of such pairs.

Every round is a stretch of a round-robin tournament by the circle method: each segment gets a matching of
the systems, and the matchings rotate over segments and rounds. So each system is in at most one pair of a
segment and round, and all pairs of systems meet about equally often. To the packing, a pair is one text,
and a pair of systems is one system: HITs are balanced over pairs of systems, segments are kept apart, and
so are controls and their bases, as in any other campaign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from steelyard.design import grouped
from steelyard.design.assembly import Design
from steelyard.design.bases import as_seen, has_visible_text
from steelyard.design.entries import Entries, entries_of
from steelyard.design.joined_items import Group, JoinedItems, Packed, Showing
from steelyard.design.layout import fitting_size, layout_of, layout_problems, layout_warnings
from steelyard.design.problems import setting_problems, text_problems, text_warnings, warnings_after
from steelyard.design.tournament import Met, Tournament
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import CampaignError
from steelyard.domain.text import System
from steelyard.domain.wording import counted
from steelyard.domain.work import SCORED_KINDS, Item, ItemKind
from steelyard.stats.connectivity import number_of_blocks


class Pair(NamedTuple):
    """Two entries of one segment. The first is the one that is damaged or set beside the reference."""

    first: int
    second: int


def pair_problems(campaign: Campaign) -> list[str]:
    """What a campaign asks for that pairs of translations cannot have."""
    settings, problems = campaign.settings.design, []
    if len(campaign.systems) < 2:
        problems.append("there is one system only, and a pair needs two. Add another.")
    if settings.order not in ("grouped", "free"):
        problems.append(f'order = "{settings.order}" is not possible with pairs; set order = "grouped".')
    if len({system.weight for system in campaign.systems}) > 1:
        problems.append("systems that are compared in pairs all have the same weight; leave the weights out.")
    if campaign.gold or settings.gold_every is not None:
        problems.append("gold ratings are of single translations, so pairs cannot use them; leave them out.")
    if campaign.calibration:
        problems.append("calibration texts have scores of their own and no partner; leave them out.")
    return problems


def n_pair_hits(campaign: Campaign) -> int:
    """How many HITs the pairs will take, about; 0 if there can be none."""
    settings = campaign.settings.design
    if pair_problems(campaign) or layout_problems(settings):
        return 0
    n_pairs = len(campaign.segments) * (len(campaign.systems) // 2)
    return -(-n_pairs // layout_of(settings).n_regular) * grouped.n_rounds(campaign)


def draw_pairs(
    campaign: Campaign, entries: Entries, *, rng: np.random.Generator, met: Iterable[Met] = ()
) -> Iterator[list[Pair]]:
    """The pairs of each round, segment by segment. Two texts that look the same never meet.

    Where a system has no text for a segment, or one that looks like its partner's, the systems left over are
    paired with each other, starting with those that have met least. `met`: who has met in earlier rounds.
    """
    tournament = Tournament(campaign, rng=rng, met=met)
    book = _Meetings(entries)
    present = _by_segment(entries, len(campaign.segments))
    for number in range(grouped.n_rounds(campaign)):
        pairs: list[Pair] = []
        for segment, own in enumerate(present):
            pairs += book.arrange(own, tournament.matching(segment, number))
        yield pairs


def lay_out_pairs(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
    met: Iterable[Met] = (),
) -> Design:
    """The design of a campaign whose items are pairs; CampaignError lists what stands in the way.

    Every round draws a new matching for each segment, of systems that have not `met` there if possible.
    Identical texts of several systems are one text that is credited to all of them, so they never meet, and
    no tie between them is made up.
    """
    unfit = [*text_problems(campaign), *pair_problems(campaign), *setting_problems(campaign)]
    if unfit:
        raise CampaignError(campaign.settings.name, unfit)
    entries = entries_of(campaign, merge=campaign.settings.design.merge_duplicates)
    rounds = list(draw_pairs(campaign, entries, rng=rng, met=met))
    _require_enough(campaign, rounds)
    joined = JoinedItems(_joiner(Showing(campaign, entries), rng))
    n_done = 0

    def advance(n_hits: int) -> None:
        if progress is not None:
            progress(n_done + n_hits)

    for pairs in rounds:
        packed = _as_single_texts(campaign, entries, pairs)
        made = grouped.lay_out_grouped(packed.campaign, rng=rng, new_ids=new_ids, progress=advance)
        joined.add(made, packed)
        n_done += len(made.hits)
    made = joined.design()
    return replace(made, warnings=tuple(_warnings(campaign, entries, rounds, made.closest)))


class _Meetings:
    """Which systems have met so far, on which segment, and which of the two came first."""

    def __init__(self, entries: Entries) -> None:
        self._seen, self._system = list(map(as_seen, entries.text)), entries.system.tolist()
        self._met: Counter[tuple[int, int]] = Counter()
        self._n_first: Counter[int] = Counter()
        self._pairs: Counter[Pair] = Counter()

    def arrange(self, own: Mapping[int, int], matching: Sequence[tuple[int, int]]) -> list[Pair]:
        """The pairs of one segment, given its entries by system and the matching whose turn it is."""
        left, pairs = set(own), []
        for one, other in matching:
            if one in own and other in own and self._seen[own[one]] != self._seen[own[other]]:
                pairs.append(self._meet(own[one], own[other]))
                left -= {one, other}
        while (best := self._least_met(own, sorted(left))) is not None:
            pairs.append(self._meet(*best))
            left -= {self._system[entry] for entry in best}
        return pairs

    def _least_met(self, own: Mapping[int, int], left: Sequence[int]) -> tuple[int, int] | None:
        """The two of those left over that have met least, first here and then at all."""
        possible = [
            (self._pairs[self._known(own[one], own[other])], self._met[one, other], own[one], own[other])
            for one, other in combinations(left, 2)
            if self._seen[own[one]] != self._seen[own[other]]
        ]
        return min(possible)[2:] if possible else None

    def _known(self, one: int, other: int) -> Pair:
        """The pair as it stood when these two met before, if they have."""
        return Pair(other, one) if Pair(other, one) in self._pairs else Pair(one, other)

    def _meet(self, one: int, other: int) -> Pair:
        pair = self._known(one, other)
        if pair not in self._pairs and self._firsts(pair.second) < self._firsts(pair.first):
            pair = Pair(pair.second, pair.first)
        self._pairs[pair] += 1
        self._n_first[self._system[pair.first]] += 1
        low, high = sorted((self._system[one], self._system[other]))
        self._met[low, high] += 1
        return pair

    def _firsts(self, entry: int) -> int:
        return self._n_first[self._system[entry]]


def _by_segment(entries: Entries, n_segments: int) -> list[dict[int, int]]:
    """The entries of every segment, by system."""
    found: list[dict[int, int]] = [{} for _ in range(n_segments)]
    columns = zip(entries.segment.tolist(), entries.system.tolist(), strict=True)
    for entry, (segment, system) in enumerate(columns):
        found[segment][system] = entry
    return found


def _as_single_texts(campaign: Campaign, entries: Entries, pairs: Sequence[Pair]) -> Packed:
    """The first text of each pair, by a system that stands for both.

    That is their pair of systems; where there are more of these than a HIT has regular items, the first
    system alone, which leaves the packing more freedom to keep segments apart.
    """
    segments = campaign.segments
    n_systems, n_regular = len(campaign.systems), layout_of(campaign.settings.design).n_regular
    has_few = n_systems * (n_systems - 1) // 2 <= n_regular
    columns: dict[str, list[str | None]] = {}
    found: dict[tuple[str, str], Group] = {}
    for pair in pairs:
        systems = entries.system[list(pair)].tolist()
        name = " and ".join(map(str, sorted(systems) if has_few else systems[:1]))
        segment = int(entries.segment[pair.first])
        columns.setdefault(name, [None] * len(segments))[segment] = entries.text[pair.first]
        found[name, segments[segment].segment_id] = pair
    # The copies of one text stay apart: they are in different pairs. One round at a time is packed.
    design = replace(campaign.settings.design, ratings_per_item=1, merge_duplicates=False)
    return Packed(
        replace(
            campaign,
            settings=replace(campaign.settings, design=design),
            systems=tuple(map(System, columns)),
            translations=columns,
        ),
        found,
    )


def _joiner(showing: Showing, rng: np.random.Generator) -> Callable[[Item, Group, str | None], Item]:
    """How the item of a pair is made from the one that stood for it."""

    def paired(item: Item, pair: Group, base: str | None) -> Item:
        first, beside = (showing.text(entry, item.kind) for entry in pair)
        if item.kind not in SCORED_KINDS:
            # Beside the control stands the translation that it was made from, or is shown in place of.
            beside = first._replace(kind=ItemKind.REGULAR, credited=())
            first = first._replace(text=item.text, credited=())
        # By lot: were the control always the first in store, its place would give it away.
        if rng.random() < 0.5:
            first, beside = beside, first
        return Item(
            item.item_id,
            item.kind,
            first.system_id,
            first.segment_id,
            first.text,
            base_item_id=base,
            credited=first.credited,
            beside=(beside,),
        )

    return paired


def _require_enough(campaign: Campaign, rounds: Sequence[Sequence[Pair]]) -> None:
    """CampaignError if the pairs of some round do not fill a HIT."""
    settings = campaign.settings.design
    layout, least = layout_of(settings), min(map(len, rounds))
    if least >= layout.n_regular:
        return
    size = fitting_size(settings, least)
    advice = "Add texts." if size is None else f"Set hit_size = {size}, or add texts."
    raise CampaignError(
        campaign.settings.name,
        [
            f"a round has {counted(least, 'pair')} of translations, fewer than the {layout.n_regular} that "
            f"one HIT of {layout.hit_size} items needs. {advice}"
        ],
    )


def _warnings(
    campaign: Campaign, entries: Entries, rounds: Sequence[Sequence[Pair]], nearest: int | None
) -> list[str]:
    """What an organiser should know about the pairs and their HITs."""
    met = entries.system[np.array([pair for pairs in rounds for pair in pairs])]
    number = np.arange(len(met))
    n_parts = number_of_blocks(np.concatenate([number, number]), np.concatenate([met[:, 0], met[:, 1]]))
    n_alone = len(campaign.systems) - len(np.unique(met))
    layout = layout_of(campaign.settings.design)
    n_empty = sum(not has_visible_text(text) for text in entries.text)
    found = [*layout_warnings(layout), *text_warnings(campaign, n_empty=n_empty)]
    if n_parts + n_alone > 1:
        found.append(
            f"the systems fall into {n_parts + n_alone} parts that never meet, so they cannot be ranked "
            "together. Add segments, or raise ratings_per_item."
        )
    return [*warnings_after(campaign, layout, nearest), *found]
