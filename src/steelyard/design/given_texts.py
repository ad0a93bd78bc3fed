"""What the items of given HITs show: the file's texts, or else the campaign's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.design.bases import borrowing, has_visible_text
from steelyard.design.degradations import choose
from steelyard.domain.campaign import Campaign, GivenItem
from steelyard.domain.plugin import Damage
from steelyard.domain.text import CALIBRATION_SYSTEM
from steelyard.domain.work import CONTROL_KINDS, ItemKind


@dataclass(frozen=True, slots=True)
class Shown:
    """One place of a given HIT with all that is shown there."""

    kind: ItemKind
    system_id: str
    segment_id: str
    text: str
    base: int | None = None
    """The place, from 0, of the regular item that a control is made from; None if the HIT has none."""
    known: float | None = None
    known_sd: float | None = None


class _NoTextError(Exception):
    """There is nothing to show at a place; says why and what to do."""


class GivenTexts:
    """Finds the text of every place; what cannot be found is listed in `problems`."""

    def __init__(self, campaign: Campaign, *, rng: np.random.Generator) -> None:
        self._campaign, self._rng = campaign, rng
        self._segment = {segment.segment_id: k for k, segment in enumerate(campaign.segments)}
        self._systems = {system.system_id for system in campaign.systems}
        self._calibration = {
            name: text for text in campaign.calibration for name in (text.calibration_id, text.segment_id)
        }
        self._damaged: dict[tuple[str, int], str | None] = {}
        self.problems: list[str] = []
        self._damage = self._chosen_damage()

    def shown(self, number: int, hit: Sequence[GivenItem]) -> list[Shown]:
        """The places of a HIT; those with a problem are left out."""
        if not hit:
            self.problems.append(f"HIT {number}: holds no item. Remove it.")
        regular: dict[int, Shown] = {}
        found: dict[int, Shown] = {}
        problems: dict[int, str] = {}
        # Regular items first: a control needs to know the text of its base.
        for place in sorted(range(len(hit)), key=lambda place: hit[place].kind is not ItemKind.REGULAR):
            given = hit[place]
            try:
                found[place] = self._place(given, regular)
            except _NoTextError as error:
                problems[place] = f"HIT {number}, position {place + 1}: {error}"
                continue
            if given.kind is ItemKind.REGULAR:
                regular[place] = found[place]
        self.problems += [problems[place] for place in sorted(problems)]
        return [found[place] for place in sorted(found)]

    def _place(self, given: GivenItem, regular: dict[int, Shown]) -> Shown:
        if given.kind is ItemKind.CALIBRATION:
            return self._known_text(given)
        if given.system_id not in self._systems:
            raise _NoTextError(f'the campaign has no system "{given.system_id}". Add its translations.')
        if given.segment_id not in self._segment:
            raise _NoTextError(f'the campaign has no segment "{given.segment_id}". Add it to the texts.')
        base = _base_of(given, regular) if given.kind in CONTROL_KINDS else None
        text = given.text
        if text is None:
            text = self._text(given, None if base is None else regular[base].text)
        return Shown(given.kind, given.system_id, given.segment_id, text, base, self._rating(given))

    def _text(self, given: GivenItem, base_text: str | None) -> str:
        """The text of a place for which the file has none."""
        segment = self._segment[given.segment_id]
        if given.kind is ItemKind.REFERENCE:
            reference = self._campaign.segments[segment].reference
            if not has_visible_text(reference):
                raise _NoTextError(f'segment "{given.segment_id}" has no reference to show. Add it.')
            return reference
        text = base_text if base_text is not None else self._campaign.translations[given.system_id][segment]
        if text is None:
            raise _NoTextError(
                f'system "{given.system_id}" has no translation of segment "{given.segment_id}". Add it.'
            )
        return self._degraded(text, segment) if given.kind is ItemKind.DEGRADED else text

    def _degraded(self, text: str, segment: int) -> str:
        key = (text, segment)
        if self._damage is None:
            raise _NoTextError("there is no degradation to make its text with. Give the text in the file.")
        if key not in self._damaged:
            reference = self._campaign.segments[segment].reference
            self._damaged[key] = self._damage.degrade(text, reference, self._borrow(segment), self._rng)
        damaged = self._damaged[key]
        if damaged is None:
            raise _NoTextError(
                f'the text "{text}" cannot be degraded. Give the degraded text in the file, or take another '
                "item."
            )
        return damaged

    @cached_property
    def _borrow(self) -> Callable[[int], Sequence[str]]:
        return borrowing(self._campaign)

    def _chosen_damage(self) -> Damage | None:
        """How texts are degraded, if the file leaves any to be; None if that cannot be done."""
        settings = self._campaign.settings
        places = (given for hit in self._campaign.given for given in hit)
        if not any(given.kind is ItemKind.DEGRADED and given.text is None for given in places):
            return None
        try:
            degradation = choose(attribute=settings.degraded_attribute, name=settings.design.degradation)
        except ValueError as error:
            self.problems.append(str(error))
            return None
        return degradation.damage(settings.target_language)

    def _rating(self, given: GivenItem) -> float | None:
        """What an expert gave to a gold item."""
        if given.kind is not ItemKind.GOLD:
            return None
        key = (given.system_id, given.segment_id)
        if key not in self._campaign.gold:
            raise _NoTextError(
                f'no expert has rated system "{given.system_id}", segment "{given.segment_id}", so it cannot '
                "be gold. Add the rating to the gold file."
            )
        return self._campaign.gold[key]

    def _known_text(self, given: GivenItem) -> Shown:
        if given.segment_id not in self._calibration:
            raise _NoTextError(
                f'the campaign has no calibration text "{given.segment_id}". Add it to the calibration file.'
            )
        text = self._calibration[given.segment_id]
        return Shown(
            ItemKind.CALIBRATION,
            CALIBRATION_SYSTEM,
            text.segment_id,
            text.text if given.text is None else given.text,
            known=text.score,
            known_sd=text.sd,
        )


def _base_of(given: GivenItem, regular: dict[int, Shown]) -> int | None:
    """The place of the regular item that a control belongs to; of several, one with the same text."""
    places = [
        place
        for place, shown in regular.items()
        if (shown.system_id, shown.segment_id) == (given.system_id, given.segment_id)
    ]
    alike = [place for place in places if regular[place].text == given.text]
    return next(iter([*alike, *places]), None)
