"""What one running app holds: its campaign, and who answers a manager's questions about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from steelyard.flows.open import OpenCampaign
from steelyard.web.analyst import Analyst, AnalystHere, Answer, Question


@dataclass(frozen=True)
class Desk:
    """Everything a route needs; made once per app. `name`: the campaign's among those of the analyst."""

    campaign: OpenCampaign
    analyst: Analyst
    name: str = ""

    @classmethod
    def over(cls, campaign: OpenCampaign) -> Desk:
        """The desk of a campaign whose analyses are made in this process."""
        return cls(campaign, AnalystHere({"": campaign}))

    async def ask(self, verb: str, arguments: Mapping[str, Any] | None = None) -> Answer:
        """What the analyst says about this campaign; see `analyst_verbs`."""
        return await self.analyst.ask(Question(verb, self.name, dict(arguments or {})))


def desk_of(request: Request) -> Desk:
    """The desk of the app that serves this request."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk
