"""How a campaign file asks for HITs: its design settings, what they need, and whether they can be had."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.design.degradations import degradations
from steelyard.design.layout import layout_of, layout_problems
from steelyard.domain.campaign import DesignSettings, ItemOrder
from steelyard.domain.plugin import Protocol
from steelyard.domain.wording import counted, listed
from steelyard.domain.work import ItemKind
from steelyard.formats.campaign_presentation import roles_chosen
from steelyard.formats.campaign_tables import CampaignFile
from steelyard.formats.campaign_texts import TextsOfFiles


def design_settings(
    parsed: CampaignFile, protocol: Protocol | None, texts: TextsOfFiles | None
) -> DesignSettings:
    """What the protocol, [design], [gold] and [calibration] ask for together."""
    table, n_translations = parsed.design, _n_translations(parsed, protocol)
    return DesignSettings(
        hit_size=table.hit_size,
        ratings_per_item=table.ratings_per_item,
        layout=table.layout,
        order=_order(parsed, texts),
        groups=table.groups,
        quota=_quota(parsed, n_translations),
        gold_every=parsed.gold.every if parsed.gold else None,
        partition=table.partition,
        degradation=table.degradation,
        merge_duplicates=table.merge_duplicates,
        n_translations=n_translations,
        degraded_as=protocol.degraded_as.get(parsed.campaign.attribute) if protocol else None,
    )


def _n_translations(parsed: CampaignFile, protocol: Protocol | None) -> int:
    if protocol is None:
        return 1
    chosen = parsed.design.translations_per_item
    return protocol.n_translations if chosen is None or protocol.most_translations is None else chosen


def _order(parsed: CampaignFile, texts: TextsOfFiles | None) -> ItemOrder:
    if parsed.design.order is not None:
        return parsed.design.order
    return "given" if parsed.texts.hits or (texts is not None and texts.given) else "grouped"


def _quota(parsed: CampaignFile, n_translations: int) -> dict[ItemKind, int] | None:
    table = parsed.design.quota
    if table is not None:
        quota = {ItemKind(kind): number for kind, number in table.model_dump().items()}
    else:
        usual = _usual_quota(parsed.design.hit_size)
        if usual is None or (parsed.calibration is None and n_translations == 1):
            return None
        quota = usual
        if n_translations > 1:
            # A preference says less about a worker than a rating does, and a reference beside a translation
            # is easily recognised: twice as many degraded texts instead [our choice].
            quota[ItemKind.DEGRADED] += quota.pop(ItemKind.REFERENCE)
    if parsed.calibration is not None and parsed.calibration.per_hit is not None:
        quota[ItemKind.CALIBRATION] = parsed.calibration.per_hit
    return quota


def _usual_quota(hit_size: int) -> dict[ItemKind, int] | None:
    """The controls of a HIT where the file says nothing; None if the size allows none."""
    try:
        return dict(layout_of(DesignSettings(hit_size=hit_size, order="free")).quota)
    except ValueError:
        return None


def design_problems(parsed: CampaignFile, settings: DesignSettings, protocol: Protocol | None) -> list[str]:
    """What is wrong with these settings by themselves."""
    problems = [
        f"[design] {problem}".replace("gold_every", "[gold] every") for problem in layout_problems(settings)
    ]
    problems += _degradation_problems(parsed, protocol)
    problems += _number_problems(parsed, settings, protocol)
    problems += _pair_problems(parsed, settings, protocol)
    problems += _calibration_problems(parsed)
    if settings.order != "given":
        if parsed.texts.hits:
            problems.append(
                f'[texts] hits are already laid out, so [design] order = "{settings.order}" cannot be had; '
                "leave out one of the two."
            )
        return problems
    return problems + [
        f'[{name}] cannot be used with [design] order = "given": HITs that are laid out already have no '
        "place for it. Remove the table."
        for name, table in (("gold", parsed.gold), ("calibration", parsed.calibration))
        if table is not None
    ]


def _number_problems(parsed: CampaignFile, settings: DesignSettings, protocol: Protocol | None) -> list[str]:
    """How many translations an item shows, where the protocol does not leave it to the campaign."""
    chosen = parsed.design.translations_per_item
    if protocol is None:
        return []
    most = protocol.most_translations
    if most is None and settings.order == "documents" and settings.n_translations > 1:
        return [f'[design] order = "documents" is not possible with {protocol.name}; set order = "grouped".']
    if chosen is None or (most is not None and chosen <= most):
        return []
    if most is None:
        shown = counted(protocol.n_translations, "translation")
        return [
            f"[design] translations_per_item: {protocol.name} always shows {shown} at once; leave it out."
        ]
    return [
        f"[design] translations_per_item = {chosen}: {protocol.name} shows {most} translations at most; set "
        "a smaller number."
    ]


def _pair_problems(parsed: CampaignFile, settings: DesignSettings, protocol: Protocol | None) -> list[str]:
    """A reference beside a translation, where the reference is shown anyway."""
    n_references = (settings.quota or {}).get(ItemKind.REFERENCE, 0)
    if protocol is None or settings.n_translations == 1 or not n_references:
        return []
    if "reference" not in roles_chosen(parsed, protocol):
        return []
    return [
        "[design.quota] reference: workers see the reference already, so they would know it beside a "
        'translation. Set reference = 0, or leave "reference" out of [presentation] shows.'
    ]


def _degradation_problems(parsed: CampaignFile, protocol: Protocol | None) -> list[str]:
    name, attribute = parsed.design.degradation, parsed.campaign.attribute
    if name is None:
        return []
    known = degradations()
    lowered = protocol.degraded_as.get(attribute, attribute) if protocol else attribute
    fitting = [each.name for each in known.values() if lowered in each.attributes]
    if name not in known:
        return [f'[design] degradation "{name}" is unknown; choose from: {", ".join(fitting or known)}.']
    if name not in fitting and protocol is not None and attribute in protocol.attributes:
        choices = ", ".join(fitting) or "none"
        return [f'[design] degradation "{name}" does not reliably lower {attribute}; choose from: {choices}.']
    return []


def _calibration_problems(parsed: CampaignFile) -> list[str]:
    in_quota = parsed.design.quota.calibration if parsed.design.quota else 0
    if parsed.calibration is None:
        if not in_quota:
            return []
        return ["[design.quota] calibration needs the texts: name their file in the table [calibration]."]
    per_hit = parsed.calibration.per_hit
    if per_hit is None and not in_quota:
        return ['[calibration] lacks the key "per_hit": set how many of the texts each HIT holds.']
    if per_hit is not None and in_quota and per_hit != in_quota:
        return [
            f"[calibration] per_hit = {per_hit}, but [design.quota] calibration = {in_quota}; leave out one."
        ]
    return []


@dataclass(frozen=True, slots=True)
class Needs:
    """Why a campaign cannot do without the source or the reference; None where it can."""

    source: str | None
    reference: str | None


def needs_of(
    parsed: CampaignFile, settings: DesignSettings, protocol: Protocol, texts: TextsOfFiles | None
) -> Needs:
    """The texts that workers or controls need."""
    attribute = parsed.campaign.attribute
    seen = roles_chosen(parsed, protocol)
    reason = f"{protocol.name} shows it to workers who judge {attribute}"
    return Needs(
        source=reason if "source" in seen else None,
        reference=reason if "reference" in seen else _controls_need(settings, texts),
    )


def _controls_need(settings: DesignSettings, texts: TextsOfFiles | None) -> str | None:
    if settings.order == "given":
        given = texts.given if texts is not None else ()
        needed = any(item.kind == ItemKind.REFERENCE and item.text is None for hit in given for item in hit)
        return "the HITs show it in place of translations" if needed else None
    # Whole documents do without references where there are none.
    if settings.quota is None and settings.order == "documents":
        return None
    quota = settings.quota if settings.quota is not None else _usual_quota(settings.hit_size)
    number = (quota or {}).get(ItemKind.REFERENCE, 0)
    if not number:
        return None
    others = {kind: count for kind, count in (quota or {}).items() if count and kind != ItemKind.REFERENCE}
    without = ", ".join(f"{kind} = {count}" for kind, count in others.items())
    return (
        f"each HIT shows {number} in place of translations "
        f"(to do without, set [design.quota] {without or 'degraded = 0'})"
    )


def need_problems(parsed: CampaignFile, needs: Needs, texts: TextsOfFiles | None) -> list[str]:
    """Texts that are needed and not there."""
    problems = []
    for role, reason in (("source", needs.source), ("reference", needs.reference)):
        if reason is None:
            continue
        name = parsed.texts.file
        if name is None and getattr(parsed.texts, role) is None:
            problems.append(f'[texts] lacks the key "{role}", the file with the {role}: {reason}.')
        if name is None or texts is None:
            continue
        absent = [segment.segment_id for segment in texts.segments if not getattr(segment, role).strip()]
        if len(absent) == len(texts.segments):
            problems.append(f"{name}: has no {role}, but {reason}. {_HOW[role]}")
        elif absent:
            number = counted(len(absent), "segment")
            problems.append(f"{name}: lacks the {role} of {number} ({listed(absent)}), but {reason}.")
    return problems


_HOW = {
    "source": 'Add it, or name a file with one segment per line: [texts] source = "source.txt".',
    "reference": "Add it to the file.",
}


def document_problems(settings: DesignSettings, texts: TextsOfFiles) -> list[str]:
    """Order by document where every segment stands alone; given HITs where there are none."""
    if settings.order == "given" and not texts.given:
        return ['[design] order = "given" needs HITs that are already laid out: name them as [texts] hits.']
    alone = all(segment.document_id == segment.segment_id for segment in texts.segments)
    if settings.order == "documents" and alone:
        return [
            '[design] order = "documents" must know which segments belong together: name a file with the '
            'document of each line as [texts] documents, or give the table a column "document".'
        ]
    return []
