from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from steelyard.domain.errors import Conflict
from steelyard.domain.running import CampaignState
from steelyard.flows.create import create
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.state import campaign_state, change_state
from steelyard.store import running, work
from steelyard.store.actions import logged_actions

DRAFT, OPEN, PAUSED, CLOSED = CampaignState


def bring_to(campaign: OpenCampaign, state: CampaignState) -> None:
    with campaign.store.write() as connection:
        running.set_state(connection, state)


@pytest.mark.parametrize(
    ("before", "after"),
    [(DRAFT, OPEN), (OPEN, PAUSED), (OPEN, CLOSED), (PAUSED, OPEN), (PAUSED, CLOSED), (CLOSED, OPEN)],
)
def test_a_campaign_goes_from_state_to_state(
    toy: OpenCampaign, noon: datetime, before: CampaignState, after: CampaignState
) -> None:
    bring_to(toy, before)

    change = change_state(toy, after, by="manager", now=noon)

    assert (change.before, change.state, campaign_state(toy)) == (before, after, after)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (DRAFT, PAUSED, "nothing to pause"),
        (DRAFT, CLOSED, "nothing to close"),
        (CLOSED, PAUSED, "Resume it to open it again"),
        (OPEN, DRAFT, "Pause it to keep workers out"),
        (CLOSED, DRAFT, "does not become a draft again"),
    ],
)
def test_a_way_that_leads_nowhere_is_refused_and_changes_nothing(
    toy: OpenCampaign, noon: datetime, before: CampaignState, after: CampaignState, words: str
) -> None:
    bring_to(toy, before)

    with pytest.raises(Conflict, match=words):
        change_state(toy, after, by="manager", now=noon)

    assert campaign_state(toy) is before


def test_a_change_is_logged_with_its_reason(toy: OpenCampaign, noon: datetime) -> None:
    change_state(toy, PAUSED, by="command line", now=noon, reason="the server moves")

    with toy.store.read() as connection:
        [action] = logged_actions(connection)
    assert (action.verb, action.done_by, action.done_at) == ("pause", "command line", noon)
    assert (action.reason, action.detail) == ("the server moves", {"before": "open", "after": "paused"})


def test_pausing_twice_is_no_error_and_logged_once(toy: OpenCampaign, noon: datetime) -> None:
    change_state(toy, PAUSED, by="manager", now=noon)

    again = change_state(toy, PAUSED, by="manager", now=noon)

    with toy.store.read() as connection:
        assert len(logged_actions(connection)) == 1
    assert again.before is PAUSED


def test_hits_under_way_are_counted(toy: OpenCampaign, noon: datetime) -> None:
    with toy.store.write() as connection:
        worker = work.add_worker(connection, now=noon)
        work.claim_opening(connection, worker.worker_id, assignment_id="a1", now=noon)

    assert change_state(toy, PAUSED, by="manager", now=noon).n_under_way == 1


@pytest.mark.parametrize(("draft", "state"), [(True, DRAFT), (False, OPEN)])
def test_a_campaign_is_created_as_a_draft_if_asked(
    campaign_file: Path, tmp_path: Path, noon: datetime, draft: bool, state: CampaignState
) -> None:
    create(campaign_file, str(tmp_path / "new.db"), now=noon, draft=draft)

    with open_campaign(str(tmp_path / "new.db")) as campaign:
        assert campaign_state(campaign) is state


def test_of_several_managers_who_pause_at_once_one_does_it(toy: OpenCampaign, noon: datetime) -> None:
    def pause(_: int) -> CampaignState:
        return change_state(toy, PAUSED, by="manager", now=noon).before

    with ThreadPoolExecutor(4) as managers:
        before = list(managers.map(pause, range(4)))

    assert sorted(before) == [OPEN, PAUSED, PAUSED, PAUSED]
    with toy.store.read() as connection:
        assert len(logged_actions(connection)) == 1
