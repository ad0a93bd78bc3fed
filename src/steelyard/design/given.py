"""Given HITs: laid out elsewhere, such as an upload of 2016 or batches for Appraise, and kept as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.design.assembly import Design
from steelyard.design.entries import Entries
from steelyard.design.given_texts import GivenTexts, Shown
from steelyard.design.layout import MIN_DEGRADED
from steelyard.design.places import CODE, Places, blocks, closest, separation
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import CampaignError
from steelyard.domain.work import CONTROL_KINDS, KNOWN_KINDS, Hit, Item, ItemKind, PlacedItem, hit_name

# HITs that come without groups are cut into this number, as in the published ones [Graham2014].
N_GROUPS = 10
# Places named in a warning at most.
_NAMED = 5


def lay_out_given(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_ids: Callable[[int], Sequence[str]],
    progress: Callable[[int], None] | None = None,
) -> Design:
    """The design of HITs that a file has laid out: the same items in the same order.

    Texts that the file does not have come from the campaign; a degraded text is then made again,
    once for the campaign. A control belongs to the regular item of its system and segment in its
    HIT. One without such a base is shown all the same, with a warning: a worker can judge it, though
    nobody can be tested on it. CampaignError lists every place for which there is no text.
    """
    problems = _setting_problems(campaign)
    texts = GivenTexts(campaign, rng=rng)
    hits: list[list[Shown]] = []
    for number, hit in enumerate(campaign.given, start=1):
        hits.append(texts.shown(number, hit))
        if progress is not None:
            progress(number)
    if problems or texts.problems:
        raise CampaignError(campaign.settings.name, [*problems, *texts.problems])
    catalogue = _Catalogue(hits)
    rounds = list(_rounds(hits, catalogue.numbers))
    places, entries = _as_arrays(hits, rounds)
    n_blocks = blocks(places, np.array([number for hit in catalogue.numbers for number in hit]))
    ids = list(new_ids(len(catalogue.items)))
    return Design(
        items=catalogue.made(ids),
        hits=list(_made_hits(rounds, catalogue.numbers, ids)),
        warnings=tuple(_warnings(campaign, hits, catalogue, n_blocks)),
        closest=closest(places, entries),
        blocks=n_blocks,
        separation=separation(places),
    )


def _setting_problems(campaign: Campaign) -> list[str]:
    settings, problems = campaign.settings.design, []
    if not campaign.given:
        problems.append(
            'order = "given" takes HITs from a file, but there is none. Name it, or set another order.'
        )
    if settings.ratings_per_item < 1:
        problems.append("ratings_per_item must be at least 1.")
    if settings.ratings_per_item > 1 and settings.partition == "new":
        problems.append(
            f"ratings_per_item = {settings.ratings_per_item}: HITs from a file cannot be packed again for "
            'every rating. Set partition = "fixed", so that each HIT goes to as many workers.'
        )
    return problems


class _Catalogue:
    """The distinct items of the HITs. The same text twice in one HIT is two items, and judged twice."""

    def __init__(self, hits: Sequence[Sequence[Shown]]) -> None:
        self.items: list[tuple[Shown, int | None]] = []
        """What is shown, and the number of the item it is made from."""
        self.numbers: list[list[int]] = []
        """The number of the item at every place of every HIT."""
        self.n_twice = 0
        self._number: dict[tuple[object, ...], int] = {}
        for hit in hits:
            self._add(hit)
        self._regular: dict[tuple[str, str], int] = {}
        for number, (shown, _) in enumerate(self.items):
            if shown.kind is ItemKind.REGULAR:
                self._regular.setdefault((shown.system_id, shown.segment_id), number)

    def _add(self, hit: Sequence[Shown]) -> None:
        numbers: dict[int, int] = {}
        seen: Counter[tuple[object, ...]] = Counter()
        for place in sorted(range(len(hit)), key=lambda place: hit[place].base is not None):
            shown = hit[place]
            base = None if shown.base is None else numbers[shown.base]
            name = (shown.kind, shown.system_id, shown.segment_id, shown.text, base)
            key = (*name, seen[name])
            self.n_twice += seen[name] > 0
            seen[name] += 1
            if key not in self._number:
                self._number[key] = len(self.items)
                self.items.append((shown, base))
            numbers[place] = self._number[key]
        self.numbers.append([numbers[place] for place in range(len(hit))])

    def made(self, ids: Sequence[str]) -> list[Item]:
        """The items in order of their ids."""
        items = (
            Item(
                ids[number],
                shown.kind,
                shown.system_id,
                shown.segment_id,
                shown.text,
                None if base is None else ids[base],
                known=shown.known,
                known_sd=shown.known_sd,
            )
            for number, (shown, base) in enumerate(self._with_bases())
        )
        return sorted(items, key=lambda item: item.item_id)

    def _with_bases(self) -> Iterator[tuple[Shown, int | None]]:
        """What is shown and what it is made from, if need be an item of another HIT."""
        for shown, base in self.items:
            derived = shown.kind in (*CONTROL_KINDS, ItemKind.GOLD)
            elsewhere = self._regular.get((shown.system_id, shown.segment_id)) if derived else None
            yield shown, elsewhere if base is None else base

    @property
    def n_variants(self) -> int:
        """Translations that come with more than one text."""
        texts: dict[tuple[str, str], set[str]] = {}
        for shown, _ in self.items:
            if shown.kind is ItemKind.REGULAR:
                texts.setdefault((shown.system_id, shown.segment_id), set()).add(shown.text)
        return sum(len(each) > 1 for each in texts.values())


@dataclass(frozen=True, slots=True)
class _InRound:
    """The round a HIT belongs to, and its items that an earlier HIT of the round has already."""

    round: int
    padding: frozenset[int]


def _rounds(hits: Sequence[Sequence[Shown]], numbers: Sequence[Sequence[int]]) -> Iterator[_InRound]:
    """The rounds, inferred from which HITs share regular items.

    A few items that were there before fill up a HIT, as the last one of an upload of 2016; a HIT
    of which at least half was there before begins a new round.
    """
    current, seen = 1, set[int]()
    for hit, places in zip(hits, numbers, strict=True):
        pairs = list(zip(hit, places, strict=True))
        regular = {k for shown, k in pairs if shown.kind is ItemKind.REGULAR}
        if seen and 2 * len(regular & seen) >= max(1, len(regular)):
            current, seen = current + 1, set()
        # Not only regular items: a control without its base may stand in two HITs as well.
        own = {k for shown, k in pairs if shown.kind not in KNOWN_KINDS}
        yield _InRound(current, frozenset(own & seen))
        seen |= own


def _made_hits(
    rounds: Sequence[_InRound], numbers: Sequence[Sequence[int]], ids: Sequence[str]
) -> Iterator[Hit]:
    for number, (in_round, places) in enumerate(zip(rounds, numbers, strict=True), start=1):
        placed = tuple(
            PlacedItem(ids[item], place + 1, group, item in in_round.padding)
            for place, (item, group) in enumerate(zip(places, _groups(len(places)), strict=True))
        )
        yield Hit(hit_name(number, len(rounds)), in_round.round, number, placed)


def _groups(size: int) -> list[int]:
    """The group of every place, groups as equal as can be."""
    n_groups = min(N_GROUPS, size)
    return [place * n_groups // size for place in range(size)]


def _as_arrays(hits: Sequence[Sequence[Shown]], rounds: Sequence[_InRound]) -> tuple[Places, Entries]:
    """The HITs as arrays, with an entry for each system and segment, to measure distances on."""
    shown = [each for hit in hits for each in hit]
    names: dict[tuple[str, str], int] = {}
    entry = [names.setdefault((each.system_id, each.segment_id), len(names)) for each in shown]
    segments: dict[str, int] = {}
    segment = [segments.setdefault(segment_id, len(segments)) for _, segment_id in names]
    places = Places(
        round=np.array([each.round for each in rounds], dtype=np.int32),
        start=np.cumsum([0, *(len(hit) for hit in hits)], dtype=np.int64),
        kind=np.array([CODE[each.kind] for each in shown], dtype=np.int8),
        entry=np.array(entry, dtype=np.int32),
        group=np.array([group for hit in hits for group in _groups(len(hit))], dtype=np.int16),
        is_padding=np.zeros(len(shown), dtype=np.bool_),
    )
    empty = np.zeros(len(names), dtype=np.int32)
    return places, Entries(empty, np.array(segment, dtype=np.int32), [""] * len(names), {})


def _warnings(
    campaign: Campaign, hits: Sequence[Sequence[Shown]], catalogue: _Catalogue, n_blocks: int
) -> Iterator[str]:
    yield from _control_warnings(hits)
    if catalogue.n_twice:
        yield (
            f"{catalogue.n_twice} items come once more in their HIT without being marked as repeats; each is "
            "judged as often as it comes."
        )
    if catalogue.n_variants:
        yield (
            f"{catalogue.n_variants} translations come with more than one text in the HITs; each text is "
            "judged as an item of its own."
        )
    placed = {
        (shown.system_id, shown.segment_id) for hit in hits for shown in hit if shown.kind is ItemKind.REGULAR
    }
    absent = sum((each.system_id, each.segment_id) not in placed for each in campaign.each_translation())
    if absent:
        yield f"{absent} translations are in none of the HITs, so nobody will judge them."
    if campaign.settings.design.ratings_per_item > 1 and n_blocks > 1:
        yield (
            f"the HITs fall into {n_blocks} blocks that have no item in common: workers of different blocks "
            "cannot be compared through what they judged."
        )


def _control_warnings(hits: Sequence[Sequence[Shown]]) -> Iterator[str]:
    """Controls without a base, and HITs on which nobody can be tested."""
    alone = [
        (shown.kind, f"HIT {number}, position {position}")
        for number, hit in enumerate(hits, start=1)
        for position, shown in enumerate(hit, start=1)
        if shown.kind in CONTROL_KINDS and shown.base is None
    ]
    if alone:
        counts = Counter(kind for kind, _ in alone)
        kinds = ", ".join(f"{counts[kind]} {kind}" for kind in CONTROL_KINDS if counts[kind])
        named = "; ".join(place for _, place in alone[:_NAMED]) + ("; …" if len(alone) > _NAMED else "")
        yield (
            f"{len(alone)} controls ({kinds}) have no regular item of the same system and segment in their "
            f"HIT ({named}). They are shown, but nobody can be tested on them."
        )
    pairs = [sum(shown.kind is ItemKind.DEGRADED and shown.base is not None for shown in hit) for hit in hits]
    too_few = sum(number < MIN_DEGRADED for number in pairs)
    if too_few:
        yield (
            f"{too_few} of {len(hits)} HITs have fewer than {MIN_DEGRADED} degraded items with their base "
            f"(least: {min(pairs)}): no worker can be tested on such a HIT alone."
        )
