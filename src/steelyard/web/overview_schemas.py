"""The JSON of a campaign at a glance: progress, forecast, money."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from steelyard.flows.forecast import ForecastStatus
from steelyard.flows.progress import Overview
from steelyard.web.schemas import LinksView


class _Seen(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class CampaignView(_Seen):
    """What the campaign is about, and its state."""

    name: str
    title: str
    protocol: str
    attribute: str
    source_language: str
    target_language: str
    state: Literal["draft", "open", "paused", "closed"]
    revision: int
    n_parts: int


class HeldHitView(_Seen):
    """The HIT that a worker has open. `is_idle`: nothing was done in it for longer than a lease lasts."""

    assignment_id: str
    hit_id: str
    n_items: int
    n_done: int
    since: datetime
    last_at: datetime
    is_idle: bool


class WorkerProgressView(_Seen):
    """How far one worker is. `n_released`: HITs whose place went back to the pool."""

    worker_id: str
    n_assignments: int
    n_submitted: int
    n_done: int
    n_items: int
    seconds_per_item: float | None
    last_at: datetime | None
    n_released: int
    open: HeldHitView | None
    is_blocked: bool
    is_revoked: bool
    is_excluded: bool
    is_simulated: bool


class PlacesView(_Seen):
    """Places on HITs by what became of them."""

    free: int
    open: int
    idle: int
    submitted: int
    excluded: int


class ProgressView(_Seen):
    """How far the campaign is. `n_left`: items still to be judged; judgements of released HITs are extra."""

    n_openings: int
    n_taken: int
    n_submitted: int
    n_judgements: int
    n_wanted: int
    n_left: int
    places: PlacesView
    history: list[tuple[datetime, int]]
    workers: list[WorkerProgressView]


class RulesView(_Seen):
    """How the campaign is run."""

    lease_minutes: float
    hits_per_worker: int | None
    open_link: bool
    wage: float | None
    currency: str
    pay_per_hit: float | None
    fee: float


class AmountView(_Seen):
    """Some work and what it costs. Without a wage the money is null."""

    hits: float
    items: float
    hours: float
    pay: float | None
    fee: float | None
    cost: float | None


class MoneyView(_Seen):
    """What was spent, is committed to open HITs, and is expected once everything is judged."""

    currency: str
    wage: float | None
    pay_per_hit: float | None
    fee: float
    seconds_per_item: float
    spent: AmountView
    committed: AmountView
    expected: AmountView
    hours_worked: float
    hourly_pay: float | None
    planned_hourly_pay: float | None


class HoursLeftView(_Seen):
    """Hours until everything is judged."""

    expected: float
    earliest: float
    latest: float | None


class ForecastView(_Seen):
    """When everything will be judged, in words and as moments."""

    status: ForecastStatus
    text: str
    n_left: int
    per_hour: float | None
    window_hours: float | None
    hours: HoursLeftView | None
    expected_at: datetime | None
    earliest_at: datetime | None
    latest_at: datetime | None
    level: float


class OverviewView(_Seen):
    """The campaign at a glance."""

    campaign: CampaignView
    progress: ProgressView
    rules: RulesView
    money: MoneyView
    forecast: ForecastView
    warnings: list[str]


class DashboardView(OverviewView):
    """What the manager's page shows."""

    links: LinksView


def overview_view(overview: Overview) -> OverviewView:
    """An overview in the wire's shape."""
    settings = overview.settings
    return OverviewView(
        campaign=CampaignView(
            name=settings.name,
            title=settings.title,
            protocol=settings.protocol,
            attribute=settings.attribute,
            source_language=settings.source_language,
            target_language=settings.target_language,
            state=overview.state.value,
            revision=overview.revision,
            n_parts=overview.n_parts,
        ),
        progress=ProgressView.model_validate(overview.progress),
        rules=RulesView.model_validate(overview.rules),
        money=MoneyView.model_validate(overview.money),
        forecast=ForecastView.model_validate(overview.forecast),
        warnings=list(overview.warnings),
    )
