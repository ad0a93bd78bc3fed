"""What a manager changes while a campaign runs: its state, its rules."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from steelyard.domain.running import CampaignState, Rules
from steelyard.flows import rules, state
from steelyard.web.auth import DeskOf, require_manager

router = APIRouter(prefix="/api/v1", tags=["manage"], dependencies=[require_manager])

# Our choice: a few paragraphs.
Reason = Annotated[str, Field(max_length=2000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StateBody(_Strict):
    """The state that the campaign should be in, and why."""

    state: CampaignState
    reason: Reason = ""


class StateView(BaseModel):
    """The state now and before; `n_under_way`: HITs that somebody is working on."""

    state: CampaignState
    before: CampaignState
    n_under_way: int


class RulesBody(_Strict):
    """The rules to change; what is left out stays. `null` takes a limit or a pay away."""

    lease_minutes: float | None = None
    hits_per_worker: int | None = None
    open_link: bool | None = None
    wage: float | None = None
    currency: str | None = None
    pay_per_hit: float | None = None
    fee: float | None = None


@router.post("/state")
def change_state(desk: DeskOf, body: StateBody) -> StateView:
    """Open, pause or close the campaign. A campaign that is in this state already stays as it is."""
    change = state.change_state(
        desk.campaign, body.state, by="manager", now=datetime.now(UTC), reason=body.reason
    )
    return StateView(**asdict(change))


@router.get("/rules")
def campaign_rules(desk: DeskOf) -> Rules:
    """The rules by which the campaign is run."""
    return rules.campaign_rules(desk.campaign)


@router.patch("/rules")
def change_rules(desk: DeskOf, body: RulesBody) -> Rules:
    """Change the rules named in the body; the reply has all of them."""
    changes = body.model_dump(exclude_unset=True)
    return rules.change_rules(desk.campaign, changes, by="manager", now=datetime.now(UTC))
