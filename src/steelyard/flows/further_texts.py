"""What a campaign file adds to a stored campaign: systems, segments, translations; or why it cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import CampaignError
from steelyard.domain.judgement import Span
from steelyard.domain.text import Segment, System
from steelyard.domain.wording import counted, listed
from steelyard.store.extending import StoredTexts

# A file of the campaign's own texts may differ in these: how a campaign is run and called is not up to it.
_OF_CAMPAIGN = ("protocol", "attribute", "source_language", "target_language")


@dataclass(frozen=True, slots=True, eq=False)
class FurtherTexts:
    """A stored campaign together with what a file adds to it.

    `systems` and `segments` are the added ones; `fuller_parts` are the stored parts for whose segments
    there are further translations. `translations`, `gold` and what is `prefilled` are all there are.
    """

    systems: tuple[System, ...]
    segments: tuple[Segment, ...]
    fuller_parts: tuple[int, ...]
    translations: Mapping[str, Mapping[str, str]]
    gold: Mapping[tuple[str, str], float]
    prefilled: Mapping[tuple[str, str], tuple[Span, ...]]

    @property
    def adds_anything(self) -> bool:
        return bool(self.systems or self.segments or self.fuller_parts)


def nothing_further(stored: StoredTexts) -> FurtherTexts:
    """The stored campaign as it is."""
    return FurtherTexts((), (), (), stored.translations, stored.gold, stored.prefilled)


def further_texts(stored: StoredTexts, file: Campaign, *, where: str) -> FurtherTexts:
    """What the file adds; CampaignError lists everything in it that contradicts the campaign."""
    known = {segment.segment_id: part for part, segments in stored.parts.items() for segment in segments}
    new = tuple(segment for segment in file.segments if segment.segment_id not in known)
    problems = [
        *_setting_problems(stored.settings, file.settings),
        *_system_problems(stored, file, has_new_segments=bool(new)),
        *_segment_problems(stored, file),
        *_translation_problems(stored, file),
        *_prefilled_problems(stored, file),
    ]
    if problems:
        raise CampaignError(where, problems)
    systems = {system.system_id for system in stored.systems}
    translations = {name: dict(texts) for name, texts in stored.translations.items()}
    fuller: set[int] = set()
    heaviest = max(system.weight for system in stored.systems)
    light = {system.system_id for system in stored.systems if system.weight < heaviest}
    for each in file.each_translation():
        own = translations.setdefault(each.system_id, {})
        # Of a system with less weight, and of pairs, the database holds only what was drawn.
        was_left = each.system_id in light or file.settings.design.n_translations > 1
        is_new = each.system_id not in systems or not was_left
        if is_new and each.segment_id in known and each.segment_id not in own:
            fuller.add(known[each.segment_id])
        own.setdefault(each.segment_id, each.text)
    return FurtherTexts(
        systems=tuple(system for system in file.systems if system.system_id not in systems),
        segments=new,
        fuller_parts=tuple(sorted(fuller)),
        translations=translations,
        gold={**file.gold, **stored.gold},
        prefilled={**file.prefilled, **stored.prefilled},
    )


def part_campaign(
    stored: StoredTexts, further: FurtherTexts, segments: Sequence[Segment], *, ratings: int
) -> Campaign:
    """The campaign of one part: its segments, the systems that translated any of them, all that is known."""
    settings = stored.settings
    names = {segment.segment_id for segment in segments}
    systems = [
        system
        for system in (*stored.systems, *further.systems)
        if not names.isdisjoint(further.translations.get(system.system_id, ()))
    ]
    columns: dict[str, list[str | None]] = {
        system.system_id: [further.translations[system.system_id].get(each.segment_id) for each in segments]
        for system in systems
    }
    return Campaign(
        settings=replace(settings, design=replace(settings.design, ratings_per_item=ratings)),
        systems=tuple(systems),
        segments=tuple(segments),
        translations=columns,
        gold={
            (system_id, segment_id): rating
            for (system_id, segment_id), rating in further.gold.items()
            if segment_id in names and segment_id in further.translations.get(system_id, {})
        },
        calibration=stored.calibration,
        prefilled=further.prefilled,
    )


def missing_texts(stored: StoredTexts) -> str | None:
    """Why the database alone is not enough to lay out the texts again; None if it is.

    Every translation stands in some HIT, except where a design shows only some of them: of systems with
    less weight, where an odd number of systems is compared in pairs, and, side by side, of systems that
    translated a document only in part.
    """
    settings = stored.settings.design
    n_segments = sum(map(len, stored.parts.values()))
    lacking = [
        system.system_id
        for system in stored.systems
        if len(stored.translations[system.system_id]) < n_segments
    ]
    shows_some = len({system.weight for system in stored.systems}) > 1 or settings.n_translations > 1
    if not lacking or not shows_some:
        return None
    return (
        f"the database holds only those translations that its HITs show, not all of {listed(lacking)}: "
        "systems with less weight, an odd number of systems in pairs, or documents that are translated in "
        "part and shown side by side, leave some out."
    )


def _setting_problems(ours: CampaignSettings, theirs: CampaignSettings) -> list[str]:
    different = [
        (f"[campaign] {name}", getattr(theirs, name), getattr(ours, name))
        for name in _OF_CAMPAIGN
        if getattr(theirs, name) != getattr(ours, name)
    ]
    different += [
        (_key_of(name), getattr(theirs.design, name), getattr(ours.design, name))
        for name in (each.name for each in fields(DesignSettings))
        if _value(theirs.design, name) != _value(ours.design, name)
    ]
    given, own = (bool(each.presentation.get("source_markup")) for each in (theirs, ours))
    if given != own:
        # Sources that nobody checked must not be shown as HTML.
        different.append(("[presentation] source_markup", given, own))
    return [
        f"{key} is {_shown(given)} here and {_shown(own)} in the campaign, which keeps it; set the same."
        + (" Use --ratings for more ratings." if key.endswith("ratings_per_item") else "")
        for key, given, own in different
    ]


def _key_of(name: str) -> str:
    return "[gold] every" if name == "gold_every" else f"[design] {name}"


def _value(design: DesignSettings, name: str) -> object:
    value = getattr(design, name)
    # Kinds with no items may be left out of a quota.
    return {kind: n for kind, n in value.items() if n} if isinstance(value, Mapping) else value


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{kind} = {number}" for kind, number in value.items() if number) or "none"
    return "the usual" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _system_problems(stored: StoredTexts, file: Campaign, *, has_new_segments: bool) -> list[str]:
    own = {system.system_id: system for system in stored.systems}
    problems = [
        f'system "{system.system_id}": its {what} is {_shown(getattr(system, field))} here and '
        f"{_shown(getattr(own[system.system_id], field))} in the campaign, which keeps it; set the same."
        for system in file.systems
        if system.system_id in own
        for field, what in (("weight", "weight"), ("is_human", "is_human"))
        if getattr(system, field) != getattr(own[system.system_id], field)
    ]
    absent = [name for name in own if name not in {system.system_id for system in file.systems}]
    if absent and has_new_segments:
        problems.append(
            f"the file has new segments, but no translations of them by {listed(absent)}. HITs need all "
            "systems in equal shares, because a worker is measured by all that they saw: add them."
        )
    reason = missing_texts(stored) if absent and not has_new_segments else None
    if reason is not None:
        problems.append(f"{reason} Put all systems into the file, not only the new one.")
    return problems


def _segment_problems(stored: StoredTexts, file: Campaign) -> list[str]:
    own = {segment.segment_id: segment for segments in stored.parts.values() for segment in segments}
    changed = [
        each.segment_id
        for each in file.segments
        if each.segment_id in own and not _is_same(each, own[each.segment_id])
    ]
    if not changed:
        return []
    has = "has the name of a stored segment" if len(changed) == 1 else "have the names of stored segments"
    return [
        f"{counted(len(changed), 'segment')} of the file ({listed(changed)}) {has}, but another source, "
        "reference or document. Texts that are stored stay as they are. Give "
        "new segments new names, with a table that has a column for them; or, with plain files, put the "
        "new lines after the old ones."
    ]


def _is_same(one: Segment, other: Segment) -> bool:
    # A file may leave out what workers do not see.
    return all(
        not given or given == own
        for given, own in ((one.source, other.source), (one.reference, other.reference))
    ) and (one.document_id in (other.document_id, one.segment_id))


def _translation_problems(stored: StoredTexts, file: Campaign) -> list[str]:
    changed: dict[str, list[str]] = {}
    for each in file.each_translation():
        own = stored.translations.get(each.system_id, {}).get(each.segment_id)
        if own is not None and own != each.text:
            changed.setdefault(each.system_id, []).append(each.segment_id)
    return [
        f'system "{name}" has another translation of {counted(len(segments), "segment")} '
        f"({listed(segments)}) than the campaign. What was judged stays as it is: restore the text, or add "
        "the system under a new name."
        for name, segments in changed.items()
    ]


def _prefilled_problems(stored: StoredTexts, file: Campaign) -> list[str]:
    """Other errors marked beforehand than those that workers have seen."""
    if not file.prefilled:
        return []
    changed = [
        f"{system_id}/{segment_id}"
        for system_id, own in stored.translations.items()
        for segment_id in own
        if file.prefilled.get((system_id, segment_id), ())
        != stored.prefilled.get((system_id, segment_id), ())
    ]
    if not changed:
        return []
    return [
        f"[spans] prefilled marks other errors in {counted(len(changed), 'translation')} ({listed(changed)}) "
        "than the campaign has. What workers have seen stays as it is: restore the marks."
    ]
