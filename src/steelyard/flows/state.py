"""The state of a campaign: a draft is opened, paused, opened again, closed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from steelyard.domain.campaign import CampaignSettings
from steelyard.domain.errors import Conflict
from steelyard.domain.running import By, CampaignState
from steelyard.flows.open import OpenCampaign
from steelyard.store import campaigns, running
from steelyard.store.actions import log_action

DRAFT, OPEN, PAUSED, CLOSED = CampaignState
# From each state, those it may change to.
FOLLOWING = {DRAFT: (OPEN,), OPEN: (PAUSED, CLOSED), PAUSED: (OPEN, CLOSED), CLOSED: (OPEN,)}
# By state, those from which the campaigns of a series are brought into it; the others stay as they are.
# Resuming all that were paused does not open those again that are closed.
IN_SERIES = {OPEN: (DRAFT, PAUSED), PAUSED: (OPEN,), CLOSED: (OPEN, PAUSED)}
VERBS = {OPEN: "resume", PAUSED: "pause", CLOSED: "close"}
REFUSALS = {
    (DRAFT, PAUSED): "The campaign is a draft: nobody can judge yet, so there is nothing to pause.",
    (DRAFT, CLOSED): "The campaign is a draft: nobody can judge yet, so there is nothing to close.",
    (
        CLOSED,
        PAUSED,
    ): "The campaign is closed already, so there is nothing to pause. Resume it to open it again.",
}
NO_WAY_BACK = "A campaign that was opened does not become a draft again. Pause it to keep workers out."


@dataclass(frozen=True, slots=True)
class StateChange:
    """The state a campaign is in now, and the one before. `n_under_way`: HITs that somebody is working on."""

    state: CampaignState
    before: CampaignState
    n_under_way: int


@dataclass(frozen=True, slots=True)
class CampaignNow:
    """A campaign at this moment: its rules, and the title and words that workers see now, in `settings`."""

    settings: CampaignSettings
    state: CampaignState
    revision: int


def campaign_now(campaign: OpenCampaign) -> CampaignNow:
    """What may have changed since the campaign was opened."""
    with campaign.store.read() as connection:
        return CampaignNow(
            campaigns.settings(connection),
            running.state(connection),
            running.latest_revision(connection).revision,
        )


def campaign_state(campaign: OpenCampaign) -> CampaignState:
    """The state at this moment."""
    with campaign.store.read() as connection:
        return running.state(connection)


def change_state(
    campaign: OpenCampaign,
    state: CampaignState,
    *,
    by: By,
    now: datetime,
    reason: str = "",
    among: Collection[CampaignState] | None = None,
) -> StateChange:
    """Bring a campaign into a state. It may be there already; Conflict if no way leads there.

    With `among`, a campaign that is in none of these states stays as it is.
    """
    with campaign.store.write() as connection:
        running.hold_campaign(connection)
        before = running.state(connection)
        if among is not None and before not in among:
            state = before
        if state is not before:
            if state not in FOLLOWING[before]:
                raise Conflict(REFUSALS.get((before, state), NO_WAY_BACK))
            running.set_state(connection, state)
            detail = {"before": before.value, "after": state.value}
            log_action(connection, VERBS[state], by=by, now=now, reason=reason, detail=detail)
        return StateChange(state, before, running.n_under_way(connection))
