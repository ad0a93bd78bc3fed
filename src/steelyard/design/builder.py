"""Building the design of a campaign: texts in, items and HITs out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.design.bases import PREFERRED, BaseBook, has_visible_text, texts_of
from steelyard.design.choice import NoBaseError
from steelyard.design.degradations import LANGUAGES_WITHOUT_SPACES, for_attribute
from steelyard.design.layout import Layout, layout_for, smaller_layouts
from steelyard.design.placement import Slot, check, place
from steelyard.design.sampling import Draw, Pool, draw_rounds
from steelyard.design.spacing import TOO_CLOSE, Spreader, closest
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import CampaignError
from steelyard.domain.languages import base_language
from steelyard.domain.work import CONTROL_KINDS, Hit, Item, ItemKind, PlacedItem


@dataclass(frozen=True, slots=True)
class Design:
    """The items and HITs of a campaign, and what an organiser should know about them.

    `closest` is the least distance at which two translations of one segment come in a HIT (a
    control and its own base aside); None if no HIT holds two.
    """

    items: tuple[Item, ...]
    hits: tuple[Hit, ...]
    warnings: tuple[str, ...] = ()
    closest: int | None = None


def build(
    campaign: Campaign,
    *,
    rng: np.random.Generator,
    new_id: Callable[[], str],
    progress: Callable[[int], None] | None = None,
) -> Design:
    """The design of a campaign: one regular item per translation, controls, HITs for every round.

    The same `rng` gives the same HITs. Ids of items come from `new_id` alone, which should be
    unpredictable: with ids drawn from the seed, whoever knows the texts could tell the controls.
    `progress` is called with the number of HITs made so far.
    """
    layout = _checked_layout(campaign)
    texts = texts_of(campaign)
    book = BaseBook(
        texts,
        damage=for_attribute(campaign.settings.attribute).damage(campaign.settings.target_language),
        rng=rng,
    )
    pool = Pool(
        n_systems=len(campaign.systems),
        n_segments=len(campaign.segments),
        n_regular=layout.n_regular,
        can_be_base=book.can_be_degraded,
        # Half as many again as needed: an attempt to degrade may fail.
        bases_wanted=layout.quota[ItemKind.DEGRADED] * 3 // 2,
    )
    catalogue = _Catalogue(campaign, book, new_id)
    hits: list[Hit] = []
    distances: list[int] = []
    rounds = draw_rounds(pool, n_rounds=campaign.settings.design.ratings_per_item, rng=rng)
    for round_number, round_hits in enumerate(rounds, start=1):
        for draws in round_hits:
            try:
                slots = _arrange(draws, layout=layout, book=book, rng=rng)
            except NoBaseError as error:
                raise CampaignError(
                    campaign.settings.name, [_too_few_bases(campaign, layout, error)]
                ) from None
            distance = closest(slots)
            distances += [] if distance is None else [distance]
            number = len(hits) + 1
            hits.append(Hit(f"H{number:04d}", round_number, number, catalogue.placed(slots, layout)))
            if progress is not None:
                progress(len(hits))
    nearest = min(distances, default=None)
    return Design(tuple(catalogue.items), tuple(hits), _warnings(campaign, layout, nearest), nearest)


def _arrange(
    draws: Sequence[Draw], *, layout: Layout, book: BaseBook, rng: np.random.Generator
) -> list[Slot]:
    slots = place(draws, layout=layout, book=book, rng=rng)
    if len({draw.segment for draw in draws}) < len(draws):

        def may_serve(kind: ItemKind, draw: Draw) -> bool:
            graded = book.grade(kind, draw.system, draw.segment)
            return graded == PREFERRED and book.works(kind, draw.system, draw.segment)

        Spreader(slots, layout=layout, may_serve=may_serve, rng=rng).spread()
        check(slots, layout=layout)
    return slots


class _Catalogue:
    """Items made so far: one per translation, one per translation and kind of control."""

    def __init__(self, campaign: Campaign, book: BaseBook, new_id: Callable[[], str]) -> None:
        self._campaign, self._book, self._new_id = campaign, book, new_id
        self.items: list[Item] = []
        self._known: dict[tuple[ItemKind, int, int], Item] = {}
        text = {(each.system_id, each.segment_id): each.text for each in campaign.each_translation()}
        for system, each in enumerate(campaign.systems):
            for index, segment in enumerate(campaign.segments):
                shown = text[each.system_id, segment.segment_id]
                self._add(ItemKind.REGULAR, Draw(system, index), shown, base=None)

    def _add(self, kind: ItemKind, draw: Draw, text: str, *, base: Item | None) -> Item:
        item = Item(
            item_id=self._new_id(),
            kind=kind,
            system_id=self._campaign.systems[draw.system].system_id,
            segment_id=self._campaign.segments[draw.segment].segment_id,
            text=text,
            base_item_id=None if base is None else base.item_id,
        )
        self.items.append(item)
        self._known[kind, draw.system, draw.segment] = item
        return item

    def _item(self, kind: ItemKind, draw: Draw) -> Item:
        known = self._known.get((kind, draw.system, draw.segment))
        if known is not None:
            return known
        base = self._known[ItemKind.REGULAR, draw.system, draw.segment]
        return self._add(kind, draw, self._book.text(kind, draw.system, draw.segment), base=base)

    def placed(self, slots: Sequence[Slot], layout: Layout) -> tuple[PlacedItem, ...]:
        """The items of the slots in their order of presentation."""
        placed = []
        for slot in slots:
            kinds = (ItemKind.REGULAR,) if slot.kind is None else (ItemKind.REGULAR, slot.kind)
            for kind, position in zip(kinds, slot.positions, strict=True):
                is_padding = kind is ItemKind.REGULAR and slot.draw.is_padding
                item_id = self._item(kind, slot.draw).item_id
                placed.append(PlacedItem(item_id, position, layout.group_of(position), is_padding))
        return tuple(sorted(placed, key=lambda each: each.position))


def _checked_layout(campaign: Campaign) -> Layout:
    """The layout of the campaign's HITs; CampaignError lists everything that stands in the way."""
    settings, problems = campaign.settings, []
    if settings.design.ratings_per_item < 1:
        problems.append("ratings_per_item must be at least 1.")
    try:
        for_attribute(settings.attribute)
    except ValueError as error:
        problems.append(str(error))
    if base_language(settings.target_language) in LANGUAGES_WITHOUT_SPACES:
        problems.append(
            f'texts in "{settings.target_language}" have no spaces between words, and no degradation can '
            "damage such texts yet. Choose a target language that writes spaces."
        )
    problems += _missing_translations(campaign)
    try:
        layout = layout_for(settings.design.hit_size)
    except ValueError as error:
        raise CampaignError(settings.name, [*problems, str(error)]) from None
    n_translations = len(campaign.systems) * len(campaign.segments)
    if n_translations < layout.n_regular:
        fitting = smaller_layouts(n_translations)
        advice = f"Set hit_size = {max(fitting)}, or add texts." if fitting else "Add texts."
        problems.append(
            f"{n_translations} translations are fewer than the {layout.n_regular} that one HIT of "
            f"{layout.hit_size} items needs. {advice}"
        )
    if problems:
        raise CampaignError(settings.name, problems)
    return layout


