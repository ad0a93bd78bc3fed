"""What came of analysing one campaign of a series."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.domain.result import Analysis
from steelyard.domain.running import CampaignState


@dataclass(frozen=True)
class AnalysedCampaign:
    """A campaign under its name in the series: its analysis, or the problem that there is none."""

    name: str
    state: CampaignState | None
    analysis: Analysis | None
    problem: str = ""
