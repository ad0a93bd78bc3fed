"""Documents side by side: HITs of whole documents, each by a group of systems at once.

In every round the systems that translated a document are parted into groups, and each group is a run of
items: the document's segments, with the translations of the same systems in the same stored order. Groups
rotate over documents and rounds, so that all pairs of systems meet about equally often. To the packing, a
run is a document by one system that stands for the group: HITs hold all systems in nearly equal shares, and
control documents are placed as where documents are shown by one system each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from typing import NamedTuple

import numpy as np

from steelyard.design.assembly import Design, block_warnings
from steelyard.design.bases import has_visible_text
from steelyard.design.degradations import choose
from steelyard.design.document_checks import check_volume, checked_shares, empty_warnings, target_of
from steelyard.design.documents import pack_documents
from steelyard.design.entries import Entries, entries_of
from steelyard.design.grouped import n_rounds
from steelyard.design.joined_items import Group, JoinedItems, Packed, Showing
from steelyard.design.problems import text_problems
from steelyard.design.tournament import Met
from steelyard.domain.campaign import Campaign
from steelyard.domain.text import System
from steelyard.domain.wording import counted, listed
from steelyard.domain.work import SCORED_KINDS, Item, ItemKind

# Ways of parting the systems among which the one is taken that brings together those who have met least.
_DRAWS = 200
# To meet again on the same document is worse than having met on any number of others.
_HERE = 1e6


class _Document(NamedTuple):
    """A document: its segments, and the systems that translated all of them, by index in the campaign."""

    document_id: str
    segments: tuple[int, ...]
    systems: tuple[int, ...]


def side_by_side_problems(campaign: Campaign) -> list[str]:
    """What a campaign asks for that documents side by side cannot have."""
    settings, problems = campaign.settings.design, []
    if len(campaign.systems) < 2:
        problems.append(
            "there is one system only, so nothing can stand beside its translations. Add another, or set "
            "translations_per_item = 1."
        )
    if len({system.weight for system in campaign.systems}) > 1:
        problems.append(
            "systems that are shown side by side all have the same weight; leave the weights out."
        )
    if campaign.gold and settings.gold_every is None:
        problems.append("gold ratings are of single translations shown alone; leave them out.")
    whole = {system for document in _documents(campaign) for system in document.systems}
    never = [each.system_id for number, each in enumerate(campaign.systems) if number not in whole]
    if never and len(campaign.systems) > 1:
        problems.append(
            f"side by side, a system is shown with whole documents, and {listed(never)} translated none as a "
            "whole. Add the missing translations, or leave the system out."
        )
    return problems


def n_groups_per_round(campaign: Campaign) -> int:
    """How many items a round has without its controls: segments times groups of systems."""
    most = campaign.settings.design.n_translations
    return sum(len(each.segments) * -(-len(each.systems) // most) for each in _documents(campaign))


def lay_out_side_by_side(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
    met: Iterable[Met] = (),
) -> Design:
    """The design of a campaign in document order whose items show several translations.

    Of a control segment one translation is damaged, or the reference in its place; the others are the
    systems' own, as they are in a repeat. Identical texts stay apart: each stands in its system's column.
    """
    unfit = [] if text_problems(campaign) else side_by_side_problems(campaign)
    shares = checked_shares(campaign, unfit)
    check_volume(
        campaign,
        target_of(campaign, shares),
        n_groups_per_round(campaign),
        "segments times groups of systems",
    )
    entries = entries_of(campaign, merge=False)
    packer = _Packer(campaign, entries, degrades=bool(shares.get(ItemKind.DEGRADED)))
    joined = JoinedItems(_joiner(Showing(campaign, entries), packer.control))
    n_done = 0

    def advance(n_hits: int) -> None:
        if progress is not None:
            progress(n_done + n_hits)

    warnings: list[str] = []
    for groups in draw_groups(campaign, rng=rng, met=met):
        packed = packer.pack(groups, rng)
        made = pack_documents(packed.campaign, rng=rng, new_ids=new_ids, progress=advance, shows=packed.shows)
        joined.add(made, packed)
        warnings += [warning for warning in made.warnings if warning not in warnings]
        n_done += len(made.hits)
    design = joined.design()
    found = (*warnings, *block_warnings(campaign, design.blocks), *_warnings(campaign))
    return replace(design, warnings=found)


def draw_groups(
    campaign: Campaign, *, rng: np.random.Generator, met: Iterable[Met] = ()
) -> Iterator[list[tuple[str, tuple[int, ...]]]]:
    """The groups of systems of each round, each with the document that it is shown with.

    As many groups as it takes, of sizes that differ by one at most. `met`: who has met in earlier rounds.
    """
    most, documents = campaign.settings.design.n_translations, _documents(campaign)
    meetings = _Meetings(campaign, met)
    for _ in range(n_rounds(campaign)):
        found = []
        for number in rng.permutation(len(documents)).tolist():
            document = documents[number]
            found += [(document.document_id, group) for group in meetings.part(document, most, rng)]
        yield found


class _Meetings:
    """How often any two systems have met, at all and by document, in segments."""

    def __init__(self, campaign: Campaign, met: Iterable[Met]) -> None:
        n_systems = len(campaign.systems)
        self._met = np.zeros((n_systems, n_systems))
        self._here: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
        systems = {system.system_id: index for index, system in enumerate(campaign.systems)}
        document = {segment.segment_id: segment.document_id for segment in campaign.segments}
        for segment_id, one, other in met:
            self._meet(document[segment_id], systems[one], systems[other], 1)

    def part(self, document: _Document, most: int, rng: np.random.Generator) -> Iterator[tuple[int, ...]]:
        """The groups of the systems of a document, drawn so that those who have met least come together."""
        systems = np.array(document.systems)
        n_groups = -(-len(systems) // most)
        slot = np.arange(len(systems)) * n_groups // max(1, len(systems))
        together = np.triu(slot[:, None] == slot, k=1)
        drawn = rng.permuted(np.tile(systems, (_DRAWS, 1)), axis=1)
        known = self._met.copy()
        for (one, other), number in self._here[document.document_id].items():
            known[one, other] += _HERE * number
            known[other, one] += _HERE * number
        cost = known[drawn[:, :, None], drawn[:, None, :]][:, together].sum(axis=1)
        best = drawn[int(cost.argmin())]
        for number in range(n_groups):
            group = tuple(sorted(best[slot == number].tolist()))
            for one, other in combinations(group, 2):
                self._meet(document.document_id, one, other, len(document.segments))
            yield group

    def _meet(self, document_id: str, one: int, other: int, n_segments: int) -> None:
        self._met[one, other] += n_segments
        self._met[other, one] += n_segments
        low, high = sorted((one, other))
        self._here[document_id][low, high] += n_segments


class _Packer:
    """Makes of each round a campaign of single texts, and remembers which text of a group is damaged."""

    def __init__(self, campaign: Campaign, entries: Entries, *, degrades: bool) -> None:
        self._campaign, self._entries = campaign, entries
        self._documents = {document.document_id: document for document in _documents(campaign)}
        columns = zip(entries.system.tolist(), entries.segment.tolist(), strict=True)
        self._entry = {place: entry for entry, place in enumerate(columns)}
        self.control: dict[Group, int] = {}
        settings = campaign.settings
        self._damage = (
            choose(attribute=settings.degraded_attribute, name=settings.design.degradation).damage(
                settings.target_language
            )
            if degrades
            else None
        )
        self._n_controls: Counter[int] = Counter()

    def pack(self, groups: Iterable[tuple[str, tuple[int, ...]]], rng: np.random.Generator) -> Packed:
        """One round. Each group of a segment is a text: that of its member which a control is made from."""
        segments, entries = self._campaign.segments, self._entries
        columns: dict[str, list[str | None]] = {}
        found: dict[tuple[str, str], Group] = {}
        members: dict[str, list[int]] = {}
        for document_id, systems in groups:
            name = " and ".join(map(str, systems))
            members[name] = list(systems)
            column = columns.setdefault(name, [None] * len(segments))
            stored = self._stored_order(document_id, systems)
            for segment in self._documents[document_id].segments:
                group = tuple(self._entry[system, segment] for system in stored)
                column[segment] = entries.text[group[self._control_of(group, rng)]]
                found[name, segments[segment].segment_id] = group
        shows = np.zeros((len(columns), len(self._campaign.systems)), dtype=np.bool_)
        for row, systems_of in enumerate(members.values()):
            shows[row, systems_of] = True
        design = replace(self._campaign.settings.design, ratings_per_item=1, partition="new")
        return Packed(
            replace(
                self._campaign,
                settings=replace(self._campaign.settings, design=design),
                systems=tuple(map(System, columns)),
                translations=columns,
            ),
            found,
            shows,
        )

    def _stored_order(self, document_id: str, systems: Sequence[int]) -> list[int]:
        """The order of the columns in store: always the same for a document, also in rounds added later."""
        start = f"{self._campaign.settings.seed} {document_id} "
        named = ((self._campaign.systems[system].system_id, system) for system in systems)
        return [
            system for _, system in sorted((sha256((start + name).encode()).digest(), k) for name, k in named)
        ]

    def _control_of(self, group: Group, rng: np.random.Generator) -> int:
        """The place in the group whose text makes it a control: one fit for it, the systems in turn."""
        if group not in self.control:
            systems = self._entries.system[list(group)].tolist()
            lot = rng.random(len(group))
            place = min(
                range(len(group)),
                key=lambda k: (self._unfitness(group[k]), self._n_controls[systems[k]], lot[k]),
            )
            self._n_controls[systems[place]] += 1
            self.control[group] = place
        return self.control[group]

    def _unfitness(self, entry: int) -> int:
        text = self._entries.text[entry]
        if self._damage is None:
            return 0 if has_visible_text(text) else 2
        return 0 if self._damage.is_preferred(text) else 1 if self._damage.is_eligible(text) else 2


def _joiner(showing: Showing, control: Mapping[Group, int]) -> Callable[[Item, Group, str | None], Item]:
    """How the item of a group is made from the one that stood for it."""

    damaged: dict[tuple[ItemKind, int], str] = {}

    def joined(item: Item, group: Group, base: str | None) -> Item:
        kind = item.kind if item.kind in SCORED_KINDS else ItemKind.REPEAT
        texts = [showing.text(entry, kind) for entry in group]
        if item.kind not in SCORED_KINDS:
            place = control[group]
            # The same copy of a translation in whichever group it stands.
            text = damaged.setdefault((item.kind, group[place]), item.text)
            texts[place] = texts[place]._replace(text=text, kind=item.kind)
        first, *beside = texts
        return Item(
            item.item_id,
            item.kind,
            first.system_id,
            first.segment_id,
            first.text,
            base_item_id=base,
            beside=tuple(beside),
        )

    return joined


def _documents(campaign: Campaign) -> list[_Document]:
    """The documents in order, without those that no system translated as a whole."""
    segments: defaultdict[str, list[int]] = defaultdict(list)
    for number, segment in enumerate(campaign.segments):
        segments[segment.document_id].append(number)
    columns = [campaign.translations[system.system_id] for system in campaign.systems]
    found = []
    for document_id, numbers in segments.items():
        systems = tuple(
            system
            for system, column in enumerate(columns)
            if all(column[number] is not None for number in numbers)
        )
        if systems:
            found.append(_Document(document_id, tuple(numbers), systems))
    return found


def _warnings(campaign: Campaign) -> list[str]:
    """What an organiser should know about the texts."""
    documents = {segment.document_id for segment in campaign.segments}
    n_shown = sum(len(document.systems) for document in _documents(campaign))
    n_left = len(documents) * len(campaign.systems) - n_shown
    if not n_left:
        return empty_warnings(campaign)
    return [
        *empty_warnings(campaign),
        f"systems lack translations of some segments: side by side a document is shown as a whole, so "
        f"{counted(n_left, 'document')} of single systems {'is' if n_left == 1 else 'are'} not shown, and "
        "their scores rest on different segments than those of the others.",
    ]