def _missing_translations(campaign: Campaign) -> list[str]:
    present = {(each.system_id, each.segment_id) for each in campaign.each_translation()}
    problems = []
    for system in campaign.systems:
        absent = [s.segment_id for s in campaign.segments if (system.system_id, s.segment_id) not in present]
        if absent:
            shown = ", ".join(absent[:5]) + (" …" if len(absent) > 5 else "")
            problems.append(
                f'system "{system.system_id}" has no translation of {len(absent)} segments ({shown}). '
                "Every system must translate every segment: add them, or remove the system."
            )
    return problems


def _too_few_bases(campaign: Campaign, layout: Layout, error: NoBaseError) -> str:
    quota = layout.quota[error.kind]
    if error.kind is ItemKind.DEGRADED:
        title = for_attribute(campaign.settings.attribute).title.lower()
        reason = f"that can be degraded ({title}); single words and near-identical texts cannot"
    else:
        reason = "with visible text"
    return (
        f"every HIT of {layout.hit_size} items needs {quota} translations {reason}, and there are too few. "
        "Leave out empty and one-word segments, or add longer ones."
    )


def _warnings(campaign: Campaign, layout: Layout, nearest: int | None) -> tuple[str, ...]:
    warnings = []
    if nearest is not None and nearest <= TOO_CLOSE:
        warnings.append(
            f"{len(campaign.segments)} segments are few for HITs of {layout.n_regular} regular items: "
            f"translations of one segment come as close as {nearest} positions "
            f"(wanted: more than {TOO_CLOSE}). Workers may remember them; more segments or smaller HITs help."
        )
    empty = sum(not has_visible_text(each.text) for each in campaign.each_translation())
    if empty:
        warnings.append(
            f"{empty} translations have no visible text; they are judged, but never serve as a base."
        )
    return tuple(warnings)


def pairs_of(hit: Hit, items: Sequence[Item]) -> tuple[tuple[ItemKind, int, int], ...]:
    """(kind, base position, control position) of every control of a HIT, in order of the controls."""
    by_id = {item.item_id: item for item in items}
    position = {placed.item_id: placed.position for placed in hit.placed}
    return tuple(
        (by_id[placed.item_id].kind, position[str(by_id[placed.item_id].base_item_id)], placed.position)
        for placed in hit.placed
        if by_id[placed.item_id].kind in CONTROL_KINDS
    )
