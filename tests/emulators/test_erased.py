"""What a platform says of people who were erased or forgotten counts once, and brings nobody back."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from tests.emulators.conftest import Study

from steelyard.domain.running import CampaignState
from steelyard.flows.approve import approve
from steelyard.flows.bonus import Owed, pay_bonuses
from steelyard.flows.erase import erase, erase_all
from steelyard.flows.links import renew_all
from steelyard.flows.participants import forget_ids
from steelyard.flows.state import change_state
from steelyard.store import tables


@pytest.fixture
def paid(study: Study) -> Study:
    """Two people were paid, one with a bonus."""
    study.publish()
    workers = [study.come() for _ in range(2)]
    for worker_id in workers:
        study.finish(worker_id)
    study.sync()
    approve(study.campaign, study.client, workers, by="manager", now=study.now)
    pay_bonuses(study.campaign, study.client, [Owed(workers[0], 40, "slow")], by="manager", now=study.now)
    study.entrance.advance(3600)
    study.sync()
    return study


def cells(study: Study) -> str:
    """All that the database holds."""
    with study.campaign.store.read() as connection:
        every = (connection.execute(select(table)) for table in tables.metadata.sorted_tables)
        return repr([tuple(row) for rows in every for row in rows])


def money(study: Study) -> tuple[int, int, int, int]:
    found = study.ledger
    return found.rewards, found.bonuses, found.elsewhere, found.pending


@pytest.mark.parametrize("how", ["erase", "forget", "all"])
def test_a_later_look_at_the_platform_counts_nobody_twice(paid: Study, how: str) -> None:
    before, total = money(paid), paid.entrance.books()["total"]
    assert before == (total["rewards"], total["bonuses"], 0, 0)
    assert before[1] == 40
    sessions = {place.session for worker, place in paid.places.items() if how != "erase" or worker == "W0001"}
    gone = {
        each[name]
        for each in paid.entrance.books()["sessions"]
        for name in ("session", "person")
        if each["session"] in sessions
    }

    if how == "erase":
        erase(paid.campaign, "W0001", by="manager", now=paid.now)
    elif how == "forget":
        forget_ids(paid.campaign, by="manager", now=paid.now)
    else:
        change_state(paid.campaign, CampaignState.CLOSED, by="manager", now=paid.now)
        erase_all(paid.campaign, by="manager", now=paid.now)
    # The stand-ins hold whatever becomes of the secret of the links.
    renew_all(paid.campaign, by="manager", now=paid.now)
    paid.sync()

    assert money(paid) == before
    left = cells(paid)
    assert not [word for word in gone if word in left]
    status = paid.status
    assert len(status.sessions) == 2
    if how != "erase":
        assert not [each for each in status.sessions if each.difference]
        assert not [each for each in status.sessions if each.actions]
