"""Bases: which entries can serve a control, and what the control then shows."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import overload
from unicodedata import normalize as normalise

import numpy as np
from numpy.typing import NDArray

from steelyard.design.degradations import choose
from steelyard.design.entries import Entries
from steelyard.domain.campaign import Campaign
from steelyard.domain.plugin import Damage
from steelyard.domain.work import ItemKind
from steelyard.stats.arrays import BoolArray

# How well an entry serves as the base of a degraded item, best first; the last one never does.
PREFERRED, ELIGIBLE, FORCED, NEVER = 0, 1, 2, 3
N_GRADES = 4

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})


def has_visible_text(text: str) -> bool:
    """Whether there is anything to judge: more than spaces, controls and zero-width characters.

    >>> has_visible_text("no"), has_visible_text(" \\u200b ")
    (True, False)
    """
    # Most texts begin with a letter, which is quick to see.
    return text[:1].isalnum() or any(unicodedata.category(each) not in _UNSEEN_CATEGORIES for each in text)


def as_seen(text: str) -> str:
    """The text as it looks on a page: spaces run together, and nothing where nothing is visible.

    >>> as_seen("cafe\\u0301  noir "), as_seen("\\u200b")
    ('café noir', '')
    """
    return " ".join(normalise("NFC", text).split()) if has_visible_text(text) else ""


def borrowing(campaign: Campaign) -> Callable[[int], Sequence[str]]:
    """For the index of a segment, texts of other documents in the target language to borrow from.

    They are references; for segments without one, the first translation there is.
    """
    segments = campaign.segments
    by_document = sorted(range(len(segments)), key=lambda index: segments[index].document_id)
    texts = [_model_text(campaign, index) for index in by_document]
    if len({segment.document_id for segment in segments}) > 1:
        documents = [segments[index].document_id for index in by_document]
        own = {name: (bisect_left(documents, name), bisect_right(documents, name)) for name in set(documents)}
        return lambda segment: _Without(texts, *own[segments[segment].document_id])
    # A single document: other segments of it are the best there is.
    return lambda segment: _Without(texts, segment, segment + 1)


def _model_text(campaign: Campaign, segment: int) -> str:
    reference = campaign.segments[segment].reference
    if has_visible_text(reference):
        return reference
    translations = (campaign.translations[system.system_id][segment] for system in campaign.systems)
    return next((text for text in translations if text is not None and has_visible_text(text)), "")


class _Without(Sequence[str]):
    """A sequence as if the part from `start` to `end` were not there; nothing is copied."""

    def __init__(self, whole: Sequence[str], start: int, end: int) -> None:
        self.whole, self.start, self.gap = whole, start, end - start
        self.length = len(whole) - self.gap

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self.length))]
        if not -self.length <= index < self.length:
            raise IndexError(index)
        index %= self.length
        return self.whole[index if index < self.start else index + self.gap]


class BaseBook:
    """What each entry can serve as, by arrays over entries.

    A damaged text is made when it is first needed and then stays: one per entry.
    """

    def __init__(
        self, campaign: Campaign, entries: Entries, *, damage: Damage, rng: np.random.Generator
    ) -> None:
        self._entries, self._damage, self._rng = entries, damage, rng
        self._reference = [segment.reference for segment in campaign.segments]
        self._borrow = borrowing(campaign)
        self._damaged: dict[int, str | None] = {}
        self.is_visible: BoolArray = np.array(
            [has_visible_text(text) for text in entries.text], dtype=np.bool_
        )
        self.grade: NDArray[np.int8] = np.array(
            [self._grade_of(text) for text in entries.text], dtype=np.int8
        )
        self.grade[~self.is_visible] = NEVER
        has_reference = np.array([has_visible_text(text) for text in self._reference], dtype=np.bool_)
        self.has_reference: BoolArray = self.is_visible & has_reference[entries.segment]
        if campaign.settings.design.n_translations > 1:
            # Side by side, a translation and a reference that look the same are no control.
            self.has_reference &= self._differs_from_reference()

    def _differs_from_reference(self) -> BoolArray:
        references = [as_seen(text) for text in self._reference]
        pairs = zip(self._entries.text, self._entries.segment.tolist(), strict=True)
        return np.array([as_seen(text) != references[segment] for text, segment in pairs], dtype=np.bool_)

    @classmethod
    def of(
        cls, campaign: Campaign, entries: Entries, *, degrades: bool, rng: np.random.Generator
    ) -> BaseBook:
        """The book of a campaign, with the degradation its settings name if any item is to be degraded."""
        if not degrades:
            never = Damage(lambda _: False, lambda _: False, lambda *_: None)
            return cls(campaign, entries, damage=never, rng=rng)
        settings = campaign.settings
        degradation = choose(attribute=settings.degraded_attribute, name=settings.design.degradation)
        return cls(campaign, entries, damage=degradation.damage(settings.target_language), rng=rng)

    def _grade_of(self, text: str) -> int:
        if self._damage.is_preferred(text):
            return PREFERRED
        return ELIGIBLE if self._damage.is_eligible(text) else FORCED

    @property
    def can_be_degraded(self) -> BoolArray:
        """Which entries look fit for degradation; the attempt may still fail."""
        return self.grade <= ELIGIBLE

    def serves(self, kind: ItemKind) -> BoolArray:
        """Which entries a control of this kind can be made from."""
        if kind is ItemKind.DEGRADED:
            return self.grade < NEVER
        return self.has_reference if kind is ItemKind.REFERENCE else self.is_visible

    def degrade(self, entry: int) -> bool:
        """Whether the entry can be degraded after all; if not, it is never offered again."""
        if entry not in self._damaged:
            segment = int(self._entries.segment[entry])
            self._damaged[entry] = self._damage.degrade(
                self._entries.text[entry], self._reference[segment], self._borrow(segment), self._rng
            )
            if self._damaged[entry] is None:
                self.grade[entry] = NEVER
        return self._damaged[entry] is not None

    def text(self, kind: ItemKind, entry: int) -> str:
        """What the control of this kind shows."""
        if kind is ItemKind.REFERENCE:
            return self._reference[int(self._entries.segment[entry])]
        if kind is ItemKind.REPEAT:
            return self._entries.text[entry]
        damaged = self._damaged[entry]
        assert damaged is not None, "only what works becomes a base"
        return damaged
