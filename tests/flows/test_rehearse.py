"""Copies for rehearsals: whoever comes to one is simulated, and does all that people do."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from steelyard.domain.entry import CampaignEntry
from steelyard.flows.entry_answers import give_consent
from steelyard.flows.links import add_workers, join_campaign
from steelyard.flows.open import OpenCampaign, open_campaign
from steelyard.flows.rehearse import rehearsal_copy
from steelyard.flows.rules import change_rules
from steelyard.flows.work_status import work_status
from steelyard.store.verdicts import simulated_workers

QUERY = [("PROLIFIC_PID", "5f0a1b2c3d4e5f60718293a4"), ("SESSION_ID", "5f0a1b2c3d4e5f60718293b5")]


def simulated(campaign: OpenCampaign) -> frozenset[str]:
    with campaign.store.read() as connection:
        return simulated_workers(connection)


def test_only_those_who_join_the_copy_are_simulated_and_they_are_asked_like_people(
    campaign: OpenCampaign, asked: CampaignEntry, ask_first: Any, tmp_path: Path, noon: datetime
) -> None:
    ask_first(campaign, asked)
    change_rules(campaign, {"platform": "prolific"}, by="manager", now=noon)
    created = rehearsal_copy(campaign, str(tmp_path / "copy.db"), now=noon)

    join_campaign(campaign, base_url="", now=noon, query=QUERY)
    with open_campaign(str(tmp_path / "copy.db")) as copy:
        came = join_campaign(copy, base_url="", now=noon, query=QUERY).worker_id
        [added] = add_workers(copy, 1, base_url="", now=noon)
        before = work_status(copy, came, now=noon)
        give_consent(copy, came, agrees=True, revision=before.revision, now=noon)

        assert created.settings.name == f"{campaign.settings.name}-rehearsal"
        assert simulated(copy) == {came}
        assert (before.step, work_status(copy, came, now=noon).step) == ("consent", "questions")
        assert work_status(copy, added.worker_id, now=noon).step == "consent"
    assert simulated(campaign) == frozenset()
