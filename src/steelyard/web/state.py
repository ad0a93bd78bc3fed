"""What one running app holds: its campaign and the latest analysis."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from fastapi import Request

from steelyard.domain.exhibit import Evidence, ExhibitOptions
from steelyard.flows.analyse import weigh
from steelyard.flows.open import OpenCampaign
from steelyard.flows.progress import campaign_progress
from steelyard.flows.settings import settings_from
from steelyard.flows.source import from_campaign


@dataclass
class LatestAnalysis:
    """The analysis of all judgements so far and its report, remade only when there are more of them."""

    campaign: OpenCampaign
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _n_judgements: int = -1
    _evidence: Evidence | None = None
    # A separate lock: a request for the numbers alone does not wait for the figures.
    _report_lock: threading.Lock = field(default_factory=threading.Lock)
    _n_reported: int = -1
    _report: str = ""

    def get(self) -> Evidence:
        """The current analysis and its ratings; NotEnoughData while there are too few."""
        return self._current()[1]

    def report(self) -> str:
        """The page about the current analysis; NotEnoughData while there are too few ratings."""
        from steelyard.flows.exhibit import report_exhibits
        from steelyard.report.html import report_html

        with self._report_lock:
            n_judgements, evidence = self._current()
            if n_judgements != self._n_reported:
                self._report = report_html(evidence.analysis, *report_exhibits(evidence, ExhibitOptions()))
                self._n_reported = n_judgements
            return self._report

    def _current(self) -> tuple[int, Evidence]:
        """The number of judgements, and what was made from that many."""
        with self._lock:
            n_judgements = campaign_progress(self.campaign).n_judgements
            if self._evidence is None or n_judgements != self._n_judgements:
                source = from_campaign(self.campaign)
                self._evidence = weigh(source, settings_from(source))
                self._n_judgements = n_judgements
            return n_judgements, self._evidence


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
