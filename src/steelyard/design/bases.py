"""Bases: which translations can serve a control, and whose turn it is."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from steelyard.domain.campaign import Campaign
from steelyard.domain.plugin import Damage
from steelyard.domain.work import CONTROL_KINDS, ItemKind

# How gladly a translation is taken as a base, best first.
PREFERRED, ELIGIBLE, FORCED = 0, 1, 2

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def has_visible_text(text: str) -> bool:
    """Whether there is anything to judge: more than spaces, controls and zero-width characters.

    >>> has_visible_text("no"), has_visible_text(" \\u200b ")
    (True, False)
    """
    return any(unicodedata.category(character) not in _INVISIBLE for character in text)


@dataclass(frozen=True, slots=True)
class Texts:
    """A campaign's texts by the indices of system and segment."""

    translation: tuple[tuple[str, ...], ...]
    """By system, then by segment."""
    reference: tuple[str, ...]
    borrow: Callable[[int], Sequence[str]]
    """The references of other documents than the segment's own."""


def texts_of(campaign: Campaign) -> Texts:
    """The campaign's texts; KeyError if a system lacks a segment."""
    segments = campaign.segments
    by_document = sorted(range(len(segments)), key=lambda index: segments[index].document_id)
    references = [segments[index].reference for index in by_document]
    documents = [segments[index].document_id for index in by_document]
    rank = {index: place for place, index in enumerate(by_document)}

    def borrow(segment: int) -> Sequence[str]:
        if documents[0] == documents[-1]:
            # A single document: other segments of it are the best there is.
            return _Without(references, rank[segment], rank[segment] + 1)
        own = segments[segment].document_id
        return _Without(references, bisect_left(documents, own), bisect_right(documents, own))

    return Texts(
        translation=tuple(
            tuple(text or "" for text in campaign.translations[system.system_id])
            for system in campaign.systems
        ),
        reference=tuple(segment.reference for segment in segments),
        borrow=borrow,
    )


class _Without(Sequence[str]):
    """A sequence as if the part from `start` to `end` were not there; nothing is copied."""

    def __init__(self, whole: Sequence[str], start: int, end: int) -> None:
        self.whole, self.start, self.gap = whole, start, end - start

    def __len__(self) -> int:
        return len(self.whole) - self.gap

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.whole[index if index < self.start else index + self.gap]


class BaseBook:
    """What can serve as a base, and how often each system has, for each kind of control.

    A damaged text is made when it is first needed and then stays: one per translation.
    """

    def __init__(self, texts: Texts, *, damage: Damage, rng: np.random.Generator) -> None:
        self._texts, self._damage, self._rng = texts, damage, rng
        self._visible = [[has_visible_text(text) for text in row] for row in texts.translation]
        self._grade = [[self._grade_of(text) for text in row] for row in texts.translation]
        self._damaged: dict[tuple[int, int], str | None] = {}
        self.served = {kind: [0] * len(texts.translation) for kind in CONTROL_KINDS}

    def _grade_of(self, text: str) -> int:
        if self._damage.is_preferred(text):
            return PREFERRED
        return ELIGIBLE if self._damage.is_eligible(text) else FORCED

    def can_be_degraded(self, system: int, segment: int) -> bool:
        """Whether the translation looks fit for degradation; the attempt may still fail."""
        return self._visible[system][segment] and self._grade[system][segment] != FORCED

    def grade(self, kind: ItemKind, system: int, segment: int) -> int | None:
        """How gladly the translation is taken as a base of this kind, None if never."""
        if not self._visible[system][segment]:
            return None
        if kind is ItemKind.REFERENCE and not has_visible_text(self._texts.reference[segment]):
            return None
        return self._grade[system][segment] if kind is ItemKind.DEGRADED else PREFERRED

    def works(self, kind: ItemKind, system: int, segment: int) -> bool:
        """Whether the control can really be made from this translation."""
        if self.grade(kind, system, segment) is None:
            return False
        return kind is not ItemKind.DEGRADED or self._degrade(system, segment) is not None

    def text(self, kind: ItemKind, system: int, segment: int) -> str:
        """What the control of this kind shows."""
        if kind is ItemKind.REFERENCE:
            return self._texts.reference[segment]
        if kind is ItemKind.REPEAT:
            return self._texts.translation[system][segment]
        damaged = self._degrade(system, segment)
        assert damaged is not None, "only what works becomes a base"
        return damaged

    def _degrade(self, system: int, segment: int) -> str | None:
        key = (system, segment)
        if key not in self._damaged:
            self._damaged[key] = self._damage.degrade(
                self._texts.translation[system][segment],
                self._texts.reference[segment],
                self._texts.borrow(segment),
                self._rng,
            )
        return self._damaged[key]
