"""From the ratings of several campaigns to their systems on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.domain.result import AnalysisSettings
from steelyard.domain.wording import told_of
from steelyard.evaluation.linking.settings import Common, LinkOptions
from steelyard.evaluation.linking.study import linked
from steelyard.flows.analyse import weigh
from steelyard.flows.settings import settings_of_another
from steelyard.flows.source import Source
from steelyard.flows.watching import Progress, unseen
from steelyard.longitudinal.links import Linked
from steelyard.stats.line_link import Slope


def link(
    sources: Sequence[Source],
    settings: AnalysisSettings,
    *,
    slope: Slope = "free",
    common: Common = "auto",
    progress: Progress = unseen,
) -> Linked:
    """The systems of all sources, oldest first, on the scale of the first.

    Each source is analysed by the same settings, on its own scale of ratings, and brought to the one before
    it through the items they have in common: see `LinkOptions`. One source alone is brought to the
    earlier scores that its calibration items carry. The same input gives the same answer.
    """
    options = LinkOptions(slope, common, settings.method_settings.draws, settings.seed)
    with progress("Linking", 2 * len(sources)) as step:
        evidence = []
        for source in sources:
            evidence.append(weigh(source, settings_of_another(settings, source, first=sources[0])))
            step(1)
        found = linked(evidence, options, step=step)
    warnings_of_sources = [
        told_of(source.title, warning)
        for source, each in zip(sources, evidence, strict=True)
        for warning in each.analysis.warnings
    ]
    signatures = [each.analysis.signature for each in evidence]
    return replace(
        found,
        warnings=(*warnings_of_sources, *found.warnings),
        signature="\n".join([*signatures, _signature(found, options)]),
    )


def _signature(found: Linked, options: LinkOptions) -> str:
    """How the campaigns whose signatures stand before were linked."""
    via = ",".join(found.links["via"])
    return f"link:{via}|slope:{options.slope}|draws:{options.draws}|seed:{options.seed}"
