"""Entries: the texts to judge, each once, even if several systems gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from steelyard.domain.campaign import Campaign

IndexArray = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The texts to judge, system by system, by the indices of systems and segments in the campaign.

    `system` is the one the item is named after. `credited` names the further systems, if any, that gave the
    same text for the segment.
    """

    system: IndexArray
    segment: IndexArray
    text: Sequence[str]
    credited: Mapping[int, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.text)


def entries_of(campaign: Campaign, *, merge: bool) -> Entries:
    """The entries of a campaign; with `merge`, identical texts for one segment become one.

    A merged entry is named after the one of its systems that has fewest entries so far for its
    weight, which keeps the systems' numbers of entries even. A translation that is absent has none.
    """
    columns = [campaign.translations[system.system_id] for system in campaign.systems]
    owned = _present(columns, len(campaign.segments))
    shared = _merge(campaign, columns, owned) if merge else {}
    system, segment = (each.astype(np.int32) for each in np.nonzero(owned))
    text: list[str] = []
    for row, column in zip(owned, columns, strict=True):
        text += [
            each for each, is_owned in zip(column, row.tolist(), strict=True) if is_owned and each is not None
        ]
    number = np.cumsum(owned.ravel()) - 1
    n_segments = len(campaign.segments)
    credited = {int(number[owner * n_segments + place]): names for (owner, place), names in shared.items()}
    return Entries(system, segment, text, credited)


def gold_of(campaign: Campaign, entries: Entries) -> dict[int, float]:
    """The expert's rating of every entry that has one, by entry.

    Where several systems gave the same text and more than one of them was rated, their mean.
    """
    position = {system.system_id: index for index, system in enumerate(campaign.systems)}
    place = {segment.segment_id: index for index, segment in enumerate(campaign.segments)}
    wanted = {
        (position[system_id], place[segment_id]): rating
        for (system_id, segment_id), rating in campaign.gold.items()
    }
    names = zip(entries.system.tolist(), entries.segment.tolist(), strict=True)
    entry_of = {key: entry for entry, key in enumerate(names) if key in wanted}
    for entry, credited in entries.credited.items():
        for system_id in credited:
            entry_of[position[system_id], int(entries.segment[entry])] = entry
    ratings: dict[int, list[float]] = {}
    for key, rating in wanted.items():
        if key in entry_of:
            ratings.setdefault(entry_of[key], []).append(rating)
    return {entry: sum(given) / len(given) for entry, given in sorted(ratings.items())}


def _present(columns: Sequence[Sequence[str | None]], n_segments: int) -> NDArray[np.bool_]:
    """Whether each system has a text for each segment."""
    owned = np.ones((len(columns), n_segments), dtype=np.bool_)
    for row, column in zip(owned, columns, strict=True):
        if None in column:
            row[:] = [text is not None for text in column]
    return owned


def _merge(
    campaign: Campaign, columns: Sequence[Sequence[str | None]], owned: NDArray[np.bool_]
) -> dict[tuple[int, int], tuple[str, ...]]:
    """Leave one owner to each text of a segment; the other systems, by owner and segment."""
    weight = [max(system.weight, 0.0) for system in campaign.systems]
    n_owned = [0] * len(columns)
    counted = 0
    shared: dict[tuple[int, int], tuple[str, ...]] = {}
    for segment, texts in enumerate(zip(*columns, strict=True)):
        if len(set(texts)) == len(texts) and None not in texts:
            counted += 1
            continue
        by_text: dict[str, list[int]] = {}
        for system, text in enumerate(texts):
            if text is not None:
                by_text.setdefault(text, []).append(system)
        for systems in by_text.values():
            # A system that is not to be judged gives its name only where all of them are not.
            owner = min(systems, key=lambda s: (weight[s] == 0, (counted + n_owned[s]) / (weight[s] or 1.0)))
            n_owned[owner] += 1
            others = [system for system in systems if system != owner]
            owned[others, segment] = False
            if others:
                shared[owner, segment] = tuple(campaign.systems[each].system_id for each in others)
    return shared
