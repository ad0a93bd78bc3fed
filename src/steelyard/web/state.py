"""What one running app holds: its campaign and the latest analysis."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from fastapi import Request

from steelyard.domain.result import Analysis, AnalysisSettings
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import campaign_progress
from steelyard.flows.source import analyse_source, from_campaign


@dataclass
class LatestAnalysis:
    """The analysis of all judgements so far, computed anew only when there are more of them."""

    campaign: OpenCampaign
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _n_judgements: int = -1
    _analysis: Analysis | None = None

    def get(self) -> Analysis:
        """The current analysis; NotEnoughData while there is none to be had."""
        with self._lock:
            n_judgements = campaign_progress(self.campaign).n_judgements
            if self._analysis is None or n_judgements != self._n_judgements:
                self._analysis = analyse_source(from_campaign(self.campaign), AnalysisSettings())
                self._n_judgements = n_judgements
            return self._analysis


@dataclass(frozen=True)
class Desk:
    """Everything a route needs; made once per app."""

    campaign: OpenCampaign
    latest: LatestAnalysis


def desk_of(request: Request) -> Desk:
    """The desk of the app that serves this request."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk
