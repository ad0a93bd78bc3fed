"""The campaign file: one TOML file that says what is judged, in which texts, and how."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from steelyard.domain.campaign import Campaign, CampaignSettings, DesignSettings
from steelyard.domain.errors import CampaignError, SourceError
from steelyard.domain.languages import problem_with
from steelyard.domain.plugin import Protocol
from steelyard.domain.text import CalibrationText
from steelyard.domain.work import ItemKind
from steelyard.formats import campaign_design as design
from steelyard.formats.campaign_files import CampaignFiles
from steelyard.formats.campaign_known import Gold, read_calibration, read_gold
from steelyard.formats.campaign_media import SourceReader
from steelyard.formats.campaign_mistakes import parse_tables
from steelyard.formats.campaign_presentation import presentation, roles_chosen
from steelyard.formats.campaign_rules import platform_warnings, rules_of
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.campaign_texts import TextsOfFiles, read_texts
from steelyard.formats.prefilled_file import Prefilled, read_prefilled
from steelyard.formats.text_file import read_text
from steelyard.protocols import protocols, span_settings
from steelyard.qc import checks, usual_check
from steelyard.span_ratings import analysed_as


@dataclass(frozen=True, slots=True)
class CampaignSource:
    """The campaign that a file describes, and what its organiser should know about it."""

    campaign: Campaign
    warnings: tuple[str, ...] = ()
    media: Mapping[str, Path] = field(default_factory=dict)
    """The files that sources show, by the names under which they are to be kept."""


def read_campaign(
    path: Path,
    *,
    shared: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    confined: bool = False,
) -> CampaignSource:
    """The campaign a file describes, its texts read; or one CampaignError with all problems.

    `shared`: tables, by name, whose keys hold where the file has not got them. `confined`: the file may name
    no file outside its folder.
    """
    parsed, problems = parse_tables(_with_shared(_toml(path), shared))
    if parsed is None:
        raise CampaignError(str(path), problems)
    files = CampaignFiles(path.parent, confined=confined)
    files.problems += problems
    files.problems += _setting_problems(parsed)
    protocol = protocols().get(parsed.campaign.protocol)
    shown = presentation(parsed, protocol, files) if protocol else {}
    texts = read_texts(parsed, files)
    settings = _design(parsed, files, protocol=protocol, texts=texts)
    gold = _gold(parsed, files, protocol=protocol, texts=texts)
    calibration = _calibration(parsed, files, protocol=protocol, settings=settings)
    sources = SourceReader(parsed, files)
    if parsed.presentation.source_markup and texts is not None:
        texts = replace(texts, segments=sources.segments(texts.segments))
        calibration, shown = sources.calibration(calibration), sources.training(shown)
        sources.note_findings()
    prefilled = _prefilled(parsed, files, protocol=protocol, marking=shown.get("spans"), texts=texts)
    if files.problems or texts is None:
        raise CampaignError(str(path), files.problems)
    if texts.given and settings.order != "given":
        files.warnings.append(
            f'The HITs of the file are not used, since [design] order = "{settings.order}".'
        )
    if parsed.pay.tell_workers and (parsed.pay.wage, parsed.pay.per_hit) == (None, None):
        files.warnings.append("[pay] gives neither wage nor per_hit, so there is no pay to tell workers of.")
    rules = rules_of(parsed.rules, parsed.pay, parsed.platform)
    files.warnings += platform_warnings(rules)
    campaign = Campaign(
        settings=CampaignSettings(
            **parsed.campaign.model_dump(),
            check=_check_name(parsed, protocol),
            design=settings,
            presentation=shown,
            rules=rules,
        ),
        systems=texts.systems,
        segments=texts.segments,
        translations=texts.translations,
        gold=gold,
        calibration=calibration,
        given=texts.given if settings.order == "given" else (),
        prefilled=prefilled,
    )
    return CampaignSource(campaign, tuple(files.warnings), sources.kept)


def read_tables(path: Path) -> CampaignFile:
    """The tables of a campaign file, and none of the files that it names; CampaignError with all problems."""
    parsed, problems = parse_tables(_toml(path))
    if parsed is None or problems:
        raise CampaignError(str(path), problems)
    return parsed


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except SourceError as error:
        raise CampaignError(error.where, error.problems) from None
    except ValueError as error:
        raise CampaignError(str(path), [f"is not valid TOML: {error}."]) from None


def _with_shared(raw: dict[str, Any], shared: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    own = {name: raw.get(name, {}) for name in shared}
    both = {name: {**shared[name], **own[name]} for name in shared if isinstance(own[name], Mapping)}
    return raw | both


def _setting_problems(parsed: CampaignFile) -> list[str]:
    """Names that nothing answers to, and names used twice."""
    campaign, problems = parsed.campaign, []
    for key in ("source_language", "target_language"):
        problem = problem_with(getattr(campaign, key))
        if problem:
            problems.append(f"[campaign] {key}: {problem}")
    known = protocols()
    protocol = known.get(campaign.protocol)
    if protocol is None:
        problems.append(
            f'[campaign] protocol "{campaign.protocol}" is unknown; choose from: {", ".join(known)}.'
        )
    elif campaign.attribute not in protocol.attributes:
        choices = ", ".join(protocol.attributes)
        problems.append(
            f'[campaign] attribute "{campaign.attribute}" is unknown; {protocol.name} has: {choices}.'
        )
    problems += _check_problems(_check_name(parsed, protocol), protocol)
    names = [system.name for system in parsed.systems]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(
            f'[[systems]]: the name "{name}" is used {names.count(name)} times; each system needs its own.'
        )
    return problems


def _check_name(parsed: CampaignFile, protocol: Protocol | None) -> str:
    if parsed.quality.check is not None:
        return parsed.quality.check
    return usual_check(analysed_as(protocol.gives) if protocol else ())


def _check_problems(name: str, protocol: Protocol | None) -> list[str]:
    """A check that does not exist, or that looks at something else than the protocol gives."""
    known = checks()
    if name not in known:
        return [f'[quality] check "{name}" is unknown; choose from: {", ".join(known)}.']
    gives = analysed_as(protocol.gives) if protocol else ()
    fitting = ", ".join(each.name for each in known.values() if each.reads in gives)
    if protocol is None or not fitting or known[name].reads in gives:
        return []
    return [
        f'[quality] check "{name}" needs {known[name].reads}, and {protocol.name} gives '
        f"{', '.join(gives)}; choose from: {fitting}."
    ]


def _design(
    parsed: CampaignFile, files: CampaignFiles, *, protocol: Protocol | None, texts: TextsOfFiles | None
) -> DesignSettings:
    settings = design.design_settings(parsed, protocol, texts)
    files.problems += design.design_problems(parsed, settings, protocol)
    if protocol is not None and parsed.campaign.attribute in protocol.attributes:
        needs = design.needs_of(parsed, settings, protocol, texts)
        files.problems += design.need_problems(parsed, needs, texts)
    if texts is not None:
        files.problems += design.document_problems(settings, texts)
    return settings


def _gold(
    parsed: CampaignFile, files: CampaignFiles, *, protocol: Protocol | None, texts: TextsOfFiles | None
) -> Gold:
    if parsed.gold is None:
        return {}
    scale = protocol.scale if protocol else None
    return files.read(parsed.gold.file, lambda path: read_gold(path, scale=scale, texts=texts)) or {}


def _prefilled(
    parsed: CampaignFile,
    files: CampaignFiles,
    *,
    protocol: Protocol | None,
    marking: Mapping[str, Any] | None,
    texts: TextsOfFiles | None,
) -> Prefilled:
    if protocol is None or not protocol.prefills or marking is None:
        return {}
    name = None if parsed.spans is None else parsed.spans.prefilled
    if name is None:
        files.warnings.append(
            f"{protocol.name} shows errors that are marked beforehand, and there are none: name their file, "
            '[spans] prefilled = "FILE".'
        )
        return {}
    settings = span_settings({"spans": marking}, {})
    return files.read(name, lambda path: read_prefilled(path, settings=settings, texts=texts)) or {}


def _calibration(
    parsed: CampaignFile, files: CampaignFiles, *, protocol: Protocol | None, settings: DesignSettings
) -> tuple[CalibrationText, ...]:
    if parsed.calibration is None:
        return ()
    name = parsed.calibration.file
    roles = roles_chosen(parsed, protocol) if protocol else ()
    texts = files.read(name, lambda path: read_calibration(path, roles=roles)) or ()
    per_hit = (settings.quota or {}).get(ItemKind.CALIBRATION, 0)
    if 0 < len(texts) < per_hit:
        files.problems.append(
            f"{name}: has {len(texts)} texts, but each HIT must hold {per_hit} different ones."
        )
    return texts
