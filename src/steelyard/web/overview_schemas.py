"""The JSON of a campaign at a glance: progress, forecast, money."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, TypeAdapter

from steelyard.domain.managers import ManagerRole
from steelyard.domain.running import CampaignState, Rules
from steelyard.flows.forecast import Forecast
from steelyard.flows.links import Links
from steelyard.flows.progress import Overview, PlaceCounts, WorkerProgress
from steelyard.flows.release import HitPlaces
from steelyard.planning.spending import Spending

HITS = TypeAdapter(list[HitPlaces])


class CampaignView(BaseModel):
    """What the campaign is about, and its state."""

    name: str
    title: str
    protocol: str
    attribute: str
    source_language: str
    target_language: str
    state: CampaignState
    revision: int
    n_parts: int


class ProgressView(BaseModel):
    """How far the campaign is. `n_left`: items still to be judged; judgements of released HITs are extra."""

    model_config = ConfigDict(from_attributes=True)

    n_openings: int
    n_taken: int
    n_submitted: int
    n_judgements: int
    n_wanted: int
    n_left: int
    places: PlaceCounts
    history: list[tuple[datetime, int]]
    workers: list[WorkerProgress]


class OverviewView(BaseModel):
    """The campaign at a glance."""

    campaign: CampaignView
    progress: ProgressView
    rules: Rules
    money: Spending
    forecast: Forecast
    warnings: list[str]
    notes: list[str]


class CallerView(BaseModel):
    """Who is asking. `manager_id` is null for whoever has the campaign's own link."""

    role: ManagerRole
    manager_id: str | None
    name: str


class WhoAsks(BaseModel):
    """Who is asking, and the links that they may have. A viewer gets no `links`."""

    links: Links | None
    you: CallerView


class DashboardView(OverviewView, WhoAsks):
    """What the manager's page shows."""


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
            state=overview.state,
            revision=overview.revision,
            n_parts=overview.n_parts,
        ),
        progress=ProgressView.model_validate(overview.progress),
        rules=overview.rules,
        money=overview.money,
        forecast=overview.forecast,
        warnings=list(overview.warnings),
        notes=list(overview.notes),
    )
