"""What must hold for HITs of whole documents, and what an organiser should know about those made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.design import problems
from steelyard.design.arranging import TOO_CLOSE
from steelyard.design.bases import has_visible_text
from steelyard.design.document_order import GROUPED_SEPARATION
from steelyard.design.document_packing import CONTROL_SHARE, SIZE_TOLERANCE, Target
from steelyard.design.layout import MIN_DEGRADED, layout_problems
from steelyard.design.places import CODE
from steelyard.domain.campaign import Campaign
from steelyard.domain.errors import CampaignError
from steelyard.domain.wording import counted
from steelyard.domain.work import CONTROL_KINDS, ItemKind
from steelyard.stats.arrays import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """What stands at every position of one HIT."""

    kind: IntArray
    entry: IntArray
    half: IntArray
    is_padding: BoolArray
    least_separation: int | None
    round: int = 1

    @property
    def n_controls(self) -> int:
        return int((self.kind != CODE[ItemKind.REGULAR]).sum())


def checked_shares(campaign: Campaign, unfit: Sequence[str] = ()) -> dict[ItemKind, float]:
    """The shares of the kinds among the controls; CampaignError lists all that stands in the way."""
    settings = campaign.settings.design
    found = [*problems.text_problems(campaign), *unfit, *problems.setting_problems(campaign)]
    if settings.gold_every is not None or (settings.quota or {}).get(ItemKind.CALIBRATION, 0):
        found.append(
            'order = "documents" has no room for gold or calibration texts, which would interrupt documents. '
            'Leave them out, or set order = "grouped".'
        )
    has_references = any(has_visible_text(segment.reference) for segment in campaign.segments)
    if settings.quota is None and settings.n_translations > 1:
        # Beside translations a reference is easily recognised: twice as many damaged texts, as in pairs.
        shares = {ItemKind.DEGRADED: 2.0, ItemKind.REPEAT: 1.0}
    elif settings.quota is None:
        shares = {kind: 1.0 for kind in CONTROL_KINDS if has_references or kind is not ItemKind.REFERENCE}
    else:
        shares = {kind: float(settings.quota.get(kind, 0)) for kind in CONTROL_KINDS}
        if shares[ItemKind.REFERENCE] and not has_references:
            found.append(
                "there are no references to make reference items from. Add them, or set a quota with "
                "reference = 0."
            )
    if found:
        raise CampaignError(campaign.settings.name, found)
    return shares


def target_of(campaign: Campaign, shares: Mapping[ItemKind, float]) -> Target:
    """How large the HITs of a campaign should be, and how much of them control documents."""
    hit_size = campaign.settings.design.hit_size
    return Target(hit_size, CONTROL_SHARE if sum(shares.values()) else (0.0, 0.0))


def check_volume(campaign: Campaign, target: Target, n_entries: int, what: str = "translations") -> None:
    """Raise CampaignError if there are too few entries, whatever they are, for even one HIT."""
    if n_entries >= target.least_regular:
        return
    settings = campaign.settings.design
    fitting = int(n_entries / target.regular * settings.hit_size)
    can_be_smaller = not layout_problems(replace(settings, hit_size=fitting))
    advice = f"Set hit_size = {fitting}, or add texts." if can_be_smaller else "Add texts."
    problem = (
        f"{n_entries} {what} are too few for one HIT of {settings.hit_size} items in document order, "
        f"which needs {target.least_regular:.0f} or more beside their control documents. {advice}"
    )
    raise CampaignError(campaign.settings.name, [problem])


def design_warnings(target: Target, hits: Sequence[DocumentHit], *, n_split: int) -> list[str]:
    """How documents, sizes and controls of the HITs differ from what is wanted."""
    warnings = []
    if n_split:
        warnings.append(
            f"{n_split} documents are longer than {target.longest_document} segments, the most that a HIT of "
            f"{target.hit_size} items holds beside a second document and its control: judged in parts."
        )
    sizes = np.array([len(hit.kind) for hit in hits])
    # Rounded, so that 85 of 100 counts as within the tolerance despite binary fractions.
    off_size = np.abs(sizes - target.hit_size) > round(SIZE_TOLERANCE * target.hit_size, 2)
    if off_size.any():
        warnings.append(
            f"{off_size.sum()} of {len(hits)} HITs are more than {SIZE_TOLERANCE:.0%} off hit_size, as "
            f"documents stay whole: HITs have {sizes.min()} to {sizes.max()} items. A larger hit_size comes "
            "closer."
        )
    return [*warnings, *_control_warnings(target, hits, sizes)]


def document_text_warnings(campaign: Campaign) -> list[str]:
    """What an organiser should know about the texts: empty ones, and those that are absent."""
    warnings = empty_warnings(campaign)
    lacking = sum(None in campaign.translations[system.system_id] for system in campaign.systems)
    if lacking:
        warnings.append(
            f"{lacking} systems lack translations of some segments: their documents are shown without these, "
            "and their scores rest on different segments than those of the others."
        )
    return warnings


def empty_warnings(campaign: Campaign) -> list[str]:
    """What to know about translations in which nothing can be seen."""
    empty = sum(not has_visible_text(each.text) for each in campaign.each_translation())
    if not empty:
        return []
    return [
        f"{empty} translations have no visible text; they are judged, and repeated with their document, "
        "but never degraded."
    ]


def _control_warnings(target: Target, hits: Sequence[DocumentHit], sizes: IntArray) -> list[str]:
    if not target.control_share[1]:
        return ["HITs without control documents: no check can tell careful workers from careless ones."]
    warnings = []
    share = np.array([hit.n_controls for hit in hits]) / sizes
    low, high = target.control_share
    off_share = (share < low) | (share > high)
    if off_share.any():
        warnings.append(
            f"in {off_share.sum()} of {len(hits)} HITs control documents are not {low:.0%} to {high:.0%} of "
            f"the items (but {share.min():.1%} to {share.max():.1%} over all HITs), as documents stay whole."
        )
    degraded = np.array([(hit.kind == CODE[ItemKind.DEGRADED]).sum() for hit in hits])
    too_few = degraded < MIN_DEGRADED
    if not degraded.any():
        warnings.append(
            "no HIT has a degraded item: no check can tell careful workers from careless ones. "
            "Longer texts, or a quota with degraded items, help."
        )
    elif too_few.any():
        warnings.append(
            f"{too_few.sum()} of {len(hits)} HITs have fewer than {MIN_DEGRADED} degraded items (least: "
            f"{degraded.min()}): no worker can be tested on such a HIT alone. Longer texts or a larger "
            "hit_size help."
        )
    return warnings


def distance_warnings(closest: int | None, hits: Sequence[DocumentHit]) -> list[str]:
    """What comes closer than it should, given the least distance of two translations of a segment."""
    warnings = []
    apart = [(hit.least_separation, GROUPED_SEPARATION * len(hit.kind)) for hit in hits]
    close = [least for least, wanted in apart if least is not None and least < wanted]
    if close:
        warnings.append(
            f"in {len(close)} of {len(hits)} HITs a control is closer to its base than in HITs with groups, "
            f"which keep {GROUPED_SEPARATION:.0%} of a HIT between them; here it is "
            f"{counted(min(close), 'item')} at worst."
        )
    if closest is not None and closest <= TOO_CLOSE:
        warnings.append(
            f"translations of one segment come as close as {counted(closest, 'position')} (wanted: more than "
            f"{TOO_CLOSE}): documents are few for HITs of this size. More documents or smaller HITs help."
        )
    return warnings
