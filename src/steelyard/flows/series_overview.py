"""A series at a glance: how far each campaign is, what it costs, when it ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.running import CampaignState
from steelyard.flows.forecast import Forecast
from steelyard.flows.progress import Overview, PlaceCounts


@dataclass(frozen=True, slots=True)
class CampaignGlance:
    """One campaign of a series in a few numbers. Money is None where the campaign file names no pay."""

    title: str
    source_language: str
    target_language: str
    state: CampaignState
    n_judgements: int
    n_wanted: int
    n_left: int
    n_openings: int
    places: PlaceCounts
    n_workers: int
    last_at: datetime | None
    currency: str
    spent: float | None
    committed: float | None
    expected: float | None
    forecast: Forecast
    warnings: tuple[str, ...]


def glance(overview: Overview) -> CampaignGlance:
    """What a line about a campaign shows of its overview."""
    settings, progress, money = overview.settings, overview.progress, overview.money
    return CampaignGlance(
        title=settings.title,
        source_language=settings.source_language,
        target_language=settings.target_language,
        state=overview.state,
        n_judgements=progress.n_judgements,
        n_wanted=progress.n_wanted,
        n_left=progress.n_left,
        n_openings=progress.n_openings,
        places=progress.places,
        n_workers=sum(worker.n_assignments > 0 for worker in progress.workers),
        last_at=max((worker.last_at for worker in progress.workers if worker.last_at), default=None),
        currency=money.currency,
        spent=money.spent.cost,
        committed=money.committed.cost,
        expected=money.expected.cost,
        forecast=overview.forecast,
        warnings=overview.warnings,
    )
