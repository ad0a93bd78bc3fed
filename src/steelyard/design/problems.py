"""What stands in the way of a design, and what an organiser should know about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from steelyard.design.arranging import TOO_CLOSE
from steelyard.design.bases import has_visible_text
from steelyard.design.degradations import choose
from steelyard.design.entries import Entries, gold_of
from steelyard.design.layout import Layout, fitting_size, layout_of, layout_problems, layout_warnings
from steelyard.domain.campaign import Campaign
from steelyard.domain.text import CALIBRATION_SYSTEM
from steelyard.domain.wording import counted
from steelyard.domain.work import ItemKind
from steelyard.stats.arrays import IntArray

# Names shown in a message at most.
_SHOWN = 5
# Pairs are what `pairing` lays out; more stand side by side in whole documents only.
MOST_TRANSLATIONS = 2


def text_problems(campaign: Campaign) -> list[str]:
    """What is wrong with the names and texts of a campaign, before any entry is made."""
    problems = [
        f'{what} "{name}" occurs {count} times; names must be distinct.'
        for what, names in (
            ("the system", (each.system_id for each in campaign.systems)),
            ("the segment", (each.segment_id for each in campaign.segments)),
            ("the calibration text", (each.calibration_id for each in campaign.calibration)),
        )
        for name, count in _repeated(names)
    ]
    for system in campaign.systems:
        problems += _column_problems(campaign, system.system_id)
        if not system.weight > 0:
            problems.append(
                f'system "{system.system_id}" has weight {system.weight:g}; weights must be more than 0. '
                "Leave the system out if it is not to be judged."
            )
    return problems


def _repeated(names: Iterable[str]) -> list[tuple[str, int]]:
    return [(name, count) for name, count in Counter(names).items() if count > 1]


def _column_problems(campaign: Campaign, system_id: str) -> list[str]:
    column = campaign.translations.get(system_id)
    if column is None or all(text is None for text in column):
        return [f'system "{system_id}" has no translations. Add them, or remove the system.']
    if len(column) != len(campaign.segments):
        return [
            f'system "{system_id}" has {len(column)} texts for {len(campaign.segments)} segments; give one '
            "for each, or none for segments it has not translated."
        ]
    return []


def setting_problems(campaign: Campaign) -> list[str]:
    """Settings that no design can keep to."""
    settings, problems = campaign.settings, []
    if settings.design.ratings_per_item < 1:
        problems.append("ratings_per_item must be at least 1.")
    n_translations = settings.design.n_translations
    if n_translations > MOST_TRANSLATIONS and settings.design.order != "documents":
        problems.append(
            f"{n_translations} translations at once are laid out document by document only: set order = "
            f'"documents", or translations_per_item = {MOST_TRANSLATIONS} or less.'
        )
    found = layout_problems(settings.design)
    needs_degradation = found or layout_of(settings.design).quota[ItemKind.DEGRADED]
    if needs_degradation:
        try:
            choose(attribute=settings.degraded_attribute, name=settings.design.degradation)
        except ValueError as error:
            problems.append(str(error))
    return [*problems, *found]


def supply_problems(campaign: Campaign, entries: Entries, *, layout: Layout, taken: IntArray) -> list[str]:
    """Texts that the layout needs and the campaign lacks. `taken`: entries of a round by system."""
    owned = np.bincount(entries.system, minlength=len(campaign.systems)).tolist()
    problems = [
        f'system "{system.system_id}": the weight {system.weight:g} leaves none of its {n_owned} texts to '
        "judge. Raise it, or leave the system out."
        for system, n_owned, n_taken in zip(campaign.systems, owned, taken.tolist(), strict=True)
        if n_owned and not n_taken
    ]
    if taken.sum() < layout.n_regular:
        size = fitting_size(campaign.settings.design, int(taken.sum()))
        advice = "Add texts." if size is None else f"Set hit_size = {size}, or add texts."
        problems.append(
            f"{taken.sum()} translations are fewer than the {layout.n_regular} that one HIT of "
            f"{layout.hit_size} items needs. {advice}"
        )
    if layout.quota[ItemKind.REFERENCE] and not any(has_visible_text(s.reference) for s in campaign.segments):
        problems.append(
            "there are no references to make reference items from. Add them, or set a quota with "
            "reference = 0."
        )
    return [*problems, *_gold_problems(campaign, entries, layout), *_calibration_problems(campaign, layout)]


def _gold_problems(campaign: Campaign, entries: Entries, layout: Layout) -> list[str]:
    systems = {system.system_id: index for index, system in enumerate(campaign.systems)}
    segments = {segment.segment_id: index for index, segment in enumerate(campaign.segments)}
    absent = [
        f"{system_id}/{segment_id}"
        for system_id, segment_id in campaign.gold
        if system_id not in systems
        or segment_id not in segments
        or campaign.translations[system_id][segments[segment_id]] is None
    ]
    if absent:
        return [
            f"gold ratings name {len(absent)} translations that do not exist ({_some(absent)}). "
            "Correct their names, or leave them out."
        ]
    n_gold = len(gold_of(campaign, entries)) if layout.n_gold else 0
    if n_gold < layout.n_gold:
        return [
            f"gold_every = {layout.gold_every} puts {layout.n_gold} gold items into each HIT, but there are "
            f"gold ratings of only {n_gold} texts. Add ratings, or set a larger gold_every."
        ]
    return []


def _calibration_problems(campaign: Campaign, layout: Layout) -> list[str]:
    problems = []
    if layout.n_calibration > len(campaign.calibration):
        problems.append(
            f"the quota asks for {layout.n_calibration} calibration texts in each HIT, but there are only "
            f"{len(campaign.calibration)}. Add texts, or lower the quota."
        )
    if campaign.calibration and any(system.system_id == CALIBRATION_SYSTEM for system in campaign.systems):
        problems.append(
            f'a system is called "{CALIBRATION_SYSTEM}", as are the calibration texts. Rename the system.'
        )
    return problems


def too_few_bases(campaign: Campaign, layout: Layout, kind: ItemKind) -> str:
    """Why a HIT cannot have its controls of this kind, and what to do."""
    settings = campaign.settings
    advice = "Leave out empty and one-word segments, or add longer ones."
    if kind is ItemKind.DEGRADED:
        title = choose(attribute=settings.degraded_attribute, name=settings.design.degradation).title.lower()
        reason = f"that can be degraded ({title}); single words and near-identical texts cannot"
    elif kind is ItemKind.REFERENCE:
        other = " that differs from them" if settings.design.n_translations > 1 else ""
        reason = f"with a visible reference{other}"
        advice = "Add references, or lower the quota of reference items."
    else:
        reason = "with visible text"
    return (
        f"every HIT of {layout.hit_size} items needs {layout.quota[kind]} translations {reason}, and there "
        f"are too few. {advice}"
    )


def warnings_before(campaign: Campaign, *, layout: Layout, n_empty: int) -> list[str]:
    """What an organiser should know whatever the HITs are like."""
    warnings = [*layout_warnings(layout), *text_warnings(campaign, n_empty=n_empty)]
    if campaign.gold and not layout.n_gold:
        warnings.append("gold ratings are given, but without gold_every no HIT shows gold items.")
    if campaign.calibration and not layout.n_calibration:
        warnings.append("calibration texts are given, but the quota puts none into a HIT.")
    return warnings


def text_warnings(campaign: Campaign, *, n_empty: int) -> list[str]:
    """What an organiser should know about the texts: empty ones, and those that are absent."""
    warnings = []
    if n_empty:
        warnings.append(
            f"{n_empty} translations have no visible text; they are judged, but never serve as a base."
        )
    lacking = [
        system.system_id for system in campaign.systems if None in campaign.translations[system.system_id]
    ]
    if lacking:
        warnings.append(
            f"{len(lacking)} systems lack translations of some segments ({_some(lacking)}): their scores "
            "rest on other segments than those of the rest."
        )
    return warnings


def warnings_after(campaign: Campaign, layout: Layout, nearest: int | None) -> list[str]:
    """What an organiser should know about the HITs that were made."""
    if nearest is None or nearest > TOO_CLOSE:
        return []
    return [
        f"{len(campaign.segments)} segments are few for HITs of {layout.n_regular} regular items: "
        f"translations of one segment come as close as {counted(nearest, 'position')} "
        f"(wanted: more than {TOO_CLOSE}). Workers may remember them; more segments or smaller HITs help."
    ]


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
