from __future__ import annotations

from datetime import datetime

from steelyard.domain.running import CampaignState
from steelyard.flows.log import log, newest_actions
from steelyard.flows.open import OpenCampaign
from steelyard.flows.rules import change_rules
from steelyard.flows.state import change_state


def test_the_log_tells_everything_in_order(toy: OpenCampaign, noon: datetime) -> None:
    change_state(toy, CampaignState.PAUSED, by="manager", now=noon)
    change_rules(toy, {"wage": 3.0}, by="command line", now=noon)

    assert [(action.number, action.verb) for action in log(toy)] == [(1, "pause"), (2, "change-rules")]


def test_the_log_is_read_page_by_page_from_its_end(toy: OpenCampaign, noon: datetime) -> None:
    for wage in (1.0, 2.0, 3.0, 4.0, 5.0):
        change_rules(toy, {"wage": wage}, by="manager", now=noon)

    first = newest_actions(toy, limit=2)
    second = newest_actions(toy, before=first[-1].number, limit=2)

    assert [action.number for action in (*first, *second)] == [5, 4, 3, 2]
